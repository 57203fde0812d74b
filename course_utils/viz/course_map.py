"""The map of the course: parts as columns, notebooks as boxes, from top to bottom and left to right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from course_utils.viz.given import literal, names
from course_utils.viz.parts import arrow, axes_for, round_box, write
from course_utils.viz.theme import CYCLE, INK

PART_WIDTH, BOX_WIDTH, BOX_HEIGHT = 2.6, 2.3, 0.62


def plot_course_map(parts: Mapping[str, Sequence[str]], *, ax: Axes | None = None) -> Axes:
    """Draw the notebooks of each part as a column of boxes.

    Args:
        parts: title of a part -> its notebooks as "NN title".
    """
    parts = {part: names(rows) for part, rows in dict(parts).items()}
    rows = max(len(notebooks) for notebooks in parts.values())
    ax = axes_for(ax, 2.1 * len(parts), 0.75 * rows + 1.0)
    for column, (part, notebooks) in enumerate(parts.items()):
        left, color = column * PART_WIDTH, CYCLE[column % len(CYCLE)]
        middle = left + BOX_WIDTH / 2
        write(ax, middle, 0.55, literal(part), weight="bold", color=color, fontsize=13)
        for row, notebook in enumerate(notebooks):
            look = {"facecolor": color, "alpha": 0.16, "edgecolor": "none"}
            round_box(ax, (left, -row - BOX_HEIGHT / 2), BOX_WIDTH, BOX_HEIGHT, pad=0.05, **look)
            look = {"ha": "left", "weight": "bold"}
            write(ax, left + 0.12, -row, literal(notebook[:2]), color=color, **look)
            write(ax, left + 0.52, -row, literal(notebook[3:]), color=INK, fontsize=10.5, **look)
            if row:
                edge = BOX_HEIGHT / 2 + 0.03
                arrow(ax, (middle, 1 - row - edge), (middle, edge - row), lw=1.2)
        if column:
            arrow(ax, (left - PART_WIDTH + BOX_WIDTH + 0.06, 0), (left - 0.06, 0), lw=1.2)
    ax.set(xlim=(-0.2, len(parts) * PART_WIDTH), ylim=(-rows + 0.4, 0.9))
    ax.axis("off")
    return ax
