"""How wholes are divided: one bar each, all of the same length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from course_utils.viz.given import in_legend, literals, numbers
from course_utils.viz.given import names as names_of
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
        ax: where to draw; a new figure by default.

    Returns:
        The Axes, with a legend of the parts.
    """
    parts, names = dict(parts), names_of(names)
    rows = [numbers(values, float, finite=True) for values in parts.values()]
    if any(row.shape != (len(names),) for row in rows):
        raise ValueError(f"expected {len(names)} amounts for each part, got {[row.shape for row in rows]}")
    amounts = np.array(rows)  # (parts, N)
    if amounts.ndim != 2 or not amounts.size:
        raise ValueError(f"expected {len(names)} amounts for each part, got shape {amounts.shape}")
    totals = amounts.sum(axis=0)
    if (amounts < 0).any() or not (totals > 0).all():
        raise ValueError("amounts must not be negative, and no whole may be empty")
    if ax is None:
        _, ax = plt.subplots(figsize=(10, 0.55 * len(names) + 1.2))
    places, left = np.arange(len(names)), np.zeros(len(names))
    for number, (name, values) in enumerate(zip(parts, amounts / totals)):
        color, hatch = CYCLE[number % len(CYCLE)], HATCHES[number % len(HATCHES)]
        ax.barh(
            places,
            values,
            left=left,
            color=(color, 0.55),
            edgecolor="white",
            hatch=hatch,
            label=in_legend(name),
        )
        for place, start, value in zip(places, left, values):
            if value >= ROOM_FOR_TEXT:
                ax.text(
                    start + value / 2,
                    place,
                    f"{value:.0%}",
                    ha="center",
                    va="center",
                    color=INK,
                    weight="bold",
                    bbox=dict(boxstyle="round,pad=0.15", fc=(1, 1, 1, 0.8), ec="none"),
                )
        left = left + values
    ax.set(xlim=(0, 1), yticks=places, yticklabels=literals(names))
    ax.set_xticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    ax.invert_yaxis()
    ax.legend(
        loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(parts), handlelength=1.4, columnspacing=1.2
    )
    return ax
