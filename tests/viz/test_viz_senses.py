"""Figures of senses: maps, score tables, intervals, influence."""

import numpy as np
import pytest

from course_utils.viz import plot_influence, plot_intervals, plot_scores, plot_sense_map


def test_a_map_has_a_mark_for_each_sense_and_names_beside_points() -> None:
    ax = plot_sense_map([[0, 0], [1, 1], [2, 0]], ["ship", "pear", "ship"], names=["", "here", ""])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ship", "pear"]
    assert [len(marks.get_offsets()) for marks in ax.collections] == [2, 1]
    assert [text.get_text() for text in ax.texts] == ["here"]


def test_scores_frame_the_best_and_tell_right_from_wrong() -> None:
    ax = plot_scores(
        [[0.7, 0.3], [0.9, 0.1], [0.2, 0.8]], ["a", "b", "c"], ["x", "y"], truths=["x", "y", None]
    )
    assert [text.get_text() for text in ax.texts] == ["70%", "30%", "90%", "10%", "20%", "80%"]
    assert [patch.get_linestyle() for patch in ax.patches] == ["-", "--", ":"]
    assert [patch.get_x() for patch in ax.patches] == pytest.approx([-0.47, -0.47, 0.53])
    assert len(ax.lines) == 1 and np.mean(ax.lines[0].get_xdata()) == 1


def test_no_wrong_sentence_is_an_empty_table() -> None:
    assert len(plot_scores(np.zeros((0, 2)), [], ["x", "y"]).texts) == 0


def test_intervals_and_chance() -> None:
    ax = plot_intervals({"ours": [(0.9, 0.8, 0.95)], "theirs": [(0.5, 0.4, 0.6)]}, ["배"], chance=[0.25])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ours", "theirs"]
    assert ax.lines[-1].get_xdata()[0] == 0.25


def test_influence_goes_both_ways() -> None:
    ax = plot_influence(["항구에", "나는"], [2.0, -0.5])
    assert [text.get_text() for text in ax.texts] == ["+2.0", "-0.5"]
    assert [round(patch.get_width(), 2) for patch in ax.patches] == [2.0, -0.5]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot_sense_map(np.zeros((3, 2)), ["a", "b"]),
        lambda: plot_sense_map(np.zeros((5, 2)), list("abcde")),
        lambda: plot_scores([[1.0, 0.0]], ["a", "b"], ["x", "y"]),
        lambda: plot_intervals({"m": [(0.9, 0.95, 1.0)]}, ["a"]),
        lambda: plot_influence(["a"], [1.0, 2.0]),
    ],
)
def test_what_does_not_fit_is_refused(draw) -> None:
    with pytest.raises(ValueError, match="expected"):
        draw()
