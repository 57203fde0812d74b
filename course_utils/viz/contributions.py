"""How large a part of each token's output each head brings: heads = rows, tokens = columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import names, numbers
from course_utils.viz.parts import axes_for, rule_cells, write
from course_utils.viz.theme import QUERY, WEIGHTS


def plot_contributions(
    sizes: ArrayLike, heads: Sequence[str], tokens: Sequence[str], *, ax: Axes | None = None
) -> Axes:
    """Draw the sizes of head contributions, with their numbers, on a scale from 0 to the largest (at least 1).

    Args:
        sizes: (H, T), not negative.
        heads: H names, the rows.
        tokens: T words, the columns.
    """
    heads, tokens = names(heads), names(tokens)
    sizes = numbers(sizes, float, finite=True, shape=(len(heads), len(tokens)), least=0)
    top = max(1.0, sizes.max(initial=0.0))
    ax = axes_for(ax, 2.2 + 0.85 * len(tokens), 1.2 + 0.55 * len(heads))
    ax.imshow(sizes, cmap=WEIGHTS, vmin=0.0, vmax=top, aspect="auto")
    for row, column in np.ndindex(sizes.shape):
        color = "white" if sizes[row, column] > 0.5 * top else "black"
        write(ax, column, row, f"{sizes[row, column]:.2f}", color=color)
    rule_cells(ax, heads, tokens)
    ax.set_xlabel(text("figures.query"), color=QUERY)
    ax.set_ylabel(text("figures.contributions.head"))
    return ax
