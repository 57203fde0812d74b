"""The same experiment with several seeds: median and range instead of one lucky line."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz.given import in_legend, numbers
from course_utils.viz.parts import axes_for
from course_utils.viz.theme import CYCLE, DASHES

MARKERS = "os^Dv<>"


def plot_runs(
    x: ArrayLike, runs: Mapping[str, ArrayLike], *, ax: Axes | None = None, markers: bool = False
) -> Axes:
    """Draw, for each named group of runs, the median as a line and everything from lowest to highest as a band.

    Args:
        x: (N,), for example steps or layers.
        runs: name -> (R, N), a row for each seed; at most seven names.
        markers: mark every point of the medians (for few points).

    Returns:
        The Axes, with a legend.
    """
    x = numbers(x, shape=(None,))
    runs = {name: numbers(values, float, shape=(None, len(x))) for name, values in runs.items()}
    ax = axes_for(ax, 7.5, 4)
    for order, (name, values) in enumerate(runs.items()):
        color = CYCLE[order]
        ax.fill_between(x, values.min(axis=0), values.max(axis=0), color=color, alpha=0.16, linewidth=0)
        look = {"color": color, "linestyle": DASHES[order], "marker": MARKERS[order] if markers else None}
        ax.plot(x, np.median(values, axis=0), label=in_legend(name), **look)
    ax.legend()
    return ax
