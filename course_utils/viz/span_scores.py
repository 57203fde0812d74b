"""Where an answer may begin and end: two bars for each piece of the passage, and the best pair of them."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import literals, names, numbers
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
        ax: where to draw; a new figure by default.

    Returns:
        The Axes, with a legend.
    """
    pieces = names(pieces)
    start, end = numbers(start, float, finite=True), numbers(end, float, finite=True)
    if not pieces or not start.shape == end.shape == (len(pieces),):
        got = f"{start.shape} and {end.shape} for {len(pieces)}"
        raise ValueError(f"expected a start and an end for each piece, at least one, got {got}")
    if start.min() < 0 or end.min() < 0:
        raise ValueError(f"start and end must not be negative, got {min(start.min(), end.min()):g}")
    if span is not None:
        span = _places(span, len(pieces))
    if ax is None:
        _, ax = plt.subplots(figsize=(min(14, max(6, 2 + 0.3 * len(pieces))), 3.4))
    places = np.arange(len(pieces))
    if span is not None:
        ax.axvspan(
            span[0] - 0.5,
            span[1] + 0.5,
            color=(VALUE, 0.25),
            linewidth=0,
            label=text("figures.span_scores.best"),
        )
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


def _places(span: Sequence[int], count: int) -> tuple[int, int]:
    """First and last piece, in order."""
    first, last = span
    if not 0 <= first <= last < count:
        raise ValueError(f"span must be two places from 0 to {count - 1} in order, got {first}, {last}")
    return first, last
