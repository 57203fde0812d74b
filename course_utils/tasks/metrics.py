"""How good predictions are: one number from what was predicted and what is right, as a textbook writes it.

    accuracy  f1  matthews     of labels: reviews, dialects, most of GLUE
    pearson  spearman          of numbers: how alike two sentences are
    exact_match  span_f1       of an answer to a question (answers.py)
    entity_f1                  of names (entities.py)

Each is 1 where all is right. Where a formula has 0/0 the result is 0.0, without a warning: labels or numbers that are
all the same, or entities that nobody sees, show no skill. scikit-learn and seqeval give the same, and warn. scipy gives
NaN for the correlation with a constant; here it is 0.0 as well, for matthews is pearson of zeros and ones, and a NaN
among the epochs of a run is neither better nor worse than any of them. Of nothing at all, no metric can be told:
empty input is refused, as scikit-learn and scipy's pearsonr refuse it.
"""

from __future__ import annotations

import math
from collections import Counter
from operator import eq
from typing import Any

from course_utils.tasks.answers import exact_match, span_f1
from course_utils.tasks.entities import entity_f1

__all__ = ["accuracy", "entity_f1", "exact_match", "f1", "matthews", "pearson", "span_f1", "spearman"]

LARGEST = 1e300  # the sum of very many such numbers is still a float


def accuracy(predictions: Any, references: Any) -> float:
    """The share of labels that are right.

        accuracy = (1/N) Σ_n [prediction_n = reference_n]

    Args:
        predictions, references: (N,) labels, whole numbers or texts; a list, a tensor or an array, N at least 1.

    Returns:
        0 … 1.
    """
    predicted, right = _columns(predictions, references)
    kinds = {*map(type, predicted), *map(type, right)}
    whole = kinds <= {int, bool} or (
        kinds <= {int, bool, float} and all(value % 1 == 0 for value in predicted + right)  # NaN is not
    )
    if not whole and kinds != {str}:
        raise ValueError("predictions and references must all be whole numbers, or all be texts")
    return sum(map(eq, predicted, right)) / len(right)


def f1(predictions: Any, references: Any) -> float:
    """The harmonic mean of precision and recall of the positive class, 1.

        precision P = TP / (TP + FP)                recall R = TP / (TP + FN)
        F1 = 2·P·R / (P + R) = 2·TP / (2·TP + FP + FN)

    It does not look at the negatives that are right (TN), and changes when the two classes change their names.

    Args:
        predictions, references: (N,) of 0 and 1; a list, a tensor or an array, N at least 1.

    Returns:
        0 … 1; 0 where there is no positive on either side.

    Source: van Rijsbergen 1979, chapter 7 (his E is 1 − F1); for MRPC and QQP in GLUE (Wang et al. 2019).
    """
    positive, false_positive, false_negative, _ = _confusion(predictions, references)
    wrong = false_positive + false_negative
    return 2 * positive / (2 * positive + wrong) if positive + wrong else 0.0


def matthews(predictions: Any, references: Any) -> float:
    """Matthews' correlation: Pearson's, of zeros and ones.

        MCC = (TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))

    Whoever always says the same has 0, however many are of that class, and so has whoever guesses, on average.

    Args:
        predictions, references: (N,) of 0 and 1; a list, a tensor or an array, N at least 1.

    Returns:
        −1 (all is the other way round) … 1; 0 where either holds one class only.

    Source: Matthews 1975; for CoLA in GLUE (Wang et al. 2019).
    """
    tp, fp, fn, tn = _confusion(predictions, references)
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(product) if product else 0.0


