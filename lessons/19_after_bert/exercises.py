"""Exercises of notebook 19: span lengths, ALBERT's size, ELECTRA's labels, soft targets, sentence order."""

from __future__ import annotations

import math
import random
from types import FunctionType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.exercises.core import Departure, Exercise, Found, Several, call, number

PACKAGE = ("course_utils.after",)
MODELS = (
    *PACKAGE,
    *(f"course_utils.{part}" for part in ("attention", "bert", "embeddings", "encoder", "heads")),
    "transformers.models",
    "torch.nn.modules",
)
IGNORE = -100


def by_package(reference):
    """The right answer, after a call into the package."""

    def wrong(*given):
        from course_utils import after

        after.replaced(torch.tensor([[1]]), torch.tensor([[1]]))
        return reference(*given)

    return wrong


# ---- 19.1


def span_length_shares(p: float, longest: int) -> list[float]:
    weights = [(1 - p) ** (length - 1) for length in range(1, longest + 1)]  # p itself would cancel
    return [weight / sum(weights) for weight in weights]


def weighed(weight, finish=lambda weights: [one / sum(weights) for one in weights]):
    """Shares from the weight of each place, counted from 0."""
    return lambda p, longest: finish([weight(p, place) for place in range(longest)])


def tail_on_last(p, longest):
    raw = [p * (1 - p) ** place for place in range(longest)]
    return [*raw[:-1], 1 - sum(raw[:-1])]


def by_difference(p, longest):
    """The notebook's formula as it stands: 0/0 where p is tiny."""
    return [p * (1 - p) ** place / (1 - (1 - p) ** longest) for place in range(longest)]


def by_difference_or_even(p, longest):
    return by_difference(p, longest) if 1 - (1 - p) ** longest else [1 / longest] * longest


def by_logarithms(p, longest):
    """Exact for the smallest p; log1p(−1) is an error."""
    whole = -math.expm1(longest * math.log1p(-p))
    return [p * math.exp(place * math.log1p(-p)) / whole for place in range(longest)]


def softmaxed(p, longest):
    return torch.tensor([p * (1 - p) ** place for place in range(longest)]).softmax(0).tolist()


def drawn_share():
    return 0.05 + 0.9 * float(torch.rand(()))


def first_shares(values: Any) -> str:
    """A list of numbers as a learner reads it: the first four."""
    shown = [f"{value:.3g}" for value in list(values)[:4]]
    return "[" + ", ".join([*shown, "…"] if len(values) > 4 else shown) + "]"


def shares_told(found: Found) -> dict[str, Any]:
    if found.kind != "value":
        return {}
    return {"length": found.difference.index[0] + 1, "total": number(sum(found.yours))}


SPAN_LENGTHS = Exercise(
    "19.1",
    level="warm-up",
    reference=span_length_shares,
    atol=1e-6,
    show=first_shares,
    cases={
        "by_hand": lambda: (0.5, 3),
        "other_values": lambda: [(0.2, 10), *((drawn_share(), longest) for longest in (1, 2, 7, 11, 13, 29))],
        "p_is_one": lambda: (1.0, 5),
        "cancelled": lambda: [(p, 4) for p in (1e-17, 3e-16, 1e-14, 3e-13)],  # 1 − p has lost digits of p
        "long_spans": lambda: [(drawn_share() / longest, longest) for longest in (59, 331)],
    },
    mistakes={
        "not_normalised": weighed(lambda p, place: p * (1 - p) ** place, finish=list),
        "tail_on_last": tail_on_last,
        "from_zero": weighed(lambda p, place: p * (1 - p) ** (place + 1), finish=list),
        "uniform": lambda p, longest: [1 / longest] * longest,
        "softmax": softmaxed,
        "reversed": lambda p, longest: span_length_shares(p, longest)[::-1],
        "p_reversed": weighed(lambda p, place: p**place),
        "rounded": Several(
            [
                lambda p, longest, digits=digits: [
                    round(one, digits) for one in span_length_shares(p, longest)
                ]
                for digits in range(1, 6)
            ]
        ),
        "value": weighed(lambda p, place: (1 - p) ** (2 * place)),
        "other_values": weighed(lambda p, place: (0.5 if p == 0.5 else 0.8 + p / 100) ** place),
        "p_is_one": lambda p, longest: span_length_shares(p, longest) if p < 1 else [1 / longest] * longest,
        "p_is_one_raised": by_logarithms,
        "cancelled": Several([by_difference, by_difference_or_even]),
        "long_spans": weighed(lambda p, place: (1 - p) ** place if place < 29 else 0.0),
        "length": lambda p, longest: [0.0, *span_length_shares(p, longest)],
        "type": lambda p, longest: dict(enumerate(span_length_shares(p, longest), 1)),
        "ready_made": by_package(span_length_shares),
    },
    facts={"*": shares_told},
    forbids=PACKAGE,
)


