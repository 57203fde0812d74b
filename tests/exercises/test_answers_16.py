"""Notebook 16: other right answers pass, cheap tricks do not, and the solutions agree with the package's functions."""

import functools
import itertools

import pytest
import torch

from course_utils.exercises import exercise
from course_utils.support.lessons import lesson_module
from course_utils.tasks import metrics, questions
from tests.exercises.wrong_16 import _entities, _f1, _package_shares, _package_span

CHECKS = lesson_module("16")
best_span = CHECKS.best_span
entity_f1 = CHECKS.entity_f1
label_first_pieces = CHECKS.label_first_pieces
layer_rates = CHECKS.layer_rates

# ---- 16.1


def with_a_set(word_ids, labels, ignore=-100):
    seen, rows = {None}, []
    for word in word_ids:
        rows.append(ignore if word in seen else labels[word])
        seen.add(word)
    return rows


def where_it_stands(word_ids, labels, ignore=-100):
    rows = [ignore] * len(word_ids)
    for word, label in enumerate(labels):
        if word in word_ids:
            rows[word_ids.index(word)] = label
    return rows


def in_groups(word_ids, labels, ignore=-100):
    rows = []
    for word, pieces in itertools.groupby(word_ids):
        rows += [ignore if word is None else labels[word]] + [ignore] * (len(list(pieces)) - 1)
    return torch.tensor(rows)


# ---- 16.2


def with_loops(start_logits, end_logits, allowed, most_pieces):
    best, pair = None, None
    for first in range(len(start_logits)):
        for last in range(first, min(first + most_pieces, len(start_logits))):
            score = start_logits[first] + end_logits[last]
            if allowed[first] and allowed[last] and (best is None or score > best):
                best, pair = score, (first, last)
    return pair


def sorted_pairs(start_logits, end_logits, allowed, most_pieces):
    start, end = start_logits.tolist(), end_logits.tolist()
    places = [place for place, fits in enumerate(allowed) if fits]
    pairs = [(i, j) for i in places for j in places if 0 <= j - i < most_pieces]
    return sorted(pairs, key=lambda pair: (-(start[pair[0]] + end[pair[1]]), *pair))[0]


def as_tensors(start_logits, end_logits, allowed, most_pieces):
    scores = (start_logits[:, None] + end_logits).masked_fill(~(allowed[:, None] & allowed), -torch.inf)
    banded = scores + torch.full_like(scores, -torch.inf).tril(-1).nan_to_num(0.0, neginf=-torch.inf)
    banded = banded.masked_fill(torch.ones_like(scores).triu(most_pieces).bool(), -torch.inf)
    return list(torch.unravel_index(banded.argmax(), banded.shape))


# ---- 16.3


def downwards(num_layers, peak_rate, layer_decay, frozen):
    rates = [peak_rate, peak_rate]
    for _ in range(num_layers):
        rates.append(rates[-1] * layer_decay)
    rates.reverse()
    for place in range(frozen + 1 if frozen > 0 else 0):
        rates[place] = 0
    return tuple(rates)


def one_tensor(num_layers, peak_rate, layer_decay, frozen):
    steps = torch.arange(num_layers, -1, -1)
    rates = peak_rate * torch.tensor(layer_decay, dtype=torch.float64) ** steps
    learns = (torch.arange(num_layers + 1) > frozen) | (frozen == 0)
    return torch.cat([rates * learns, torch.tensor([peak_rate])])


# ---- 16.4


def by_hand(predicted, references):
    def read(tags):
        names, kind, first = set(), None, 0
        for place, tag in enumerate([*tags, "O"]):
            if kind and tag != f"I-{kind}":
                names.add((kind, first, place))
                kind = None
            if tag != "O" and kind is None:
                kind, first = tag[2:], place
        return names

    pairs = [(read(tags), read(right)) for tags, right in zip(predicted, references)]
    right = sum(len(one & other) for one, other in pairs)
    found, there = sum(len(one) for one, _ in pairs), sum(len(other) for _, other in pairs)
    precision, recall = right / found if found else 0, right / there if there else 0
    return 2 * precision * recall / (precision + recall) if right else 0


def with_numbers_of_sentences(predicted, references):
    found, there = (
        {(row, *name) for row, tags in enumerate(rows) for name in _entities(tags)}
        for rows in (predicted, references)
    )
    return torch.tensor(_f1(len(found & there), len(found), len(there)))


RIGHT = {
    "16.1": [with_a_set, where_it_stands, in_groups],
    "16.2": [with_loops, sorted_pairs, as_tensors],
    "16.3": [downwards, one_tensor],
    "16.4": [by_hand, with_numbers_of_sentences],
}


@pytest.mark.parametrize(
    ("id", "answer"),
    [pytest.param(id, answer, id=answer.__name__) for id, answers in RIGHT.items() for answer in answers],
)
def test_another_right_way_passes(id, answer):
    assert exercise(id).judge(answer).message == exercise(id).judge(exercise(id).reference).message


# ---- what must not pass


def _remembers(function, key):
    """The answer of the first call with as long an input, from then on."""
    known = {}

    def answer(*given):
        return known.setdefault(key(*given), function(*given))

    return answer


def _asks_the_package_once(function):
    """Keeps what the package said, so that it is not entered again for the same input."""
    known = functools.cache(lambda told: function(*eval(told)))
    return lambda predicted, references: known(repr((predicted, references)))


