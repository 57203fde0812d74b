"""Separation and leave-one-out neighbours, by hand and against plain loops."""

from __future__ import annotations

import math

import pytest
import torch

from course_utils.contextual import neighbour_accuracy, separation
from course_utils.contextual.measures import similarities


def at(*degrees: float, length: float = 1.0) -> torch.Tensor:
    return torch.tensor(
        [[length * math.cos(math.radians(d)), length * math.sin(math.radians(d))] for d in degrees]
    )


def test_similarities_by_hand():
    expected = torch.tensor([[1.0, 0.5, 0.0], [0.5, 1.0, math.sqrt(0.75)], [0.0, math.sqrt(0.75), 1.0]])
    torch.testing.assert_close(similarities(at(0, 60, 90, length=7.0)), expected, atol=1e-6, rtol=0)


def test_separation_by_hand():
    # one pair of one sense at 60°; the third vector stands at 90° and 30° from them
    expected = 0.5 - (0.0 + math.sqrt(0.75)) / 2
    assert separation(at(0, 60, 90), ["ship", "ship", "pear"]) == pytest.approx(expected, abs=1e-6)
    assert separation(at(0, 0, 180), ["ship", "ship", "pear"]) == pytest.approx(2.0)  # the largest there is
    assert separation(at(5, 5, 5, 5), ["ship", "pear", "ship", "pear"]) == pytest.approx(0.0, abs=1e-6)


def test_separation_is_that_of_plain_loops_and_knows_no_lengths():
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(23, 7, generator=generator, dtype=torch.float64)
    senses = [["ship", "pear", "belly"][number % 3] for number in range(23)]
    same, other = [], []
    for a in range(23):
        for b in range(23):
            if a != b:
                cosine = (vectors[a] @ vectors[b] / vectors[a].norm() / vectors[b].norm()).item()
                (same if senses[a] == senses[b] else other).append(cosine)
    expected = sum(same) / len(same) - sum(other) / len(other)
    assert separation(vectors, senses) == pytest.approx(expected, abs=1e-12)
    lengths = torch.rand(23, 1, generator=generator, dtype=torch.float64) + 0.1
    assert separation(vectors * lengths, senses) == pytest.approx(expected, abs=1e-12)


def test_a_sentence_is_not_its_own_neighbour():
    # 0° and 10° are each other's nearest; 90° is nearest to 10°: every neighbour has the other sense
    assert neighbour_accuracy(at(0, 10, 90), ["ship", "pear", "ship"]) == 0.0
    assert neighbour_accuracy(at(0, 180), ["ship", "ship"]) == 1.0


def test_neighbours_by_hand():
    vectors = at(0, 10, 17, 80, 91)  # nearest: 10, 17, 10, 91, 80
    assert neighbour_accuracy(vectors, ["a", "a", "b", "b", "b"]) == pytest.approx(3 / 5)
    assert (
        neighbour_accuracy(vectors * torch.tensor([[9.0], [1.0], [0.1], [3.0], [1.0]]), list("aabbb"))
        == 3 / 5
    )


@pytest.mark.parametrize("measure", [separation, neighbour_accuracy])
@pytest.mark.parametrize(("vectors", "senses"), [(at(0, 1, 2), "ab"), (at(0), "a"), (torch.ones(3), "aab")])
def test_what_does_not_fit_is_refused(measure, vectors, senses):
    with pytest.raises(ValueError, match=r"vectors must be \(N, C\) with N senses, N at least 2, got"):
        measure(vectors, list(senses))


def test_nothing_to_compare():
    for senses in (["a", "b", "c"], ["a", "a", "a"]):
        with pytest.raises(ValueError, match="at least two different ones, and one of them at least twice"):
            separation(at(0, 1, 2), senses)
