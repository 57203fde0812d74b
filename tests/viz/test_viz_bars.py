"""Bars: where each begins and ends, its colour and hatching, and the words and numbers beside it."""

import numpy as np

from course_utils.viz import plot_differences, plot_influence, plot_intervals, plot_shares
from course_utils.viz.parity import HIGHEST, LOWEST
from course_utils.viz.shares import HATCHES
from course_utils.viz.theme import CYCLE, INK, KEY, QUERY, VALUE
from tests.viz.drawn import boxes, figure_size, hex_of, labels, look, near, written

FIFTHS = ["0%", "20%", "40%", "60%", "80%", "100%"]


def fills(bars):
    return [(hex_of(bar.get_facecolor()), round(bar.get_facecolor()[3], 2)) for bar in bars]


def lengths(ticks):
    return {tick.tick1line.get_markersize() for tick in ticks}


def test_differences():
    ax = plot_differences([0.0, 1e-7, 1e-5, 0.3, np.nan, 1e5], list("abcdef"))
    near(figure_size(ax), [8, 3.92])
    assert (LOWEST, HIGHEST) == (1e-9, 1e2)
    ends = [LOWEST, 1e-7, 1e-5, 0.3, HIGHEST, HIGHEST]
    near(boxes(ax), [(LOWEST, place - 0.31, end - LOWEST, 0.62) for place, end in enumerate(ends)])
    assert [bar.get_x() for bar in ax.patches] == [LOWEST] * 6
    assert [bar.get_width() for bar in ax.patches] == [end - LOWEST for end in ends]
    assert [bar.get_hatch() for bar in ax.patches] == [None] * 3 + ["//"] * 3
    assert fills(ax.patches) == [(VALUE, 1)] * 3 + [(KEY, 1)] * 3
    assert {hex_of(bar.get_edgecolor()) for bar in ax.patches} == {"#FFFFFF"}
    assert labels(ax.yaxis) == list("abcdef") and labels(ax.xaxis) == [
        *("1e-9", "1e-7", "1e-5", "1e-3", "1e-1", "1e1")
    ]
    near(np.log10(ax.get_xticks()), [-9, -7, -5, -3, -1, 1])
    near(ax.get_yticks(), range(6))
    near((ax.get_xlim(), ax.get_ylim()), [(1e-9, 1e2), (5.6, -0.6)])
    assert ax.get_xscale() == "log" and lengths(ax.yaxis.get_major_ticks()) == {0}
    assert not len(ax.get_xticks(minor=True))


def test_the_tolerance_is_a_dashed_line():
    ax = plot_differences([0.02, 0.03], ["a", "b"], tolerance=0.02)
    assert [bar.get_hatch() for bar in ax.patches] == [None, "//"]
    (line,) = ax.lines
    near(line.get_xdata(), [0.02, 0.02])
    assert (line.get_color(), line.get_linestyle(), line.get_linewidth()) == (INK, "--", 1.6)


def test_infinite_differences_take_the_whole_width():
    near(boxes(plot_differences([np.inf, 1e3], ["a", "b"]))[0], [LOWEST, -0.31, HIGHEST - LOWEST, 0.62])


def test_shares():
    ax = plot_shares({"a": [90, 10], "b": [9, 60], "c": [1, 30]}, ["small", "large"])
    near(figure_size(ax), [10, 2.3])
    near(boxes(ax)[:2], [(0, -0.4, 0.9, 0.8), (0, 0.6, 0.1, 0.8)])
    near(boxes(ax)[2:4], [(0.9, -0.4, 0.09, 0.8), (0.1, 0.6, 0.6, 0.8)])
    near(boxes(ax)[4:], [(0.99, -0.4, 0.01, 0.8), (0.7, 0.6, 0.3, 0.8)])
    assert written(ax) == {
        (0.45, 0): "90%",
        (0.05, 1): "10%",
        (0.945, 0): "9%",
        (0.4, 1): "60%",
        (0.85, 1): "30%",  # 1 % has no room
    }
    assert {look(text) for text in ax.texts} == {("center", "center", 12, "bold", INK)}
    plates = [text.get_bbox_patch() for text in ax.texts]
    assert {(plate.get_facecolor(), plate.get_edgecolor()[3]) for plate in plates} == {((1, 1, 1, 0.8), 0)}
    assert fills(ax.patches) == [(CYCLE[part], 0.55) for part in (0, 0, 1, 1, 2, 2)]
    assert [bar.get_hatch() or "" for bar in ax.patches[::2]] == HATCHES[:3] == ["", "//", ""]
    assert {hex_of(bar.get_edgecolor()) for bar in ax.patches} == {"#FFFFFF"}
    near(ax.get_xlim(), (0, 1))
    near(ax.get_xticks(), np.arange(6) / 5)
    near(ax.get_yticks(), [0, 1])
    assert labels(ax.xaxis) == FIFTHS and labels(ax.yaxis) == ["small", "large"] and ax.yaxis_inverted()


