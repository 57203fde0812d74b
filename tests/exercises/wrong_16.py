"""Wrong answers to the exercises of notebook 16, each under the reason for which it must fail."""

import torch

from course_utils.config import BertConfig
from course_utils.heads import BertForSequenceClassification
from course_utils.tasks import metrics, questions
from course_utils.tasks import words as task_words
from course_utils.tasks.train import layered_adamw

# ---- 16.1


def _first_pieces(
    new=lambda word, before, labels: word is not None and word != before,
    label=lambda word, labels: labels[word],
    other=lambda word, ignore: ignore,
):
    def label_first_pieces(word_ids, labels, ignore=-100):
        rows, before = [], None
        for word in word_ids:
            is_new = new(word, before, labels)
            rows.append(label(word, labels) if is_new else other(word, ignore))
            before = word
        return rows

    return label_first_pieces


_RIGHT_PIECES = _first_pieces()


def _last_pieces(word_ids, labels, ignore=-100):
    return _RIGHT_PIECES(word_ids[::-1], labels, ignore)[::-1]


def _shifted(word_ids, labels, ignore=-100):
    return [*_RIGHT_PIECES(word_ids, labels, ignore)[1:], ignore]


def _one_after_the_other(word_ids, labels, ignore=-100):
    behind = [ignore] * (len(word_ids) - len(labels) - 1)
    return [ignore, *labels, *behind][: len(word_ids)]


def _labels_minus_one(word_ids, labels, ignore=-100):
    """Takes −1 for "no word", and looks it up like any other number."""
    rows = _RIGHT_PIECES(word_ids, labels, ignore)
    return [labels[-1] if word is None else one for word, one in zip(word_ids, rows)]


def _by_labels(word_ids, labels, ignore=-100):
    """Asks whether the label is a new one, not whether the word is."""
    of_pieces = [None if word is None else labels[word] for word in word_ids]
    before = [None, *of_pieces[:-1]]
    return [ignore if one is None or one == other else one for one, other in zip(of_pieces, before)]


def _next_label(word_ids, labels, ignore=-100):
    rest, rows, before = iter(labels), [], None
    for word in word_ids:
        rows.append(next(rest) if word is not None and word != before else ignore)
        before = word
    return rows


def _always_cls(word_ids, labels, ignore=-100):
    return [ignore, *_first_pieces(new=lambda word, before, labels: word not in (None, before))(
        word_ids, labels, ignore
    )[1:]]  # fmt: skip


def _none_written(word_ids, labels, ignore=-100):
    rows = _RIGHT_PIECES(word_ids, labels, ignore)
    for place, word in enumerate(word_ids):
        word_ids[place] = -1 if word is None else word
    return rows


def _once_in_a_row(word_ids, labels, ignore=-100):
    """Begins anew behind a [SEP] in the middle: the words there count from 0 again."""
    middle = [place for place, word in enumerate(word_ids[1:-1], 1) if word is None]
    first = next((place for place in middle if any(w is not None for w in word_ids[place:])), None)
    rows = _RIGHT_PIECES(word_ids, labels, ignore)
    if first is not None:
        least = min(word for word in word_ids[first:] if word is not None)
        shifted = [None if word is None else word - least for word in word_ids[first:]]
        rows[first:] = _RIGHT_PIECES(shifted, labels, ignore)
    return rows


def _through_the_package(word_ids, labels, ignore=-100):
    task_words.words_of("배")
    return _RIGHT_PIECES(word_ids, labels, ignore)


# ---- 16.2


def _span(
    score=lambda start, end: start[:, None] + end[None, :],
    behind=lambda most: (0, most - 1),
    fill=-torch.inf,
    ends=lambda allowed: allowed[:, None] & allowed[None, :],
    better=lambda new, best: new > best,
    told=lambda first, last, allowed: (first, last),
):
    """All pairs in order; `behind` says how far the end may stand behind the beginning."""

    def best_span(start_logits, end_logits, allowed, most_pieces):
        scores, legal = score(start_logits, end_logits), ends(allowed)
        least, most = behind(most_pieces)
        length = len(start_logits)
        best, pair = -torch.inf, (0, 0)
        for first in range(length):
            for last in range(length):
                fits = legal[first, last] and least <= last - first <= most
                here = float(scores[first, last]) if fits else fill
                if better(here, best):
                    best, pair = here, (first, last)
        return told(*pair, allowed)

    return best_span


