"""Exercises of notebook 20: what a gain is, Matthews' correlation, SQuAD's normalisation, and ranks with ties."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Sequence
from numbers import Real
from typing import Any

import torch

from course_utils.exercises.core import Exercise, Wrong, call, expect_tuple, number, told_apart
from course_utils.exercises.forbidden import refuse_ready_made

METRICS = ("course_utils.tasks", "sklearn", "scipy", "pandas", "transformers", "evaluate", "torchmetrics")
CORRELATIONS = ("corrcoef", "correlation")  # of numpy, torch and statistics


def _float(result: Any) -> float:
    """A number that an answer returned."""
    if isinstance(result, torch.Tensor) and result.dim() == 0:
        result = result.item()
    if isinstance(result, bool) or not isinstance(result, Real):
        raise Wrong("kind", actual=type(result).__name__)
    return float(result)


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def _told(right: float, found: float) -> dict[str, str]:
    """Both as a learner reads them, with as many digits as tell them apart."""
    pair = (number(right), number(found))
    if pair[0] == pair[1] and right != found:
        pair = told_apart(right, found)
    return {"expected": pair[0], "actual": pair[1]}


# ---- 20.1


def gains(before: float, after: float) -> tuple[float, float, float]:
    points = after - before
    return points, 100 * points / before, 100 * points / (100 - before)


def check_gains(answer: object) -> None:
    for before, after in [
        (80.0, 90.0),
        (60.0, 45.0),
        (90.0, 20.0),
        *torch.empty(7, 2).uniform_(1, 99).tolist(),
    ]:
        found = tuple(_float(one) for one in expect_tuple(call(answer, before, after), 3))
        right = gains(before, after)
        points, relative, errors = right
        facts = {"before": number(before), "after": number(after)}
        likely = [
            ("absolute", tuple(abs(one) for one in right) if points < 0 else None),
            ("turned_round", tuple(-one for one in right)),
            ("fractions", (points / 100, relative / 100, errors / 100)),
            ("fractions", (points, relative / 100, errors / 100)),
            ("places", (relative, points, errors)),
            ("places", (points, errors, relative)),
            ("divided_by_after", (points, 100 * points / after, errors)),
            ("divided_by_after", (points, 100 * points / after, 100 * points / (100 - after))),
            ("error_after", (points, relative, 100 * points / (100 - after))),
            ("error_left", (points, relative, 100 * (100 - after) / (100 - before))),
            ("points_three_times", (points, points, points)),
            ("ratio", (points, 100 * after / before, errors)),
            ("never_below_zero", tuple(max(0.0, one) for one in right) if points < 0 else None),
            ("never_below_all", (points, relative, max(-100.0, errors)) if errors < -100 else None),
            ("rounded", tuple(round(one, 1) for one in right)),
        ]
        if all(map(_same, found, right)):
            continue
        pairs = [_told(*pair) for pair in zip(right, found, strict=True)]
        told = {key: ", ".join(pair[key] for pair in pairs) for key in ("expected", "actual")}
        for reason, wrong in likely:
            if wrong and all(map(_same, found, wrong)):
                raise Wrong(reason, **facts, **told)
        raise Wrong("value", **facts, **told)


# ---- 20.2


def matthews(predictions: Sequence[int], references: Sequence[int]) -> float:
    count, right = len(references), sum(map(int.__eq__, predictions, references))
    predicted, actual = Counter(predictions), Counter(references)
    spread = [count**2 - sum(times**2 for times in kinds.values()) for kinds in (predicted, actual)]
    covered = count * right - sum(predicted[kind] * actual[kind] for kind in actual)
    return covered / math.sqrt(spread[0] * spread[1]) if all(spread) else 0.0


def _from_counts(tp: int, fp: int, fn: int, tn: int) -> tuple[list[int], list[int]]:
    return [1] * (tp + fp) + [0] * (fn + tn), [1] * tp + [0] * fp + [1] * fn + [0] * tn


def check_matthews(answer: object) -> None:
    tp, fp, fn, tn = 6, 2, 1, 3
    given = _from_counts(tp, fp, fn, tn)
    found, right = _float(call(answer, *given)), matthews(*given)
    root = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    likely = [
        ("f1", 2 * tp / (2 * tp + fp + fn)),
        ("accuracy", (tp + tn) / 12),
        ("without_root", right / root),
        ("only_hits", tp * tn / root),
        ("plus", (tp * tn + fp * fn) / root),
        ("classes_crossed", (tp * fn - fp * tn) / root),
        ("classes_crossed", (tp * fp - fn * tn) / root),
        ("turned_round", -right),
        ("factor_missing", (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn))),
        ("kappa", 2 * (tp * tn - fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))),
        ("youden", tp / (tp + fn) - fp / (fp + tn)),
    ]
    told = _told(right, found)
    if not _same(found, right):
        for reason, wrong in likely:
            if _same(found, wrong):
                raise Wrong(reason, **told)
        raise Wrong("value", **told)
    for counts in [(0, 0, 3, 4), (5, 2, 0, 0), (0, 4, 0, 3), (4, 0, 3, 0), (0, 0, 0, 1), (7, 0, 0, 0)]:
        undefined = _float(call(answer, *_from_counts(*counts)))
        if undefined != 0 or math.isnan(undefined):
            raise Wrong("undefined", counts=str(counts), actual=number(undefined))
    for counts, expected in [((3, 0, 0, 5), 1.0), ((0, 3, 5, 0), -1.0)]:
        found = _float(call(answer, *_from_counts(*counts)))
        if not _same(found, expected):
            raise Wrong("ends", counts=str(counts), **_told(expected, found))
    for size in (2, 7, 31, 97):
        predicted, actual = torch.randint(2, (2, size)).tolist()
        found = _float(refuse_ready_made(answer, predicted, actual, modules=METRICS, names=CORRELATIONS))
        right = matthews(predicted, actual)
        if not _same(found, right):
            raise Wrong("other_rows", count=size, **_told(right, found))
    for kinds in (3, 5):
        actual = torch.randint(kinds, (83,))
        predicted = actual.where(torch.rand(83) < 0.6, torch.randint(kinds, (83,)))
        found = _float(refuse_ready_made(answer, predicted.tolist(), actual.tolist(), modules=METRICS))
        right = matthews(predicted.tolist(), actual.tolist())
        if not _same(found, right):
            raise Wrong("more_classes", kinds=kinds, **_told(right, found))
        names = [7, -3, 100, 0, 2]  # labels are names: another number for a class changes nothing
        renamed = [[names[kind] for kind in row.tolist()] for row in (predicted, actual)]
        found = _float(call(answer, *renamed))
        if not _same(found, right):
            raise Wrong("renamed", **_told(right, found))
    # A class that one side alone knows counts in the sums of squares, too.
    for given in [([0, 1, 2, 2, 1], [0, 1, 1, 0, 1]), ([0, 1, 1, 0, 1], [0, 1, 2, 2, 1])]:
        found, right = _float(call(answer, *given)), matthews(*given)
        if not _same(found, right):
            raise Wrong("foreign_class", given=f"{given[0]}, {given[1]}", **_told(right, found))
    many = _from_counts(45_000, 23_011, 20_007, 46_000)  # the product is 2e19: no whole number of 64 bits
    found, right = _float(call(answer, *many)), matthews(*many)
    if not _same(found, right):
        raise Wrong("overflow", **_told(right, found))


# ---- 20.3


def normalize(answer: str) -> str:
    lowered = answer.lower()
    bare = "".join(sign for sign in lowered if sign not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


# Texts in an order in which a code with one fault fails first where its fault is named.
SIGNS = [
    ("The Dog", "case"),
    ("dog.", "punctuation"),
    ("theory", "inside_words"),
    ("x-box", "blanks_for_signs"),
    ("the-end", "order"),
    ("vitamin A", "article_at_the_end"),
    ("x the y", "articles_leave_nothing"),
    ("red  cups\tgreen\nthe tea ", "blanks"),
    ("that one of these", "other_words"),
    ("「세종」 대왕", "not_ascii"),
    ("배를 탔다", "particles"),
    ("The", "nothing_left"),
    ("Straße", "casefold"),
    ("…", "signs_beyond_ascii"),
    ("3·1 운동", "signs_beyond_ascii"),
    ("“The Beatles”", "word_boundary"),
    ("the’s", "word_boundary"),
]
PIECES = [
    "The",
    "a",
    "AN",
    "cat,",
    "U.S.",
    "(1990s)",
    "x-ray",
    "$5",
    "it's",
    "theatre",
    "Anna",
    "-",
    "\t",
    "the.",
    "배를",
]


def check_normalize(answer: object) -> None:
    for given, reason in SIGNS:
        _expect_text(call(answer, given), given, reason)
    for sign in string.punctuation:
        _expect_text(call(answer, f"3{sign}5 x{sign}"), f"3{sign}5 x{sign}", "every_sign")
    for _ in range(200):
        places = torch.randint(len(PIECES), (int(torch.randint(1, 8, ())),)).tolist()
        gaps = ["", " ", "  ", "-"]
        joined = "".join(PIECES[place] + gaps[int(torch.randint(4, ()))] for place in places)
        _expect_text(call(answer, joined), joined, "other_texts")
    last = "An " + "b" * int(torch.randint(3, 99, ())) + ", the C."
    _expect_text(refuse_ready_made(answer, last, modules=METRICS), last, "other_texts")


def _expect_text(found: Any, given: str, reason: str) -> None:
    if not isinstance(found, str):
        raise Wrong("kind", actual=type(found).__name__)
    right = normalize(given)
    if found != right:
        raise Wrong(reason, given=repr(given), expected=repr(right), actual=repr(found))


# ---- 20.4


def spearman(x: Sequence[float], y: Sequence[float]) -> float:
    def ranks(values: Sequence[float]) -> list[float]:
        ordered = sorted(values)
        first = {value: place for place, value in reversed(list(enumerate(ordered, start=1)))}
        return [first[value] + (times[value] - 1) / 2 for times in [Counter(ordered)] for value in values]

    def deviations(values: list[float]) -> list[float]:
        return [value - sum(values) / len(values) for value in values]

    dx, dy = deviations(ranks(x)), deviations(ranks(y))
    sizes = sum(a * a for a in dx) * sum(b * b for b in dy)
    return sum(a * b for a, b in zip(dx, dy, strict=True)) / math.sqrt(sizes) if sizes else 0.0


def _pearson(x: Sequence[float], y: Sequence[float]) -> float:
    dx, dy = ([value - sum(own) / len(own) for value in own] for own in (x, y))
    sizes = sum(a * a for a in dx) * sum(b * b for b in dy)
    return sum(a * b for a, b in zip(dx, dy, strict=True)) / math.sqrt(sizes) if sizes else 0.0


def _ranked(values: Sequence[float], how: str) -> list[float]:
    ordered = sorted(values)
    if how == "dense":
        return [sorted(set(values)).index(value) + 1.0 for value in values]
    if how == "lowest":
        return [ordered.index(value) + 1.0 for value in values]
    if how == "highest":
        return [len(ordered) - ordered[::-1].index(value) + 0.0 for value in values]
    places = sorted(range(len(values)), key=lambda place: values[place])
    return [places.index(place) + 1.0 for place in range(len(values))]  # in the order given


def check_spearman(answer: object) -> None:
    plain = [3, 1, 40, 9, 2], [2, 1, 5, 6, 0]
    found, right = _float(call(answer, *plain)), spearman(*plain)
    if not _same(found, right):
        likely = [("pearson", _pearson(*plain)), ("turned_round", -right), ("squared", right**2)]
        _tell(found, right, likely, "value")
    tied = [1.0, 2.0, 2.0, 2.0, 5.0, 7.0, 7.0], [0.5, 3.0, 1.0, 3.0, 3.0, 2.0, 9.0]
    found, right = _float(call(answer, *tied)), spearman(*tied)
    if not _same(found, right):
        ranks = [[float(rank) for rank in _ranked(own, "lowest")] for own in tied]
        middle = [
            [rank + (own.count(value) - 1) / 2 for rank, value in zip(row, own, strict=True)]
            for row, own in zip(ranks, tied, strict=True)
        ]
        square = sum((a - b) ** 2 for a, b in zip(*middle, strict=True))
        likely = [
            (reason, _pearson(*(_ranked(own, how) for own in tied)))
            for how, reason in [
                ("dense", "dense"),
                ("lowest", "lowest"),
                ("highest", "highest"),
                ("order", "order"),
            ]
        ]
        likely += [("short_formula", 1 - 6 * square / (7 * 48))]
        likely += [("pearson", _pearson(*tied))]
        _tell(found, right, likely, "ties")
    for given in [([4.0, 4.0, 4.0], [1.0, 2.0, 3.0]), ([1.0, 2.0], [0.0, 0.0]), ([5.0, 5.0], [5.0, 5.0])]:
        found = _float(call(answer, *given))
        if found != 0 or math.isnan(found):
            raise Wrong("constant", actual=number(found))
    for size in (2, 5, 13, 61):
        x = torch.randint(4, (size,)).double().tolist()  # many of them tied
        y = (torch.randn(size, dtype=torch.float64) * 10 ** float(torch.randint(-3, 4, ()))).tolist()
        for given in ((x, y), (y, x), (x, x[::-1])):
            found = _float(refuse_ready_made(answer, *given, modules=METRICS, names=CORRELATIONS))
            if not _same(found, spearman(*given)):
                raise Wrong("other_rows", count=size, expected=number(spearman(*given)), actual=number(found))
        largest = max(abs(value) for value in y)
        bent = [1 + 1e-9 * value / largest for value in y]  # rises with y: the ranks stay
        found = _float(call(answer, x, bent))
        if not _same(found, spearman(x, y)):
            raise Wrong("monotone", **_told(spearman(x, y), found))


def _tell(found: float, right: float, likely: list[tuple[str, float]], otherwise: str) -> None:
    told = _told(right, found)
    for reason, wrong in likely:
        if _same(found, wrong):
            raise Wrong(reason, **told)
    raise Wrong(otherwise, **told)


EXERCISES = [
    Exercise("20.1", level="warm-up", check=check_gains, solution=gains),
    Exercise("20.2", level="core", check=check_matthews, solution=matthews),
    Exercise("20.3", level="core", check=check_normalize, solution=normalize),
    Exercise("20.4", level="stretch", check=check_spearman, solution=spearman),
]
