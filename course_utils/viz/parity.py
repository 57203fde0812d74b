"""How far a model is from its reference, stage by stage."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz.given import names, numbers
from course_utils.viz.parts import axes_for, rule_cells, write
from course_utils.viz.theme import INK, KEY, WEIGHTS

LOWEST, HIGHEST = 1e-9, 1e2  # ends of the logarithmic scale
TOLERANCE = 1e-5


def plot_departures(
    differences: ArrayLike,
    faults: Sequence[str],
    stages: Sequence[str],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a table, a row for each fault and a column for each stage; the first departure of a row is framed.

    Cells that do not exceed TOLERANCE stay white and without a number.

    Args:
        differences: (F, S), not negative.
        faults: F names.
        stages: S names, from the input to the output.
    """
    faults, stages = names(faults), names(stages)
    differences = numbers(differences, float, shape=(len(faults), len(stages)))
    ax = axes_for(ax, 3.2 + 1.15 * len(stages), 1.0 + 0.5 * len(faults))
    departs = ~(differences <= TOLERANCE)  # NaN departs too
    size = np.nan_to_num(differences, nan=HIGHEST, posinf=HIGHEST).clip(LOWEST, HIGHEST)
    depth = np.log10(size / TOLERANCE) / np.log10(HIGHEST / TOLERANCE)
    ax.imshow(np.where(departs, 0.12 + 0.88 * depth, 0.0), cmap=WEIGHTS, vmin=0.0, vmax=1.0, aspect="auto")
    for row, column in np.ndindex(differences.shape):
        if departs[row, column]:
            color = "white" if depth[row, column] > 0.5 else INK
            written = f"{float(f'{differences[row, column]:.1g}'):g}"  # one digit, and 10 rather than 1e+01
            write(ax, column, row, written, color=color)
    for row, column in enumerate(departs.argmax(axis=1)):
        if departs[row, column]:
            frame = dict(fill=False, edgecolor=KEY, linewidth=3.5)
            ax.add_patch(plt.Rectangle((column - 0.47, row - 0.44), 0.94, 0.88, **frame))
    rule_cells(ax, faults, stages)
    return ax
