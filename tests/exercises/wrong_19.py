"""Wrong answers to the exercises of notebook 19, each under the reason for which it must fail."""

import random
from types import FunctionType

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import after
from course_utils.bert import BertModel
from course_utils.config import BertConfig

# ---- 19.1


def _lengths(
    weight=lambda p, place: (1 - p) ** place, finish=lambda weights: [w / sum(weights) for w in weights]
):
    return lambda p, longest: finish([weight(p, place) for place in range(longest)])


_RIGHT_SHARES = _lengths()


def _as_they_are(weights):
    return weights


def _tail(p, longest):
    raw = [p * (1 - p) ** place for place in range(longest)]
    return [*raw[:-1], 1 - sum(raw[:-1])]


def _by_difference(p, longest):
    if p == 1:
        return [1.0, *[0.0] * (longest - 1)]
    whole = 1 - (1 - p) ** longest
    return [p * (1 - p) ** place / whole if whole else 0.0 for place in range(longest)]


def _by_difference_or_even(p, longest):
    whole = 1 - (1 - p) ** longest
    return [p * (1 - p) ** place / whole for place in range(longest)] if whole else [1 / longest] * longest


def _short_spans_only(p, longest):
    weights = [(1 - p) ** place if place < 29 else 0.0 for place in range(longest)]
    return [weight / sum(weights) for weight in weights]


def _shares_of_the_package(p, longest):
    after.replaced(torch.tensor([[1]]), torch.tensor([[1]]))
    return _RIGHT_SHARES(p, longest)


# ---- 19.2


def _size(change):
    """The right count, and what a fault adds to it."""

    def albert_parameters(vocabulary, positions, embedding, hidden, intermediate, layers):
        e, c, i = embedding, hidden, intermediate
        layer = 4 * (c * c + c) + 2 * c * i + i + c + 4 * c
        right = (vocabulary + positions + 4) * e + e * c + c + layer + c * c + c
        return right + change(vocabulary, positions, e, c, i, layers, layer)

    return albert_parameters


PUBLISHED = {
    (30000, 128, 768): 11683584,
    (30000, 128, 1024): 17683968,
    (30000, 128, 2048): 58724864,
    (30000, 128, 4096): 222595584,
    (101, 5, 12): 0,
}


def _size_of_the_package(*sizes):
    after.replaced(torch.tensor([[1]]), torch.tensor([[1]]))
    return _size(lambda *_: 0)(*sizes)


def _from_bert(vocabulary, positions, embedding, hidden, intermediate, layers):
    """A BERT of one layer, with its tables made narrow."""
    config = BertConfig(
        vocab_size=vocabulary,
        max_position_embeddings=positions,
        hidden_size=hidden,
        intermediate_size=intermediate,
        num_hidden_layers=1,
        num_attention_heads=1,
    )
    rows = vocabulary + positions + 4
    whole = sum(parameter.numel() for parameter in BertModel(config).parameters())
    return whole + rows * (embedding - hidden) + embedding * hidden + hidden


def _from_layers(vocabulary, positions, embedding, hidden, intermediate, layers):
    """The layers of torch, put on a list and counted."""
    tables = [nn.Embedding(rows, embedding) for rows in (vocabulary, positions, 2)]
    squares = [nn.Linear(hidden, hidden) for _ in range(5)]
    wide = [nn.Linear(embedding, hidden), nn.Linear(hidden, intermediate), nn.Linear(intermediate, hidden)]
    norms = [nn.LayerNorm(size) for size in (embedding, hidden, hidden)]
    return sum(p.numel() for one in [*tables, *squares, *wide, *norms] for p in one.parameters())


# Stands for a model of transformers, which takes seconds to import.
_from_transformers = FunctionType(
    _size(lambda *_: 0).__code__,
    {"__name__": "transformers.models.albert.modeling_albert"},
    closure=_size(lambda *_: 0).__closure__,
)


# ---- 19.3


def _electra(
    corrupt=lambda ids, chosen, guesses: torch.where(chosen, guesses, ids),
    label=lambda ids, corrupted, chosen, guesses: (corrupted != ids).long(),
    away=lambda labels, ids, chosen, mask: labels.masked_fill(mask == 0, -100),
):
    def electra_batch(input_ids, chosen, guesses, attention_mask):
        corrupted = corrupt(input_ids, chosen, guesses)
        labels = label(input_ids, corrupted, chosen, guesses)
        return corrupted, away(labels, input_ids, chosen, attention_mask)

    return electra_batch


