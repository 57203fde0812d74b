"""Several curves over one axis, each told apart by colour and dash."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz.given import in_legend, numbers
from course_utils.viz.theme import CYCLE, DASHES, MUTED


def plot_curves(x: ArrayLike, curves: Mapping[str, ArrayLike], *, ax: Axes | None = None) -> Axes:
    """Draw named curves with thin lines through the origin; the first is broad and pale, so that one on top shows.

    Args:
        x: (N,), the points.
        curves: name -> (N,), the values there; at most seven.
        ax: where to draw; a new figure by default.

    Returns:
        The Axes, with a legend.
    """
    x, curves = numbers(x), dict(curves)
    if x.ndim != 1 or not len(x):
        raise ValueError(f"expected points x of shape (N,), got {x.shape}")
    if not 1 <= len(curves) <= len(CYCLE):
        raise ValueError(f"expected 1 to {len(CYCLE)} curves, got {len(curves)}")
    curves = {name: numbers(values) for name, values in curves.items()}
    for name, values in curves.items():
        if values.shape != x.shape:
            raise ValueError(f"expected {name!r} of shape {x.shape} like x, got {values.shape}")
    if ax is None:
        _, ax = plt.subplots(figsize=(6.5, 4))
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