def test_a_share_is_written_where_it_has_room():
    ax = plot_shares({"a": [6.0, 5.9], "b": [94.0, 94.1]}, ["x", "y"])
    assert [text.get_text() for text in ax.texts] == ["6%", "94%", "94%"]
    eight = plot_shares({str(part): [1] for part in range(8)}, ["x"])
    assert fills(eight.patches)[7] == (CYCLE[0], 0.55) and eight.patches[5].get_hatch() == "\\\\"
    assert eight.patches[3].get_hatch() == ".."


def check_above(ax, *, columns):
    """Assert that the legend stands above the Axes, in so many columns."""
    legend = ax.get_legend()
    near(legend.get_bbox_to_anchor().transformed(ax.transAxes.inverted()).p0, (0.5, 1.0))
    assert (legend._loc, legend._ncols) == (8, columns)  # 8 is "lower center"


INTERVALS = {"ours": [(0.9, 0.8, 0.95), (0.7, 0.6, 0.9)], "theirs": [(0.5, 0.4, 0.6), (0.3, 0.25, 0.5)]}


def test_intervals():
    ax = plot_intervals(INTERVALS, ["배", "눈"], chance=[0.25, 0.5])
    near(figure_size(ax), [10, 2.9])
    marks = [container.lines[0] for container in ax.containers]
    near(marks[0].get_xydata(), [(0.9, -0.155), (0.7, 0.845)])
    near(marks[1].get_xydata(), [(0.5, 0.155), (0.3, 1.155)])
    assert [(m.get_color(), m.get_marker(), m.get_linestyle(), m.get_markersize()) for m in marks] == [
        (CYCLE[0], "o", "None", 9),
        (CYCLE[1], "s", "None", 9),
    ]
    for container, y, ends in zip(
        ax.containers, (-0.155, 0.155), [[(0.8, 0.95), (0.6, 0.9)], [(0.4, 0.6), (0.25, 0.5)]]
    ):
        (bars,) = container.lines[2]
        near(bars.get_segments(), [[(low, y + n), (high, y + n)] for n, (low, high) in enumerate(ends)])
        assert bars.get_linewidth()[0] == 2.4
        assert {cap.get_markersize() for cap in container.lines[1]} == {8}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ours", "theirs"]
    assert {text.get_size() for text in ax.get_legend().get_texts()} == {12}
    check_above(ax, columns=4)


def test_influence():
    ax = plot_influence(["a", "b", "c"], [2.0, -0.5, 0.0])
    near(figure_size(ax), [7, 2.85])
    near(boxes(ax), [(0, -0.31, 2, 0.62), (0, 0.69, -0.5, 0.62), (0, 1.69, 0, 0.62)])
    assert fills(ax.patches) == [(QUERY, 0.75), (KEY, 0.6), (QUERY, 0.75)]
    assert [hex_of(bar.get_edgecolor()) for bar in ax.patches] == [QUERY, KEY, QUERY]
    assert [bar.get_hatch() or "" for bar in ax.patches] == ["", "//", ""]
    assert [note.get_text() for note in ax.texts] == ["+2.0", "-0.5", "+0.0"]
    near([note.xy for note in ax.texts], [(2, 0), (-0.5, 1), (0, 2)])
    near([note.get_position() for note in ax.texts], [(6, 0), (-6, 0), (6, 0)])
    assert {note.anncoords for note in ax.texts} == {"offset points"}
    assert [look(note)[:3] for note in ax.texts] == [
        (side, "center", 13) for side in ("left", "right", "left")
    ]
    (line,) = ax.lines
    near(line.get_xdata(), [0, 0])
    assert (line.get_color(), line.get_linewidth(), line.get_linestyle()) == (INK, 1, "-")
    assert labels(ax.yaxis) == ["a", "b", "c"] and {at.get_size() for at in ax.get_yticklabels()} == {15}
    near(ax.get_yticks(), range(3))
    assert ax.margins()[0] == 0.18 and ax.yaxis_inverted() and lengths(ax.yaxis.get_major_ticks()) == {0}
    assert lengths(ax.xaxis.get_major_ticks()) != {0}