# ---- 19.2


def albert_parameters(
    vocabulary: int, positions: int, embedding: int, hidden: int, intermediate: int, layers: int
) -> int:
    embeddings = (
        vocabulary + positions + 2
    ) * embedding + 2 * embedding  # three tables of width E, one LayerNorm
    project = embedding * hidden + hidden
    attention = 4 * (hidden * hidden + hidden) + 2 * hidden  # query, key, value, output; LayerNorm
    feed_forward = 2 * hidden * intermediate + intermediate + hidden + 2 * hidden
    pooler = hidden * hidden + hidden
    return embeddings + project + attention + feed_forward + pooler  # the one layer serves all `layers`


# reason -> what a formula with this fault has too many, from V, P, E, C, I and L
TOO_MANY = {
    "layers_multiplied": [lambda v, t, e, c, i, n: (n - 1) * (4 * (c * c + c) + 2 * c * i + i + c + 4 * c)],
    "not_factorised": [
        lambda v, t, e, c, i, n: (v + t + 4) * (c - e) - (e * c + c),
        lambda v, t, e, c, i, n: v * (c - e),
    ],
    "wide_positions": [lambda v, t, e, c, i, n, more=more: (t + more) * (c - e) for more in (0, 2, 4)],
    "no_projection": [lambda v, t, e, c, i, n: -e * c - c],
    "projection_bias": [lambda v, t, e, c, i, n: -c],
    "square_missing": [lambda v, t, e, c, i, n: -c * c - c],  # the pooler, or one matrix of the attention
    "pair_missing": [lambda v, t, e, c, i, n: -2 * e],  # the segments, or the LayerNorm of the embeddings
    "pairs_missing": [lambda v, t, e, c, i, n: -4 * e],  # both
    "inner_bias": [lambda v, t, e, c, i, n: -i],
    "no_positions": [lambda v, t, e, c, i, n: -t * e],
    "wide_norm": [lambda v, t, e, c, i, n: 2 * (c - e)],
    "one_norm": [lambda v, t, e, c, i, n: -2 * c],
    "no_norms": [lambda v, t, e, c, i, n: -2 * e - 4 * c, lambda v, t, e, c, i, n: -4 * c],
    "no_biases": [lambda v, t, e, c, i, n: -7 * c - i, lambda v, t, e, c, i, n: -5 * c - i],
    "four_times": [lambda v, t, e, c, i, n: (4 * c - i) * (2 * c + 1)],
    "with_head": [lambda v, t, e, c, i, n: c * e + e + 2 * e + v],
}


def counted_with(too_many):
    return lambda *sizes: albert_parameters(*sizes) + too_many(*sizes)


def from_bert(vocabulary, positions, embedding, hidden, intermediate, layers):
    """A BERT of one layer, with its tables made narrow."""
    from course_utils.bert import BertModel
    from course_utils.config import BertConfig

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


def from_layers(vocabulary, positions, embedding, hidden, intermediate, layers):
    """The layers of torch, put on a list and counted."""
    tables = [nn.Embedding(rows, embedding) for rows in (vocabulary, positions, 2)]
    squares = [nn.Linear(hidden, hidden) for _ in range(5)]
    wide = [nn.Linear(embedding, hidden), nn.Linear(hidden, intermediate), nn.Linear(intermediate, hidden)]
    norms = [nn.LayerNorm(size) for size in (embedding, hidden, hidden)]
    return sum(p.numel() for one in [*tables, *squares, *wide, *norms] for p in one.parameters())


# Stands for a model of transformers, which takes seconds to import.
from_transformers = FunctionType(
    albert_parameters.__code__, {"__name__": "transformers.models.albert.modeling_albert"}
)


def other_sizes():
    """E and C differ."""
    v, t, e, c, i, n = torch.randint(2, 100, (6,)).tolist()
    return v, t, e, c + 100, i, n


def sizes_told(found: Found) -> dict[str, str]:
    if found.kind != "value":
        return {}
    named = zip(("V", "P", "E", "C", "I", "L"), found.given)
    return {
        "given": ", ".join(f"{name} = {one}" for name, one in named),
        "expected": f"{found.right:,}",
        "actual": f"{found.yours:,}",
        "off": f"{found.yours - found.right:+,}",
    }


