"""How far a model is from its reference, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz.given import literals, names, numbers
from course_utils.viz.parts import axes_for, rule_cells, write
from course_utils.viz.theme import INK, KEY, VALUE, WEIGHTS

LOWEST, HIGHEST = 1e-9, 1e2  # ends of the logarithmic scale


def plot_differences(
    differences: ArrayLike, stages: Sequence[str], *, tolerance: float = 1e-5, ax: Axes | None = None
) -> Axes:
    """Draw the largest difference at each stage as a bar on a logarithmic scale, with the tolerance as a line.

    Args:
        differences: (S,), not negative; what is not finite takes the whole width.
        stages: S names, from the input to the output; drawn from top to bottom.
        tolerance: on the scale, 1e-9 to 1e2; a larger difference is a departure: its bar is vermillion and hatched.
    """
    stages = names(stages)
    differences = numbers(differences, float, shape=(len(stages),))
    ax = axes_for(ax, 8, 1.4 + 0.42 * len(stages))
    for place, difference in enumerate(differences):
        departs = not difference <= tolerance
        width = min(max(difference, LOWEST), HIGHEST) if math.isfinite(difference) else HIGHEST
        look = {"color": KEY, "hatch": "//"} if departs else {"color": VALUE}
        ax.barh(place, width - LOWEST, left=LOWEST, height=0.62, edgecolor="white", **look)
    ax.axvline(tolerance, color=INK, linestyle="--", linewidth=1.6)
    ax.set(xscale="log", xlim=(LOWEST, HIGHEST), ylim=(len(stages) - 0.4, -0.6))
    powers = range(-9, 3, 2)
    ax.set_xticks([10.0**power for power in powers], [f"1e{power}" for power in powers])
    ax.minorticks_off()
    ax.set_yticks(range(len(stages)), literals(stages))
    ax.tick_params(axis="y", length=0)
    return ax


def plot_departures(
    differences: ArrayLike,
    faults: Sequence[str],
    stages: Sequence[str],
    *,
    tolerance: float = 1e-5,
    ax: Axes | None = None,
) -> Axes:
    """Draw a table, a row for each fault and a column for each stage; the first departure of a row is framed.

    Args:
        differences: (F, S), not negative.
        faults: F names.
        stages: S names, from the input to the output.
        tolerance: cells that do not exceed it stay white and without a number.
    """
    faults, stages = names(faults), names(stages)
    differences = numbers(differences, float, shape=(len(faults), len(stages)))
    ax = axes_for(ax, 3.2 + 1.15 * len(stages), 1.0 + 0.5 * len(faults))
    departs = ~(differences <= tolerance)  # NaN departs too
    size = np.nan_to_num(differences, nan=HIGHEST, posinf=HIGHEST).clip(LOWEST, HIGHEST)
    depth = np.log10(size / tolerance) / np.log10(HIGHEST / tolerance)
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
