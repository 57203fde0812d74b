"""Metrics of labels and numbers: by hand, against scikit-learn and scipy, and where a formula would be 0/0."""

from __future__ import annotations

import math
import random
import warnings

import numpy as np
import pytest
import torch

from course_utils.tasks.metrics import accuracy, f1, matthews, pearson, spearman

# 5 true positives, 2 false positives, 3 false negatives, 1 true negative
PREDICTED = [1] * 5 + [1] * 2 + [0] * 3 + [0]
RIGHT = [1] * 5 + [0] * 2 + [1] * 3 + [0]


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_labels_by_hand():
    assert accuracy(PREDICTED, RIGHT) == 6 / 11
    assert f1(PREDICTED, RIGHT) == pytest.approx(2 * (5 / 7) * (5 / 8) / (5 / 7 + 5 / 8)) == 10 / 15
    assert matthews(PREDICTED, RIGHT) == pytest.approx((5 * 1 - 2 * 3) / math.sqrt(7 * 8 * 3 * 4))
    assert accuracy(["전라", "제주", "충청"], ["전라", "경상", "충청"]) == 2 / 3


def test_numbers_by_hand():
    # Means 2 and 3; deviations (−1, 0, 1) and (−2, 1, 1).
    assert pearson([1, 2, 3], [1, 4, 4]) == pytest.approx(3 / math.sqrt(2 * 6))
    # Ranks 1 2 3 4 and 2 1 3 4, two neighbours swapped: 1 − 6·Σd² / (N·(N² − 1)) = 1 − 12/60.
    assert spearman([0.1, 5, 7, 900], [3, 2, 4, 5]) == pytest.approx(0.8)
    # Ranks 1 2 3 and 1 2.5 2.5.
    assert spearman([1, 2, 30], [1, 4, 4]) == pytest.approx(1.5 / math.sqrt(2 * 1.5))


@pytest.mark.parametrize("metric", [accuracy, f1, matthews, pearson, spearman])
def test_all_right_is_exactly_1_and_the_reverse_is_the_worst(metric):
    right = [random.randrange(2) for _ in range(97)]
    assert metric(right, right) == 1.0
    worst = -1.0 if metric in (matthews, pearson, spearman) else 0.0
    assert metric([1 - label for label in right], right) == worst
    assert type(metric(right, right)) is float


def random_labels(size: int, classes: int) -> tuple[list[int], list[int]]:
    """Right ones, and predictions of which some are guessed."""
    right = [random.randrange(classes) for _ in range(size)]
    sure = random.random()
    return [label if random.random() < sure else random.randrange(classes) for label in right], right


def test_labels_as_scikit_learn():
    from sklearn import metrics as oracle  # takes longer to load than all other tests together

    for trial in range(20):
        predicted, right = random_labels(random.choice([1, 2, 3, 7, 31]), 2)
        said = f"{trial}: {predicted}, {right}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = oracle.f1_score(right, predicted), oracle.matthews_corrcoef(right, predicted)
        assert (f1(predicted, right), matthews(predicted, right)) == pytest.approx(expected, abs=1e-12), said
        predicted, right = random_labels(random.choice([1, 5, 31]), 6)
        assert accuracy(predicted, right) == pytest.approx(oracle.accuracy_score(right, predicted)), trial


@pytest.mark.parametrize(("metric", "name"), [(pearson, "pearsonr"), (spearman, "spearmanr")])
def test_numbers_as_scipy(metric, name):
    from scipy import stats  # takes longer to load than all other tests together

    oracle = getattr(stats, name)
    for trial in range(40):
        size, ties = random.choice([2, 3, 11, 53]), random.choice([None, 0, 1])
        shift, scale = random.choice([(0, 1), (1e6, 1e-3), (-7, 1e100), (0, 1e-100)])
        y = [random.gauss(0, 1) for _ in range(size)]
        x = [value * random.choice([-1, 1, 1]) + random.gauss(0, 0.5) for value in y]
        if ties is not None and size > 3:
            x, y = ([round(value, ties) for value in column] for column in (x, y))
        x = [shift + scale * value for value in x]
        assert metric(x, y) == pytest.approx(oracle(x, y).statistic, abs=1e-9), (trial, x, y)
        assert metric(y, x) == pytest.approx(metric(x, y), abs=1e-12)


