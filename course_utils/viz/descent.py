"""The ways that optimisers take down a surface, seen from above."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import in_legend, numbers
from course_utils.viz.parts import axes_for
from course_utils.viz.plane import label_beside
from course_utils.viz.runs import MARKERS
from course_utils.viz.theme import CYCLE, DASHES, INK, MUTED

LEVELS = 12
RELIEF = LinearSegmentedColormap.from_list("relief", ["#FFFFFF", "#B7CAD5"])


def plot_descent_paths(
    x: ArrayLike, y: ArrayLike, heights: ArrayLike, paths: Mapping[str, ArrayLike], *, ax: Axes | None = None
) -> Axes:
    """Draw paths over the contour lines of a surface; each line stands half as high as the next one outside it.

        level k = lowest + (highest − lowest) · 2^(k − 12),   k = 0 … 12

    Args:
        x, y: (N,) and (M,), the rising places of a grid along both axes.
        heights: (M, N), the surface above them.
        paths: name -> (S, 2), where an optimiser stands before its first step and after each; a path ends before the
            first number that is not finite. At most seven; none shows the surface alone.

    Returns:
        The Axes, with equal units on both axes, the grid's limits, and a legend if there are paths.
    """
    x, y = (numbers(places, float, finite=True, shape=(None,)) for places in (x, y))
    heights = numbers(heights, float, finite=True, shape=(len(y), len(x)))
    if not (np.diff(x) > 0).all() or not (np.diff(y) > 0).all():
        raise ValueError("expected rising x and y, got some that fall or stay")
    levels = heights.min() + np.ptp(heights) * 2.0 ** np.arange(-LEVELS, 1)
    ways = {name: _finite_part(path) for name, path in paths.items()}
    ax = axes_for(ax, 7.5, 5)
    inner = np.linspace(0, 1, LEVELS + 1)
    ax.contourf(x, y, heights, levels=[heights.min(), *levels], colors=RELIEF(inner))
    ax.contour(x, y, heights, levels=levels[:-1], colors=[MUTED], linewidths=0.5, linestyles="-")
    for order, (name, way) in enumerate(ways.items()):
        look = {"color": CYCLE[order], "linestyle": DASHES[order], "label": in_legend(name)}
        end = {
            "marker": MARKERS[order],
            "markevery": [len(way) - 1],
            "markersize": 10,
            "markeredgecolor": "white",
        }
        ax.plot(*way.T, path_effects=[withStroke(linewidth=4, foreground="white")], **look, **end)
    for start in dict.fromkeys(tuple(way[0]) for way in ways.values()):
        ax.plot(*start, "o", color=INK, markerfacecolor="white", markersize=9, markeredgewidth=2.2)
        label_beside(ax, text("figures.descent_paths.start"), start, (0, 1), color=INK)
    if ways:
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), handlelength=3)
    ax.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]), aspect="equal")
    ax.set(xlabel=text("figures.descent_paths.first"), ylabel=text("figures.descent_paths.second"))
    return ax


def _finite_part(path: ArrayLike) -> np.ndarray:
    """A path up to where it is no longer finite."""
    path = numbers(path, float, shape=(None, 2))
    lost = ~np.isfinite(path).all(axis=1)
    return path[: int(lost.argmax())] if lost.any() else path