def pearson(predictions: Any, references: Any) -> float:
    """Pearson's correlation: how nearly the points (x, y) lie on a rising line.

        r = Σ_n (x_n − x̄)(y_n − ȳ) / √(Σ_n (x_n − x̄)² · Σ_n (y_n − ȳ)²)

    It is the cosine between both, each less its mean: another unit or another zero changes nothing.

    Args:
        predictions, references: (N,) numbers of at most 1e300 in size, x and y; a list, a tensor or an array, N at
            least 2. They are added up as 64-bit floats, whatever they come as.

    Returns:
        −1 … 1; 0 where either is constant.

    Source: Pearson 1895; for STS-B in GLUE (Wang et al. 2019).
    """
    x, y = _numbers(predictions, references)
    if len(set(x)) == 1 or len(set(y)) == 1:  # no deviation to divide by
        return 0.0
    x, y = _deviations(x), _deviations(y)
    r = _product(x, y) / math.sqrt(_product(x, x) * _product(y, y))
    return max(-1.0, min(1.0, r))  # rounding may lead a little beyond


def spearman(predictions: Any, references: Any) -> float:
    """Spearman's correlation: Pearson's, of the ranks.

    The smallest number has rank 1; equal ones share the mean of their ranks. So it is 1 wherever one rises with the
    other, on a line or not: exp(x) has the same as x.

    Args:
        predictions, references: as in pearson.

    Returns:
        −1 … 1; 0 where either is constant.

    Source: Spearman 1904; for STS-B in GLUE (Wang et al. 2019).
    """
    x, y = _numbers(predictions, references)
    return pearson(_ranks(x), _ranks(y))


def _confusion(predictions: Any, references: Any) -> tuple[int, int, int, int]:
    """True positives, false positives, false negatives, true negatives."""
    predicted, right = _columns(predictions, references)
    times = Counter(zip(predicted, right))
    if not {one for pair in times for one in pair} <= {0, 1}:
        raise ValueError("predictions and references must hold 0 and 1 and nothing else")
    return times[1, 1], times[1, 0], times[0, 1], times[0, 0]


def _deviations(values: list[float]) -> list[float]:
    """From the mean, in another unit: their squares are neither too large nor too small for a float.

    The first value becomes 0 and the farthest from it ±1, before there is a mean that could be rounded.
    """
    unit = max(abs(value - values[0]) for value in values)
    scaled = [(value - values[0]) / unit for value in values]
    mean = math.fsum(scaled) / len(scaled)
    return [value - mean for value in scaled]


def _product(x: list[float], y: list[float]) -> float:
    return math.fsum(one * other for one, other in zip(x, y))


def _ranks(values: list[float]) -> list[float]:
    """[30.0, 10.0, 30.0] -> [2.5, 1.0, 2.5]."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values), start=1):
        places.setdefault(value, []).append(place)
    shared = {value: (held[0] + held[-1]) / 2 for value, held in places.items()}
    return [shared[value] for value in values]


def _numbers(predictions: Any, references: Any) -> tuple[list[float], list[float]]:
    """Both as lists of floats, at least two."""
    x, y = _columns(predictions, references)
    if len(x) < 2 or not all(abs(value) <= LARGEST for value in x + y):  # NaN is not
        raise ValueError(f"there must be at least 2 numbers each, of at most {LARGEST:g} in size")
    return [float(value) for value in x], [float(value) for value in y]


def _columns(predictions: Any, references: Any) -> tuple[list[Any], list[Any]]:
    """What a tensor, an array or a list holds, by value, as lists of equal length."""
    predicted, right = _values(predictions), _values(references)
    if len(predicted) != len(right) or not right:
        raise ValueError(f"both must be equally many, at least 1, got {len(predicted)} and {len(right)}")
    return predicted, right


def _values(column: Any) -> list[Any]:
    """Plain numbers and texts, whatever they came in."""
    if isinstance(column, str):
        raise ValueError(f"predictions and references must be lists, got one text, {column!r}")
    if hasattr(column, "tolist"):  # a tensor or an array, in one step
        return column.tolist()
    values = list(column)
    if {*map(type, values)} <= {int, float, bool, str}:  # an interval asks for thousands at every draw
        return values
    return [value.item() if hasattr(value, "item") else value for value in values]