@pytest.mark.parametrize("metric", [accuracy, f1, matthews, pearson, spearman])
def test_lists_tensors_and_arrays_are_one(metric):
    wanted = metric(PREDICTED, RIGHT)
    kinds = [tuple, np.array, torch.tensor, lambda row: torch.tensor(row, dtype=torch.int32), iter]
    kinds += [lambda row: [np.int64(label) for label in row], lambda row: [*torch.tensor(row)]]
    if metric in (pearson, spearman):
        kinds += [lambda row: torch.tensor(row, dtype=torch.bfloat16), lambda row: torch.tensor(row) / 1.0]
    else:
        kinds += [lambda row: torch.tensor(row) > 0, lambda row: torch.tensor(row, dtype=torch.float64)]
    for kind in kinds:
        assert metric(kind(PREDICTED), kind(RIGHT)) == wanted == metric(kind(PREDICTED), RIGHT)


@pytest.mark.parametrize("size", [1, 2, 11])
def test_one_class_is_0_and_never_nan(size):
    ones, zeros = [1] * size, [0] * size
    assert [f1(ones, ones), f1(zeros, zeros), f1(ones, zeros), f1(zeros, ones)] == [1.0, 0.0, 0.0, 0.0]
    assert {matthews(one, other) for one in (ones, zeros) for other in (ones, zeros)} == {0.0}
    assert matthews([1, *ones], [0, *ones]) == matthews([0, *zeros], [0, *ones]) == 0.0


@pytest.mark.parametrize("metric", [pearson, spearman])
@pytest.mark.parametrize("constant", [0, 1, 0.1, -1e-320, 1e300, 1 / 3])
def test_a_constant_has_no_correlation(metric, constant):
    """Not NaN, as scipy's; 0.1 + 0.1 + 0.1 is not 3 · 0.1, so that deviations from the mean are not 0."""
    for size in (2, 3, 7, 11):
        row = [constant] * size
        assert metric(row, range(size)) == metric(range(size), row) == metric(row, row) == 0.0


@pytest.mark.parametrize("metric", [pearson, spearman])
def test_the_ends_of_what_a_float_can_hold(metric):
    assert metric([1e300, -1e300, 0], [2, 1, 3]) == pytest.approx(0.5)
    assert metric([1e-320, 0, 3e-320], [2, 1, 4]) == pytest.approx(1.0)
    assert metric([1, 1, math.nextafter(1, 2)], [1, 1, 3]) == 1.0
    assert metric([10**299, 0], [1, 0]) == 1.0


def test_correlations_stay_within_1():
    for _ in range(300):
        x = [random.random() for _ in range(5)]
        y = [random.choice([1e-9, 3.3, 1e9]) * value + 0.7 for value in x]
        assert abs(pearson(x, y)) <= 1


@pytest.mark.parametrize("metric", [accuracy, f1, matthews, pearson, spearman])
@pytest.mark.parametrize(
    ("predictions", "references"),
    [
        ([], []),
        ([1, 0, 1], [1, 0]),
        ([1, 0], [1, math.nan]),
        (torch.tensor([math.inf, 1.0]), [1, 0]),
        ("10", [1, 0]),
        ([1, 0], ["1", "0"]),
        (torch.zeros(2, 2).long(), [1, 0]),  # logits in place of labels
    ],
)
def test_what_would_be_a_wrong_number_is_refused(metric, predictions, references):
    with pytest.raises((ValueError, TypeError)):
        metric(predictions, references)


@pytest.mark.parametrize(
    ("metric", "predictions", "told"),
    [
        (accuracy, [0.5, 1.0], "whole numbers, or all be texts"),
        (f1, [0, 2], "0 and 1 and nothing else"),
        (matthews, [0, -1], "0 and 1 and nothing else"),
        (spearman, [0.5, -2e300], r"of at most 1e\+300 in size"),
    ],
)
def test_numbers_that_are_no_labels_or_too_large(metric, predictions, told):
    with pytest.raises(ValueError, match=told):
        metric(predictions, [0, 1])
