"""Reach and rates of layers: the share in each cell, exact zeros apart from small ones, who stands where."""

import numpy as np
from matplotlib.patches import Rectangle

from course_utils.viz import plot_layer_rates, plot_reach
from course_utils.viz.theme import KEY, QUERY, WEIGHTS
from tests.viz.drawn import check_cells, check_no_frame, figure_size, hex_of, labels, near, written

SIZES = np.array([[2.0, 0, 0, 0, 0], [0.5, 1.75, 0, 0, 0], [0.25, 1.0, 1.5, 0.0001, 0.75]])
OUTPUTS, INPUTS = ["a", "b", "c"], ["v", "w", "x", "y", "z"]
RATES = np.array([[0, 0, 0, 0.1, 0.2], [0, 0.25, 0, 0.4, 0.3], [1, 2, 1.6, 1.2, 0]])


def hatched(ax):
    """(left, width, bottom) of every hatched box."""
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle) and patch.get_hatch()]
    return sorted((round(box.get_x(), 6), round(box.get_width(), 6), round(box.get_y(), 6)) for box in boxes)


def test_reach():
    ax = plot_reach(SIZES, OUTPUTS, INPUTS)
    near(figure_size(ax), [5.35, 3.0])
    check_cells(ax, OUTPUTS, INPUTS)
    check_no_frame(ax)
    (image,) = ax.get_images()
    near(image.get_array(), SIZES / 2)
    assert image.get_cmap() is WEIGHTS and image.get_clim() == (0, 1)
    texts = written(ax)
    assert [texts[column, 1] for column in range(5)] == ["0.25", "0.88", "0", "0", "0"]
    assert texts[3, 2] == "0.00"  # small is not none
    zeros = [(column - 0.5, 1, row - 0.5) for row, column in np.argwhere(SIZES == 0)]
    assert hatched(ax) == sorted(zeros) and len(zeros) == 7
    dark = [hex_of(text.get_color()) for text in ax.texts]
    assert dark == ["#FFFFFF" if share > 0.67 else "#000000" for share in (SIZES / 2).ravel()]
    assert (ax.xaxis.label.get_color(), ax.yaxis.label.get_color()) == (KEY, QUERY)


def test_nothing_reaches_anything():
    ax = plot_reach(np.zeros((2, 2)), ["a", "b"], ["a", "b"])
    assert set(written(ax).values()) == {"0"} and len(hatched(ax)) == 4


def test_layer_rates():
    ax = plot_layer_rates(RATES, ["low", "middle", "top"])
    (image,) = ax.get_images()
    near(image.get_array(), RATES / 2)
    assert image.get_clim() == (0, 1) and image.origin == "lower" and image.get_cmap() is WEIGHTS
    near(image.get_extent(), [0.5, 5.5, -0.5, 2.5])
    assert labels(ax.yaxis) == ["low", "middle", "top"] and ax.get_ylim() == (-0.5, 2.5)
    assert hatched(ax) == [(0.5, 1, 0.5), (0.5, 3, -0.5), (2.5, 1, 0.5), (4.5, 1, 1.5)]
    assert ax.get_xlabel() == "갱신"
