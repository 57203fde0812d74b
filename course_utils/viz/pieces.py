"""The same text cut in several ways: each way a row of boxes, one box a piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from course_utils.support.text_width import drawn_width
from course_utils.viz.given import literal, names
from course_utils.viz.parts import axes_for, write
from course_utils.viz.theme import CYCLE, INK, KEY

BOX_AIR = 0.9  # in Latin letters, left and right of a label together
UNKNOWN = "[UNK]"


def plot_pieces(rows: Mapping[str, Sequence[str]], *, ax: Axes | None = None) -> Axes:
    """Draw pieces as boxes as wide as their labels, row under row; [UNK] is hatched.

    Args:
        rows: name of a row -> its pieces, the first row on top.
    """
    rows = {row: names(pieces) for row, pieces in dict(rows).items()}
    ax = axes_for(ax, 11, 0.4 + 0.55 * len(rows))
    longest = 0.0
    for row, pieces in enumerate(rows.values()):
        left = 0.0
        for place, piece in enumerate(pieces):
            width = drawn_width(piece) + BOX_AIR
            unknown = piece == UNKNOWN
            box = {"facecolor": "white", "edgecolor": KEY, "hatch": "///"} if unknown else {}
            box = box or {"facecolor": CYCLE[place % 2 * 5], "alpha": 0.25, "edgecolor": INK}
            ax.add_patch(plt.Rectangle((left, row - 0.38), width - 0.15, 0.76, **box))
            plate = {"facecolor": "white", "edgecolor": "none", "pad": 1.0} if unknown else None
            middle = left + (width - 0.15) / 2
            write(ax, middle, row, literal(piece), color=KEY if unknown else INK, bbox=plate)
            left += width
        longest = max(longest, left)
    ax.set(xlim=(-0.1, longest + 0.1), ylim=(len(rows) - 0.5, -0.5), xticks=[])
    ax.set_yticks(range(len(rows)), [f"{literal(name)} ({len(pieces)})" for name, pieces in rows.items()])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax
