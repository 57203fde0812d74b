"""Rows of boxes as wide as their words: pieces of a text, and what became of tokens."""

import pytest

from course_utils.viz import plot_fates, plot_pieces
from course_utils.viz.fates import LOOKS
from course_utils.viz.theme import CYCLE, INK, KEY, MUTED, QUERY, VALUE
from tests.viz.drawn import boxes, check_no_frame, figure_size, hex_of, labels, look, near, written

# About how wide a letter is, in Latin ones: 1.05, of Hangul 1.9.


def lengths(ax):
    return {
        tick.tick1line.get_markersize() for axis in (ax.xaxis, ax.yaxis) for tick in axis.get_major_ticks()
    }


def test_pieces_stand_one_behind_the_other():
    ax = plot_pieces({"words": ["배를", "[UNK]"], "letters": ["p", "##e", "."]})
    near(figure_size(ax), [11, 1.5])
    first = [0, 1.9 * 2 + 0.9, 1.05 * 5 + 0.9]
    second = [0, 1.95, 1.95 + 1.05 * 3 + 0.9]
    near(
        boxes(ax),
        [
            (0, -0.38, first[1] - 0.15, 0.76),
            (first[1], -0.38, first[2] - 0.15, 0.76),
            (second[0], 0.62, 1.8, 0.76),
            (second[1], 0.62, 3.9, 0.76),
            (second[2], 0.62, 1.8, 0.76),
        ],
    )
    middles = {
        (round(x + width / 2, 4), row): row for (x, _, width, _), row in zip(boxes(ax), [0, 0, 1, 1, 1])
    }
    assert written(ax).keys() == middles.keys()
    assert list(written(ax).values()) == ["배를", "[UNK]", "p", "##e", "."]
    assert labels(ax.yaxis) == ["words (2)", "letters (3)"] and not len(ax.get_xticks())
    near(ax.get_yticks(), [0, 1])
    near((ax.get_xlim(), ax.get_ylim()), [(-0.1, first[1] + first[2] + 0.1), (1.5, -0.5)])
    assert lengths(ax) == {0}
    check_no_frame(ax)


def test_pieces_take_two_colours_in_turn_and_unknown_ones_are_hatched():
    ax = plot_pieces({"words": ["a", "b", "[UNK]", "d", "e"]})
    fills = [(hex_of(box.get_facecolor()), box.get_alpha(), box.get_hatch()) for box in ax.patches]
    even, odd = (CYCLE[0], 0.25, None), (CYCLE[5], 0.25, None)
    assert fills == [even, odd, ("#FFFFFF", None, "///"), odd, even]
    assert [hex_of(box.get_edgecolor()) for box in ax.patches] == [INK, INK, KEY, INK, INK]
    assert [look(text) for text in ax.texts] == [
        ("center", "center", 12, "normal", KEY if text.get_text() == "[UNK]" else INK) for text in ax.texts
    ]
    plates = [text.get_bbox_patch() for text in ax.texts]
    assert [plate is None for plate in plates] == [True, True, False, True, True]
    assert hex_of(plates[2].get_facecolor()) == "#FFFFFF" and plates[2].get_edgecolor()[3] == 0
    assert plates[2].get_boxstyle().pad == 0.08  # 1 of 12 points, as matplotlib rounds it


FATES = ["special", "plain", "masked", "kept", "random"]


def fates(**more):
    return plot_fates(
        [["[CLS]", "I", "[MASK]", "배", "x"], ["a"]],
        [FATES, ["plain"]],
        [["", "", "had", "배", "rice"], [""]],
        **more,
    )


