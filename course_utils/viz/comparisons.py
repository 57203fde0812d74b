"""Numbers beside those they are compared with: two bars a row from zero, or their difference alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz.given import in_legend, literals, numbers
from course_utils.viz.given import names as names_of
from course_utils.viz.parts import axes_for
from course_utils.viz.theme import KEY, MUTED, QUERY


def plot_comparisons(
    labels: Sequence[str],
    values: ArrayLike,
    references: ArrayLike,
    *,
    names: Sequence[str],
    differences: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw N rows from top to bottom: the value as a blue bar, what it is compared with as a grey, hatched one below.

    Bars begin at zero, so that their lengths are to each other as the numbers are. With differences, each row has one
    bar instead, value less reference, to the right of zero in blue and to the left of it in orange.

    Args:
        labels: N names.
        values: (N,) numbers.
        references: (N,) numbers; NaN where there is nothing to compare with: no bar, and no difference.
        names: what values and references are, two words for the legend.
        differences: whether to draw value − reference.

    Returns:
        The Axes, with a legend unless differences are drawn.
    """
    labels = names_of(labels)
    values = numbers(values, float, finite=True, shape=(len(labels),))
    references = numbers(references, float, shape=(len(labels),))
    ax = axes_for(ax, 7, 1.0 + 0.55 * len(labels))
    if differences:
        _draw_differences(ax, values - references)
    else:
        _draw_pairs(ax, values, references, names_of(names))
    places = np.arange(len(labels))
    ax.set_yticks(places, literals(labels))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    return ax


def _draw_pairs(ax: Axes, values: np.ndarray, references: np.ndarray, pair: list[str]) -> None:
    looks = [
        (values, -0.18, dict(color=QUERY, label=in_legend(pair[0]))),
        (references, 0.18, dict(facecolor="white", edgecolor=MUTED, hatch="////", label=in_legend(pair[1]))),
    ]
    every = np.concatenate([values, references[~np.isnan(references)], [0.0]])
    room = 0.13 * (np.ptp(every) or 1.0)
    for heights, offset, look in looks:
        there = np.flatnonzero(~np.isnan(heights))
        ax.barh(there + offset, heights[there], height=0.34, **look)
        for place in there:
            _write(ax, heights[place], place + offset, f"{heights[place]:.1f}", room)
    ax.axvline(0, color=MUTED, linewidth=1)
    ax.set_xlim(every.min() - (room if every.min() < 0 else 0), every.max() + room)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, handlelength=1.6)


def _draw_differences(ax: Axes, differences: np.ndarray) -> None:
    there = np.flatnonzero(~np.isnan(differences))
    sizes = differences[there]
    ax.barh(there, sizes, height=0.5, color=[QUERY if size >= 0 else KEY for size in sizes])
    widest = np.abs(sizes).max(initial=0.0) or 1.0
    for place, size in zip(there, sizes, strict=True):
        _write(ax, size, place, f"{size:+.1f}", 0.13 * widest)
    ax.axvline(0, color=MUTED, linewidth=1)
    ax.set_xlim(-1.35 * widest, 1.35 * widest)


def _write(ax: Axes, end: float, place: float, words: str, room: float) -> None:
    """A number just beyond the end of its bar."""
    beyond = 0.12 * room if end >= 0 else -0.12 * room
    ax.text(end + beyond, place, words, ha="left" if end >= 0 else "right", va="center", fontsize=11)
