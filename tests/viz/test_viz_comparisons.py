"""Bars beside bars: where they end, what is written at them, and what cannot be compared."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.viz import KEY, QUERY, plot_comparisons

LABELS, VALUES, REFERENCES = ["QNLI", "MNLI", "RTE"], [84.9, 83.5, 0.5], [88.4, 84.25, np.nan]


def written(ax):
    return [text.get_text() for text in ax.texts]


def test_two_bars_a_row_begin_at_zero():
    ax = plot_comparisons(LABELS, VALUES, REFERENCES, names=["without", "with"])
    ours, theirs = ([bar.get_width() for bar in group] for group in ax.containers)
    assert ours == VALUES and theirs == [88.4, 84.25]  # no bar where there is nothing to compare with
    assert all(bar.get_x() == 0 for group in ax.containers for bar in group)
    assert written(ax) == ["84.9", "83.5", "0.5", "88.4", "84.2"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["without", "with"]
    heights = [bar.get_y() + bar.get_height() / 2 for group in ax.containers for bar in group]
    assert heights == pytest.approx([-0.18, 0.82, 1.82, 0.18, 1.18])
    assert ax.get_ylim() == (2.5, -0.5) and ax.get_xlim()[0] == 0 and ax.get_xlim()[1] > 88.4
    assert [tick.get_text() for tick in ax.get_yticklabels()] == LABELS


def test_differences_have_their_sign_and_colour():
    ax = plot_comparisons(
        [*LABELS, "CoLA"], [*VALUES, 60.5], [*REFERENCES, 45.4], names=["a", "b"], differences=True
    )
    (bars,) = ax.containers
    assert [bar.get_width() for bar in bars] == pytest.approx([-3.5, -0.75, 15.1])
    assert [bar.get_y() + 0.25 for bar in bars] == pytest.approx([0, 1, 3])
    assert [plt.matplotlib.colors.to_hex(bar.get_facecolor()).upper() for bar in bars] == [KEY, KEY, QUERY]
    assert written(ax) == ["-3.5", "-0.8", "+15.1"]
    low, high = ax.get_xlim()
    assert low == -high and ax.get_legend() is None


def test_digits_and_losses_below_zero():
    ax = plot_comparisons(["a", "b"], [-0.25, 0.125], [0.5, -1], names=["x", "y"], digits=3)
    assert written(ax) == ["-0.250", "0.125", "0.500", "-1.000"]
    assert ax.get_xlim()[0] < -1
    ax = plot_comparisons(["a"], [0.0], [0.0], names=["x", "y"], digits=0, differences=True)
    assert written(ax) == ["+0"]