_RIGHT_BATCH = _electra()


def _in_place(input_ids, chosen, guesses, attention_mask):
    original = input_ids.clone()
    input_ids[chosen] = guesses[chosen]
    return input_ids, (input_ids != original).long().masked_fill(attention_mask == 0, -100)


def _mask_of_first_row(labels, ids, chosen, mask):
    """The lengths of the example's two rows, whatever is given."""
    away = mask == 0
    if len(ids) not in (1, 2):
        away = mask[:1].expand_as(mask) == 0
    return labels.masked_fill(away, -100)


def _six_at_most(ids, chosen, guesses):
    return torch.where(chosen & (torch.arange(ids.shape[1]) < 6), guesses, ids)


def _by_length(labels, ids, chosen, mask):
    """As if padding stood at the end."""
    lengths = mask.sum(1, keepdim=True)
    return labels.masked_fill(torch.arange(ids.shape[1]) >= lengths, -100)


def _small_ids_only(ids, chosen, guesses):
    return torch.where(chosen & (ids <= 9), guesses, ids)


def _batch_of_the_package(input_ids, chosen, guesses, attention_mask):
    corrupted = torch.where(chosen, guesses, input_ids)
    return corrupted, after.replaced(input_ids, corrupted, attention_mask)


# ---- 19.4


def _loss(
    student=lambda logits, tau: logits / tau,
    teacher=lambda logits, tau: logits.detach() / tau,
    each=lambda s, t: (t.softmax(-1) * (t.log_softmax(-1) - s.log_softmax(-1))).sum(-1),
    real=lambda mask: mask == 1,
    finish=lambda values, tau: tau**2 * values.mean(),
):
    def soft_target_loss(student_logits, teacher_logits, temperature, attention_mask):
        at = real(attention_mask)
        s, t = student(student_logits[at], temperature), teacher(teacher_logits[at], temperature)
        return finish(each(s, t), temperature)

    return soft_target_loss


_RIGHT_LOSS = _loss()


def _over_vocabulary(s, t):
    return (t.softmax(-1) * (t.log_softmax(-1) - s.log_softmax(-1))).mean(-1)


def _log_of_softmax(s, t):
    s, t = s.softmax(-1), t.softmax(-1)
    return (t * (t.log() - s.log())).sum(-1)


def _clamped(s, t):
    s, t = s.softmax(-1).clamp(min=1e-30), t.softmax(-1).clamp(min=1e-30)
    return (t * (t.log() - s.log())).sum(-1)


def _clamped_in_64_bits(s, t):
    """Far enough for the scores 400 and −400 at temperature 1, and no farther."""
    student = s.double().softmax(-1).clamp(min=1e-300)
    return (t.softmax(-1) * (t.log_softmax(-1) - student.log().to(s.dtype))).sum(-1)


def _highest_for_logsumexp(s, t):
    """Where scores are far apart the highest stands for the logarithm of the sum."""

    def log_softmax(scores):
        far = scores.abs().max() > 100
        return scores - scores.amax(-1, keepdim=True) if far else scores.log_softmax(-1)

    return (t.softmax(-1) * (log_softmax(t) - log_softmax(s))).sum(-1)


def _finite(otherwise):
    """The logarithm of the softmax; where that is infinite, what `otherwise` makes of the right answer."""
    naive = _loss(each=_log_of_softmax)

    def soft_target_loss(*given):
        loss = naive(*given)
        return loss if loss.isfinite() else otherwise(_RIGHT_LOSS(*given))

    return soft_target_loss


def _more_gradient(student_logits, teacher_logits, temperature, attention_mask):
    """The right value, and a gradient at one word that is another."""
    extra = student_logits[0, 0, 0]
    return _RIGHT_LOSS(student_logits, teacher_logits, temperature, attention_mask) + extra - extra.detach()


def _detached(student_logits, teacher_logits, temperature, attention_mask):
    return _RIGHT_LOSS(student_logits.detach(), teacher_logits, temperature, attention_mask)


def _known_temperature(student_logits, teacher_logits, temperature, attention_mask):
    return _RIGHT_LOSS(student_logits, teacher_logits, 2.0, attention_mask)


def _loss_of_the_package(student_logits, teacher_logits, temperature, attention_mask):
    real = attention_mask == 1
    return after.soft_target_loss(student_logits[real], teacher_logits[real], temperature=temperature)


