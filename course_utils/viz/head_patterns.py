"""One number a head: layers = rows, heads = columns, both counted from 0 as in weights[layer, head]."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import numbers
from course_utils.viz.parts import axes_for, rule_cells, write
from course_utils.viz.theme import SIGNED, WEIGHTS

NUMBER_SIZE = 13


def plot_head_grid(
    values: ArrayLike, *, lowest: float = 0.0, highest: float = 1.0, ax: Axes | None = None
) -> Axes:
    """Draw a number of every head, with the number in its cell.

    Args:
        values: (L, H), between lowest and highest; what lies outside is drawn in the colour of the end.
        lowest: 0 for the sequential palette (shares, bits), −highest for the diverging one (effects).
        highest: where the scale ends.
    """
    values = numbers(values, float, finite=True, shape=(None, None))
    lowest, highest = float(lowest), float(highest)
    if highest <= 0 or lowest not in (0.0, -highest):
        raise ValueError(f"lowest must be 0 or -highest, and highest above 0, got {lowest} and {highest}")
    layers, heads = values.shape
    ax = axes_for(ax, 1.4 + 0.95 * heads, 1.0 + 0.62 * layers)
    ax.imshow(values, cmap=SIGNED if lowest else WEIGHTS, vmin=lowest, vmax=highest, aspect="auto")
    form = "{:+.2f}" if lowest else "{:.2f}"
    for layer, head in np.ndindex(values.shape):
        dark = abs(values[layer, head]) > (0.62 if lowest else 0.5) * highest
        written = form.format(round(values[layer, head], 2) + 0.0)  # no minus before a zero
        color = "white" if dark else "black"
        write(ax, head, layer, written, color=color, fontsize=NUMBER_SIZE)
    rows = [text("figures.head_grid.layer", number=layer) for layer in range(layers)]
    rule_cells(ax, rows, [text("figures.head_grid.head", number=head) for head in range(heads)])
    return ax
