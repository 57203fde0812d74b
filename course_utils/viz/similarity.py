"""Similarities between words as a table of cells, on the fixed scale −1 … 1."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz.theme import SIGNED


def plot_similarity(similarities: ArrayLike, words: Sequence[str], *, ax: Axes | None = None) -> Axes:
    """Draw the similarity of every word to every other, with its number in the cell.

    Args:
        similarities: (N, N), between −1 and 1.
        words: N words.
        ax: where to draw; a new figure by default.

    Returns:
        The Axes.

    Raises:
        ValueError: if similarities are not (N, N).
    """
    similarities = np.asarray(similarities, dtype=float)
    if similarities.shape != (len(words), len(words)):
        raise ValueError(
            f"expected similarities of shape {(len(words),) * 2} for these words, got {similarities.shape}"
        )
    if ax is None:
        _, ax = plt.subplots(figsize=(1.5 + 0.8 * len(words), 1.2 + 0.7 * len(words)))
    ax.imshow(similarities, cmap=SIGNED, vmin=-1.0, vmax=1.0)
    for row, column in np.ndindex(similarities.shape):
        similarity = similarities[row, column]
        color = "white" if abs(similarity) > 0.75 else "black"
        ax.text(column, row, f"{similarity:.2f}", ha="center", va="center", color=color)
    ax.set_xticks(range(len(words)), words)
    ax.set_yticks(range(len(words)), words)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax
