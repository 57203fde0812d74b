"""Similarities between words as a table of cells, on the scale −1 … 1 or on the upper part of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.viz.given import names, numbers
from course_utils.viz.parts import axes_for, name_cells, write
from course_utils.viz.theme import SIGNED, WEIGHTS


def plot_similarity(
    similarities: ArrayLike, words: Sequence[str], *, lowest: float = -1.0, ax: Axes | None = None
) -> Axes:
    """Draw the similarity of every word to every other, with its number in the cell.

    Args:
        similarities: (N, N), between −1 and 1.
        words: N words.
        lowest: where the scale begins. −1 gives the diverging palette; from 0 upwards the sequential one, for
            similarities that all lie close to 1.
    """
    words = names(words)
    similarities = numbers(similarities, float, shape=(len(words), len(words)))
    if lowest != -1.0 and not 0.0 <= lowest < 1.0:
        raise ValueError(f"lowest must be -1 or in [0, 1), got {lowest}")
    ax = axes_for(ax, 1.5 + 0.8 * len(words), 1.2 + 0.7 * len(words))
    ax.imshow(similarities, cmap=SIGNED if lowest < 0 else WEIGHTS, vmin=lowest, vmax=1.0)
    for row, column in np.ndindex(similarities.shape):
        similarity = similarities[row, column]
        dark = abs(similarity) > 0.75 if lowest < 0 else similarity > (lowest + 1.2) / 2.2
        write(ax, column, row, f"{similarity:.2f}", color="white" if dark else "black")
    name_cells(ax, words, words)
    return ax
