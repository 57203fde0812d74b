"""The map of the course: parts as columns, notebooks as boxes, from top to bottom and left to right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from course_utils.viz.given import literal, names
from course_utils.viz.theme import CYCLE, INK, MUTED

PART_WIDTH, BOX_WIDTH, BOX_HEIGHT = 2.6, 2.3, 0.62


def plot_course_map(parts: Mapping[str, Sequence[str]], *, ax: Axes | None = None) -> Axes:
    """Draw the notebooks of each part as a column of boxes.

    Args:
        parts: title of a part -> its notebooks as "NN title".
        ax: where to draw; a new figure by default.

    Returns:
        The Axes.
    """
    parts = {part: names(rows) for part, rows in dict(parts).items()}
    if not parts:
        raise ValueError("parts must hold at least one part of the course, got none")
    rows = max(len(notebooks) for notebooks in parts.values())
    if ax is None:
        _, ax = plt.subplots(figsize=(2.1 * len(parts), 0.75 * rows + 1.0))
    for column, (part, notebooks) in enumerate(parts.items()):
        left, color = column * PART_WIDTH, CYCLE[column % len(CYCLE)]
        ax.text(
            left + BOX_WIDTH / 2,
            0.55,
            literal(part),
            ha="center",
            va="center",
            weight="bold",
            color=color,
            fontsize=13,
        )
        for row, notebook in enumerate(notebooks):
            box = FancyBboxPatch(
                (left, -row - BOX_HEIGHT / 2),
                BOX_WIDTH,
                BOX_HEIGHT,
                boxstyle="round,pad=0.05",
                facecolor=color,
                alpha=0.16,
                edgecolor="none",
            )
            ax.add_patch(box)
            ax.text(left + 0.12, -row, literal(notebook[:2]), va="center", color=color, weight="bold")
            ax.text(
                left + 0.52, -row, literal(notebook[3:]), va="center", color=INK, weight="bold", fontsize=10.5
            )
            if row:
                _arrow(
                    ax,
                    (left + BOX_WIDTH / 2, 1 - row - BOX_HEIGHT / 2 - 0.03),
                    (left + BOX_WIDTH / 2, -row + BOX_HEIGHT / 2 + 0.03),
                )
        if column:
            _arrow(ax, (left - PART_WIDTH + BOX_WIDTH + 0.06, 0), (left - 0.06, 0))
    ax.set(xlim=(-0.2, len(parts) * PART_WIDTH), ylim=(-rows + 0.4, 0.9))
    ax.axis("off")
    return ax


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    ax.annotate("", end, start, arrowprops=dict(arrowstyle="-|>", color=MUTED, lw=1.2, shrinkA=0, shrinkB=0))