_RIGHT_SPAN = _span()


def _tops(start, end, allowed):
    return int(start.masked_fill(~allowed, -torch.inf).argmax()), int(
        end.masked_fill(~allowed, -torch.inf).argmax()
    )


def _apart(start, end, allowed, most):
    return _tops(start, end, allowed)


def _turned_round(start, end, allowed, most):
    first, last = _tops(start, end, allowed)
    return (first, last) if first <= last else (last, first)


def _start_first(start, end, allowed, most):
    first = _tops(start, end, allowed)[0]
    only = torch.full_like(start, -torch.inf)
    only[first] = start[first]
    return _RIGHT_SPAN(only, end, allowed, most)


def _end_first(start, end, allowed, most):
    last = _tops(start, end, allowed)[1]
    only = torch.full_like(end, -torch.inf)
    only[last] = end[last]
    return _RIGHT_SPAN(start, only, allowed, most)


def _all_between(start, end, allowed, most):
    length = len(start)
    whole = torch.tensor([[bool(allowed[i : j + 1].all()) for j in range(length)] for i in range(length)])
    return _span(ends=lambda allowed: whole)(start, end, allowed, most)


def _at_most_five_tokens(start, end, allowed, most):
    return _RIGHT_SPAN(start, end, allowed, min(most, 5))


def _package_span(start, end, allowed, most):
    spans = questions.best_spans(start[None], end[None], allowed[None], most_pieces=most)
    return int(spans.first), int(spans.last)


def _nearly_minus_infinity(start, end, allowed, most):
    """As a mask is added, with a number for minus infinity; in the small examples it is low enough."""
    scores = start[:, None] + end[None, :]
    places = torch.arange(len(start))
    behind = places[None, :] - places[:, None]
    legal = (behind >= 0) & (behind < most) & allowed[:, None] & allowed[None, :]
    place = int(torch.where(legal, scores, -10_000.0).argmax())
    return place // len(start), place % len(start)


def _mask_written(start, end, allowed, most):
    start[~allowed] = -torch.inf
    end[~allowed] = -torch.inf
    return _RIGHT_SPAN(start, end, allowed, most)


# ---- 16.3


def _rates(
    steps=lambda layer, layers: layers - layer,
    rate=lambda peak, decay, steps: peak * decay**steps,
    head=lambda peak: peak,
    embeddings=None,
    kept=lambda place, frozen, layers: frozen > 0 and place <= frozen,
):
    """The rate at place 0 (embeddings), 1 … L (layers), L + 1 (head); `kept` says what is frozen."""

    def layer_rates(num_layers, peak_rate, layer_decay, frozen):
        rates = [rate(peak_rate, layer_decay, steps(layer, num_layers)) for layer in range(num_layers + 1)]
        if embeddings:
            rates[0] = embeddings(peak_rate, layer_decay, num_layers)
        rates = [*rates, head(peak_rate)]
        return [0.0 if kept(place, frozen, num_layers) else one for place, one in enumerate(rates)]

    return layer_rates


_RIGHT_RATES = _rates()


def _left_out(num_layers, peak_rate, layer_decay, frozen):
    return [one for one in _RIGHT_RATES(num_layers, peak_rate, layer_decay, frozen) if one]


def _begins_anew(num_layers, peak_rate, layer_decay, frozen):
    """Spreads the rates over the layers that are left, as if these were all: from decay at the lowest of them."""
    rates = _rates(steps=lambda layer, layers: layers - layer + (frozen == 1))
    found = rates(num_layers, peak_rate, layer_decay, frozen)
    return [*found[:-1], peak_rate]


