"""What many figures are made of: Axes to draw on, words around a point, boxes, arrows, and tables of cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from course_utils.viz.given import literals
from course_utils.viz.theme import MUTED

Point = tuple[float, float]


def axes_for(ax: Axes | None, width: float, height: float) -> Axes:
    """The given Axes, or those of a new figure of this size, in inches."""
    return plt.subplots(figsize=(width, height))[1] if ax is None else ax


def write(ax: Axes, x: float, y: float, words: str, **look: Any) -> None:
    """Words around a point, as long as `look` does not put them beside it."""
    ax.text(x, y, words, **{"ha": "center", "va": "center", **look})


def round_box(
    ax: Axes, corner: Point, width: float, height: float, *, pad: float = 0.02, **look: Any
) -> None:
    """A box with round corners, from its lower left one."""
    ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=f"round,pad={pad}", **look))


def arrow(ax: Axes, start: Point, end: Point, *, color: str = MUTED, lw: float = 1.4, **look: Any) -> None:
    """An arrow from edge to edge."""
    look = {"shrinkA": 0, "shrinkB": 0, **look}
    ax.annotate("", end, start, arrowprops=dict(arrowstyle="-|>", color=color, lw=lw, **look))


def name_cells(ax: Axes, rows: Sequence[str], columns: Sequence[str], **look: Any) -> None:
    """The names of a table's rows and columns, without ticks and frame."""
    ax.set_xticks(range(len(columns)), literals(columns), **look)
    ax.set_yticks(range(len(rows)), literals(rows), **look)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def rule_cells(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    """name_cells, and thin lines between the cells."""
    name_cells(ax, rows, columns)
    ax.set_xticks(np.arange(-0.5, len(columns)), minor=True)
    ax.set_yticks(np.arange(-0.5, len(rows)), minor=True)
    ax.grid(which="minor", color="#D1D5DB", linewidth=1, linestyle="-")
    ax.tick_params(which="minor", length=0)


def percent_axis(ax: Axes) -> None:
    """Shares from 0 to 1 along x, told in percent."""
    ax.set_xticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