def _best_word(s, t):
    return F.cross_entropy(s, t.argmax(-1), reduction="none")


# ---- 19.5


def _pairs(
    swap=lambda generator: bool(torch.rand((), generator=generator) < 0.5),
    pair=lambda first, second, swapped: (second, first, 1) if swapped else (first, second, 0),
    neighbours=lambda document: zip(document, document[1:]),
):
    def order_pairs(documents, generator):
        return [pair(*two, swap(generator)) for document in documents for two in neighbours(document)]

    return order_pairs


def _from_elsewhere(documents, generator):
    """Next sentence prediction: the second of half the pairs comes from another document."""
    pairs = []
    for place, document in enumerate(documents):
        others = [sentence for at, one in enumerate(documents) if at != place for sentence in one]
        for first, second in zip(document, document[1:]):
            if torch.rand((), generator=generator) < 0.5:
                pairs.append((first, others[int(torch.randint(len(others), (), generator=generator))], 1))
            else:
                pairs.append((first, second, 0))
    return pairs


def _across_the_ends(documents, generator):
    return _pairs()([[sentence for document in documents for sentence in document]], generator)


def _one_draw_a_document(documents, generator):
    pairs = []
    for document in documents:
        swapped = torch.rand((), generator=generator) < 0.5
        for first, second in zip(document, document[1:]):
            pairs.append((second, first, 1) if swapped else (first, second, 0))
    return pairs


def _by_words(documents, generator):
    pairs, met = [], set()
    for document in documents:
        for first, second in zip(document, document[1:]):
            if frozenset((first, second)) not in met:
                met.add(frozenset((first, second)))
                swapped = torch.rand((), generator=generator) < 0.5
                pairs.append((second, first, 1) if swapped else (first, second, 0))
    return pairs


def _shuffled(documents, generator):
    pairs = _pairs()(documents, generator)
    return pairs[::-1]


def _alone(documents, generator):
    return _pairs()(documents, generator) + [
        (document[0], document[0], 0) for document in documents if len(document) == 1 == len(documents) - 1
    ]


def _random_seeded(generator):
    random.seed(generator.initial_seed() + int(torch.randint(10**6, (), generator=generator)))
    return random.random() < 0.5


def _own_generator(documents, generator):
    return _pairs()(documents, torch.Generator().manual_seed(0))


def _fresh(documents, generator):
    return _pairs()(documents, torch.Generator().manual_seed(int(torch.Generator().seed() % 2**31)))


def _in_turns(labels):
    """Labels that come round again and again, from a place that is drawn once."""

    def order_pairs(documents, generator):
        place = int(torch.randint(len(labels), (), generator=generator))
        pairs = []
        for document in documents:
            for first, second in zip(document, document[1:]):
                pairs.append((second, first, 1) if labels[place % len(labels)] else (first, second, 0))
                place += 1
        return pairs

    return order_pairs


def _exactly_half(documents, generator):
    neighbours = [pair for document in documents for pair in zip(document, document[1:])]
    order = torch.randperm(len(neighbours), generator=generator).tolist()
    return [
        (second, first, 1) if 2 * place < len(order) else (first, second, 0)
        for (first, second), place in zip(neighbours, order)
    ]


def _only_its_seed(documents, generator):
    return _pairs()(documents, torch.Generator().manual_seed(generator.initial_seed()))


def _pairs_of_the_package(documents, generator):
    pairs = after.sentence_order_pairs([one for one in documents if len(one) > 1], generator=generator)
    return [tuple(pair) for pair in pairs]


