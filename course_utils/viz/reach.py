"""Which inputs reach which outputs, as sizes in cells; what cannot be reached at all differs from what is small."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import names, numbers
from course_utils.viz.parts import axes_for, rule_cells, write
from course_utils.viz.theme import KEY, MUTED, QUERY, WEIGHTS


def plot_reach(
    sizes: ArrayLike, outputs: Sequence[str], inputs: Sequence[str], *, ax: Axes | None = None
) -> Axes:
    """Draw how strongly each input reaches each output, as a share of the strongest; exact zeros are hatched.

    Args:
        sizes: (R, T), at least 0, for example the sizes of gradients; a row for each output.
        outputs: R names.
        inputs: T names.
    """
    outputs, inputs = names(outputs), names(inputs)
    sizes = numbers(sizes, float, finite=True, shape=(len(outputs), len(inputs)), least=0)
    ax = axes_for(ax, 1.6 + 0.75 * len(inputs), 1.2 + 0.6 * len(outputs))
    shares = sizes / (sizes.max() or 1.0)
    ax.imshow(shares, cmap=WEIGHTS, vmin=0.0, vmax=1.0, aspect="auto")
    for row, column in np.ndindex(sizes.shape):
        if sizes[row, column] == 0:
            box = (column - 0.5, row - 0.5)
            ax.add_patch(
                plt.Rectangle(box, 1, 1, fill=False, hatch="///", edgecolor=(MUTED, 0.55), linewidth=0)
            )
        written = "0" if sizes[row, column] == 0 else f"{shares[row, column]:.2f}"
        color = "white" if shares[row, column] > 0.67 else "black"
        write(ax, column, row, written, color=color, fontsize=11)
    rule_cells(ax, outputs, inputs)
    ax.set_xlabel(text("figures.reach.input"), color=KEY)
    ax.set_ylabel(text("figures.reach.output"), color=QUERY)
    return ax
