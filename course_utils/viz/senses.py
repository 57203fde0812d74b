"""Words of several senses: their sentences as a map, their scores as a table, how often a method is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from course_utils.viz.given import in_legend, intervals, literal, literals, numbers
from course_utils.viz.given import names as names_of
from course_utils.viz.parts import axes_for, name_cells, percent_axis, write
from course_utils.viz.theme import CYCLE, INK, KEY, MUTED, QUERY, WEIGHTS

MARKERS = "os^D"


def plot_sense_map(
    points: ArrayLike, senses: Sequence[str], *, names: Sequence[str] = (), ax: Axes | None = None
) -> Axes:
    """Draw sentences as points of a plane, the sense of each by colour and mark.

    Args:
        points: (N, 2).
        senses: the sense of each, at most four different ones; as they are to be called.
        names: a word to write beside each point; none by default, "" for points without.

    Returns:
        The Axes, with a legend.
    """
    senses, names = names_of(senses), names_of(names)
    points = numbers(points, float, finite=True, shape=(len(senses), 2))
    ax = axes_for(ax, 7, 5)
    for number, sense in enumerate(dict.fromkeys(senses)):
        chosen = points[[own == sense for own in senses]]
        look = dict(color=CYCLE[number], edgecolor="white", linewidth=0.6, alpha=0.85)
        ax.scatter(*chosen.T, s=60, marker=MARKERS[number], label=in_legend(sense), **look)
    for (x, y), beside in zip(points, names):
        if beside:
            look = {"fontsize": 13, "weight": "bold"}
            ax.annotate(literal(beside), (x, y), xytext=(8, 6), textcoords="offset points", **look)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_color("#D1D5DB")
    ax.spines[:].set_visible(True)
    ax.legend(fontsize=13)
    return ax


def plot_scores(
    scores: ArrayLike,
    sentences: Sequence[str],
    senses: Sequence[str],
    *,
    truths: Sequence[str | None] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw a row for each sentence: the score of each sense as a shade and in percent.

    The best of a row is framed: by a black line where it is the truth, by vermillion dashes where it is not, by dots
    where there is no truth. A true sense that was not chosen is underlined in blue.

    Args:
        scores: (N, K), rows sum to 1.
        sentences: N of them.
        senses: K names.
        truths: the true sense of each sentence, or None; nothing means None for all.
    """
    sentences, senses = names_of(sentences), names_of(senses)
    scores = numbers(scores, float, shape=(len(sentences), len(senses)))
    truths = list(truths) or [None] * len(sentences)
    ax = axes_for(ax, 11, 0.9 + 0.5 * max(len(sentences), 1))
    if len(sentences):
        ax.imshow(scores, cmap=WEIGHTS, vmin=0, vmax=1.25, aspect="auto")
    for row, (own, truth) in enumerate(zip(scores, truths, strict=True)):
        best = int(own.argmax())
        for column, score in enumerate(own):
            look = {
                "color": "white" if score > 0.6 else INK,
                "weight": "bold" if column == best else "normal",
            }
            write(ax, column, row, f"{score:.0%}", fontsize=13, **look)
            if senses[column] == truth and column != best:
                ends = [column - 0.3, column + 0.3]
                ax.plot(ends, [row + 0.36] * 2, color=QUERY, linewidth=3, linestyle="-")
        color, dash = (INK, ":") if truth is None else (INK, "-")
        if truth not in (None, senses[best]):
            color, dash = KEY, "--"
        frame = dict(fill=False, edgecolor=color, linewidth=3, linestyle=dash, clip_on=False)
        ax.add_patch(Rectangle((best - 0.47, row - 0.45), 0.94, 0.9, **frame))
    name_cells(ax, sentences, senses, fontsize=13)
    ax.xaxis.tick_top()
    return ax


def plot_intervals(
    results: Mapping[str, Sequence[tuple[float, float, float]]],
    names: Sequence[str],
    *,
    chance: Sequence[float] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw shares with their confidence intervals, a row for each name, a mark for each method.

    Args:
        results: method -> a (share, low, high) for each name, between 0 and 1; at most four methods.
        names: from top to bottom.
        chance: the share of a blind guess for each name; drawn as a grey stroke.

    Returns:
        The Axes, with a legend of the methods.
    """
    names = names_of(names)
    results = {method: intervals(rows, len(names)) for method, rows in results.items()}  # (N, 3) each
    ax = axes_for(ax, 10, 0.75 * len(names) + 1.4)
    places = np.arange(len(names))
    for number, (method, rows) in enumerate(results.items()):
        share, low, high = rows.T
        y = places + 0.62 * ((number + 0.5) / len(results) - 0.5)
        mark = {
            "fmt": MARKERS[number],
            "color": CYCLE[number],
            "linestyle": "none",
            "label": in_legend(method),
        }
        ends = [share - low, high - share]
        ax.errorbar(share, y, xerr=ends, capsize=4, markersize=9, elinewidth=2.4, **mark)
    for place, share in zip(places, chance):
        ax.plot([share, share], [place - 0.4, place + 0.4], color=MUTED, linewidth=2, linestyle=":")
    ax.set_yticks(places, literals(names), fontsize=13)
    percent_axis(ax)
    ax.set_xlim(0, 1.02)
    ax.grid(axis="x")
    ax.set_axisbelow(True)
    ax.invert_yaxis()
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, fontsize=12)
    return ax
