"""The same experiment with several seeds: median and range instead of one lucky line."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz.given import in_legend, numbers
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
    """
    x, runs = numbers(x), dict(runs)
    if x.ndim != 1 or not len(x):
        raise ValueError(f"expected points x of shape (N,), got {x.shape}")
    if not 1 <= len(runs) <= len(CYCLE):
        raise ValueError(f"expected 1 to {len(CYCLE)} groups of runs, got {len(runs)}")
    runs = {name: numbers(values, float) for name, values in runs.items()}
    for name, values in runs.items():
        if values.ndim != 2 or not len(values) or values.shape[1:] != x.shape:
            raise ValueError(f"expected {name!r} of shape (runs, {len(x)}), got {values.shape}")
    if ax is None:
        _, ax = plt.subplots(figsize=(7.5, 4))
    for order, (name, values) in enumerate(runs.items()):
        color = CYCLE[order]
        ax.fill_between(x, values.min(axis=0), values.max(axis=0), color=color, alpha=0.16, linewidth=0)
        ax.plot(
            x,
            np.median(values, axis=0),
            color=color,
            linestyle=DASHES[order],
            marker=MARKERS[order] if markers else None,
            label=in_legend(name),
        )
    ax.legend()
    return ax