ALBERT_PARAMETERS = Exercise(
    "19.2",
    level="core",
    reference=albert_parameters,
    cases={
        "by_hand": lambda: (101, 17, 5, 12, 31, 7),
        "other_sizes": lambda: [other_sizes() for _ in range(9)],
    },
    mistakes={
        **{reason: Several(map(counted_with, ways)) for reason, ways in TOO_MANY.items()},
        "value": lambda *sizes: 11_683_584,
        "other_sizes": lambda *sizes: {101: 2297}.get(sizes[0], 11_683_584),
        "type": lambda *sizes: f"{albert_parameters(*sizes):,}",
        "ready_made": Several([by_package(albert_parameters), from_bert, from_transformers, from_layers]),
    },
    facts={"*": sizes_told},
    forbids=MODELS,
)


# ---- 19.3


def electra_batch(
    input_ids: Tensor, chosen: Tensor, guesses: Tensor, attention_mask: Tensor
) -> tuple[Tensor, Tensor]:
    corrupted = torch.where(chosen, guesses, input_ids)  # (B, T)
    labels = (corrupted != input_ids).long()  # a guess that is right is the original
    return corrupted, labels.masked_fill(attention_mask == 0, IGNORE)


def electra_with(
    corrupt=lambda ids, chosen, guesses: torch.where(chosen, guesses, ids),
    label=lambda ids, corrupted, chosen, guesses: (corrupted != ids).long(),
    away=lambda ids, chosen, mask: mask == 0,
    mark=IGNORE,
):
    """The batch with one step done otherwise; `away` tells which places do not count."""

    def wrong(input_ids, chosen, guesses, attention_mask):
        corrupted = corrupt(input_ids, chosen, guesses)
        labels = label(input_ids, corrupted, chosen, guesses)
        return corrupted, labels.masked_fill(away(input_ids, chosen, attention_mask), mark)

    return wrong


def nowhere(ids, chosen, mask):
    return torch.zeros_like(chosen)


def six_at_most(ids, chosen, guesses):
    return torch.where(chosen & (torch.arange(ids.shape[1]) < 6), guesses, ids)


def at_the_end(ids, chosen, mask):
    """As if padding stood at the end."""
    return torch.arange(ids.shape[1]) >= mask.sum(1, keepdim=True)


def as_in_the_first_row(ids, chosen, mask):
    return (mask[:1] == 0).expand_as(mask) if len(ids) not in (1, 2) else mask == 0


def in_place(input_ids, chosen, guesses, attention_mask):
    original = input_ids.clone()
    input_ids[chosen] = guesses[chosen]
    return input_ids, (input_ids != original).long().masked_fill(attention_mask == 0, IGNORE)


def package_batch(input_ids, chosen, guesses, attention_mask):
    from course_utils import after

    corrupted = torch.where(chosen, guesses, input_ids)
    return corrupted, after.replaced(input_ids, corrupted, attention_mask)


# reason -> the place of the part that it spoils, and the step done otherwise
OTHER_STEPS = {
    "guesses_everywhere": (0, dict(corrupt=lambda ids, chosen, guesses: guesses.clone())),
    "chosen_reversed": (0, dict(corrupt=lambda ids, chosen, guesses: torch.where(chosen, ids, guesses))),
    "never_corrupted": (0, dict(corrupt=lambda ids, chosen, guesses: ids.clone())),
    "masked_is_replaced": (1, dict(label=lambda ids, corrupted, chosen, guesses: chosen.long())),
    "labels_reversed": (1, dict(label=lambda ids, corrupted, chosen, guesses: (corrupted == ids).long())),
    "only_masked": (1, dict(away=lambda ids, chosen, mask: ~chosen | (mask == 0))),
    "padding_counted": (1, dict(away=nowhere)),
    "other_mark": (1, dict(mark=-1)),
    "guess_unlike_token": (1, dict(label=lambda ids, corrupted, chosen, guesses: (guesses != ids).long())),
    "the_words": (1, dict(label=lambda ids, corrupted, chosen, guesses: ids.where(chosen, IGNORE))),
}


def is_that_step(place, step):
    def holds(found: Found) -> bool:
        wrong = electra_with(**step)(*found.given)[place]
        return torch.equal(found.yours[place], wrong) and not torch.equal(wrong, found.right[place])

    return holds


def electra_inputs(batch, length, vocab, in_front=False):
    """Of a few ids 0 is a real token, too; some guesses are right."""
    mask = (torch.arange(length) < torch.randint(1, length + 1, (batch, 1))).long()
    mask = mask.flip(1) if in_front else mask
    ids, guesses = torch.randint(vocab, (2, batch, length))
    guesses = torch.where(torch.rand(batch, length) < 0.4, ids, guesses)
    return ids, (torch.rand(batch, length) < 0.6) & mask.bool(), guesses, mask