def _at_most_four_layers(num_layers, peak_rate, layer_decay, frozen):
    """The course's own model by heart."""
    steps = [min(4, num_layers - layer) for layer in range(num_layers + 1)]
    return _rates(steps=lambda layer, layers: steps[layer])(num_layers, peak_rate, layer_decay, frozen)


def _package_shares(num_layers, layer_decay):
    """Of a model as deep, for embeddings, each layer and head: the share that the package gives each parameter."""
    sizes = dict(hidden_size=2, num_attention_heads=1, intermediate_size=2, vocab_size=3)
    model = BertForSequenceClassification(BertConfig(num_hidden_layers=num_layers, **sizes), num_labels=2)
    shares = {
        id(one): group["share"]
        for group in layered_adamw(model, layer_decay=layer_decay).param_groups
        for one in group["params"]
    }
    parts = [model.bert.embeddings, *model.bert.encoder.layers, model.classifier]
    return [[shares[id(one)] for one in part.parameters()] for part in parts]


def _by_optimizer(num_layers, peak_rate, layer_decay, frozen):
    """Lets the package say the shares of a model as deep."""
    rates = [peak_rate * shares[0] for shares in _package_shares(num_layers, layer_decay)]
    return [0.0 if frozen and place <= frozen else rate for place, rate in enumerate(rates)]


# ---- 16.4


def _entities(tags, prolongs=None, begins=lambda mark: mark != "O", flush=True):
    """Entities as (kind, first, last); `prolongs` says when a tag goes on with the last one."""
    prolongs = prolongs or (
        lambda mark, kind, last, place: mark == "I" and last[0] == kind and last[2] == place - 1
    )
    found = []
    for place, tag in enumerate(tags):
        mark, _, kind = tag.partition("-")
        if found and prolongs(mark, kind, found[-1], place):
            found[-1] = (found[-1][0], found[-1][1], place)
        elif begins(mark):
            found.append((kind, place, place))
    return found if flush else [one for one in found if one[2] < len(tags) - 1]


def _f1(right, found, there):
    return 2 * right / (found + there) if found + there else 0.0


def _entity_f1(
    read=_entities,
    seen=lambda entity: entity,
    told=_f1,
):
    def entity_f1(predicted, references):
        counts = [0, 0, 0]
        for tags, right_tags in zip(predicted, references):
            found, there = ({seen(one) for one in read(row)} for row in (tags, right_tags))
            for place, number in enumerate((len(found & there), len(found), len(there))):
                counts[place] += number
        return told(*counts)

    return entity_f1


_RIGHT_F1 = _entity_f1()


def _accuracy(predicted, references):
    pairs = [pair for rows in zip(predicted, references) for pair in zip(*rows)]
    return sum(one == other for one, other in pairs) / len(pairs)


def _token_f1(predicted, references):
    return _entity_f1(read=lambda tags: [pair for pair in enumerate(tags) if pair[1] != "O"])(
        predicted, references
    )


def _sentence_mean(predicted, references):
    return sum(_RIGHT_F1([tags], [right]) for tags, right in zip(predicted, references)) / len(references)


def _kind_mean(predicted, references):
    kinds = sorted({kind for tags in references for kind, *_ in _entities(tags)})
    each = [
        _entity_f1(read=lambda tags, kind=kind: [one for one in _entities(tags) if one[0] == kind])(
            predicted, references
        )
        for kind in kinds
    ]
    return sum(each) / len(each) if each else 0.0


def _one_pot(predicted, references):
    found, there = (
        {entity for tags in rows for entity in _entities(tags)} for rows in (predicted, references)
    )
    return _f1(len(found & there), len(found), len(there))


def _in_one_row(predicted, references):
    return _RIGHT_F1(*([[tag for tags in rows for tag in tags]] for rows in (predicted, references)))


def _strict(tags):
    return _entities(tags, begins=lambda mark: mark == "B")


def _any_kind(mark, kind, last, place):
    return mark == "I" and last[2] == place - 1


def _anything(mark, kind, last, place):
    return mark != "O" and last[0] == kind and last[2] == place - 1


