"""How likely each label is: a bar for each, the likeliest told apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import literals, names, numbers
from course_utils.viz.parts import axes_for, percent_axis, write
from course_utils.viz.theme import MUTED, QUERY


def plot_label_bars(labels: Sequence[str], probabilities: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw K probabilities as bars from 0 to 1, the first label on top; the likeliest is blue and bold.

    Args:
        labels: K names.
        probabilities: (K,), each from 0 to 1.
    """
    labels = names(labels)
    probabilities = numbers(probabilities, float, finite=True, shape=(len(labels),), least=0, most=1)
    ax = axes_for(ax, 6, 1.0 + 0.42 * len(labels))
    best = int(probabilities.argmax())
    places = np.arange(len(labels))
    colors = [QUERY if place == best else MUTED for place in places]
    ax.barh(places, probabilities, height=0.62, color=colors)
    for place, share in enumerate(probabilities):
        weight = "bold" if place == best else "normal"
        write(ax, share + 0.015, place, f"{share:.0%}", ha="left", fontsize=12, weight=weight)
    ax.set_yticks(places, literals(labels), fontsize=13)
    ax.get_yticklabels()[best].set_weight("bold")
    percent_axis(ax)
    ax.set_xlim(0, 1.1)
    ax.set_xlabel(text("figures.label_bars.probability"))
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    return ax
