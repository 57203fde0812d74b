"""Several curves over one axis, each told apart by colour and dash."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz.given import in_legend, numbers
from course_utils.viz.parts import axes_for
from course_utils.viz.theme import CYCLE, DASHES, MUTED


def plot_curves(x: ArrayLike, curves: Mapping[str, ArrayLike], *, ax: Axes | None = None) -> Axes:
    """Draw named curves with thin lines through the origin; the first is broad and pale, so that one on top shows.

    Args:
        x: (N,), the points.
        curves: name -> (N,), the values there; at most seven.

    Returns:
        The Axes, with a legend.
    """
    x = numbers(x, shape=(None,))
    curves = {name: numbers(values, shape=x.shape) for name, values in curves.items()}
    ax = axes_for(ax, 6.5, 4)
    ax.axhline(0, color=MUTED, linewidth=0.8, linestyle="-", zorder=0)
    if x.min() < 0 < x.max():
        ax.axvline(0, color=MUTED, linewidth=0.8, linestyle="-", zorder=0)
    for order, (name, values) in enumerate(curves.items()):
        look = dict(color=CYCLE[order], linestyle=DASHES[order], label=in_legend(name))
        if order == 0 and len(curves) > 1:
            look |= dict(linewidth=7, alpha=0.4)
        ax.plot(x, values, **look)
    ax.legend()
    return ax
