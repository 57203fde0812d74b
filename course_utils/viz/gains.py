"""Differences with their intervals beside a line at 0: which are decided, and which are not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import intervals, literals, names
from course_utils.viz.parts import axes_for
from course_utils.viz.theme import MUTED, QUERY


def plot_gains(labels: Sequence[str], gains: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw a row for each difference: a dot and its interval. Filled where the interval leaves 0 out, hollow where not.

    Args:
        labels: N names, from top to bottom.
        gains: (N, 3), for each the difference and both ends of its interval, low ≤ difference ≤ high.

    Returns:
        The Axes, with a legend of the two kinds.
    """
    labels = names(labels)
    middle, low, high = intervals(gains, len(labels)).T
    ax = axes_for(ax, 8, 0.42 * len(labels) + 1.4)
    decided = (low > 0) | (high < 0)
    places = np.arange(len(labels))
    ax.axvline(0, color=MUTED, linestyle="--", linewidth=1.2)
    for place in places:
        color = QUERY if decided[place] else MUTED
        ax.plot([low[place], high[place]], [place, place], color=color, linestyle="-", linewidth=2.2)
        face = color if decided[place] else "white"
        ax.plot(middle[place], place, "o", color=color, markerfacecolor=face, markersize=8)
    ax.set_yticks(places, literals(labels), fontsize=12)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    kinds = {"decided": (QUERY, QUERY), "undecided": (MUTED, "white")}
    handles = [
        Line2D([], [], color=color, marker="o", markerfacecolor=face, label=text(f"figures.gains.{kind}"))
        for kind, (color, face) in kinds.items()
    ]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=2)
    ax.grid(axis="y", visible=False)
    return ax
