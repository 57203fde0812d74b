"""PositionalExplorer without a browser: its numbers, its sentence and what it refuses."""

import base64
import math

import numpy as np
import pytest
import torch

from course_utils.positional import LearnedPositionEmbedding, sinusoidal_encoding
from course_utils.widgets import PositionalExplorer


def make(encoding=sinusoidal_encoding, **changes) -> PositionalExplorer:
    return PositionalExplorer(encoding, **changes)


def test_cosines_by_the_formula() -> None:
    widget = make(length=37, first=5, hidden_size=22)
    for position, cosine in enumerate(widget.picture["cosines"]):
        distance = position - 5
        expected = sum(math.cos(distance / 10000 ** (2 * i / 22)) for i in range(11)) / 11
        assert cosine == pytest.approx(expected, abs=1e-4)


def test_the_wave_is_the_chosen_column() -> None:
    widget = make(length=37, hidden_size=22)
    widget.dimension = 5
    assert widget.picture["wave"] == pytest.approx(
        [math.cos(t / 10000 ** (4 / 22)) for t in range(37)], abs=1e-4
    )


def test_the_shades_are_the_table() -> None:
    widget = make(length=13, first=0, second=1, hidden_size=7, dimension=0)
    shades = np.frombuffer(base64.b64decode(widget.picture["shades"]), dtype=np.uint8).reshape(13, 7)
    assert np.allclose((shades.astype(float) - 128) / 127, sinusoidal_encoding(13, 7).numpy(), atol=0.005)
    assert shades[0].tolist() == [128, 255, 128, 255, 128, 255, 128]


def test_the_summary_says_positions_likeness_and_values() -> None:
    widget = make()
    assert "A는 자리 10, B는 자리 15입니다(거리 5, B가 뒤)." in widget.summary
    dot = sum(math.cos(5 / 10000 ** (2 * i / 64)) for i in range(32))
    assert f"내적 {dot:.1f}, 코사인 유사도 {dot / 32:.2f}" in widget.summary
    assert "차원 8의 값은 A −0.02, B −1.00입니다." in widget.summary
    likeness = widget.summary.split("내적")[1].split("차원")[0]
    widget.first, widget.second = 40, 35
    assert "B가 앞" in widget.summary and likeness in widget.summary  # the distance is all that counts
    widget.first = 35
    assert "같은 자리 35" in widget.summary and "코사인 유사도 1.00" in widget.summary


def test_a_larger_scale_for_an_encoding_that_is_not_bounded() -> None:
    widget = make(lambda length, size: torch.arange(length)[:, None].expand(length, size).float())
    assert widget.picture["reach"] == 63.0 and max(widget.picture["wave"]) == 63.0
    assert make().picture["reach"] == 1.0


def test_a_zero_vector_is_like_nothing() -> None:
    widget = make(lambda length, size: torch.zeros(length, size))
    assert "코사인 유사도 0.00" in widget.summary and "−0" not in widget.summary


def test_each_size_is_computed_once() -> None:
    asked = []

    def learned(length: int, hidden_size: int) -> torch.Tensor:
        asked.append(hidden_size)
        return LearnedPositionEmbedding(length, hidden_size)(length)  # wants a gradient, differs at each call

    widget = make(learned, hidden_size=16)
    before = widget.picture["shades"]
    widget.first = 3
    widget.hidden_size = 32
    widget.hidden_size = 16
    assert asked == [16, 32] and widget.picture["shades"] == before


def test_the_dimension_follows_a_smaller_size() -> None:
    widget = make(dimension=40)
    widget.hidden_size = 4
    assert widget.dimension == 3 and widget.picture["hidden_size"] == 4
    widget.set_state({"hidden_size": 2})
    assert widget.dimension == 1 and widget.error == ""
    assert make(hidden_size=4, dimension=9).dimension == 3
