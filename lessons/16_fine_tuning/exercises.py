"""Exercises of notebook 16: labels of pieces, the best span, a rate for each layer, and whole entities."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.core import Exercise, Wrong, call, expect_tuple, number, told_apart
from course_utils.exercises.forbidden import TASKS, refuse_ready_made

Call = Callable[..., Any]  # core.call, or refuse_ready_made in its place


def label_first_pieces(
    word_ids: Sequence[int | None], labels: Sequence[int], ignore: int = -100
) -> list[int]:
    before = [None, *word_ids[:-1]]  # whose piece stands before each
    return [
        ignore if word is None or word == previous else labels[word]
        for word, previous in zip(word_ids, before, strict=True)
    ]


def check_label_first_pieces(answer: object) -> None:
    word_ids, labels = [None, 0, 0, 1, 2, 2, 2, None], [5, 3, 7]  # expected: . 5 . 3 7 . . .
    found = _ints(call(answer, word_ids, labels))
    none = -100
    likely = [
        ("every_piece", [none, 5, 5, 3, 7, 7, 7, none]),
        ("last_piece", [none, none, 5, 3, none, none, 7, none]),
        ("zero_elsewhere", [0, 5, 0, 3, 7, 0, 0, 0]),
        ("specials_zero", [0, 5, none, 3, 7, none, none, 0]),
        ("specials_labelled", [5, 5, none, 3, 7, none, none, 7]),
        ("specials_labelled", [7, 5, none, 3, 7, none, none, 7]),  # labels[-1]
        ("shifted", [5, none, 3, 7, none, none, none, none]),  # as if there were no [CLS]
        ("shifted", [none, none, 5, none, 3, 7, none, none]),
        ("one_after_the_other", [none, 5, 3, 7, none, none, none, none]),
        ("one_after_the_other", [5, 3, 7, none, none, none, none, none]),
        ("word_zero", [none, none, none, 3, 7, none, none, none]),
        ("numbers_of_words", [none, 0, none, 1, 2, none, none, none]),
    ]
    _expect_labels(found, word_ids, labels, likely)
    # two words side by side with one label; a label of 0
    for word_ids, labels, reason, wrong in [
        ([None, 0, 1, 1, None], [3, 3], "same_labels", [none, 3, none, none, none]),
        ([None, 0, 1, 1, None], [4, 0], "label_zero", [none, 4, none, none, none]),
        ([None, 0, 2, 2, None], [6, 8, 9], "counts_words", [none, 6, 8, none, none]),  # word 1 has no piece
        ([0, 1, 1], [6, 8], "assumes_specials", [none, 8, none]),
        ([0, 1, 1, 2], [6, 8, 9], "assumes_specials", [none, 8, none, none]),
    ]:
        _expect_labels(_ints(call(answer, word_ids, labels)), word_ids, labels, [(reason, wrong)])
    word_ids, labels = [None, 0, 0, None], [5]
    found = _ints(call(answer, word_ids, labels, ignore=-1))
    _expect_labels(found, word_ids, labels, [("ignore_fixed", [none, 5, none, none])], ignore=-1)
    for words, ignore in ((2, -100), (3, -1), (4, 0), (5, 99), (6, -100), (7, 7), (9, -100)):
        ask = _refusing if words == 9 else call
        word_ids, labels = _drawn_words(words)
        _expect_labels(_ints(ask(answer, word_ids, labels, ignore)), word_ids, labels, [], ignore=ignore)


def _drawn_words(words: int) -> tuple[list[int | None], list[int]]:
    """A row of words, a few of them without a piece, a [SEP] between them and padding behind; few labels."""
    pieces = torch.randint(0, 4, (words,)).tolist()
    separator = int(torch.randint(words, ()))
    word_ids: list[int | None] = [None]
    for word, many in enumerate(pieces):
        word_ids += [word] * many + [None] * (word == separator)
    return word_ids + [None] * int(torch.randint(4, ())), torch.randint(0, 4, (words,)).tolist()


def _expect_labels(
    found: list[int],
    word_ids: Sequence[int | None],
    labels: Sequence[int],
    likely: Sequence[tuple[str, list[int]]],
    ignore: int = -100,
) -> None:
    expected = label_first_pieces(word_ids, labels, ignore)
    if found == expected:
        return
    if len(found) != len(expected):
        raise Wrong("count", word_ids=_told(word_ids), expected=len(expected), actual=len(found))
    reason = next((name for name, wrong in likely if found == wrong), "labels")
    facts = {"word_ids": _told(word_ids), "labels": _told(labels), "ignore": ignore}
    facts["place"] = next(place for place, one in enumerate(expected) if one != found[place])
    facts |= {"right": expected[facts["place"]], "given": found[facts["place"]]}
    raise Wrong(reason, expected=_told(expected), actual=_told(found), **facts)


def _ints(result: Any) -> list[int]:
    """A list, a tuple or a tensor of whole numbers, as a list."""
    values = result.tolist() if isinstance(result, Tensor) else result
    if not isinstance(values, list | tuple):
        raise Wrong("kind", actual=type(result).__name__)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Wrong("kind", actual=_told(values))
    return list(values)


def _refusing(answer: Any, *args: Any) -> Any:
    """As call, where nothing of course_utils.tasks may be called."""
    return refuse_ready_made(answer, *args, modules=TASKS)


def _told(values: Any) -> str:
    """Lists as a learner reads them, of at most 200 letters."""
    told = str(list(values)) if isinstance(values, tuple) else str(values)
    return told if len(told) <= 200 else f"{told[:199]}…"


def best_span(start_logits: Tensor, end_logits: Tensor, allowed: Tensor, most_pieces: int) -> tuple[int, int]:
    length = len(start_logits)
    scores = start_logits[:, None] + end_logits[None, :]  # (T, T), first × last
    places = torch.arange(length)
    behind = places[None, :] - places[:, None]  # last − first
    legal = (behind >= 0) & (behind < most_pieces) & allowed[:, None] & allowed[None, :]
    place = int(scores.masked_fill(~legal, -torch.inf).argmax())  # row by row: the first one begins first
    return place // length, place % length


# (start logits, end logits, where an answer may stand, most pieces): what a code with one fault gives there.
SPANS: list[tuple[list[float], list[float], list[int], int, list[tuple[str, tuple[int, int]]]]] = [
    # [CLS] at 0, the passage at 1 and 2, [SEP] and padding behind; the right pair is (1, 2)
    (
        [9, 3, 1, 0, 0],
        [8, 1, 4, 0, 7],
        [0, 1, 1, 0, 0],
        5,
        [
            ("question", (0, 0)),
            ("only_start_allowed", (1, 4)),
            ("only_end_allowed", (0, 2)),
            ("question", (0, 4)),
            ("end_exclusive", (1, 3)),
            ("swapped", (2, 1)),
            ("counted_from_passage", (0, 1)),
        ],
    ),
    # negative ones multiplied are large, and a single large one does not make a large sum
    ([-5, 1, 2], [-6, 0, 3], [1, 1, 1], 3, [("product", (0, 0)), ("maximum", (0, 2))]),
    # the best beginning is 2 and the best end 1: right is (1, 1)
    (
        [1, 2, 6],
        [2, 5, 0],
        [1, 1, 1],
        3,
        [("apart", (2, 1)), ("turned_round", (1, 2)), ("start_first", (2, 2))],
    ),
    (
        [0, 2, 5],
        [6, 0, 4],
        [1, 1, 1],
        3,
        [("apart", (2, 0)), ("turned_round", (0, 2)), ("end_first", (0, 0))],
    ),
    # right is (0, 1), two pieces long
    (
        [5, 1, 0, 0],
        [0, 2, 4, 5],
        [1, 1, 1, 1],
        2,
        [("no_limit", (0, 3)), ("one_too_long", (0, 2)), ("one_too_short", (0, 0))],
    ),
    # all sums are below 0
    ([-3, -4, -5], [-4, -2, -6], [0, 1, 1], 2, [("filled_high", (0, 0)), ("filled_high", (2, 1))]),
    # all sums are equal
    (
        [2, 2, 2],
        [3, 3, 3],
        [1, 1, 1],
        3,
        [("late_tie", (2, 2)), ("long_tie", (0, 2))],
    ),
    # between both ends stands what is not allowed
    ([5, 0, 1], [1, 0, 4], [1, 0, 1], 3, [("between", (0, 0)), ("between", (2, 2))]),
]


def check_best_span(answer: object) -> None:
    for start, end, allowed, most_pieces, likely in SPANS:
        given = torch.tensor(start).float(), torch.tensor(end).float(), torch.tensor(allowed).bool()
        _expect_span(answer, *given, most_pieces, likely)
    low = [torch.tensor([-30_000.0, -29_000.0, -29_500.0]), torch.tensor([-28_000.0, -30_500.0, -29_250.0])]
    _expect_span(answer, *low, torch.tensor([False, True, True]), 1, [("filled_high", (0, 0))])
    sizes = [(1, 1), (2, 2), (3, 2), (5, 1), (5, 3), (7, 30), (7, 4), (11, 2), (13, 8), (17, 5), (37, 11)]
    for place, (length, most_pieces) in enumerate(2 * sizes):
        far = (place % 2) * torch.linspace(4, -4, length).round()  # then the best answers are long
        logits = torch.randint(-8, 9, (2, length)) / 4 + (-3.0, 0.0, 3.0)[place % 3]  # many are equal
        allowed = torch.rand(length) < 0.8
        allowed[: length // 4] = False  # the question
        allowed[int(torch.randint(length // 4, length, ()))] = True
        ask = _refusing if place == 2 * len(sizes) - 1 else call
        _expect_span(answer, logits[0] + far, logits[1] - far, allowed, most_pieces, [], ask=ask)
    for length, most_pieces in ((19, 4), (29, 30)):  # in double precision, no two equal
        logits = 4 * torch.randn(2, length, dtype=torch.float64)
        _expect_span(answer, *logits, torch.arange(length) > 3, most_pieces, [])


def _expect_span(
    answer: Any,
    start: Tensor,
    end: Tensor,
    allowed: Tensor,
    most_pieces: int,
    likely: Sequence[tuple[str, tuple[int, int]]],
    ask: Call = call,
) -> None:
    first, last = (_place(part) for part in expect_tuple(ask(answer, start, end, allowed, most_pieces), 2))
    right = best_span(start, end, allowed, most_pieces)
    if (first, last) == right:
        return
    facts = {"expected": right, "actual": (first, last), "most": most_pieces, "length": len(start)}
    facts |= {"start": _row(start), "end": _row(end), "allowed": _told(allowed.int().tolist())}
    facts["best"] = number(start[right[0]] + end[right[1]])
    inside = 0 <= first < len(start) and 0 <= last < len(start)
    facts["score"] = number(start[first] + end[last]) if inside else "−"
    raise Wrong(next((name for name, wrong in likely if (first, last) == wrong), "pair"), **facts)


def _place(part: Any) -> int:
    """A whole number, or a tensor with nothing but one in it."""
    if isinstance(part, Tensor) and part.dim() == 0:
        part = part.item()
    if isinstance(part, bool) or not isinstance(part, int):
        raise Wrong("kind", actual=type(part).__name__)
    return part


def _row(values: Tensor) -> str:
    return "[" + ", ".join(number(value) for value in values[:13]) + (", …]" if len(values) > 13 else "]")


def layer_rates(num_layers: int, peak_rate: float, layer_decay: float, frozen: int) -> list[float]:
    below_the_last = range(num_layers, -1, -1)  # of the embeddings, layer 1, …, the last one
    rates = [peak_rate * layer_decay**steps for steps in below_the_last]
    kept = frozen + 1 if frozen else 0  # with the lowest layer the embeddings are kept, too
    return [0.0] * kept + rates[kept:] + [peak_rate]


def check_layer_rates(answer: object) -> None:
    whole = [0.1, 0.2, 0.4, 0.8, 0.8]  # three layers, 0.8, halved from layer to layer
    likely = [
        ("from_above", whole[::-1]),
        ("upside_down", [0.8, 0.4, 0.2, 0.1, 0.8]),
        ("upside_down", [0.8, 0.8, 0.4, 0.2, 0.8]),
        ("last_layer_decayed", [0.05, 0.1, 0.2, 0.4, 0.8]),
        ("embeddings_as_first", [0.2, 0.2, 0.4, 0.8, 0.8]),
        ("embeddings_full", [0.8, 0.2, 0.4, 0.8, 0.8]),
        ("no_decay", [0.8] * 5),
        ("once", [0.4, 0.4, 0.4, 0.8, 0.8]),
        ("divided", [6.4, 3.2, 1.6, 0.8, 0.8]),
        ("straight", [-0.4, 0.0, 0.4, 0.8, 0.8]),
        ("without_peak", [0.125, 0.25, 0.5, 1.0, 1.0]),
        ("embeddings_frozen", [0.0, *whole[1:]]),
        ("head_frozen", [*whole[:4], 0.0]),
    ]
    _expect_rates(answer, 3, 0.8, 0.5, 0, likely)
    likely = [
        ("embeddings_learn", [0.1, 0.0, 0.0, 0.8, 0.8]),
        ("frozen_ignored", whole),
        ("embeddings_counted", [0.0, 0.0, 0.4, 0.8, 0.8]),
        ("one_too_many", [0.0, 0.0, 0.0, 0.0, 0.8]),
        ("frozen_from_above", [0.0, 0.2, 0.0, 0.0, 0.8]),
        ("frozen_from_above", [0.1, 0.2, 0.0, 0.0, 0.8]),
        ("frozen_from_above", [0.1, 0.2, 0.4, 0.0, 0.0]),
        ("only_this_layer", [0.0, 0.2, 0.0, 0.8, 0.8]),
        ("only_this_layer", [0.1, 0.2, 0.0, 0.8, 0.8]),
        ("frozen_left_out", [0.8, 0.8]),
    ]
    _expect_rates(answer, 3, 0.8, 0.5, 2, likely)
    likely = [
        ("rest_changes", [0.0, 0.0, 0.2, 0.4, 0.8]),
        ("rest_changes", [0.0, 0.0, 0.8, 0.8, 0.8]),
        ("rest_changes", [0.0, 0.0, 0.8, 0.4, 0.8]),
    ]
    _expect_rates(answer, 3, 0.8, 0.5, 1, likely)
    _expect_rates(answer, 3, 0.8, 0.5, 3, [("head_frozen", [0.0] * 5)])
    for place, (layers, peak, decay) in enumerate(
        [(4, 1e-4, 0.8), (1, 5e-5, 0.6), (12, 3e-5, 0.95), (2, 0.1, 1.0), (7, 2e-3, 1 / 2.6), (5, 1e-4, 0.9)]
    ):
        _expect_rates(answer, layers, peak, decay, 0, [])
        _expect_rates(answer, layers, peak, decay, layers, [])
        between = int(torch.randint(layers + 1, ()))
        _expect_rates(answer, layers, peak / 3, decay, between, [], _refusing if place == 5 else call)


def _expect_rates(
    answer: Any,
    layers: int,
    peak: float,
    decay: float,
    frozen: int,
    likely: Sequence[tuple[str, list[float]]],
    ask: Call = call,
) -> None:
    result = ask(answer, layers, peak, decay, frozen)
    rates = _rates(result)
    expected = layer_rates(layers, peak, decay, frozen)
    if _alike(rates, expected):
        return
    facts = {"layers": layers, "peak": number(peak), "decay": number(decay), "frozen": frozen}
    facts |= {"expected": _listed(expected), "actual": _listed(rates)}
    reason = next((name for name, wrong in likely if _alike(rates, wrong)), "rates")
    if reason == "rates" and len(rates) != len(expected):
        raise Wrong("count", **(facts | {"expected": len(expected), "actual": len(rates)}))
    place = next(
        (k for k, pair in enumerate(zip(rates, expected)) if not _alike(*[[one] for one in pair])), 0
    )
    if reason == "rates":
        right, given = told_apart(expected[place], rates[place])
        raise Wrong("rates", place=place, right=right, given=given, **facts)
    raise Wrong(reason, **facts)


def _alike(rates: Sequence[float], others: Sequence[float]) -> bool:
    pairs = itertools.zip_longest(rates, others, fillvalue=math.nan)
    return all(math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-15) for one, other in pairs)


def _rates(result: Any) -> list[float]:
    values = result.tolist() if isinstance(result, Tensor) else result
    if not isinstance(values, list | tuple):
        raise Wrong("kind", actual=type(result).__name__)
    return [_float(value) for value in values]


def _float(value: Any) -> float:
    """A number, or a tensor with nothing but one number in it."""
    if isinstance(value, Tensor) and value.dim() == 0 and not value.is_complex():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Wrong("kind", actual=type(value).__name__)
    return float(value)


def _listed(values: Sequence[float]) -> str:
    return "[" + ", ".join(number(value) for value in values) + "]"


Tags = Sequence[Sequence[str]]
Entity = tuple[str, int, int]  # (kind, first, last)


def entity_f1(predicted: Tags, references: Tags) -> float:
    def entities(tags: Sequence[str]) -> set[Entity]:
        names: list[Entity] = []
        for place, tag in enumerate(tags):
            mark, _, kind = tag.partition("-")
            if mark == "I" and names and (names[-1][0], names[-1][2]) == (kind, place - 1):
                names[-1] = (kind, names[-1][1], place)  # goes on
            elif mark != "O":
                names.append((kind, place, place))  # B, or an I that has nothing to go on with
        return set(names)

    right = found = there = 0
    for tags, right_tags in zip(predicted, references, strict=True):
        these, those = entities(tags), entities(right_tags)
        right, found, there = right + len(these & those), found + len(these), there + len(those)
    return 2 * right / (found + there) if found + there else 0.0


# (predicted, right): what a code with one fault gives there.
TAGGED: list[tuple[list[str], list[str], list[tuple[str, float]]]] = [
    (["O B-PS"], ["O B-PS"], [("last_lost", 0.0)]),
    (
        ["B-PS O B-LC B-PS O B-PS O O O"],
        ["B-PS O B-PS O O O B-DT O O"],
        [
            ("precision", 1 / 4),
            ("recall", 1 / 3),
            ("mean", 7 / 24),
            ("union", 1 / 6),
            ("not_doubled", 1 / 7),
            ("kind_ignored", 4 / 7),
            ("accuracy", 5 / 9),
            ("only_kinds", 1 / 2),
            ("kind_mean", 1 / 5),
            ("kind_mean", 2 / 15),
        ],
    ),
    (["B-PS O O B-LC"], ["B-PS I-PS O B-LC"], [("tokens", 4 / 5), ("overlap", 1.0)]),
    (
        ["B-PS O B-LC", "O B-PS O"],
        ["B-PS O B-LC", "B-PS O O"],
        [("sentence_mean", 1 / 2), ("one_pot", 4 / 5)],
    ),
    (["B-PS O I-LC I-LC"], ["B-PS O B-LC I-LC"], [("strict", 2 / 3), ("each_i_begins", 2 / 5)]),
    (["B-PS I-LC I-LC"], ["B-PS B-LC I-LC"], [("kind_change", 0.0), ("kind_change", 2 / 3)]),
    (["B-PS I-PS O"], ["B-PS B-PS O"], [("b_goes_on", 1.0)]),
    (["B-PS O I-PS"], ["B-PS O B-PS"], [("gap_bridged", 0.0)]),
    (["O B-PS", "I-PS O"], ["O B-PS", "B-PS O"], [("over_the_edge", 0.0), ("over_the_edge", 2 / 3)]),
    (["O O"], ["O O"], [("nothing_is_one", 1.0)]),
    (["O O"], ["B-PS O"], []),
    (["O B-PS"], ["O O"], []),
]


def check_entity_f1(answer: object) -> None:
    for predicted, references, likely in TAGGED:
        _expect_f1(answer, *([row.split() for row in rows] for rows in (predicted, references)), likely)
    for place in range(16):
        rows = 1 + place % 3 if place < 12 else 13
        references = [_drawn_tags() for _ in range(rows)]
        predicted = [_mistaken(tags) for tags in references]
        _expect_f1(answer, predicted, references, [], _refusing if place == 15 else call)


def _drawn_tags() -> list[str]:
    """Tags of a sentence, as a tagger without rules may give them; of kinds that are new with each."""
    kinds = [("PS", "LC"), ("OG", "DT"), ("A", "AB"), ("QT", "PS")][int(torch.randint(4, ()))]
    tags = ["O", "O"] + [f"{mark}-{kind}" for mark in "BI" for kind in kinds]
    return [tags[place] for place in torch.randint(len(tags), (int(torch.randint(1, 8, ())),)).tolist()]


def _mistaken(tags: Sequence[str]) -> list[str]:
    """The same tags, but about every third is gone, or another mark or kind."""
    kinds = [tag[2:] for tag in tags if tag != "O"] or ["PS"]
    told = []
    for tag, chance in zip(tags, torch.randint(12, (len(tags),)).tolist(), strict=True):
        mark, kind = tag[0], tag[2:] or kinds[0]
        likely = {0: "O", 1: f"B-{kind}", 2: f"I-{kind}", 3: f"{'I' if mark == 'O' else mark}-{kinds[-1]}"}
        told.append(likely.get(chance, tag))
    return told


def _expect_f1(
    answer: Any, predicted: Tags, references: Tags, likely: Sequence[tuple[str, float]], ask: Call = call
) -> None:
    expected = entity_f1(predicted, references)
    told = {"predicted": _sentences(predicted), "references": _sentences(references)}
    try:
        found = _float(ask(answer, predicted, references))
    except Wrong as wrong:
        if wrong.reason == "raised" and "ZeroDivisionError" in wrong.facts["error"]:
            raise Wrong("zero_division", **told) from None
        raise
    if math.isclose(found, expected, abs_tol=1e-6):
        return
    if math.isnan(found) and not expected:
        raise Wrong("zero_division", **told)
    reason = next((name for name, wrong in likely if math.isclose(found, wrong, abs_tol=1e-4)), "f1")
    right, given = told_apart(expected, found)
    raise Wrong(reason, expected=right, actual=given, **told)


def _sentences(rows: Tags) -> str:
    """Tags as a learner reads them: "B-PS I-PS O / O B-LC"."""
    told = " / ".join(" ".join(tags) for tags in rows)
    return told if len(told) <= 300 else f"{told[:299]}…"


EXERCISES = [
    Exercise("16.1", level="warm-up", check=check_label_first_pieces, solution=label_first_pieces),
    Exercise("16.2", level="core", check=check_best_span, solution=best_span),
    Exercise("16.3", level="core", check=check_layer_rates, solution=layer_rates),
    Exercise("16.4", level="stretch", check=check_entity_f1, solution=entity_f1),
]
