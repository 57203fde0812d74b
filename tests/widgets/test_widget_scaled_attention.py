"""ScaledAttention without a browser: its numbers, its sentence and what it refuses."""

import math

import numpy as np
import pytest

from course_utils.attention import scaled_dot_product_attention
from course_utils.widgets import ScaledAttention
from course_utils.widgets.scaled_attention.widget import entropy_bits, spread

KEYS = [[1.0, 0.2], [0.3, 1.0], [-1.0, 0.6], [-0.3, -1.0], [0.5, -0.5]]
VALUES = [[0.0, 0.0], [2.0, 0.1], [2.2, 2.0], [0.3, 1.6], [1.0, 1.0]]
WORDS = ["항구", "사과", "배", "바다", "말"]


def make(**changes) -> ScaledAttention:
    given = {"keys": KEYS, "values": VALUES, "labels": WORDS, "attention": scaled_dot_product_attention}
    return ScaledAttention(**given | changes)


@pytest.mark.parametrize("d_k", [2, 4, 8, 64, 1024])
def test_spread_vectors_have_root_d_k_times_the_score_and_the_same_coordinates_size(d_k: int) -> None:
    query, key = np.array([[0.7, -0.3]]), np.array([[1.1, 0.4], [-0.2, 0.9]])
    wide_query, wide_key = spread(query, d_k), spread(key, d_k, turn=True)
    assert wide_query.shape == (1, d_k) and wide_key.shape == (2, d_k)
    assert np.allclose(wide_query @ wide_key.T, math.sqrt(d_k / 2) * (query @ key.T))
    assert np.allclose((wide_key**2).sum(1), d_k / 2 * (key**2).sum(1))


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize(("d_k", "temperature"), [(2, 1.0), (64, 0.5), (512, 7.0)])
def test_weights_and_context_by_the_formula(d_k: int, temperature: float, scaled: bool) -> None:
    widget = make(query=(0.4, -0.9))
    widget.d_k, widget.temperature, widget.scaled = d_k, temperature, scaled
    scores = (
        np.array(KEYS) @ [0.4, -0.9] * math.sqrt(d_k / 2) / temperature / (math.sqrt(d_k) if scaled else 1)
    )
    expected = np.exp(scores - scores.max())
    expected /= expected.sum()
    assert np.allclose(widget.picture["scores"], scores)
    assert np.allclose(widget.picture["weights"], expected)
    assert np.allclose(widget.picture["context"], expected @ np.array(VALUES))


def test_scaled_scores_do_not_depend_on_d_k_and_unscaled_ones_saturate() -> None:
    widget = make()
    before = widget.picture["weights"]
    widget.d_k = 1024
    assert np.allclose(widget.picture["weights"], before)
    widget.scaled = False
    assert max(widget.picture["weights"]) > 0.999 and "포화" in widget.summary


def test_entropy_by_hand() -> None:
    assert entropy_bits(np.array([0.5, 0.25, 0.25])) == pytest.approx(1.5)
    assert str(entropy_bits(np.array([1.0, 0.0]))) == "0.0"


def test_one_word_and_points_on_a_line() -> None:
    assert make(keys=[[1, 0]], values=[[0, 0]], labels=["배"]).picture["weights"] == [1.0]
    line = make(values=[[i, 2 * i] for i in range(5)])
    assert set(line.picture["hull"]) >= {0, 4}