def test_fates_stand_one_behind_the_other_with_the_truth_below():
    ax = fates(names=["first", "second"])
    near(figure_size(ax), [12, 2.8])
    widths = [1.05 * 5 + 0.9, 1.95, 1.05 * 6 + 0.9, 1.9 + 0.9, 1.05 * 4 + 0.9]
    lefts = [sum(widths[:place]) for place in range(5)]
    row = [(left, -0.38, width - 0.25, 0.44) for left, width in zip(lefts, widths)]
    near(boxes(ax), [*row, (0, 0.62, 1.7, 0.44)])
    middles = [round(left + (width - 0.25) / 2, 4) for left, width in zip(lefts, widths)]
    assert written(ax) == {
        **dict(zip([(x, -0.16) for x in middles], ["[CLS]", "I", "[MASK]", "배", "x"])),
        **dict(zip([(x, 0.24) for x in middles[2:]], ["had", "배", "rice"])),
        (0.85, 0.84): "a",
    }
    near((ax.get_xlim(), ax.get_ylim()), [(-0.2, sum(widths)), (1.5, -0.5)])
    assert labels(ax.yaxis) == ["first", "second"] and not len(ax.get_xticks()) and lengths(ax) == {0}
    assert not labels(fates().yaxis)
    check_no_frame(ax)


def test_fates_look_different():
    ax = fates()
    found = [
        (hex_of(box.get_facecolor()), hex_of(box.get_edgecolor()), box.get_hatch()) for box in ax.patches[:5]
    ]
    assert found == [
        ("#E5E7EB", MUTED, None),
        ("#FFFFFF", "#9CA3AF", None),
        (KEY, KEY, None),
        ("#DCEBF7", QUERY, None),
        ("#FFFFFF", VALUE, "///"),
    ]
    assert [box.get_linewidth() for box in ax.patches[:5]] == [1, 1, 1, 3, 2]
    assert [box.get_linestyle() for box in ax.patches[:5]] == [":", *["solid"] * 4]
    assert ax.patches[2].get_alpha() == 0.85
    above = [text for text in ax.texts if text.get_position()[1] == -0.16]
    below = [text for text in ax.texts if text.get_position()[1] == 0.24]
    assert [hex_of(text.get_color()) for text in above] == [INK, INK, "#FFFFFF", INK, INK]
    assert {look(text)[:4] for text in above} == {("center", "center", 12, "normal")}
    assert {look(text) for text in below} == {("center", "center", 12, "bold", INK)}
    assert [text.get_bbox_patch() is None for text in above] == [True] * 4 + [False]
    plate = above[4].get_bbox_patch()
    assert hex_of(plate.get_facecolor()) == "#FFFFFF" and plate.get_edgecolor()[3] == 0
    assert plate.get_boxstyle().pad == 0.07  # 0.8 of 12 points, as matplotlib rounds it


def test_the_legend_names_the_fates_that_occur():
    legend = fates().get_legend()
    assert [text.get_text() for text in legend.get_texts()][:2] == ["[MASK]로", "아무 토큰으로"]
    assert (legend._ncols, legend._loc, legend.handlelength) == (5, 9, 2.4)  # 9 is "upper center"
    near(legend.get_bbox_to_anchor().transformed(legend.axes.transAxes.inverted()).p0, (0.5, 0.0))
    handles = [hex_of(handle.get_facecolor()) for handle in legend.legend_handles]
    assert handles == [KEY, "#FFFFFF", "#DCEBF7", "#FFFFFF", "#E5E7EB"] and len(LOOKS) == 5
    few = plot_fates([["a", "b"]], [["kept", "kept"]], [["a", ""]]).get_legend()
    assert [text.get_text() for text in few.get_texts()] == ["그대로, 그러나 맞힌다"] and few._ncols == 1


def test_long_rows_are_written_smaller():
    row = ["a" * 39] * 6  # six times 39 · 1.05 + 0.9 = 251.1, where 126 fit at 12 points
    ax = plot_fates([row], [["plain"] * 6], [[""] * 6])
    assert {round(text.get_size(), 6) for text in ax.texts} == {round(12 * 126 / 251.1, 6)}


@pytest.mark.parametrize(
    ("fates", "labels", "message"),
    [
        ([["plain"]], [["", ""]], r"\[\[2\], \[1\], \[2\]\]"),
        ([["plain", "plain"]], [[""]], r"\[\[2\], \[2\], \[1\]\]"),
        ([["plain", "eaten"]], [["", ""]], "got eaten"),
    ],
)
def test_what_does_not_fit_is_refused(fates, labels, message):
    with pytest.raises(ValueError, match=message):
        plot_fates([["a", "b"]], fates, labels)