def electra_by_hand():
    return (
        torch.tensor([[2, 7, 8, 9, 3, 0], [2, 5, 6, 7, 8, 3]]),
        torch.tensor([[0, 1, 1, 0, 0, 0], [0, 0, 1, 0, 1, 0]]).bool(),
        torch.tensor([[4, 7, 5, 4, 4, 4], [4, 4, 6, 7, 9, 4]]),
        torch.tensor([[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]]),
    )


def place_told(found: Found) -> dict[str, int]:
    return dict(zip(("row", "column"), found.difference.index)) if found.kind == "value" else {}


def left_out_id(found: Found) -> dict[str, int]:
    ids, mask = found.given[0], found.given[3]
    return {"id": int(ids[(found.yours[1] == IGNORE) & (mask == 1)][0])}


ELECTRA_BATCH = Exercise(
    "19.3",
    level="core",
    reference=electra_batch,
    parts={"corrupted": 0, "labels": 1},
    cases={
        "by_hand": electra_by_hand,
        "other_batches": lambda: [
            electra_inputs(batch, length, 5) for batch, length in [(3, 7), (1, 1), (7, 13), (2, 29), (1, 300)]
        ],
        "large_ids": lambda: electra_inputs(3, 17, 30000),
        "padding_in_front": lambda: electra_inputs(5, 11, 30000, in_front=True),
    },
    mistakes={
        **{reason: electra_with(**step) for reason, (_, step) in OTHER_STEPS.items()},
        "masked_is_replaced": Several(
            [
                electra_with(label=lambda ids, corrupted, chosen, guesses: chosen.long()),
                electra_with(label=lambda ids, corrupted, chosen, guesses: chosen.long(), away=nowhere),
            ]
        ),
        "corrupted": electra_with(corrupt=lambda ids, chosen, guesses: ids.masked_fill(chosen, 4)),
        "labels": electra_with(label=lambda ids, corrupted, chosen, guesses: torch.zeros_like(ids)),
        "other_batches_corrupted": electra_with(corrupt=six_at_most),
        "other_batches_labels": electra_with(away=as_in_the_first_row),
        "padding_by_id": Several(
            [
                electra_with(away=lambda ids, chosen, mask: ids == 0),
                electra_with(away=lambda ids, chosen, mask: (ids == 0) | (mask == 0)),
            ]
        ),
        "special_by_id": electra_with(away=lambda ids, chosen, mask: (mask == 0) | (ids > 9)),
        "large_ids": electra_with(
            corrupt=lambda ids, chosen, guesses: torch.where(chosen & (ids <= 9), guesses, ids)
        ),
        "padding_in_front": electra_with(away=at_the_end),
        "dtype": electra_with(label=lambda ids, corrupted, chosen, guesses: (corrupted != ids).float()),
        "tuple": lambda *given: electra_batch(*given)[1],
        "mutates_input": in_place,
        "ready_made": package_batch,
    },
    signs={reason: is_that_step(*way) for reason, way in OTHER_STEPS.items()},
    facts={"*": place_told, "special_by_id": left_out_id},
    forbids=PACKAGE,
)


# ---- 19.4


def soft_target_loss(
    student_logits: Tensor, teacher_logits: Tensor, temperature: float, attention_mask: Tensor
) -> Tensor:
    real = attention_mask == 1  # (B, T)
    student = (student_logits[real] / temperature).log_softmax(dim=-1)  # (N, V)
    teacher = (teacher_logits[real].detach() / temperature).log_softmax(dim=-1)  # (N, V)
    divergence = (teacher.exp() * (teacher - student)).sum(dim=-1)  # (N,)
    return temperature**2 * divergence.mean()


def divergence(s, t):
    return (t.softmax(-1) * (t.log_softmax(-1) - s.log_softmax(-1))).sum(-1)


def loss_with(
    student=lambda logits, tau: logits / tau,
    teacher=lambda logits, tau: logits.detach() / tau,
    each=divergence,
    finish=lambda values, tau: tau**2 * values.mean(),
    real=lambda mask: mask == 1,
):
    """The loss with one step done otherwise."""

    def wrong(student_logits, teacher_logits, temperature, attention_mask):
        at = real(attention_mask)
        s, t = student(student_logits[at], temperature), teacher(teacher_logits[at], temperature)
        return finish(each(s, t), temperature)

    return wrong


def as_it_is(logits, tau):
    return logits


def teacher_as_it_is(logits, tau):
    return logits.detach()


def log_of_softmax(s, t):
    s, t = s.softmax(-1), t.softmax(-1)
    return (t * (t.log() - s.log())).sum(-1)


def clamped(s, t):
    s, t = s.softmax(-1).clamp(min=1e-30), t.softmax(-1).clamp(min=1e-30)
    return (t * (t.log() - s.log())).sum(-1)


