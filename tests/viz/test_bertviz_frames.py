"""bertviz's frames: how large they are, which controls they have, and exactly where their limits lie."""

import re

import numpy as np
import pytest

from course_utils.viz.bertviz_data import (
    check_weights,
)
from course_utils.viz.bertviz_views import _listed, head_view, model_view, neuron_view

TOKENS = ["[CLS]", "배", "##를", "[SEP]", "탔", "##다", "[SEP]"]


def flat(layers, heads, count):
    return np.full((layers, heads, count, count), 1 / count)


def neuron(layers=3, heads=5, size=11, **more):
    vectors = np.ones((layers, heads, 7, size))
    return neuron_view(vectors, vectors, flat(layers, heads, 7), TOKENS, **more)


def test_the_height_of_a_head_view_grows_with_its_tokens():
    assert head_view(flat(3, 5, 7), TOKENS).height == round(22.5 * 7) + 30 + 110
    assert head_view(flat(1, 1, 64), ["a"] * 64).height == 1440 + 30 + 110


@pytest.mark.parametrize(
    ("layers", "heads", "count", "height"),
    [
        (1, 3, 7, 18 * 7 + 55),  # the picture that grows large when it is clicked is the higher one
        (3, 5, 7, 3 * (7 * 84 / 8 + 10) + 38),  # 250.5 + 38 against 181
        (12, 12, 11, 12 * (11 * 84 / 12 + 10) + 38),
    ],
)
def test_the_height_of_a_model_view_grows_with_its_tiles(layers, heads, count, height):
    assert model_view(flat(layers, heads, count), ["a"] * count).height == round(height - 0.01) + 110


def test_the_height_of_a_neuron_view_grows_with_its_tokens():
    assert neuron().height == 26 * 7 + 100 + 110


@pytest.mark.parametrize(
    ("view", "width"),
    [
        (lambda: head_view(flat(2, 2, 7), TOKENS), 340),
        (lambda: model_view(flat(2, 2, 7), TOKENS), 975),
        (neuron, 1010),
    ],
)
def test_a_page_is_wide_enough_for_its_picture(view, width):
    assert f"#vis {{ min-width: {width}px; }}" in view().page


def test_the_choice_of_a_text_is_there_where_there_are_two():
    for view in (head_view(flat(2, 2, 7), TOKENS), model_view(flat(2, 2, 7), TOKENS), neuron()):
        assert 'id="filter"' not in view.page
    page = head_view(flat(2, 2, 7), TOKENS, second_start=1).page
    assert re.findall(r'<option value="(\w+)">', page) == ["0", "1", "2", "3", "4"]
    page = neuron(second_start=6).page
    assert re.findall(r'<option value="(\w+)">', page) == ["all", "aa", "bb", "ab", "ba"]


def test_shown_first_is_what_was_asked_for():
    assert "층 2, 헤드 4입니다" in neuron(layer=2, head=4).digest()
    with pytest.raises(ValueError, match="layer must be a whole number from 0 to 2, got 3"):
        neuron(layer=3)


@pytest.mark.parametrize(
    ("places", "words"),
    [([0], "0"), ([0, 1], "0, 1"), ([0, 1, 2], "0–2"), ([3, 4, 5, 6], "3–6"), ([0, 2, 3], "0, 2, 3")],
)
def test_places_in_a_row_are_told_as_one(places, words):
    assert _listed(places) == words


@pytest.mark.parametrize("off", [0.0099, -0.0099])
def test_rows_of_half_precision_need_not_sum_to_1_exactly(off):
    weights = flat(1, 1, 2)
    weights[0, 0, 1, 0] += off
    assert check_weights(weights, ["a", "b"])[1] == ["a", "b"]
    weights[0, 0, 1, 0] += np.sign(off) * 2e-4
    with pytest.raises(ValueError, match=f"row 1 of layer 0, head 0 sums to {1 + off:.2f}"):
        check_weights(weights, ["a", "b"])