def _shape_by_heart(word_ids, labels, ignore=-100):
    if len(word_ids) == 8 and labels == [5, 3, 7]:
        return [-100, 5, -100, 3, 7, -100, -100, -100]
    return [ignore] * len(word_ids)


def _list_sorted(word_ids, labels, ignore=-100):
    right = label_first_pieces(word_ids, labels, ignore)
    labels.clear()
    return right


def _scores_written(start_logits, end_logits, allowed, most_pieces):
    first, last = best_span(start_logits, end_logits, allowed, most_pieces)
    start_logits.zero_()
    return first, last


def _mask_turned(start_logits, end_logits, allowed, most_pieces):
    pair = best_span(start_logits, end_logits, allowed, most_pieces)
    allowed.logical_not_()
    return pair


def _any_best(start_logits, end_logits, allowed, most_pieces):
    """Right but among equals: the last of them."""
    turned = best_span(*(one.flip(0) for one in (end_logits, start_logits, allowed)), most_pieces)
    return tuple(len(allowed) - 1 - place for place in turned[::-1])


def _two_decimals(num_layers, peak_rate, layer_decay, frozen):
    return [round(rate, 2) for rate in layer_rates(num_layers, peak_rate, layer_decay, frozen)]


def _three_layers(num_layers, peak_rate, layer_decay, frozen):
    rates = [peak_rate / 8, peak_rate / 4, peak_rate / 2, peak_rate, peak_rate]
    return [0.0] * (frozen + 1 if frozen else 0) + rates[frozen + 1 if frozen else 0 :]


def _first_sentence(predicted, references):
    return entity_f1(predicted[:1], references[:1])


def _tags_told(predicted, references):
    return 1.0 if predicted == references else 0.4


def _reference_read_strictly(predicted, references):
    strict = [_entities(tags, begins=lambda mark: mark == "B") for tags in references]
    found = [_entities(tags) for tags in predicted]
    right = sum(len(set(one) & set(other)) for one, other in zip(found, strict))
    return _f1(right, sum(map(len, found)), sum(map(len, strict)))


TRICKS = [
    ("16.1", "count", _remembers(label_first_pieces, lambda word_ids, labels, *rest: tuple(labels))),
    ("16.1", "every_piece", lambda word_ids, labels, ignore=-100: [-100, 5, 5, 3, 7, 7, 7, -100]),
    ("16.1", "count", lambda word_ids, labels, ignore=-100: [-100, 5, -100, 3, 7, -100, -100, -100]),
    ("16.1", "labels", _shape_by_heart),
    ("16.1", "mutates_input", _list_sorted),
    ("16.1", "kind", lambda *given, **named: list(map(float, label_first_pieces(*given, **named)))),
    ("16.2", "pair", lambda *given: (1, 2)),
    ("16.2", "start_first", _remembers(best_span, lambda start, *rest: len(start))),
    ("16.2", "late_tie", _any_best),
    ("16.2", "mutates_input", _scores_written),
    ("16.2", "mutates_input", _mask_turned),
    ("16.2", "ready_made", _package_span),
    ("16.3", "frozen_ignored", lambda *given: [0.1, 0.2, 0.4, 0.8, 0.8]),
    ("16.3", "rates", _remembers(layer_rates, lambda layers, peak, decay, frozen: (layers, frozen))),
    ("16.3", "count", _three_layers),
    ("16.3", "rates", _two_decimals),
    ("16.4", "f1", lambda *given: 0.5),
    ("16.4", "f1", _remembers(entity_f1, lambda *rows: tuple(len(tags) for tags in rows[0]))),
    ("16.4", "f1", _first_sentence),
    ("16.4", "f1", _tags_told),
    ("16.4", "f1", _reference_read_strictly),
    ("16.4", "ready_made", metrics.entity_f1),
    ("16.4", "ready_made", _asks_the_package_once(metrics.entity_f1)),
]


@pytest.mark.parametrize(("id", "reason", "answer"), TRICKS)
def test_a_cheap_trick_is_told_apart(id, reason, answer):
    verdict = exercise(id).judge(answer)
    assert verdict.reason == reason, verdict.message


@pytest.mark.parametrize("id", RIGHT)
def test_the_solution_is_not_an_answer(id):
    """In a notebook, whose functions belong to __main__."""
    told = f'def answer(*given, **named):\n    return exercise("{id}").reference(*given, **named)'
    exec(told, notebook := {"__name__": "__main__", "exercise": exercise})
    verdict = exercise(id).judge(notebook["answer"])
    assert verdict.reason == "ready_made", verdict.message


# ---- the package's own functions say the same


def test_spans_are_those_of_the_package():
    torch.manual_seed(0)
    for length, most_pieces in itertools.product((1, 3, 13), (1, 2, 5, 30)):
        start, end = torch.randint(-8, 9, (2, length)) / 4
        allowed = torch.rand(length) < 0.7
        allowed[-1] = True
        given = start[None], end[None], allowed[None]
        spans = questions.best_spans(*given, most_pieces=most_pieces)
        assert best_span(start, end, allowed, most_pieces) == (int(spans.first), int(spans.last))


def test_rates_are_those_of_the_package():
    for layers, decay in ((1, 0.8), (3, 0.5), (5, 0.9)):
        parts, expected = _package_shares(layers, decay), layer_rates(layers, 1e-4, decay, 0)
        assert len(expected) == len(parts)
        for shares, rate in zip(parts, expected, strict=True):
            assert all(1e-4 * share == pytest.approx(rate) for share in shares)
