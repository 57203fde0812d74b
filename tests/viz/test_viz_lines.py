"""Lines, points and arrows of a plane: where they run, and by what they are told apart."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.viz import (
    plot_arrows,
    plot_curves,
    plot_descent_paths,
    plot_encoding,
    plot_hull,
    plot_runs,
    plot_sense_map,
)
from course_utils.viz.plane import hull_order
from course_utils.viz.theme import CYCLE, DASHES, MUTED, SIGNED
from tests.viz.drawn import arrow_looks, arrows, check_no_frame, figure_size, hex_of, look, near

X = np.linspace(-2, 3, 7)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_curves():
    ax = plot_curves(X, {"a": X, "b": X**2, "c": -X})
    assert figure_size(ax) == [6.5, 4] and legend(ax) == ["a", "b", "c"]
    flat, upright, *curves = ax.lines
    near(flat.get_ydata(), [0, 0])
    near(upright.get_xdata(), [0, 0])
    for line in (flat, upright):
        assert (line.get_color(), line.get_linewidth(), line.get_linestyle()) == (MUTED, 0.8, "-")
        assert line.get_zorder() == 0
    near([line.get_ydata() for line in curves], [X, X**2, -X])
    near([line.get_xdata() for line in curves], [X] * 3)
    assert [line.get_color() for line in curves] == CYCLE[:3]
    assert [line.get_linestyle() for line in curves] == DASHES[:3]
    assert [(line.get_linewidth(), line.get_alpha()) for line in curves] == [
        (7, 0.4),
        (2.2, None),
        (2.2, None),
    ]


@pytest.mark.parametrize(("x", "upright"), [([0, 1], 0), ([-1, 0], 0), ([-1, 1], 1)])
def test_the_origin_is_marked_where_it_lies_within(x, upright):
    ax = plot_curves(x, {"a": x})
    assert len(ax.lines) == 2 + upright
    assert ax.lines[-1].get_linewidth() == 2.2  # one curve alone need not be broad
    with pytest.raises(ValueError, match="expected 1 to 7 curves, got 8"):
        plot_curves(x, {str(curve): x for curve in range(8)})
    assert len(plot_curves(x, {str(curve): x for curve in range(7)}).lines) == 8 + upright


def test_runs():
    runs = np.array([X, X + 1, X + 5])
    ax = plot_runs(X, {"a": runs, "b": runs[:1]})
    assert figure_size(ax) == [7.5, 4] and legend(ax) == ["a", "b"]
    near([line.get_xydata() for line in ax.lines], [np.c_[X, X + 1], np.c_[X, X]])
    assert [line.get_color() for line in ax.lines] == CYCLE[:2]
    assert [line.get_linestyle() for line in ax.lines] == DASHES[:2]
    assert {line.get_marker() for line in ax.lines} == {"None"}
    bands = ax.collections
    edges = {(round(x, 6), round(y, 6)) for x, y in bands[0].get_paths()[0].vertices}
    assert edges == {(round(x, 6), round(x + up, 6)) for x in X for up in (0, 5)}
    assert [hex_of(band.get_facecolor()[0]) for band in bands] == CYCLE[:2]
    assert {(band.get_facecolor()[0][3], band.get_linewidth()[0]) for band in bands} == {(0.16, 0)}


BOWL = X**2 + 3 * X[:5, None] ** 2  # 0 … 21 over X = −2 … 3 and −2 … 4/3


def test_descent_paths():
    ways = {"a": [[2, 1], [1, -0.5], [0.5, 0.25]], "b": [[2, 1], [0, 1], [np.nan, 0], [0, 0]]}
    ax = plot_descent_paths(X, X[:5], BOWL, ways)
    assert figure_size(ax) == [7.5, 5] and ax.get_aspect() == 1 and legend(ax) == ["a", "b"]
    near((ax.get_xlim(), ax.get_ylim()), [(-2, 3), (-2, 4 / 3)])
    *lines, start = ax.lines
    near(lines[0].get_xydata(), ways["a"])
    near(lines[1].get_xydata(), ways["b"][:2])  # up to where it is lost
    assert [line.get_color() for line in lines] == CYCLE[:2]
    assert [line.get_linestyle() for line in lines] == DASHES[:2]
    assert [(line.get_marker(), line.get_markevery()) for line in lines] == [("o", [2]), ("s", [1])]
    near(start.get_xydata(), [(2, 1)])
    (note,) = ax.texts
    assert note.get_text() == "출발" and tuple(note.xy) == (2, 1)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("첫째 가중치", "둘째 가중치")


def test_each_contour_of_a_surface_stands_twice_as_high_above_its_lowest_point():
    for lowest in (0.0, -7.0):
        bands, lines = plot_descent_paths(X, X[:5], BOWL - BOWL.min() + lowest, {}).collections
        above = np.array(lines.levels) - lowest
        near(above[1:] / above[:-1], [2] * 11)
        near(above[-1] * 2, np.ptp(BOWL))
        near(bands.levels, [lowest, *lines.levels, lowest + np.ptp(BOWL)])
    light = [sum(color[:3]) for color in bands.get_facecolor()]
    assert light == sorted(light, reverse=True) and hex_of(bands.get_facecolor()[0]) == "#FFFFFF"


def test_two_starts_are_both_marked_and_eight_paths_are_too_many():
    ax = plot_descent_paths(X, X, BOWL[:1] + X[:, None] ** 2, {"a": [[1, 1]], "b": [[0, 1]]})
    assert [tuple(note.xy) for note in ax.texts] == [(1, 1), (0, 1)]
    assert ax.get_legend() and not plot_descent_paths(X, X[:5], BOWL, {}).get_legend()
    plot_descent_paths(X, X[:5], BOWL, {str(path): [[0, 0]] for path in range(7)})
    with pytest.raises(ValueError, match="at most 7 paths, got 8"):
        plot_descent_paths(X, X[:5], BOWL, {str(path): [[0, 0]] for path in range(8)})


def test_an_encoding():
    encoding = np.linspace(-0.5, 0.25, 35).reshape(7, 5)
    ax = plot_encoding(encoding)
    assert figure_size(ax) == [9, 5]
    (image,) = ax.get_images()
    near(image.get_array(), encoding)
    assert image.get_cmap() is SIGNED and image.get_clim() == (-1, 1)
    assert (image.get_interpolation(), ax.get_aspect()) == ("nearest", "auto")
    bar = image.colorbar
    near(bar.get_ticks(), [-1, 0, 1])
    assert bar.ax.get_ylabel() == "값" and not bar.outline.get_visible()
    assert bar.formatter(0.5) == "0.5"
    check_no_frame(ax)


def test_the_colour_bar_of_an_encoding_ends_at_its_largest_value():
    (image,) = plot_encoding([[0.0, -3.0, 2.0]]).get_images()
    near(image.colorbar.get_ticks(), [-3, 0, 3])


def test_arrows():
    ax = plot_arrows([[3.0, 1.0], [-0.5, 0.0]], ["a", "b"], color="#0072B2", linestyle="--")
    assert figure_size(ax) == [5, 5] and ax.get_aspect() == 1
    near(arrows(ax), [((0, 0), (3, 1)), ((0, 0), (-0.5, 0))])
    assert all(
        drawn == dict(arrowstyle="-|>", color="#0072B2", lw=2.2, linestyle="--", shrinkB=0)
        for drawn in arrow_looks(ax)
    )
    near((ax.get_xlim(), ax.get_ylim()), [(-3.9, 3.9)] * 2)
    (origin,) = ax.lines
    near(origin.get_xydata(), [(0, 0)])
    assert (origin.get_marker(), origin.get_color(), origin.get_markersize()) == ("o", "black", 4)
    names = [note for note in ax.texts if note.get_text()]
    near([note.xy for note in names], [(3, 1), (-0.5, 0)])
    # 45° to the left of the arrow, 8 points away: (3 + 1, 1 − 3) and (−0.5, 0.5), made as long as 8
    near(
        [note.get_position() for note in names],
        np.array([(4 / 20**0.5, -2 / 20**0.5), (-(0.5**0.5), 0.5**0.5)]) * 8,
    )


def test_a_second_group_of_arrows_keeps_the_view():
    ax = plot_arrows([[3.0, 1.0]], ["a"], color="k")
    plot_arrows([[1.0, 0.5]], ["b"], color="r", ax=ax)
    near(ax.get_xlim(), (-3.9, 3.9))
    plot_arrows([[0.0, 5.0]], ["c"], color="r", ax=ax)
    near(ax.get_ylim(), (-6.5, 6.5))
    _, wide = plt.subplots()
    wide.plot([-9, 2], [0, 0])
    wide.set_xlim(-9, 2)
    near(plot_arrows([[1.0, 0.5]], ["b"], color="r", ax=wide).get_xlim(), (-9, 9))


def test_a_hull():
    points = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 3.0], [2.0, 1.0]])
    ax = plot_hull(points, list("abcd"), color="#009E73")
    assert figure_size(ax) == [5, 5] and ax.get_aspect() == 1 and ax.margins() == (0.2, 0.2)
    (hull,) = ax.patches
    near(hull.get_xy(), points[[0, 1, 2, 0]])
    assert (hex_of(hull.get_facecolor()), round(hull.get_facecolor()[3], 2)) == ("#009E73", 0.15)
    assert (hex_of(hull.get_edgecolor()), hull.get_linestyle(), hull.get_linewidth()) == (
        "#009E73",
        "--",
        1.5,
    )
    (marks,) = ax.lines
    near(marks.get_xydata(), points)
    assert (marks.get_marker(), marks.get_markersize(), marks.get_color()) == ("s", 9, "#009E73")
    assert (marks.get_linestyle()) == "None"
    away = points - points.mean(axis=0)  # labels point away from the middle (1.75, 1.25)
    near([note.get_position() for note in ax.texts], 8 * away / np.hypot(*away.T)[:, None])
    assert [note.get_text() for note in ax.texts] == list("abcd")


def test_a_hull_of_one_point():
    ax = plot_hull([[2.0, 2.0]], ["a"], color="k")
    near(ax.texts[0].get_position(), (0, 0))
    with pytest.raises(ValueError, match="N = 0 labels"):
        plot_hull(np.zeros((0, 2)), [], color="k")


def test_hulls_by_hand():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    assert hull_order(square) == [0, 1, 2, 3] and hull_order(square[::-1]) == [3, 2, 1, 0]
    middles = np.array([[0.5, 0.5], [0.5, 0.0], [1.0, 0.5]])  # inside, and on two edges
    assert hull_order(np.concatenate([middles, square])) == [3, 4, 5, 6]
    assert hull_order(np.array([[1.0, 2.0], [1.0, 0.0], [3.0, 1.0]])) == [
        1,
        2,
        0,
    ]  # the lower of two at the left
    assert len(hull_order(np.array([[1.0, 1.0], [1.0, 1.0]]))) <= 3  # the same point twice: it ends
    circle = np.array([(np.cos(angle), np.sin(angle)) for angle in np.linspace(-3, 3, 11)])
    assert hull_order(circle) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_a_map_of_senses():
    points = np.array([[0, 0], [1, 1], [2, 0]])
    ax = plot_sense_map(points, ["ship", "pear", "ship"], names=["", "here", ""])
    assert figure_size(ax) == [7, 5] and legend(ax) == ["ship", "pear"]
    near(ax.collections[0].get_offsets(), points[[0, 2]])
    near(ax.collections[1].get_offsets(), points[[1]])
    for marks, color, corners in zip(ax.collections, CYCLE, (26, 5)):  # a circle and a square
        assert hex_of(marks.get_facecolor()[0]) == color and hex_of(marks.get_edgecolor()[0]) == "#FFFFFF"
        assert (marks.get_sizes()[0], marks.get_linewidth()[0], marks.get_alpha()) == (60, 0.6, 0.85)
        assert len(marks.get_paths()[0].vertices) == corners
    (note,) = ax.texts
    near([note.xy, note.get_position()], [(1, 1), (8, 6)])
    assert (note.anncoords, look(note)[2:4]) == ("offset points", (13, "bold"))
    assert not len(ax.get_xticks()) and not len(ax.get_yticks())
    assert {hex_of(spine.get_edgecolor()) for spine in ax.spines.values()} == {"#D1D5DB"}
    assert all(spine.get_visible() for spine in ax.spines.values())
    assert {text.get_size() for text in ax.get_legend().get_texts()} == {13}