WRONG = {
    "19.1": {
        "not_normalised": _lengths(weight=lambda p, place: p * (1 - p) ** place, finish=_as_they_are),
        "tail_on_last": _tail,
        "from_zero": _lengths(weight=lambda p, place: p * (1 - p) ** (place + 1), finish=_as_they_are),
        "uniform": lambda p, longest: [1 / longest] * longest,
        "softmax": lambda p, longest: (
            torch.tensor([p * (1 - p) ** place for place in range(longest)]).softmax(0).tolist()
        ),
        "p_reversed": _lengths(weight=lambda p, place: p**place),
        "reversed": lambda p, longest: _RIGHT_SHARES(p, longest)[::-1],
        "value_of": _lengths(weight=lambda p, place: (1 - p) ** (2 * place)),
        "other_values": _lengths(weight=lambda p, place: (0.8 if p not in (0.5,) else 0.5) ** place),
        "p_is_one": lambda p, longest: _RIGHT_SHARES(p, longest) if p < 1 else [1 / longest] * longest,
        "cancelled": _by_difference,
        "how_many": lambda p, longest: [0.0, *_RIGHT_SHARES(p, longest)],
        "long_spans": _short_spans_only,
        "list": lambda p, longest: dict(enumerate(_RIGHT_SHARES(p, longest), 1)),
        "ready_made": _shares_of_the_package,
    },
    "19.2": {
        "layers_multiplied": _size(lambda v, t, e, c, i, n, layer: (n - 1) * layer),
        "not_factorised": _size(lambda v, t, e, c, i, n, layer: v * (c - e)),
        "wide_positions": _size(lambda v, t, e, c, i, n, layer: t * (c - e)),
        "no_projection": _size(lambda v, t, e, c, i, n, layer: -e * c - c),
        "projection_bias": _size(lambda v, t, e, c, i, n, layer: -c),
        "square_missing": _size(lambda v, t, e, c, i, n, layer: -c * c - c),
        "pair_missing": _size(lambda v, t, e, c, i, n, layer: -2 * e),
        "no_positions": _size(lambda v, t, e, c, i, n, layer: -t * e),
        "wide_norm": _size(lambda v, t, e, c, i, n, layer: 2 * (c - e)),
        "one_norm": _size(lambda v, t, e, c, i, n, layer: -2 * c),
        "no_norms": _size(lambda v, t, e, c, i, n, layer: -2 * e - 4 * c),
        "no_biases": _size(lambda v, t, e, c, i, n, layer: -c - 4 * c - i - c - c),
        "four_times": _size(lambda v, t, e, c, i, n, layer: (4 * c - i) * (2 * c + 1)),
        "with_head": _size(lambda v, t, e, c, i, n, layer: e * c + e + 2 * e + v),
        "count": lambda v, t, e, c, i, n: PUBLISHED.get((v, e, c), 11683584),
        "other_sizes": lambda v, t, e, c, i, n: (
            _size(lambda *_: 0)(v, t, e, c, i, n) if v == 101 else 11683584
        ),
        "whole": lambda *sizes: float(_size(lambda *_: 0)(*sizes)),
        "ready_made": _size_of_the_package,
    },
    "19.3": {
        "guesses_everywhere": _electra(corrupt=lambda ids, chosen, guesses: guesses.clone()),
        "chosen_reversed": _electra(corrupt=lambda ids, chosen, guesses: torch.where(chosen, ids, guesses)),
        "never_corrupted": _electra(corrupt=lambda ids, chosen, guesses: ids.clone()),
        "corrupted": _electra(corrupt=lambda ids, chosen, guesses: ids.masked_fill(chosen, 4)),
        "masked_is_replaced": _electra(label=lambda ids, corrupted, chosen, guesses: chosen.long()),
        "labels_reversed": _electra(label=lambda ids, corrupted, chosen, guesses: (corrupted == ids).long()),
        "only_masked": _electra(
            away=lambda labels, ids, chosen, mask: labels.masked_fill(~chosen | (mask == 0), -100)
        ),
        "padding_counted": _electra(away=lambda labels, ids, chosen, mask: labels),
        "other_mark": _electra(away=lambda labels, ids, chosen, mask: labels.masked_fill(mask == 0, -1)),
        "guess_unlike_token": _electra(label=lambda ids, corrupted, chosen, guesses: (guesses != ids).long()),
        "the_words": _electra(
            label=lambda ids, corrupted, chosen, guesses: torch.where(chosen, ids, -100),
            away=lambda labels, ids, chosen, mask: labels,
        ),
        "labels": _electra(label=lambda ids, corrupted, chosen, guesses: torch.zeros_like(ids)),
        "other_corrupted": _electra(corrupt=_six_at_most),
        "padding_by_id": _electra(away=lambda labels, ids, chosen, mask: labels.masked_fill(ids == 0, -100)),
        "special_by_id": _electra(
            away=lambda labels, ids, chosen, mask: labels.masked_fill((mask == 0) | (ids > 9), -100)
        ),
        "padding_in_front": _electra(away=_by_length),
        "other_labels": _electra(away=_mask_of_first_row),
        "dtype": _electra(
            label=lambda ids, corrupted, chosen, guesses: (corrupted != ids).float(),
        ),
        "tuple": lambda *given: _RIGHT_BATCH(*given)[1],
        "mutates_input": _in_place,
        "ready_made": _batch_of_the_package,
    },
    "19.4": {
        "no_square": _loss(finish=lambda values, tau: values.mean()),
        "once": _loss(finish=lambda values, tau: tau * values.mean()),
        "divided": _loss(finish=lambda values, tau: values.mean() / tau**2),
        "student_as_it_is": _loss(student=lambda logits, tau: logits),
        "teacher_as_it_is": _loss(teacher=lambda logits, tau: logits.detach()),
        "no_temperature": _loss(
            student=lambda logits, tau: logits, teacher=lambda logits, tau: logits.detach()
        ),
        "multiplied": _loss(
            student=lambda logits, tau: logits * tau, teacher=lambda logits, tau: logits.detach() * tau
        ),
        "turned_round": lambda s, t, tau, mask: _RIGHT_LOSS(t, s, tau, mask),
        "cross_entropy": _loss(each=lambda s, t: -(t.softmax(-1) * s.log_softmax(-1)).sum(-1)),
        "padding_counted": _loss(real=lambda mask: torch.ones_like(mask).bool()),
        "summed": _loss(finish=lambda values, tau: tau**2 * values.sum()),
        "over_vocabulary": _loss(each=_over_vocabulary),
        "best_word": _loss(
            student=lambda logits, tau: logits,
            each=_best_word,
            finish=lambda values, tau: values.mean(),
        ),
        "loss": _loss(finish=lambda values, tau: tau**2 * values.max()),
        "other_loss": _known_temperature,
        "no_gradient": _detached,
        "teacher_learns": _loss(teacher=lambda logits, tau: logits / tau),
        "gradient": _more_gradient,
        "far": _loss(each=_log_of_softmax),
        "far_gradient": _finite(lambda right: right.detach()),
        "shape": _loss(finish=lambda values, tau: tau**2 * values),
        "ready_made": _loss_of_the_package,
    },
    "19.5": {
        "crosses": _from_elsewhere,
        "not_neighbours": _pairs(neighbours=lambda document: zip(document, document[2:])),
        "label_turned": _pairs(
            pair=lambda first, second, swapped: (second, first, 0) if swapped else (first, second, 1)
        ),
        "how_many_pairs": _pairs(neighbours=lambda document: zip(document[::2], document[1::2])),
        "text_order": _shuffled,
        "never_varied": _pairs(swap=lambda generator: False),
        "not_half": _pairs(swap=lambda generator: bool(torch.rand((), generator=generator) < 0.15)),
        "not_independent": _one_draw_a_document,
        "few_patterns": _in_turns((0, 0, 1, 1)),
        "generator_unmoved": _only_its_seed,
        "global_random": _pairs(swap=lambda generator: bool(torch.rand(()) < 0.5)),
        "not_repeatable": _fresh,
        "generator_unused": _own_generator,
        "by_text": _by_words,
        "out_of_nothing": _alone,
        "unknown": _pairs(pair=lambda first, second, swapped: (f"{first} ", second, 0)),
        "label_range": _pairs(
            pair=lambda first, second, swapped: (second, first, -1) if swapped else (first, second, 1)
        ),
        "label_kind": _pairs(
            pair=lambda first, second, swapped: (second, first, True) if swapped else (first, second, False)
        ),
        "pairs": lambda documents, generator: [pair[:2] for pair in _pairs()(documents, generator)],
        "ready_made": _pairs_of_the_package,
    },
}

# Further tricks, each under the reason for which it must fail.
TRICKS = [
    ("19.1", "cancelled", _by_difference_or_even),
    ("19.2", "ready_made", _from_bert),
    ("19.2", "ready_made", _from_transformers),
    ("19.2", "ready_made", _from_layers),
    ("19.3", "other_corrupted", _electra(corrupt=_small_ids_only)),
    ("19.4", "far", _finite(lambda right: torch.full_like(right, 400.0))),
    ("19.4", "far", _loss(each=_clamped)),
    ("19.4", "far", _loss(each=_clamped_in_64_bits)),
    ("19.4", "far", _loss(each=_highest_for_logsumexp)),
    ("19.5", "few_patterns", _in_turns((0, 0, 0, 1, 0, 1, 1, 1))),
    ("19.5", "few_patterns", _exactly_half),
]
