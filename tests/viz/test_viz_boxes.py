"""Rows of boxes as wide as their words: pieces of a text, and what became of tokens."""

from course_utils.viz import plot_fates, plot_pieces
from course_utils.viz.fates import LOOKS
from course_utils.viz.theme import KEY
from tests.viz.drawn import boxes, check_no_frame, figure_size, hex_of, labels, near, written

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


def test_the_legend_names_the_fates_that_occur():
    legend = fates().get_legend()
    assert [text.get_text() for text in legend.get_texts()][:2] == ["[MASK]로", "아무 토큰으로"]
    assert (legend._ncols, legend._loc, legend.handlelength) == (5, 9, 2.4)  # 9 is "upper center"
    near(legend.get_bbox_to_anchor().transformed(legend.axes.transAxes.inverted()).p0, (0.5, 0.0))
    handles = [hex_of(handle.get_facecolor()) for handle in legend.legend_handles]
    assert handles == [KEY, "#FFFFFF", "#DCEBF7", "#FFFFFF", "#E5E7EB"] and len(LOOKS) == 5
    few = plot_fates([["a", "b"]], [["kept", "kept"]], [["a", ""]]).get_legend()
    assert [text.get_text() for text in few.get_texts()] == ["그대로, 그러나 맞힌다"] and few._ncols == 1
