"""Words of several senses: their sentences as a map, their scores as a table, how often a method is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from course_utils.viz.given import in_legend, literal, literals, numbers
from course_utils.viz.given import names as names_of
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
        ax: where to draw; a new figure by default.

    Returns:
        The Axes, with a legend.
    """
    points = numbers(points, float, finite=True)
    senses, names = names_of(senses), names_of(names)
    different = list(dict.fromkeys(senses))
    if points.shape != (len(senses), 2) or not 1 <= len(different) <= len(MARKERS):
        raise ValueError(
            f"expected points of shape {(len(senses), 2)} with 1 to {len(MARKERS)} senses, got {points.shape} "
            f"and {len(different)}"
        )
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 5))
    for number, sense in enumerate(different):
        chosen = points[[own == sense for own in senses]]
        look = dict(color=CYCLE[number], edgecolor="white", linewidth=0.6, alpha=0.85)
        ax.scatter(*chosen.T, s=60, marker=MARKERS[number], label=in_legend(sense), **look)
    for (x, y), beside in zip(points, names):
        if beside:
            ax.annotate(
                literal(beside), (x, y), xytext=(8, 6), textcoords="offset points", fontsize=13, weight="bold"
            )
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
        ax: where to draw; a new figure by default.

    Returns:
        The Axes.
    """
    scores = numbers(scores, float)
    sentences, senses = names_of(sentences), names_of(senses)
    truths = _truths(truths) or [None] * len(sentences)
    if not senses or scores.shape != (len(sentences), len(senses)) or len(truths) != len(sentences):
        raise ValueError(
            f"expected scores of shape {(len(sentences), len(senses))} and {len(sentences)} truths, got {scores.shape} "
            f"and {len(truths)}"
        )
    if ax is None:
        _, ax = plt.subplots(figsize=(11, 0.9 + 0.5 * max(len(sentences), 1)))
    if len(sentences):
        ax.imshow(scores, cmap=WEIGHTS, vmin=0, vmax=1.25, aspect="auto")
    for row, own in enumerate(scores):
        best = int(own.argmax())
        for column, score in enumerate(own):
            look = dict(ha="center", va="center", fontsize=13, color="white" if score > 0.6 else INK)
            ax.text(column, row, f"{score:.0%}", weight="bold" if column == best else "normal", **look)
            if senses[column] == truths[row] and column != best:
                ax.plot(
                    [column - 0.3, column + 0.3], [row + 0.36] * 2, color=QUERY, linewidth=3, linestyle="-"
                )
        color, dash = (INK, ":") if truths[row] is None else (INK, "-")
        if truths[row] not in (None, senses[best]):
            color, dash = KEY, "--"
        frame = dict(fill=False, edgecolor=color, linewidth=3, linestyle=dash, clip_on=False)
        ax.add_patch(Rectangle((best - 0.47, row - 0.45), 0.94, 0.9, **frame))
    ax.set_xticks(range(len(senses)), literals(senses), fontsize=13)
    ax.set_yticks(range(len(sentences)), literals(sentences), fontsize=13)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def _truths(truths: Sequence[str | None]) -> list[str | None]:
    """Names of senses, and None where there is no truth."""
    return [None if truth is None else str(truth) for truth in truths]


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
        ax: where to draw; a new figure by default.

    Returns:
        The Axes, with a legend of the methods.
    """
    results, names = dict(results), names_of(names)
    if not 1 <= len(results) <= len(MARKERS):
        raise ValueError(f"expected at least one and at most {len(MARKERS)} methods, got {len(results)}")
    results = {method: numbers(rows, float) for method, rows in results.items()}
    for method, rows in results.items():  # (N, 3)
        if rows.shape != (len(names), 3) or not names or not _hold_their_share(rows):
            found = str(rows.tolist())
            raise ValueError(f"expected {len(names)} times low ≤ share ≤ high for {method!r}, got {found}")
    chance = numbers(chance, float, finite=True)
    if chance.shape not in ((0,), (len(names),)):
        raise ValueError(
            f"expected a chance for each of {len(names)} names, or none, got shape {chance.shape}"
        )
    if ax is None:
        _, ax = plt.subplots(figsize=(10, 0.75 * len(names) + 1.4))
    places = np.arange(len(names))
    for number, (method, rows) in enumerate(results.items()):
        share, low, high = rows.T
        y = places + 0.62 * ((number + 0.5) / len(results) - 0.5)
        ax.errorbar(
            share,
            y,
            xerr=[share - low, high - share],
            fmt=MARKERS[number],
            color=CYCLE[number],
            linestyle="none",
            capsize=4,
            markersize=9,
            elinewidth=2.4,
            label=in_legend(method),
        )
    for place, share in zip(places, chance):
        ax.plot([share, share], [place - 0.4, place + 0.4], color=MUTED, linewidth=2, linestyle=":")
    ax.set_yticks(places, literals(names), fontsize=13)
    ax.set_xticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    ax.set_xlim(0, 1.02)
    ax.grid(axis="x")
    ax.set_axisbelow(True)
    ax.invert_yaxis()
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, fontsize=12)
    return ax


def _hold_their_share(rows: np.ndarray) -> bool:
    """Whether each (share, low, high) is finite and in order."""
    share, low, high = rows.T
    return bool(np.isfinite(rows).all() and (low <= share).all() and (share <= high).all())


def plot_influence(words: Sequence[str], moved: Sequence[float], *, ax: Axes | None = None) -> Axes:
    """Draw, word by word in reading order, how much each moved the sense: to the right for it, to the left against it.

    Args:
        words: the words of the context.
        moved: by how much each moved it (log-odds).
        ax: where to draw; a new figure by default.

    Returns:
        The Axes.
    """
    words, moved = names_of(words), numbers(moved, float, finite=True)
    if moved.shape != (len(words),):
        raise ValueError(f"expected as many numbers as the {len(words)} words, got {len(moved.flat)}")
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 1.2 + 0.55 * len(words)))
    places = np.arange(len(words))
    for place, by in zip(places, moved):
        supports = by >= 0
        ax.barh(
            place,
            by,
            height=0.62,
            color=(QUERY, 0.75) if supports else (KEY, 0.6),
            edgecolor=QUERY if supports else KEY,
            hatch="" if supports else "//",
        )
        ax.annotate(
            f"{by:+.1f}",
            (by, place),
            xytext=(6 if supports else -6, 0),
            textcoords="offset points",
            ha="left" if supports else "right",
            va="center",
            fontsize=13,
        )
    ax.axvline(0, color=INK, linewidth=1, linestyle="-")
    ax.set_yticks(places, literals(words), fontsize=15)
    ax.tick_params(axis="y", length=0)
    ax.margins(x=0.18)
    ax.invert_yaxis()
    return ax
