"""The same experiment with several seeds: median and range instead of one lucky line."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz.given import literal, numbers
from course_utils.viz.theme import CYCLE, DASHES

MARKERS = "os^Dv<>"


def plot_runs(
    x: ArrayLike, runs: Mapping[str, ArrayLike], *, ax: Axes | None = None, markers: bool = False
) -> Axes:
    """Draw, for each named group of runs, the median as a line and everything from lowest to highest as a band.

    Args:
        x: (N,), for example steps or layers.
        runs: name -> (R, N), a row for each seed; at most seven names.
        ax: where to draw; a new figure by default.
        markers: mark every point of the medians (for few points).

    Returns:
        The Axes, with a legend.

    Raises:
        ValueError: if a group is not (R, N) with R at least 1, or there are none or more than seven.
    """
    x = numbers(x)
    if not 1 <= len(runs) <= len(CYCLE):
        raise ValueError(f"expected 1 to {len(CYCLE)} groups of runs, got {len(runs)}")
    if ax is None:
        _, ax = plt.subplots(figsize=(7.5, 4))
    for order, (name, values) in enumerate(runs.items()):
        values = numbers(values, float)
        if values.ndim != 2 or not len(values) or values.shape[1:] != x.shape:
            raise ValueError(f"expected {name!r} of shape (runs, {len(x)}), got {values.shape}")
        color = CYCLE[order]
        ax.fill_between(x, values.min(axis=0), values.max(axis=0), color=color, alpha=0.16, linewidth=0)
        ax.plot(
            x,
            np.median(values, axis=0),
            color=color,
            linestyle=DASHES[order],
            marker=MARKERS[order] if markers else None,
            label=literal(name),
        )
    ax.legend()
    return ax
