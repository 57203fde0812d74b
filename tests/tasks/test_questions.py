"""The best legal pair: equal to trying all; over windows; and the threshold below which there is no answer."""

from __future__ import annotations

import math
import random

import pytest
import torch

from course_utils.tasks.questions import Answer, best_answer, best_spans, decided, validation_threshold
from course_utils.tasks.windows import passage_windows
from tests.tasks.korean import by_syllables, random_texts, tokenizer

PASSAGE = "그 배는 부산에서 떠났다."
B, T = 5, 23


def logits(seed, shape=(B, T), *, whole=False):
    """Random scores; whole numbers are often equal."""
    drawn = torch.randn(2, *shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return ((2 * drawn).round() if whole else drawn).unbind(0)


def brute_force(start, end, allowed, most):
    """Every pair, tried one after the other: the best, and of equal ones the first."""
    best = (-math.inf, 0, 0)
    for i in range(len(start)):
        for j in range(len(end)):
            score = start[i] + end[j]
            if allowed[i] and allowed[j] and i <= j < i + most and score > best[0]:
                best = (score, i, j)
    return best


@pytest.mark.parametrize("most", [1, 3, 7, 100])
@pytest.mark.parametrize("whole", [False, True])
def test_the_best_pair_equals_trying_all(most, whole):
    for seed in range(3):
        start, end = logits(seed, whole=whole)
        allowed = torch.rand(B, T, generator=torch.Generator().manual_seed(seed)) < 0.6
        allowed[3], allowed[4] = False, torch.arange(T) == 11
        found = best_spans(start, end, allowed, most_pieces=most)
        for row in range(B):
            score, first, last = brute_force(*(part[row].tolist() for part in (start, end, allowed)), most)
            assert (int(found.first[row]), int(found.last[row])) == (first, last)
            assert float(found.score[row]) == score
        assert torch.equal(found.no_answer, start[:, 0] + end[:, 0])
        assert found.score[3] == -math.inf and found.first[4] == found.last[4] == 11


def test_by_hand_the_best_ends_make_no_answer():
    #          [CLS]  question      passage        [SEP]
    start = torch.tensor([[1.0, 9.0, 0.0, 2.0, 5.0, 9.0]])
    end = torch.tensor([[1.0, 9.0, 4.0, 3.0, 0.0, 9.0]])
    allowed = torch.tensor([[False, False, True, True, True, False]])
    found = best_spans(start, end, allowed)  # not 4 … 2, though 5 + 4 = 9
    assert [part.item() for part in found] == [3, 3, 5.0, 2.0]  # 2 + 3, nor 4 … 4, which is 5 as well


def test_half_precision_does_not_make_pairs_equal():
    start = torch.tensor([[0.0, 128.0, 128.0]]).bfloat16()
    end = torch.tensor([[0.0, 0.25, 0.375]]).bfloat16()
    found = best_spans(start, end, torch.tensor([[False, True, True]]))
    assert (int(found.first), int(found.last), float(found.score)) == (1, 2, 128.375)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_scores_that_would_give_a_wrong_pair_are_refused(wrong):
    start, end = logits(0)
    start[1, 2] = wrong
    with pytest.raises(ValueError, match="must be finite numbers"):
        best_spans(start, end, torch.ones(B, T, dtype=torch.bool))


# --- over windows ---------------------------------------------------------------------------------------------------


def two_windows():
    # Pieces 4 … 8 and 4 … 7.
    return passage_windows(tokenizer("부산에서"), "어디?", PASSAGE, max_length=10, stride=3)


def test_the_best_over_windows_by_hand():
    rows = two_windows()
    assert [row.tokens[4:-1] for row in rows] == [
        ["그", "배", "##는", "부산", "##에서"],
        ["부산", "##에서", "떠났다", "."],
    ]
    start, end = torch.zeros(2, 2, 10).unbind(0)
    start[0, 7], end[0, 8] = 2.0, 2.0  # 부산에서: 4
    start[1, 4], end[1, 4] = 3.0, 3.5  # 부산: 6.5
    start[:, 0], end[:, 0] = torch.tensor([1.0, 5.0]), torch.tensor([1.5, 7.0])  # [CLS]: 2.5 and 12
    start[1, 9] = end[1, 9] = 99.0  # padding, behind the row
    assert best_answer(rows, start, end) == Answer("부산", 5, 7, 4.0)
    assert best_answer(rows, start, end, most_pieces=1).text == "부산"
    end[1, 4] = 0.0
    assert best_answer(rows, start, end) == Answer("부산에서", 5, 9, 1.5)


def test_over_windows_it_equals_trying_all():
    words, drawn = by_syllables(), random.Random(1)
    for seed, text in enumerate(random_texts(30, seed=11)):
        rows = passage_windows(words, "배?", text, max_length=11, stride=drawn.randrange(1, 5))
        start, end = logits(seed, (len(rows), 13))
        found = best_answer(rows, start, end, most_pieces=3)
        tried = [
            (float(start[w, i] + end[w, j]), row.offsets[i][0], row.offsets[j][1])
            for w, row in enumerate(rows)
            for i in range(4, len(row) - 1)
            for j in range(i, min(i + 3, len(row) - 1))
            if "[MASK]" not in (row.tokens[i], row.tokens[j])
        ]
        score, begin, stop = max(tried)
        assert (found.start, found.end, found.text) == (begin, stop, text[begin:stop])
        assert found.margin == pytest.approx(
            score - min(float(a + b) for a, b in zip(start[:, 0], end[:, 0]))
        )


def test_scores_of_more_rows_than_windows_are_refused():
    start, end = logits(0, (2, 10))
    with pytest.raises(ValueError, match="must have one shape"):
        best_answer(two_windows()[:1], start, end)


def test_a_passage_without_a_word_has_no_answer():
    (row,) = passage_windows(tokenizer(), "어디?", "[MASK]")
    start, end = logits(3, (1, len(row)))
    assert best_answer([row], start, end) == Answer("", 0, 0, -math.inf)


# --- no answer --------------------------------------------------------------------------------------------------------


def test_an_answer_is_given_above_the_threshold_alone():
    answer = Answer("부산", 5, 7, 1.5)
    told = {1.4: "부산", 1.5: "", -math.inf: "부산", math.inf: "", 0: "부산"}
    assert {threshold: decided(answer, threshold) for threshold in told} == told


def test_a_threshold_by_hand():
    # Margin 3: right. 1: has no answer. 2: half right. −1: has no answer.
    found = validation_threshold([3.0, 1.0, 2.0, -1.0], [1.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.0, 1.0])
    assert found == (1.5, 3.5 / 4)


@pytest.mark.parametrize("seed", range(5))
def test_the_threshold_equals_trying_all(seed):
    drawn = random.Random(seed)
    margins = [drawn.choice([-math.inf, *range(-4, 5), drawn.gauss(0, 3)]) for _ in range(31)]
    silent = [float(drawn.random() < 0.3) for _ in margins]
    answered = [0.0 if no else drawn.choice([0.0, 0.4, 1.0]) for no in silent]

    def score(threshold):
        given = [a if m > threshold else s for m, a, s in zip(margins, answered, silent)]
        return sum(given) / len(given)

    found = validation_threshold(margins, answered, silent)
    everywhere = [-math.inf, 0.0, *(m + by for m in margins for by in (-1e-6, 0.0, 1e-6))]
    assert found.score == pytest.approx(max(map(score, everywhere)))
    assert score(found.value) == pytest.approx(found.score)


def test_where_nothing_is_gained_the_threshold_is_zero():
    assert validation_threshold([2.0, -2.0], [1.0, 0.0], [0.0, 1.0]).value == 0.0
    assert validation_threshold([2.0, 3.0], [0.5, 0.5], [0.5, 0.5]) == (0.0, 0.5)


def test_where_all_have_an_answer_or_none_has():
    assert validation_threshold([-2.0, -3.0], [1.0, 1.0], [0.0, 0.0]) == (-math.inf, 1.0)
    assert validation_threshold([2.0, 3.0], [0.0, 0.0], [1.0, 1.0]) == (math.inf, 1.0)
