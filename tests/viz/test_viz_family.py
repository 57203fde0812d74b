"""The figures of notebook 19: what is drawn, where, in which colour; what is refused."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from course_utils.viz import KEY, MUTED, QUERY, plot_change_grid, plot_gains, plot_layer_map


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def test_change_grid():
    ax = plot_change_grid(
        ["RoBERTa", "ALBERT"], ["masks", "layers", "loss"], [["anew", "", ""], ["", "one", "two"]]
    )
    words = {tuple(text.get_position()): text.get_text() for text in ax.texts}
    assert words == {(0, 0): "anew", (1, 0): "·", (2, 0): "·", (0, 1): "·", (1, 1): "one", (2, 1): "two"}
    boxes = {(patch.get_x() + 0.48, patch.get_y() + 0.44) for patch in ax.patches}
    assert boxes == {(0.0, 0.0), (1.0, 1.0), (2.0, 1.0)}  # changes alone are filled
    assert [label.get_text() for label in ax.get_yticklabels()] == ["RoBERTa", "ALBERT"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["masks", "layers", "loss"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first model is at the top


def test_layer_map():
    ax = plot_layer_map(12, [3, 6, 9, 12])
    teacher = [patch for patch in ax.patches if patch.get_x() == 0]
    student = [patch for patch in ax.patches if patch.get_x() == 2.2]
    assert (len(teacher), len(student)) == (12, 4)
    used = [n for n, patch in enumerate(teacher, 1) if patch.get_facecolor()[3] > 0]
    assert used == [3, 6, 9, 12]
    assert [patch.get_linestyle() for patch in teacher[:3]] == ["--", "--", "-"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines] == [
        (1, 3),
        (1, 6),
        (1, 9),
        (1, 12),
    ]
    assert {line.get_linestyle() for line in ax.lines} == {"-"}
    assert np.allclose([line.get_ydata()[1] for line in ax.lines], [2, 5, 8, 11])
    assert [text.get_text() for text in ax.texts][-4:] == ["1", "2", "3", "4"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["선생", "학생"]


def test_layer_map_of_every_layer_is_level():
    ax = plot_layer_map(3, [1, 2, 3])
    assert all(line.get_ydata()[0] == line.get_ydata()[1] for line in ax.lines)
    assert to_rgb(ax.lines[0].get_color()) == to_rgb(KEY)


def test_gains():
    ax = plot_gains(["up", "down", "open"], [[0.5, 0.25, 0.75], [-2, -3, -1], [0.1, -0.1, 0.3]])
    zero, *drawn = ax.lines
    assert list(zero.get_xdata()) == [0, 0]
    bars, dots = drawn[::2], drawn[1::2]
    assert [list(bar.get_xdata()) for bar in bars] == [[0.25, 0.75], [-3, -1], [-0.1, 0.3]]
    assert [dot.get_xdata()[0] for dot in dots] == [0.5, -2, 0.1]
    assert [dot.get_ydata()[0] for dot in dots] == [0, 1, 2]
    assert [to_rgb(dot.get_color()) for dot in dots] == [to_rgb(c) for c in (QUERY, QUERY, MUTED)]
    assert [to_rgb(dot.get_markerfacecolor()) for dot in dots] == [to_rgb(c) for c in (QUERY, QUERY, "white")]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["up", "down", "open"]
    assert ax.get_ylim() == (2.5, -0.5)
    assert [label.get_text() for label in ax.get_legend().get_texts()] == [
        "구간이 0 밖에 있음",
        "구간이 0을 품음: 가려지지 않음",
    ]


def test_an_interval_that_ends_at_0_decides_nothing():
    ax = plot_gains(["a", "b"], [[0.5, 0.0, 0.75], [-0.5, -0.75, 0.0]])
    assert [to_rgb(line.get_color()) for line in ax.lines[2::2]] == [to_rgb(MUTED)] * 2