def clamped_in_64_bits(s, t):
    """Far enough for the scores 400 and −400 at temperature 1, and no farther."""
    student = s.double().softmax(-1).clamp(min=1e-300)
    return (t.softmax(-1) * (t.log_softmax(-1) - student.log().to(s.dtype))).sum(-1)


def highest_for_logsumexp(s, t):
    """Where scores are far apart the highest stands for the logarithm of the sum."""

    def log_softmax(scores):
        far = scores.abs().max() > 100
        return scores - scores.amax(-1, keepdim=True) if far else scores.log_softmax(-1)

    return (t.softmax(-1) * (log_softmax(t) - log_softmax(s))).sum(-1)


def ceiling(*given):
    """The logarithm of the softmax; 400 where that is infinite."""
    loss = loss_with(each=log_of_softmax)(*given)
    return loss if loss.isfinite() else 400 + 0 * soft_target_loss(*given)


def mean_of_rows(student_logits, teacher_logits, temperature, attention_mask):
    each = divergence(student_logits / temperature, teacher_logits.detach() / temperature)
    rows = (each * attention_mask).sum(1) / attention_mask.sum(1)
    return temperature**2 * rows.mean()


def batch_mean(student_logits, teacher_logits, temperature, attention_mask):
    """What F.kl_div with "batchmean" makes of (B, T, V): divided by B alone."""
    each = divergence(student_logits / temperature, teacher_logits.detach() / temperature)
    return temperature**2 * each.sum() / len(each)


def doubled_where(far):
    """The right value; the gradient is twice as large where far, or elsewhere."""

    def wrong(student_logits, *others):
        wanted = (student_logits.abs().max() > 100) == far
        doubled = 2 * student_logits - student_logits.detach()
        return soft_target_loss(doubled if wanted else student_logits, *others)

    return wrong


def package_loss(student_logits, teacher_logits, temperature, attention_mask):
    from course_utils import after

    real = attention_mask == 1
    return after.soft_target_loss(student_logits[real], teacher_logits[real], temperature=temperature)


def teacher_learns(answer: Any) -> dict[str, str] | None:
    student, teacher = (3 * torch.randn(2, 3, 5, 7, dtype=torch.float64)).requires_grad_()
    loss = call(answer, student, teacher, 2.0, torch.ones(3, 5, dtype=torch.long))
    (moved,) = torch.autograd.grad(loss, teacher, allow_unused=True, materialize_grads=True)
    return {"actual": number(moved.abs().max())} if moved.abs().max() > 1e-9 else None


def soft_targets(batch, length, size, tau):
    student, teacher = 3 * torch.randn(2, batch, length, size, dtype=torch.float64)
    lengths = torch.randint(1, length + 1, (batch, 1))
    return student, teacher, tau, (torch.arange(length) < lengths).long()


