"""What stands in a figure, read from its artists: so that a test says where a thing is, not which pixel is blue."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch, Rectangle

GRID = "#D1D5DB"


def near(found: Any, expected: Any) -> None:
    """Assert that nested numbers are the same up to rounding."""
    np.testing.assert_allclose(np.array(found, dtype=float), np.array(expected, dtype=float), atol=1e-9)


def hex_of(color: Any) -> str:
    """A colour as #RRGGBB, in capitals."""
    return to_hex(color).upper()


def figure_size(ax: Axes) -> list[float]:
    """Width and height of the figure, in inches."""
    return [round(float(side), 6) for side in ax.get_figure().get_size_inches()]


def labels(axis: Any) -> list[str]:
    """The labels of an axis's ticks, in their order."""
    return [label.get_text() for label in axis.get_ticklabels()]


def written(ax: Axes) -> dict[tuple[float, float], str]:
    """Where each text stands that is not empty (arrows are annotations without a text)."""
    texts = {tuple(round(float(c), 4) for c in text.get_position()): text.get_text() for text in ax.texts}
    return {place: words for place, words in texts.items() if words}


def text_of(ax: Axes, words: str) -> Any:
    """The one text that says this."""
    (found,) = [text for text in ax.texts if text.get_text() == words]
    return found


def look(text: Any) -> tuple[str, str, float, str, str]:
    """How a text is set: horizontally, vertically, its size, weight and colour."""
    return (text.get_ha(), text.get_va(), text.get_size(), str(text.get_weight()), hex_of(text.get_color()))


def arrows(ax: Axes) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """From where to where each arrow points."""
    found = [note for note in ax.texts if getattr(note, "arrow_patch", None)]
    return [(_pair(note.get_position()), _pair(note.xy)) for note in found]


def arrow_looks(ax: Axes) -> list[dict[str, Any]]:
    """How each arrow is drawn."""
    return [note.arrowprops for note in ax.texts if getattr(note, "arrow_patch", None)]


def boxes(ax: Axes) -> list[tuple[float, float, float, float]]:
    """Left, bottom, width and height of every rectangle and rounded box."""
    kinds = Rectangle | FancyBboxPatch
    shapes = [patch for patch in ax.patches if isinstance(patch, kinds)]
    return [(shape.get_x(), shape.get_y(), shape.get_width(), shape.get_height()) for shape in shapes]


def check_cells(ax: Axes, rows: list[str], columns: list[str]) -> None:
    """Assert that a table of cells has these rows and columns, thin lines between them and nothing around them."""
    assert (labels(ax.yaxis), labels(ax.xaxis)) == (rows, columns)
    near(ax.get_xticks(), range(len(columns)))
    near(ax.get_yticks(), range(len(rows)))
    near(ax.get_xticks(minor=True), np.arange(len(columns) + 1) - 0.5)
    near(ax.get_yticks(minor=True), np.arange(len(rows) + 1) - 0.5)
    for axis in (ax.xaxis, ax.yaxis):
        line = axis.get_minor_ticks()[0].gridline
        assert line.get_visible() and not axis.get_major_ticks()[0].gridline.get_visible()
        assert (hex_of(line.get_color()), line.get_linewidth(), line.get_linestyle()) == (GRID, 1, "-")
        ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        assert {tick.tick1line.get_markersize() for tick in ticks} == {0}
    check_no_frame(ax)
    assert ax.get_aspect() == "auto"
    near((ax.get_xlim(), ax.get_ylim()), [(-0.5, len(columns) - 0.5), (len(rows) - 0.5, -0.5)])


def check_no_frame(ax: Axes) -> None:
    """Assert that no line is drawn around the Axes."""
    assert not any(spine.get_visible() for spine in ax.spines.values())


def _pair(point: Any) -> tuple[float, ...]:
    return tuple(round(float(side), 4) for side in point)
