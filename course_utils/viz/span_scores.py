"""Where an answer may begin and end: two bars for each piece of the passage, and the best pair of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import literals, names, numbers
from course_utils.viz.parts import axes_for
from course_utils.viz.theme import KEY, QUERY, VALUE

FEW = 14  # pieces whose names stand level below their bars


def plot_span_scores(
    pieces: Sequence[str],
    start: ArrayLike,
    end: ArrayLike,
    *,
    span: Sequence[int] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw for each of T pieces how likely the answer begins there (left bar) and ends there (right bar, hatched).

    Args:
        pieces: T, in the order of the passage.
        start, end: (T,), not negative: probabilities, or scores above 0.
        span: the first and the last piece of the best legal pair, drawn as a band; None for none.

    Returns:
        The Axes, with a legend.
    """
    pieces = names(pieces)
    start, end = (numbers(own, float, finite=True, shape=(len(pieces),), least=0) for own in (start, end))
    ax = axes_for(ax, min(14, max(6, 2 + 0.3 * len(pieces))), 3.4)
    places = np.arange(len(pieces))
    if span is not None:
        look = {"color": (VALUE, 0.25), "linewidth": 0, "label": text("figures.span_scores.best")}
        ax.axvspan(span[0] - 0.5, span[1] + 0.5, **look)
    ax.bar(places - 0.21, start, width=0.4, color=QUERY, label=text("figures.span_scores.start"))
    look = {"color": (KEY, 0.75), "edgecolor": "white", "hatch": "//", "linewidth": 0}
    ax.bar(places + 0.21, end, width=0.4, label=text("figures.span_scores.end"), **look)
    turned = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"} if len(pieces) > FEW else {}
    ax.set_xticks(places, literals(pieces), **turned)
    ax.set_xlim(-0.6, len(pieces) - 0.4)
    ax.set_ylabel(text("figures.span_scores.probability"))
    ax.tick_params(axis="x", length=0)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, handlelength=1.4)
    return ax
