"""How wholes are divided: one bar each, all of the same length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from course_utils.viz.given import in_legend, literals, numbers
from course_utils.viz.given import names as names_of
from course_utils.viz.parts import axes_for, percent_axis, write
from course_utils.viz.theme import CYCLE, INK

HATCHES = ["", "//", "", "..", "", "\\\\", ""]
ROOM_FOR_TEXT = 0.06


def plot_shares(
    parts: Mapping[str, Sequence[float]], names: Sequence[str], *, ax: Axes | None = None
) -> Axes:
    """Draw one horizontal bar a whole, divided by the shares of its parts; shares of 6 % and more are written in.

    Args:
        parts: name of a part -> its amount in each of the N wholes, not negative.
        names: the N wholes, drawn from top to bottom.

    Returns:
        The Axes, with a legend of the parts.
    """
    names = names_of(names)
    amounts = numbers(list(parts.values()), float, finite=True, shape=(len(parts), len(names)), least=0)
    ax = axes_for(ax, 10, 0.55 * len(names) + 1.2)
    places, left = np.arange(len(names)), np.zeros(len(names))
    for number, (name, values) in enumerate(zip(parts, amounts / amounts.sum(axis=0))):
        color, hatch = CYCLE[number % len(CYCLE)], HATCHES[number % len(HATCHES)]
        look = {"color": (color, 0.55), "edgecolor": "white", "hatch": hatch}
        ax.barh(places, values, left=left, label=in_legend(name), **look)
        for place, start, value in zip(places, left, values):
            if value >= ROOM_FOR_TEXT:
                plate = dict(boxstyle="round,pad=0.15", fc=(1, 1, 1, 0.8), ec="none")
                write(ax, start + value / 2, place, f"{value:.0%}", color=INK, weight="bold", bbox=plate)
        left = left + values
    ax.set(xlim=(0, 1), yticks=places, yticklabels=literals(names))
    percent_axis(ax)
    ax.invert_yaxis()
    ax.legend(
        loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(parts), handlelength=1.4, columnspacing=1.2
    )
    return ax
