"""What each model changes, and what it leaves: a row for each model, a column for each part."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from course_utils.viz.given import literal, literals, names
from course_utils.viz.parts import axes_for, write
from course_utils.viz.theme import KEY, MUTED


def plot_change_grid(
    members: Sequence[str], parts: Sequence[str], changes: Sequence[Sequence[str]], *, ax: Axes | None = None
) -> Axes:
    """Draw a table of words; a cell that holds some is a change and filled, an empty one is as in the base: a dot.

    Args:
        members: M names of models, from top to bottom.
        parts: P names of parts, from left to right.
        changes: M rows of P texts; "" where nothing is changed.
    """
    members, parts = names(members), names(parts)
    rows = [names(row) for row in changes]
    if (found := [len(row) for row in rows]) != [len(parts)] * len(members):
        raise ValueError(f"expected {len(members)} rows of {len(parts)} texts, got {found}")
    ax = axes_for(ax, 1.75 * len(parts) + 1.6, 0.62 * len(members) + 0.9)
    for row, texts in enumerate(rows):
        for column, words in enumerate(texts):
            if not words:
                write(ax, column, row, "·", color=MUTED, fontsize=16)
                continue
            box = plt.Rectangle((column - 0.48, row - 0.44), 0.96, 0.88, facecolor=KEY, alpha=0.18)
            ax.add_patch(box)
            write(ax, column, row, literal(words), fontsize=11)
    ax.set_yticks(range(len(members)), literals(members), fontsize=13)
    ax.set_xticks(range(len(parts)), literals(parts), fontsize=12)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.set_xlim(-0.5, len(parts) - 0.5)
    ax.set_ylim(len(members) - 0.5, -0.5)
    ax.spines[:].set_visible(False)
    ax.grid(False)
    return ax
