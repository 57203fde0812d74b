"""What figures say: which cell departs, where a branch hangs, what a line joins. Their looks are in drawn.txt."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from course_utils.viz import (
    plot_arrows,
    plot_curves,
    plot_departures,
    plot_descent_paths,
    plot_fates,
    plot_gains,
    plot_head_grid,
    plot_layer_map,
    plot_layer_rates,
    plot_mask,
    plot_reach,
    plot_scores,
    plot_shares,
    plot_tagged_words,
)
from course_utils.viz.beam_tree import path_to, places
from course_utils.viz.plane import hull_order
from course_utils.viz.theme import KEY, MUTED, QUERY

X = np.linspace(-2, 3, 7)
BOWL = X**2 + 3 * X[:5, None] ** 2  # 0 … 21 over X = −2 … 3 and −2 … 4/3


def written(ax):
    """Where each text stands that is not empty."""
    return {text.get_position(): text.get_text() for text in ax.texts if text.get_text()}


def corners(ax):
    """Left and bottom of every rectangle."""
    return [(round(box.get_x(), 6), round(box.get_y(), 6)) for box in ax.patches]


# --- Beam trees: a ── e ── end (best)    b ── g    c is dropped, and so is f, though it is likelier than g

PARENTS = [-1, -1, -1, 0, 0, 1, 3]
SCORES = [-0.5, -1.25, -2.0, -0.75, -1.0, -1.5, -1.125]
STATES = ["kept", "kept", "dropped", "kept", "dropped", "kept", "finished"]


def test_columns_are_steps_and_rows_are_ranks_with_dropped_ones_last():
    assert places(PARENTS, SCORES, STATES) == ([1, 1, 1, 2, 2, 2, 3], [1, 2, 3, 1, 3, 2, 1])
    _, rows = places([-1, -1, -1], [-1.0, -1.0, -0.5], ["kept"] * 3)
    assert rows == [2, 3, 1]  # nodes alike keep their order


def test_a_path_runs_from_the_first_step_to_its_node():
    assert path_to(PARENTS, 6) == [0, 3, 6] and path_to(np.array(PARENTS), 5) == [1, 5]


# --- Tables


def test_a_mask_shades_what_may_be_seen_and_hatches_the_rest():
    ax = plot_mask(np.array([[True, False, False], [True, True, False]]), ["a", "b"], ["v", "w", "x"])
    np.testing.assert_array_equal(ax.images[0].get_array(), [[0.45, 0, 0], [0.45, 0.45, 0]])
    assert corners(ax) == [(0.5, -0.5), (1.5, -0.5), (1.5, 0.5)]


def test_departures_are_shaded_by_their_powers_of_ten_and_the_first_of_a_row_is_framed():
    table = np.array([[1e-7, 1e-5, 0.2, 0.1], [0.5, np.nan, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    ax = plot_departures(table, ["a", "b", "c"], ["v", "w", "x", "y"])
    depth = lambda difference: 0.12 + 0.88 * (np.log10(difference) + 5) / 7  # noqa: E731  from 1e-5 to 1e2
    shades = [[0, 0, depth(0.2), depth(0.1)], [depth(0.5), 1, 0, 0], [0] * 4]
    np.testing.assert_allclose(ax.images[0].get_array(), shades)
    assert written(ax) == {(2, 0): "0.2", (3, 0): "0.1", (0, 1): "0.5", (1, 1): "nan"}
    assert corners(ax) == [(1.53, -0.44), (-0.47, 0.56)]


def test_small_is_not_none():
    ax = plot_reach([[2.0, 0.0], [0.0001, 1.75]], ["a", "b"], ["v", "w"])
    assert written(ax) == {(0, 0): "1.00", (1, 0): "0", (0, 1): "0.00", (1, 1): "0.88"}
    assert corners(ax) == [(0.5, -0.5)]  # hatched


def test_frozen_layers_are_hatched_while_their_rate_is_exactly_0():
    rates = [[0, 0, 0, 0.1, 0.2], [0, 0.25, 0, 0.4, 0.3], [1, 2, 1.6, 1.2, 0]]
    boxes = plot_layer_rates(rates, ["low", "middle", "top"]).patches
    hatched = sorted((box.get_x(), box.get_width(), box.get_y()) for box in boxes)
    assert hatched == [(0.5, 1, 0.5), (0.5, 3, -0.5), (2.5, 1, 0.5), (4.5, 1, 1.5)]


def test_the_best_score_is_framed_and_a_missed_truth_underlined():
    scores = [[0.7, 0.3], [0.9, 0.1], [0.4, 0.6]]
    ax = plot_scores(scores, ["1", "2", "3"], ["ship", "pear"], truths=["ship", "pear", None])
    assert corners(ax) == [(-0.47, -0.45), (-0.47, 0.55), (0.53, 1.55)]
    assert [frame.get_linestyle() for frame in ax.patches] == ["-", "--", ":"]
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [(0.7, 1.36), (1.3, 1.36)])
    ax = plot_scores(scores, ["1", "2", "3"], ["ship", "pear"])
    assert {frame.get_linestyle() for frame in ax.patches} == {":"} and not ax.lines  # nothing is wrong


SHARES = [[0.0, 0.25, 1.0], [0.5, 0.75, 0.125]]


def test_numbers_stand_out_from_their_cells():
    for values, scale in [(SHARES, {}), ([[-1.0, 1.0, 0.0, 0.5]], {"lowest": -1.0})]:
        ax = plot_head_grid(values, **scale)
        picture = ax.images[0]
        for text in ax.texts:
            head, layer = text.get_position()
            cell = picture.cmap(picture.norm(np.asarray(values)[layer, head]))[:3]
            lights = sorted(
                sum(0.33 * part**2.2 for part in color) for color in (cell, to_rgb(text.get_color()))
            )
            assert (lights[1] + 0.05) / (lights[0] + 0.05) > 4.5, text.get_text()


# --- Bars and boxes


def test_a_share_is_written_where_it_has_room():
    ax = plot_shares({"a": [6.0, 5.9], "b": [94.0, 94.1]}, ["x", "y"])
    assert [text.get_text() for text in ax.texts] == ["6%", "94%", "94%"]


def test_an_interval_that_ends_at_0_decides_nothing():
    ax = plot_gains(["a", "b", "c"], [[0.5, 0.0, 0.75], [-0.5, -0.75, 0.0], [-2, -3, -1]])
    assert [to_rgb(line.get_color()) for line in ax.lines[2::2]] == [to_rgb(c) for c in (MUTED, MUTED, QUERY)]


def test_a_students_layers_are_spread_beside_those_they_look_at():
    ax = plot_layer_map(12, [3, 6, 9, 12])
    ends = [(*line.get_ydata(), to_rgb(line.get_color())) for line in ax.lines]
    assert ends == [(layer, layer - 1, to_rgb(KEY)) for layer in (3, 6, 9, 12)]
    assert all(line.get_ydata()[0] == line.get_ydata()[1] for line in plot_layer_map(3, [1, 2, 3]).lines)


def test_the_truth_stands_below_what_is_to_be_predicted_alone():
    ax = plot_fates([["a", "[MASK]"]], [["plain", "masked"]], [["", "b"]])
    assert sorted((y, words) for (_, y), words in written(ax).items()) == [
        (-0.16, "[MASK]"), (-0.16, "a"), (0.24, "b")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tags", "lines"),
    [
        (["B-LC", "I-LC", "I-LC"], 2),
        (["B-LC", "I-PS", "B-LC"], 0),
        (["O", "I-LC", "I-LC"], 1),
        (["O", "O", "NOUN"], 0),
    ],
)
def test_only_what_goes_on_with_its_own_kind_is_joined(tags, lines):
    assert len(plot_tagged_words(["a", "b", "c"], tags).lines) == lines


# --- Planes


@pytest.mark.parametrize(("x", "upright"), [([0, 1], 0), ([-1, 0], 0), ([-1, 1], 1)])
def test_the_origin_is_marked_where_it_lies_within(x, upright):
    assert len(plot_curves(x, {"a": x}).lines) == 2 + upright


def test_each_contour_of_a_surface_stands_twice_as_high_above_its_lowest_point():
    for lowest in (0.0, -7.0):
        bands, lines = plot_descent_paths(X, X[:5], BOWL - BOWL.min() + lowest, {}).collections
        above = np.array(lines.levels) - lowest
        np.testing.assert_allclose(above[1:] / above[:-1], [2] * 11)
        np.testing.assert_allclose(bands.levels, [lowest, *lines.levels, lowest + np.ptp(BOWL)])


def test_a_path_ends_where_it_is_lost_and_each_start_is_marked():
    ways = {"a": [[2, 1], [1, -0.5]], "b": [[0, 1], [0, 1], [np.nan, 0], [0, 0]]}
    ax = plot_descent_paths(X, X[:5], BOWL, ways)
    np.testing.assert_allclose(ax.lines[1].get_xydata(), ways["b"][:2])
    assert [tuple(note.xy) for note in ax.texts] == [(2, 1), (0, 1)]


def test_a_second_group_of_arrows_keeps_the_view():
    ax = plot_arrows([[3.0, 1.0]], ["a"], color="k")
    plot_arrows([[1.0, 0.5]], ["b"], color="r", ax=ax)
    assert ax.get_xlim() == pytest.approx((-3.9, 3.9))
    _, wide = plt.subplots()
    wide.plot([-9, 2], [0, 0])
    wide.set_xlim(-9, 2)
    assert plot_arrows([[1.0, 0.5]], ["b"], color="r", ax=wide).get_xlim() == (-9, 9)


def test_hulls_by_hand():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    assert hull_order(square) == [0, 1, 2, 3] and hull_order(square[::-1]) == [3, 2, 1, 0]
    middles = np.array([[0.5, 0.5], [0.5, 0.0], [1.0, 0.5]])  # inside, and on two edges
    assert hull_order(np.concatenate([middles, square])) == [3, 4, 5, 6]
    lower = np.array([[1.0, 2.0], [1.0, 0.0], [3.0, 1.0]])  # of two at the left the lower one is first
    assert hull_order(lower) == [1, 2, 0]
    assert len(hull_order(np.array([[1.0, 1.0], [1.0, 1.0]]))) <= 3  # the same point twice: it ends
    circle = np.array([(np.cos(angle), np.sin(angle)) for angle in np.linspace(-3, 3, 11)])
    assert hull_order(circle) == list(range(11))


def test_mixtures_of_the_points_lie_in_the_hull():
    generator = np.random.default_rng(0)
    points = generator.normal(size=(13, 2))
    hull = points[hull_order(points)]
    edges = np.roll(hull, -1, axis=0) - hull
    for inside in np.concatenate([points, generator.dirichlet(np.ones(13), size=101) @ points]):
        x, y = (inside - hull).T
        assert (edges[:, 0] * y - edges[:, 1] * x > -1e-12).all()  # left of every edge
