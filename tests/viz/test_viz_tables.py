"""Tables of cells: rows and columns, the number in each cell, the colour that says the same, and what is framed."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from course_utils.viz import (
    plot_attention,
    plot_contributions,
    plot_departures,
    plot_mask,
    plot_number_table,
    plot_scores,
    plot_similarity,
)
from course_utils.viz.theme import CYCLE, INK, KEY, MUTED, QUERY, SIGNED, WEIGHTS
from tests.viz.drawn import (
    boxes,
    check_cells,
    check_no_frame,
    figure_size,
    hex_of,
    labels,
    look,
    near,
    written,
)

QUERIES, KEYS = ["a", "b", "c"], ["v", "w", "x", "y", "z"]
TABLE = np.array([[0.1, 0.2, 0.7, 0.0, 0.0], [0.3, 0.25, 0.45, 0.0, 0.0], [0.0, 0.51, 0.49, 0.0, 0.0]])


def colors(ax):
    return [hex_of(text.get_color()) for text in ax.texts]


def in_cells(ax, shape):
    """What is written into each cell, row by row; fails where a text stands elsewhere."""
    texts = written(ax)
    assert len(texts) == np.prod(shape)
    return [[texts[column, row] for column in range(shape[1])] for row in range(shape[0])]


def check_image(ax, values, cmap, limits):
    (image,) = ax.get_images()
    near(image.get_array(), values)
    assert image.get_cmap() is cmap and image.get_clim() == limits
    assert image.origin == "upper"


def test_attention():
    ax = plot_attention(TABLE, QUERIES, KEYS)
    near(figure_size(ax), [5.35, 3.0])
    check_cells(ax, QUERIES, KEYS)
    check_image(ax, TABLE, WEIGHTS, (0, 1))
    assert in_cells(ax, (3, 5))[0] == ["0.10", "0.20", "0.70", "0.00", "0.00"]
    assert colors(ax) == ["#000000" if weight <= 0.5 else "#FFFFFF" for weight in TABLE.ravel()]
    assert {look(text)[:4] for text in ax.texts} == {("center", "center", 12, "normal")}
    assert (ax.xaxis.label.get_color(), ax.yaxis.label.get_color()) == (KEY, QUERY)


@pytest.mark.parametrize(("count", "turned", "numbers"), [(12, 0, 12), (13, 60, 0)])
def test_many_tokens_are_written_slanted_and_their_cells_stay_empty(count, turned, numbers):
    tokens = [f"token {number}" for number in range(count)]
    ax = plot_attention(np.full((1, count), 1 / count), ["a"], tokens)
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {turned}
    assert {label.get_rotation() for label in ax.get_yticklabels()} == {0}
    assert len(ax.texts) == numbers


def test_a_mask_shades_what_may_be_seen_and_hatches_the_rest():
    mask = np.array([[True, False, False], [True, True, False]])
    ax = plot_mask(mask, QUERIES[:2], KEYS[:3])
    check_cells(ax, QUERIES[:2], KEYS[:3])
    check_image(ax, [[0.45, 0, 0], [0.45, 0.45, 0]], WEIGHTS, (0, 1))
    near(boxes(ax), [(0.5, -0.5, 1, 1), (1.5, -0.5, 1, 1), (1.5, 0.5, 1, 1)])
    for cell in ax.patches:
        assert (cell.get_hatch(), cell.get_linewidth()) == ("///", 0)
        assert (hex_of(cell.get_facecolor()), hex_of(cell.get_edgecolor())) == ("#F3F4F6", MUTED)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("키(key)", "쿼리(query)")


def test_contributions():
    sizes = np.array([[0.25, 3.0, 1.5], [1.51, 0.0, 0.5]])
    ax = plot_contributions(sizes, QUERIES[:2], KEYS[:3])
    near(figure_size(ax), [4.75, 2.3])
    check_cells(ax, QUERIES[:2], KEYS[:3])
    check_image(ax, sizes, WEIGHTS, (0, 3))
    assert in_cells(ax, (2, 3)) == [["0.25", "3.00", "1.50"], ["1.51", "0.00", "0.50"]]
    black, white = "#000000", "#FFFFFF"  # beyond half the scale
    assert colors(ax) == [black, white, black, white, black, black]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("쿼리(query)", "헤드")
    assert ax.xaxis.label.get_color() == QUERY


def test_small_contributions_are_drawn_on_the_scale_up_to_1():
    ax = plot_contributions([[0.25, 0.75]], ["a"], ["b", "c"])
    check_image(ax, [[0.25, 0.75]], WEIGHTS, (0, 1))
    assert colors(ax) == ["#000000", "#FFFFFF"]


DIFFERENCES = np.array([[1e-7, 1e-5, 0.2, 0.1], [0.5, np.nan, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])


def test_departures_are_shaded_by_their_powers_of_ten():
    ax = plot_departures(DIFFERENCES, QUERIES, KEYS[:4])
    near(figure_size(ax), [7.8, 2.5])
    check_cells(ax, QUERIES, KEYS[:4])
    depth = lambda difference: 0.12 + 0.88 * (np.log10(difference) + 5) / 7  # noqa: E731  from 1e-5 to 1e2
    shades = [[0, 0, depth(0.2), depth(0.1)], [depth(0.5), 1, 0, 0], [0] * 4]
    check_image(ax, shades, WEIGHTS, (0, 1))
    assert written(ax) == {(2, 0): "0.2", (3, 0): "0.1", (0, 1): "0.5", (1, 1): "nan"}
    assert colors(ax) == ["#FFFFFF"] * 4
    assert {look(text)[:2] for text in ax.texts} == {("center", "center")}


def test_the_first_departure_of_a_row_is_framed():
    ax = plot_departures(DIFFERENCES, QUERIES, KEYS[:4])
    near(boxes(ax), [(1.53, -0.44, 0.94, 0.88), (-0.47, 0.56, 0.94, 0.88)])
    looks = {(frame.get_fill(), hex_of(frame.get_edgecolor()), frame.get_linewidth()) for frame in ax.patches}
    assert looks == {(False, KEY, 3.5)}


def test_the_tolerance_decides_what_departs():
    ax = plot_departures([[0.02, 0.03, 1e9]], ["a"], KEYS[:3], tolerance=0.02)
    assert written(ax) == {(1, 0): "0.03", (2, 0): "1e+09"}
    near(ax.get_images()[0].get_array()[0, [0, 2]], [0, 1])
    assert colors(ax) == [hex_of(INK), "#FFFFFF"]  # pale cells carry dark letters


def test_numbers_in_the_colours_of_their_owners():
    ax = plot_number_table([[11, 12, 13], [21, 22, 23]], [[0, 0, 1], [2, 6, 7]])
    near(figure_size(ax), [2.1, 1.2])
    cells = [(column, row, 1, 1) for row in range(2) for column in range(3)]
    near(boxes(ax)[::2], cells)
    near(boxes(ax)[1::2], cells)
    assert written(ax) == {(x + 0.5, y + 0.5): f"{10 * (y + 1) + x + 1}" for x, y, *_ in cells}
    filled, frames = ax.patches[::2], ax.patches[1::2]
    assert [hex_of(cell.get_facecolor()) for cell in filled] == [CYCLE[n] for n in (0, 0, 1, 2, 6, 0)]
    assert {(cell.get_alpha(), cell.get_edgecolor()[3]) for cell in filled} == {(0.3, 0)}
    looks = {(frame.get_fill(), hex_of(frame.get_edgecolor()), frame.get_linewidth()) for frame in frames}
    assert looks == {(False, "#FFFFFF", 2)}
    assert {look(text) for text in ax.texts} == {("center", "center", 12, "normal", INK)}
    near((ax.get_xlim(), ax.get_ylim()), [(-0.05, 3.05), (2.05, -0.05)])
    assert ax.get_aspect() == 1 and not len(ax.get_xticks()) and not len(ax.get_yticks())
    check_no_frame(ax)


def test_similarities_from_minus_1_to_1():
    words = ["a", "b", "c"]
    table = np.array([[1.0, 0.76, -0.5], [0.76, 1.0, -0.8], [-0.5, -0.8, 0.75]])
    ax = plot_similarity(table, words)
    near(figure_size(ax), [3.9, 3.3])
    assert (labels(ax.xaxis), labels(ax.yaxis)) == (words, words)
    near((ax.get_xticks(), ax.get_yticks()), [range(3)] * 2)
    check_image(ax, table, SIGNED, (-1, 1))
    assert in_cells(ax, (3, 3)) == [
        ["1.00", "0.76", "-0.50"],
        ["0.76", "1.00", "-0.80"],
        ["-0.50", "-0.80", "0.75"],
    ]
    black, white = "#000000", "#FFFFFF"
    assert colors(ax) == [white, white, black, white, white, white, black, white, black]
    assert {look(text)[:2] for text in ax.texts} == {("center", "center")}
    assert {
        tick.tick1line.get_markersize() for tick in [*ax.xaxis.get_major_ticks(), *ax.yaxis.get_major_ticks()]
    } == {0}
    check_no_frame(ax)


SENTENCES, SENSES = ["first", "second", "third"], ["ship", "pear"]
SCORES = np.array([[0.7, 0.3], [0.9, 0.1], [0.4, 0.6]])


def scores():
    return plot_scores(SCORES, SENTENCES, SENSES, truths=["ship", "pear", None])


def test_scores_of_senses():
    ax = scores()
    near(figure_size(ax), [11, 2.4])
    assert (labels(ax.yaxis), labels(ax.xaxis)) == (SENTENCES, SENSES)
    near(ax.get_xticks(), range(2))
    near(ax.get_yticks(), range(3))
    assert {label.get_size() for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]} == {13}
    check_image(ax, SCORES, WEIGHTS, (0, 1.25))
    assert in_cells(ax, (3, 2)) == [["70%", "30%"], ["90%", "10%"], ["40%", "60%"]]
    assert [text.get_weight() for text in ax.texts] == ["bold", "normal"] * 2 + ["normal", "bold"]
    assert colors(ax) == ["#FFFFFF", INK, "#FFFFFF", INK, INK, INK]  # white beyond 60 %
    assert {look(text)[:3] for text in ax.texts} == {("center", "center", 13)}
    assert ax.xaxis.get_ticks_position() == "top" and ax.get_aspect() == "auto"
    assert {
        tick.tick1line.get_markersize() for tick in [*ax.xaxis.get_major_ticks(), *ax.yaxis.get_major_ticks()]
    } == {0}
    check_no_frame(ax)


def test_the_best_score_is_framed_and_a_missed_truth_underlined():
    ax = scores()
    near(boxes(ax), [(-0.47, -0.45, 0.94, 0.9), (-0.47, 0.55, 0.94, 0.9), (0.53, 1.55, 0.94, 0.9)])
    frames = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [(hex_of(frame.get_edgecolor()), frame.get_linestyle()) for frame in frames] == [
        (INK, "-"),
        (KEY, "--"),
        (INK, ":"),
    ]
    assert {(f.get_fill(), f.get_linewidth(), f.get_clip_on()) for f in frames} == {(False, 3, False)}
    (line,) = ax.lines
    near(line.get_xydata(), [(0.7, 1.36), (1.3, 1.36)])
    assert (line.get_color(), line.get_linewidth(), line.get_linestyle()) == (QUERY, 3, "-")


def test_without_truths_no_score_is_wrong():
    ax = plot_scores(SCORES, SENTENCES, SENSES)
    assert {frame.get_linestyle() for frame in ax.patches} == {":"} and not ax.lines
    with pytest.raises(ValueError, match="1 truths, got|and 1$"):
        plot_scores(SCORES, SENTENCES, SENSES, truths=["ship"])
    empty = plot_scores(np.zeros((0, 2)), [], SENSES)
    near(figure_size(empty), [11, 1.4])
    assert not empty.get_images() and labels(empty.xaxis) == SENSES
