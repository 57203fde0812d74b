"""How large a part of each token's output each head brings: heads = rows, tokens = columns."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import literals, names, numbers
from course_utils.viz.theme import QUERY, WEIGHTS


def plot_contributions(
    sizes: ArrayLike, heads: Sequence[str], tokens: Sequence[str], *, ax: Axes | None = None
) -> Axes:
    """Draw the sizes of head contributions, with their numbers, on a scale from 0 to the largest (at least 1).

    Args:
        sizes: (H, T), not negative.
        heads: H names, the rows.
        tokens: T words, the columns.
        ax: where to draw; a new figure by default.

    Returns:
        The Axes.
    """
    heads, tokens, sizes = names(heads), names(tokens), numbers(sizes, float, finite=True)
    if sizes.shape != (len(heads), len(tokens)) or not sizes.size:
        raise ValueError(f"expected sizes of shape (H, T) = {(len(heads), len(tokens))}, got {sizes.shape}")
    if (sizes < 0).any():
        raise ValueError(f"sizes must not be negative, got {sizes.min()}")
    top = max(1.0, sizes.max(initial=0.0))
    if ax is None:
        _, ax = plt.subplots(figsize=(2.2 + 0.85 * len(tokens), 1.2 + 0.55 * len(heads)))
    ax.imshow(sizes, cmap=WEIGHTS, vmin=0.0, vmax=top, aspect="auto")
    for row, column in np.ndindex(sizes.shape):
        color = "white" if sizes[row, column] > 0.5 * top else "black"
        ax.text(column, row, f"{sizes[row, column]:.2f}", ha="center", va="center", color=color)
    ax.set_xticks(range(len(tokens)), literals(tokens))
    ax.set_yticks(range(len(heads)), literals(heads))
    ax.set_xticks(np.arange(-0.5, len(tokens)), minor=True)
    ax.set_yticks(np.arange(-0.5, len(heads)), minor=True)
    ax.grid(which="minor", color="#D1D5DB", linewidth=1, linestyle="-")
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(text("figures.query"), color=QUERY)
    ax.set_ylabel(text("figures.contributions.head"))
    return ax