def _over_gaps(mark, kind, last, place):
    return mark == "I" and last[0] == kind


def _known_kinds(tags):
    """The course's six kinds by heart."""
    known = ("PS", "LC", "OG", "DT", "TI", "QT")
    return [one for one in _entities(tags) if one[0] in known]


def _upper_marks(predicted, references):
    for tags in predicted:
        tags.append("O")
    return _RIGHT_F1(predicted, references)


def _of_parts(right, found, there):
    precision, recall = right / found, right / there
    return 2 * precision * recall / (precision + recall)


WRONG = {
    "16.1": {
        "every_piece": _first_pieces(new=lambda word, before, labels: word is not None),
        "last_piece": _last_pieces,
        "zero_elsewhere": _first_pieces(other=lambda word, ignore: 0),
        "specials_zero": _first_pieces(other=lambda word, ignore: 0 if word is None else ignore),
        "specials_labelled": _labels_minus_one,
        "shifted": _shifted,
        "one_after_the_other": _one_after_the_other,
        "word_zero": _first_pieces(new=lambda word, before, labels: bool(word) and word != before),
        "numbers_of_words": _first_pieces(label=lambda word, labels: word),
        "same_labels": _by_labels,
        "label_zero": lambda word_ids, labels, ignore=-100: [
            one or ignore for one in _RIGHT_PIECES(word_ids, labels, ignore)
        ],
        "counts_words": _next_label,
        "assumes_specials": _always_cls,
        "ignore_fixed": lambda word_ids, labels, ignore=-100: _RIGHT_PIECES(word_ids, labels),
        "labels": _once_in_a_row,
        "mutates_input": _none_written,
        "count": lambda word_ids, labels, ignore=-100: _RIGHT_PIECES(word_ids, labels, ignore)[1:-1],
        "kind": lambda word_ids, labels, ignore=-100: _first_pieces(other=lambda word, ignore: None)(
            word_ids, labels
        ),
        "ready_made": _through_the_package,
    },
    "16.2": {
        "question": _span(ends=lambda allowed: torch.ones(len(allowed), len(allowed)).bool()),
        "only_start_allowed": _span(ends=lambda allowed: allowed[:, None].expand(-1, len(allowed))),
        "only_end_allowed": _span(ends=lambda allowed: allowed[None, :].expand(len(allowed), -1)),
        "end_exclusive": _span(told=lambda first, last, allowed: (first, last + 1)),
        "swapped": _span(told=lambda first, last, allowed: (last, first)),
        "counted_from_passage": _span(
            told=lambda first, last, allowed: tuple(
                place - int(allowed.int().argmax()) for place in (first, last)
            )
        ),
        "apart": _apart,
        "turned_round": _turned_round,
        "start_first": _start_first,
        "end_first": _end_first,
        "no_limit": _span(behind=lambda most: (0, 10**6)),
        "one_too_long": _span(behind=lambda most: (0, most)),
        "one_too_short": _span(behind=lambda most: (0, max(0, most - 2))),
        "product": _span(score=lambda start, end: start[:, None] * end[None, :]),
        "maximum": _span(score=lambda start, end: torch.maximum(start[:, None], end[None, :])),
        "filled_high": _nearly_minus_infinity,
        "late_tie": _span(better=lambda new, best: new >= best and new > -torch.inf),
        "long_tie": _span(
            score=lambda start, end: start[:, None] + end[None, :] + 1e-6 * torch.arange(len(start))
        ),
        "between": _all_between,
        "pair": _at_most_five_tokens,
        "mutates_input": _mask_written,
        "kind": _span(told=lambda first, last, allowed: (float(first), float(last))),
        "tuple": _span(told=lambda first, last, allowed: first),
        "ready_made": _package_span,
    },
    "16.3": {
        "count": lambda layers, *rest: _RIGHT_RATES(layers, *rest)[1:],
        "from_above": lambda *given: _RIGHT_RATES(*given)[::-1],
        "upside_down": _rates(steps=lambda layer, layers: layer),
        "last_layer_decayed": _rates(steps=lambda layer, layers: layers - layer + 1),
        "embeddings_as_first": _rates(embeddings=lambda peak, decay, layers: peak * decay ** (layers - 1)),
        "embeddings_full": _rates(embeddings=lambda peak, decay, layers: peak),
        "no_decay": _rates(rate=lambda peak, decay, steps: peak),
        "once": _rates(rate=lambda peak, decay, steps: peak * decay if steps else peak),
        "divided": _rates(rate=lambda peak, decay, steps: peak / decay**steps),
        "straight": _rates(rate=lambda peak, decay, steps: peak * (1 - (1 - decay) * steps)),
        "without_peak": lambda layers, peak, decay, frozen: _RIGHT_RATES(layers, 1.0, decay, frozen),
        "embeddings_frozen": _rates(kept=lambda place, frozen, layers: place <= frozen),
        "head_frozen": _rates(kept=lambda place, frozen, layers: frozen == layers or 0 < frozen >= place),
        "embeddings_learn": _rates(kept=lambda place, frozen, layers: 0 < place <= frozen),
        "frozen_ignored": _rates(kept=lambda place, frozen, layers: False),
        "embeddings_counted": _rates(kept=lambda place, frozen, layers: place < frozen),
        "one_too_many": _rates(kept=lambda place, frozen, layers: frozen > 0 and place <= frozen + 1),
        "frozen_from_above": _rates(kept=lambda place, frozen, layers: layers - frozen < place <= layers),
        "only_this_layer": _rates(kept=lambda place, frozen, layers: frozen > 0 and place in (0, frozen)),
        "frozen_left_out": _left_out,
        "rest_changes": _begins_anew,
        "rates": _at_most_four_layers,
        "kind": lambda *given: sum(_RIGHT_RATES(*given)),
        "ready_made": _by_optimizer,
    },
    "16.4": {
        "last_lost": _entity_f1(read=lambda tags: _entities(tags, flush=False)),
        "accuracy": _accuracy,
        "tokens": _token_f1,
        "overlap": _entity_f1(seen=lambda entity: entity[:2]),
        "only_kinds": _entity_f1(seen=lambda entity: entity[0]),
        "precision": _entity_f1(told=lambda right, found, there: right / found if found else 0.0),
        "recall": _entity_f1(told=lambda right, found, there: right / there if there else 0.0),
        "mean": _entity_f1(
            told=lambda right, found, there: right / max(found, 1) / 2 + right / max(there, 1) / 2
        ),
        "union": _entity_f1(told=lambda right, found, there: right / max(found + there - right, 1)),
        "not_doubled": _entity_f1(
            told=lambda right, found, there: right / max(found + there, 1) * (2 if right == found else 1)
        ),
        "kind_ignored": _entity_f1(seen=lambda entity: entity[1:]),
        "sentence_mean": _sentence_mean,
        "kind_mean": _kind_mean,
        "one_pot": _one_pot,
        "strict": _entity_f1(read=_strict),
        "each_i_begins": _entity_f1(
            read=lambda tags: _entities(
                tags,
                prolongs=lambda mark, kind, last, place: (
                    _over_gaps(mark, kind, last, place) and last[2] == place - 1 and tags[last[1]][0] == "B"
                ),
            )
        ),
        "kind_change": _entity_f1(read=lambda tags: _entities(tags, prolongs=_any_kind)),
        "b_goes_on": _entity_f1(read=lambda tags: _entities(tags, prolongs=_anything)),
        "gap_bridged": _entity_f1(read=lambda tags: _entities(tags, prolongs=_over_gaps)),
        "over_the_edge": _in_one_row,
        "nothing_is_one": _entity_f1(
            told=lambda right, found, there: _f1(right, found, there) if found + there else 1.0
        ),
        "zero_division": _entity_f1(told=_of_parts),
        "f1": _entity_f1(read=_known_kinds),
        "kind": lambda *given: [_RIGHT_F1(*given)],
        "mutates_input": _upper_marks,
        "ready_made": metrics.entity_f1,
    },
}
