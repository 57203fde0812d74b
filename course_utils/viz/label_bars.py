"""How likely each label is: a bar for each, the likeliest told apart."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import literals, names, numbers
from course_utils.viz.theme import MUTED, QUERY


def plot_label_bars(labels: Sequence[str], probabilities: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw K probabilities as bars from 0 to 1, the first label on top; the likeliest is blue and bold.

    Args:
        labels: K names.
        probabilities: (K,), each from 0 to 1.
        ax: where to draw; a new figure by default.

    Returns:
        The Axes.
    """
    labels, probabilities = names(labels), numbers(probabilities, float, finite=True)
    if not labels or probabilities.shape != (len(labels),):
        raise ValueError(
            f"expected one probability for each of {len(labels)} labels, at least one, got shape {probabilities.shape}"
        )
    if (probabilities < 0).any() or (probabilities > 1).any():
        raise ValueError(
            f"probabilities must lie between 0 and 1, got {probabilities.min():g} … {probabilities.max():g}"
        )
    if ax is None:
        _, ax = plt.subplots(figsize=(6, 1.0 + 0.42 * len(labels)))
    best = int(probabilities.argmax())
    places = np.arange(len(labels))
    colors = [QUERY if place == best else MUTED for place in places]
    ax.barh(places, probabilities, height=0.62, color=colors)
    for place, share in enumerate(probabilities):
        weight = "bold" if place == best else "normal"
        ax.text(share + 0.015, place, f"{share:.0%}", ha="left", va="center", fontsize=12, weight=weight)
    ax.set_yticks(places, literals(labels), fontsize=13)
    ax.get_yticklabels()[best].set_weight("bold")
    ax.set_xticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    ax.set_xlim(0, 1.1)
    ax.set_xlabel(text("figures.label_bars.probability"))
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    return ax
