"""A small table of numbers whose cells are coloured by whom they belong to."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz import given
from course_utils.viz.parts import axes_for, write
from course_utils.viz.theme import CYCLE, INK


def plot_number_table(numbers: ArrayLike, owners: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw numbers in cells; cells of one owner share a colour.

    Args:
        numbers: integers (R, N), written into the cells.
        owners: integers (R, N), at least 0: which colour of CYCLE a cell has.
    """
    numbers = given.numbers(numbers, finite=True, shape=(None, None))
    owners = given.numbers(owners, finite=True, shape=numbers.shape)
    rows, columns = numbers.shape
    ax = axes_for(ax, 0.7 * columns, 0.6 * rows)
    for row, column in np.ndindex(rows, columns):
        color = CYCLE[int(owners[row, column]) % len(CYCLE)]
        cell = plt.Rectangle((column, row), 1, 1, facecolor=color, alpha=0.3, edgecolor="none")
        ax.add_patch(cell)
        ax.add_patch(plt.Rectangle((column, row), 1, 1, fill=False, edgecolor="white", linewidth=2))
        write(ax, column + 0.5, row + 0.5, f"{int(numbers[row, column])}", color=INK)
    ax.set(xlim=(-0.05, columns + 0.05), ylim=(rows + 0.05, -0.05), xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)
    return ax
