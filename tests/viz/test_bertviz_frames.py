"""bertviz's frames: how large they are, which controls they have, and exactly where their limits lie."""

import re

import numpy as np
import pytest
import traitlets

from course_utils.viz.bertviz_data import (
    MOST_LINES,
    MOST_NUMBERS,
    as_array,
    check_lines,
    check_weights,
    one_of,
    parts_of,
    some_of,
)
from course_utils.viz.bertviz_page import fingerprint, select
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


def test_what_a_frame_shows_cannot_be_written_over():
    view = neuron()
    for name in ("page", "title", "height"):
        with pytest.raises(traitlets.TraitError, match="read-only"):
            setattr(view, name, getattr(view, name))
        assert view.trait_metadata(name, "sync") is True


def test_the_choice_of_a_text_is_there_where_there_are_two():
    for view in (head_view(flat(2, 2, 7), TOKENS), model_view(flat(2, 2, 7), TOKENS), neuron()):
        assert 'id="filter"' not in view.page
    page = head_view(flat(2, 2, 7), TOKENS, second_start=1).page
    assert re.findall(r'<option value="(\w+)">', page) == ["0", "1", "2", "3", "4"]
    page = neuron(second_start=6).page
    assert re.findall(r'<option value="(\w+)">', page) == ["all", "aa", "bb", "ab", "ba"]


def test_one_layer_one_head_and_one_dimension_are_enough():
    assert neuron(1, 1, 1).digest().endswith("벡터의 차원은 1입니다.")
    assert "헤드 0입니다" in head_view(flat(1, 1, 7), TOKENS).digest()
    with pytest.raises(ValueError, match=r"got \(3, 5, 7, 0\)"):
        neuron(3, 5, 0)
    with pytest.raises(ValueError, match=r"got \(3, 5, 7\)"):
        neuron_view(np.ones((3, 5, 7)), np.ones((3, 5, 7)), flat(3, 5, 7), TOKENS)


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


def test_lines_up_to_the_limit_are_drawn():
    check_lines(MOST_LINES // 100, 10)
    with pytest.raises(ValueError, match=r"got 30,100 \(301 × 10 × 10\)"):
        check_lines(301, 10)


def test_numbers_up_to_the_limit_are_carried():
    weights, vectors = np.zeros((5, 10, 100, 100)), {"queries": np.zeros((5, 10, 100, 300))}
    assert weights.size + vectors["queries"].size == MOST_NUMBERS
    tokens = [str(place) for place in range(100)]
    assert len(parts_of(weights, tokens, None, vectors)) == 1
    with pytest.raises(ValueError, match="got 4,000,000"):
        parts_of(weights, tokens, 50, vectors)


@pytest.mark.parametrize("off", [0.0099, -0.0099])
def test_rows_of_half_precision_need_not_sum_to_1_exactly(off):
    weights = flat(1, 1, 2)
    weights[0, 0, 1, 0] += off
    assert check_weights(weights, ["a", "b"])[1] == ["a", "b"]
    weights[0, 0, 1, 0] += np.sign(off) * 2e-4
    with pytest.raises(ValueError, match=f"row 1 of layer 0, head 0 sums to {1 + off:.2f}"):
        check_weights(weights, ["a", "b"])


def test_rows_of_halves_are_no_row_of_ones():
    with pytest.raises(ValueError, match="smallest weight is -0.500"):
        check_weights([[[[1.5, -0.5], [0.5, 0.5]]]], ["a", "b"])
    assert check_weights([[[[1.0]]]], "a")[1] == ["a"]


@pytest.mark.parametrize("value", [True, 1.0, "1", None, -1, 3])
def test_a_place_is_a_whole_number_within(value):
    with pytest.raises(ValueError, match="layer must be a whole number from 0 to 2"):
        one_of("layer", value, 3)
    assert [one_of("layer", place, 3) for place in (0, np.int64(2))] == [0, 2]
    assert one_of("start", 1, 3, first=1) == 1 and type(one_of("layer", np.int64(2), 3)) is int


def test_some_places():
    assert some_of("heads", None, 3) == [0, 1, 2] and some_of("heads", [2, 0], 3) == [2, 0]
    assert some_of("heads", 1, 3) == [1]
    for wrong in ([], [1, 1]):
        with pytest.raises(ValueError, match="once and at least one"):
            some_of("heads", wrong, 3)


def test_arrays_are_finite_numbers():
    assert as_array("weights", [[1, 2]]).dtype == float
    for wrong, message in [
        ([[1.0], [1.0, 2.0]], "one array"),
        ([np.inf], "finite"),
        (object(), "got object"),
    ]:
        with pytest.raises(ValueError, match=message):
            as_array("keys", wrong)


def test_a_list_of_choices_is_labelled_and_escaped():
    assert select("a", "<b>", [("0", "x & y")]) == (
        '<label for="a">&lt;b&gt;</label> <select id="a"><option value="0">x &amp; y</option></select>'
    )
    assert select("a", "b") == '<label for="a">b</label> <select id="a"></select>'


def test_a_fingerprint_by_hand():
    assert fingerprint("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