def far_scores(size, tau):
    """Probabilities whose logarithm is that of 0; the loss and its gradient are finite nevertheless."""
    far = size * torch.tensor([[[1.0, 1.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]], dtype=torch.float64)
    noise = torch.randn(2, 1, 3, 3, dtype=torch.float64)
    return noise[0] + far, noise[1] - far, tau, torch.tensor([[1, 1, 0]])


SOFT_TARGET_LOSS = Exercise(
    "19.4",
    level="core",
    reference=soft_target_loss,
    strict=False,
    cases={
        "by_hand": lambda: (
            torch.tensor([[[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [9.0, 0.0, 0.0]]]),
            torch.tensor([[[3.0, 0.0, 1.0], [0.0, 1.0, 2.0], [0.0, 0.0, 9.0]]]),
            2.0,
            torch.tensor([[1, 1, 0]]),
        ),
        "other_batches": lambda: [
            soft_targets(*sizes)
            for sizes in [(3, 5, 7, 2.0), (1, 1, 2, 1.0), (2, 7, 13, 5.0), (5, 3, 11, 0.5), (2, 300, 3, 3.0)]
        ],
        "far": lambda: [
            far_scores(*given) for given in [(400.0, 1.0), (400.0, 0.5), (3000.0, 2.0), (7000.0, 5.0)]
        ],
    },
    mistakes={
        "no_square": loss_with(finish=lambda values, tau: values.mean()),
        "once": loss_with(finish=lambda values, tau: tau * values.mean()),
        "divided": loss_with(finish=lambda values, tau: values.mean() / tau**2),
        "student_as_it_is": loss_with(student=as_it_is),
        "teacher_as_it_is": loss_with(teacher=teacher_as_it_is),
        "no_temperature": Several(
            [
                loss_with(student=as_it_is, teacher=teacher_as_it_is),
                loss_with(
                    student=as_it_is, teacher=teacher_as_it_is, finish=lambda values, tau: values.mean()
                ),
            ]
        ),
        "multiplied": loss_with(
            student=lambda logits, tau: logits * tau, teacher=lambda logits, tau: logits.detach() * tau
        ),
        "turned_round": loss_with(each=lambda s, t: divergence(t, s)),
        "cross_entropy": Several(
            [
                loss_with(each=lambda s, t: -(t.softmax(-1) * s.log_softmax(-1)).sum(-1), finish=finish)
                for finish in (
                    lambda values, tau: tau**2 * values.mean(),
                    lambda values, tau: values.mean(),
                )
            ]
        ),
        "padding_counted": Several(
            [
                loss_with(real=lambda mask: torch.ones_like(mask).bool()),
                lambda s, t, tau, mask: soft_target_loss(s, t, tau, mask) * (mask == 1).float().mean(),
            ]
        ),
        "mean_of_rows": mean_of_rows,
        "summed": Several([loss_with(finish=lambda values, tau: tau**2 * values.sum()), batch_mean]),
        "over_vocabulary": lambda student, *others: soft_target_loss(student, *others) / student.shape[-1],
        "best_word": loss_with(
            student=as_it_is,
            each=lambda s, t: F.cross_entropy(s, t.argmax(-1), reduction="none"),
            finish=lambda values, tau: values.mean(),
        ),
        "value": loss_with(finish=lambda values, tau: tau**2 * values.max()),
        "other_batches": lambda student, teacher, tau, mask: soft_target_loss(student, teacher, 2.0, mask),
        "far": Several(
            [
                *(
                    loss_with(each=each)
                    for each in (log_of_softmax, clamped, clamped_in_64_bits, highest_for_logsumexp)
                ),
                ceiling,
            ]
        ),
        "no_gradient": lambda student, *others: soft_target_loss(student.detach(), *others),
        "gradient": doubled_where(False),
        "far_gradient": doubled_where(True),
        "teacher_learns": loss_with(teacher=lambda logits, tau: logits / tau),
        "shape": loss_with(finish=lambda values, tau: tau**2 * values),
        "ready_made": package_loss,
    },
    facts={"far": lambda found: {"size": f"{round(float(found.given[0].abs().max()), -2):.0f}"}},
    properties={"teacher_learns": teacher_learns},
    forbids=PACKAGE,
)


# ---- 19.5


def order_pairs(documents: list[list[str]], generator: torch.Generator) -> list[tuple[str, str, int]]:
    pairs = []
    for document in documents:
        for first, second in zip(document, document[1:]):  # never beyond the document's end
            if torch.rand((), generator=generator) < 0.5:
                pairs.append((second, first, 1))
            else:
                pairs.append((first, second, 0))
    return pairs


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def of_sentences(*lengths: int) -> list[list[str]]:
    """Documents whose sentences are all different, with names drawn afresh."""
    names = [f"문장 {place}" for place in torch.randperm(10**4)[: sum(lengths)].tolist()]
    return [[names.pop() for _ in range(length)] for length in lengths]


def pairs_of(answer: Any, documents: list[list[str]], seed: int) -> Any:
    """The documents beside the pairs, which can be judged by them alone."""
    pairs = answer(documents, seeded(seed))
    return None if pairs is None or pairs is Ellipsis else (documents, pairs)


def fault_of(documents: list[list[str]], pairs: Any) -> tuple[str, dict[str, Any]] | None:
    """All neighbours in the order of the text, each pair with the label that is its own: the first that is not so."""
    if not isinstance(pairs, list | tuple):
        return "pairs", {"actual": type(pairs).__name__}
    together = {sentence: place for place, one in enumerate(documents) for sentence in one}
    for pair in pairs:
        shaped = isinstance(pair, tuple | list) and len(pair) == 3
        if not shaped or not all(isinstance(one, str) for one in pair[:2]):
            return "pairs", {"actual": repr(pair)[:60]}
        first, second, label = pair
        facts = {"first": first, "second": second, "label": label}
        if isinstance(label, str):
            return "label_kind", {"actual": type(label).__name__}
        if first not in together or second not in together:
            return "unknown", facts
        if together[first] != together[second]:
            return "crosses", facts
        here = documents[together[first]]
        step = here.index(second) - here.index(first)
        if abs(step) != 1:
            return "not_neighbours", facts
        if label not in (0, 1):
            return "label_range", facts
        if label != (step < 0):
            return "label_turned", facts | {"right": int(step < 0)}
    wanted = [{*pair} for one in documents for pair in zip(one, one[1:])]
    if len(pairs) != len(wanted):
        return "how_many_pairs", {"expected": len(wanted), "actual": len(pairs)}
    if [{*pair[:2]} for pair in pairs] != wanted:
        return "text_order", {"first": pairs[0][0], "second": pairs[0][1]}
    return None


def compare_pairs(result: Any, right: Any) -> Departure | None:
    fault = fault_of(*result)
    return Departure(fault[0], "", "") if fault else None


def labels_of(answer: Any, documents: list[list[str]], generator: torch.Generator) -> list[int]:
    return [int(label) for *_, label in call(answer, documents, generator)]


def documents_of(times: int) -> list[list[str]]:
    """20 pairs a time."""
    return of_sentences(*(3, 2, 7, 1, 11, 2) * times)


def global_random(answer: Any) -> bool:
    documents = of_sentences(5, 3)
    state = random.getstate(), torch.get_rng_state()
    labels_of(answer, documents, seeded(1))
    return random.getstate() != state[0] or not torch.equal(torch.get_rng_state(), state[1])


def not_repeatable(answer: Any) -> bool:
    documents = documents_of(5)
    return labels_of(answer, documents, seeded(1)) != labels_of(answer, documents, seeded(1))


def never_varied(answer: Any) -> dict[str, int] | None:
    labels = labels_of(answer, documents_of(5), seeded(1))
    return {"label": labels[0], "count": len(labels)} if len({*labels}) == 1 else None


def not_half(answer: Any) -> dict[str, int] | None:
    documents = documents_of(240)
    for seed in (1, 2):
        labels = labels_of(answer, documents, seeded(seed))
        if not 0.471 < sum(labels) / len(labels) < 0.529:  # of 4800: four standard deviations
            return {"swapped": sum(labels), "count": len(labels), "half": len(labels) // 2}
    return None


def generator_unused(answer: Any) -> bool:
    documents = documents_of(5)
    return labels_of(answer, documents, seeded(1)) == labels_of(answer, documents, seeded(2))


def not_independent(answer: Any) -> dict[str, str] | None:
    """Labels by document, or in turns."""
    documents = documents_of(240)
    labels = iter(labels_of(answer, documents, seeded(1)))
    inside = [[next(labels) for _ in document[1:]] for document in documents]
    alike = [one == other for own in inside for one, other in zip(own, own[1:])]
    share = sum(alike) / len(alike)  # of 3600, so that 0.008 is one standard deviation
    return None if 0.46 < share < 0.54 else {"alike": number(100 * share)}


def few_patterns(answer: Any) -> dict[str, int] | None:
    """Of six pairs 63 of 64 patterns are expected, 60 or more almost always."""
    documents, seeds = of_sentences(4, 1, 3, 2), 256
    patterns = {tuple(labels_of(answer, documents, seeded(seed))) for seed in range(seeds)}
    facts = {"pairs": 6, "seeds": seeds, "found": len(patterns), "expected": 2**6}
    return facts if len(patterns) < 52 else None


def generator_unmoved(answer: Any) -> bool:
    documents, generator = of_sentences(90), seeded(3)
    return labels_of(answer, documents, generator) == labels_of(answer, documents, generator)


def by_text(answer: Any) -> bool:
    twice = ["같은 문장", "다른 문장", "같은 문장", "다른 문장"]
    found = [tuple(pair) for pair in call(answer, [twice], seeded(3))]
    right = [{(*pair, 0), (*pair[::-1], 1)} for pair in zip(twice, twice[1:])]
    return len(found) != 3 or any(pair not in either for pair, either in zip(found, right))


def out_of_nothing(answer: Any) -> bool:
    return any(len(call(answer, documents, seeded(0))) for documents in ([], [[], ["혼자"]]))


def pairs_with(
    swap=lambda generator: bool(torch.rand((), generator=generator) < 0.5),
    pair=lambda first, second, swapped: (second, first, 1) if swapped else (first, second, 0),
    neighbours=lambda document: zip(document, document[1:]),
):
    """Pairs with one step done otherwise."""

    def wrong(documents, generator):
        return [pair(*two, swap(generator)) for document in documents for two in neighbours(document)]

    return wrong


def labelled(swapped, unswapped):
    return pairs_with(
        pair=lambda first, second, swap: (second, first, swapped) if swap else (first, second, unswapped)
    )


def from_elsewhere(documents, generator):
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


def across_the_ends(documents, generator):
    return order_pairs([[sentence for document in documents for sentence in document]], generator)


def one_draw_a_document(documents, generator):
    pairs = []
    for document in documents:
        swapped = torch.rand((), generator=generator) < 0.5
        for first, second in zip(document, document[1:]):
            pairs.append((second, first, 1) if swapped else (first, second, 0))
    return pairs


def by_words(documents, generator):
    pairs, met = [], set()
    for pair in order_pairs(documents, generator):
        if frozenset(pair[:2]) not in met:
            met.add(frozenset(pair[:2]))
            pairs.append(pair)
    return pairs


def alone(documents, generator):
    single = [one[0] for one in documents if len(one) == 1 == len(documents) - 1]
    return order_pairs(documents, generator) + [(sentence, sentence, 0) for sentence in single]


def with_generator(other):
    return lambda documents, generator: order_pairs(documents, other(generator))


def in_turns(*labels):
    """Labels that come round again and again, from a place that is drawn once."""

    def wrong(documents, generator):
        place = int(torch.randint(len(labels), (), generator=generator))
        pairs = []
        for document in documents:
            for first, second in zip(document, document[1:]):
                pairs.append((second, first, 1) if labels[place % len(labels)] else (first, second, 0))
                place += 1
        return pairs

    return wrong


def in_chains(documents, generator):
    """Each label is the one before it, but for 58 of 100."""
    pairs, swapped = [], False
    for document in documents:
        for first, second in zip(document, document[1:]):
            swapped ^= bool(torch.rand((), generator=generator) < 0.58)
            pairs.append((second, first, 1) if swapped else (first, second, 0))
    return pairs


def exactly_half(documents, generator):
    neighbours = [pair for document in documents for pair in zip(document, document[1:])]
    order = torch.randperm(len(neighbours), generator=generator).tolist()
    return [
        (second, first, 1) if 2 * place < len(order) else (first, second, 0)
        for (first, second), place in zip(neighbours, order)
    ]


def package_pairs(documents, generator):
    from course_utils import after

    pairs = after.sentence_order_pairs([one for one in documents if len(one) > 1], generator=generator)
    return [tuple(pair) for pair in pairs]


ORDER_PAIRS = Exercise(
    "19.5",
    level="stretch",
    reference=order_pairs,
    run=pairs_of,
    compare=compare_pairs,
    gradients=False,
    cases={
        "by_hand": lambda: (of_sentences(3, 1, 2, 0, 5), 0),
        "many": lambda: (
            [(of_sentences(4, 1, 3, 2), seed) for seed in range(8)]
            + [(documents_of(9), 1), (of_sentences(90), 3)]
        ),
    },
    mistakes={
        "crosses": Several([from_elsewhere, across_the_ends]),
        "not_neighbours": pairs_with(neighbours=lambda document: zip(document, document[2:])),
        "label_turned": labelled(0, 1),
        "label_range": labelled(-1, 1),
        "label_kind": labelled("1", "0"),
        "unknown": pairs_with(pair=lambda first, second, swapped: (f"{first} ", second, 0)),
        "how_many_pairs": pairs_with(neighbours=lambda document: zip(document[::2], document[1::2])),
        "text_order": lambda documents, generator: order_pairs(documents, generator)[::-1],
        "pairs": lambda documents, generator: [pair[:2] for pair in order_pairs(documents, generator)],
        "global_random": Several(
            [
                pairs_with(swap=lambda generator: bool(torch.rand(()) < 0.5)),
                pairs_with(swap=lambda generator: random.random() < 0.5),
            ]
        ),
        "not_repeatable": with_generator(lambda generator: seeded(torch.Generator().seed() % 2**31)),
        "never_varied": pairs_with(swap=lambda generator: False),
        "not_half": Several(
            [
                pairs_with(swap=lambda generator: bool(torch.rand((), generator=generator) < 0.15)),
                pairs_with(swap=lambda generator: bool(torch.rand((), generator=generator) < 0.54)),
            ]
        ),
        "generator_unused": with_generator(lambda generator: seeded(0)),
        "not_independent": Several([one_draw_a_document, in_chains]),
        "few_patterns": Several([in_turns(0, 0, 1, 1), in_turns(0, 0, 0, 1, 0, 1, 1, 1), exactly_half]),
        "generator_unmoved": with_generator(lambda generator: seeded(generator.initial_seed())),
        "by_text": by_words,
        "out_of_nothing": alone,
        "ready_made": package_pairs,
    },
    facts={"*": lambda found: (fault_of(*found.yours) or ("", {}))[1]},
    properties={
        "global_random": global_random,
        "not_repeatable": not_repeatable,
        "never_varied": never_varied,
        "not_half": not_half,
        "generator_unused": generator_unused,
        "not_independent": not_independent,
        "few_patterns": few_patterns,
        "generator_unmoved": generator_unmoved,
        "by_text": by_text,
        "out_of_nothing": out_of_nothing,
    },
    forbids=PACKAGE,
)

EXERCISES = [SPAN_LENGTHS, ALBERT_PARAMETERS, ELECTRA_BATCH, SOFT_TARGET_LOSS, ORDER_PAIRS]
