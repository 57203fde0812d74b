"""Attention weights and masks as tables of cells: query = rows, key = columns."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import names, numbers
from course_utils.viz.parts import axes_for, rule_cells, write
from course_utils.viz.theme import KEY, MUTED, QUERY, WEIGHTS

MANY_TOKENS = 12  # beyond this many columns numbers in the cells no longer fit


def plot_attention(
    weights: ArrayLike,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    ax: Axes | None = None,
    annotate: bool = True,
) -> Axes:
    """Draw attention weights on the fixed scale 0 … 1.

    Args:
        weights: (T_q, T_k), between 0 and 1.
        query_tokens: T_q words, the rows.
        key_tokens: T_k words, the columns.
        annotate: write each weight into its cell (up to 12 columns).
    """
    query_tokens, key_tokens = names(query_tokens), names(key_tokens)
    weights = numbers(weights, shape=(len(query_tokens), len(key_tokens)))
    ax = _cells(weights, query_tokens, key_tokens, ax, cmap=WEIGHTS)
    if annotate and len(key_tokens) <= MANY_TOKENS:
        for row, column in np.ndindex(weights.shape):
            weight = weights[row, column]
            write(ax, column, row, f"{weight:.2f}", color="white" if weight > 0.5 else "black")
    return ax


def plot_mask(
    mask: ArrayLike, query_tokens: Sequence[str], key_tokens: Sequence[str], *, ax: Axes | None = None
) -> Axes:
    """Draw a mask: filled = may attend, hatched = masked (told apart without colour, too).

    Args:
        mask: bool (T_q, T_k), True = may attend.
        query_tokens: T_q words, the rows.
        key_tokens: T_k words, the columns.
    """
    query_tokens, key_tokens = names(query_tokens), names(key_tokens)
    mask = numbers(mask, shape=(len(query_tokens), len(key_tokens)))
    if mask.dtype.kind not in "biu" or not np.isin(mask, (0, 1)).all():
        raise ValueError(
            f"expected a mask of bool, True = may attend, got {mask.dtype}; an additive mask is mask == 0"
        )
    mask = mask.astype(bool)
    ax = _cells(np.where(mask, 0.45, 0.0), query_tokens, key_tokens, ax, cmap=WEIGHTS)
    for row, column in np.argwhere(~mask):
        cell = plt.Rectangle(
            (column - 0.5, row - 0.5), 1, 1, facecolor="#F3F4F6", edgecolor=MUTED, hatch="///", lw=0
        )
        ax.add_patch(cell)
    return ax


def _cells(
    values: np.ndarray, query_tokens: Sequence[str], key_tokens: Sequence[str], ax: Axes | None, cmap
) -> Axes:
    ax = axes_for(ax, 1.6 + 0.75 * len(key_tokens), 1.2 + 0.6 * len(query_tokens))
    ax.imshow(values, cmap=cmap, vmin=0.0, vmax=1.0, aspect="auto")
    rule_cells(ax, query_tokens, key_tokens)
    ax.set_xlabel(text("figures.key"), color=KEY)
    ax.set_ylabel(text("figures.query"), color=QUERY)
    if len(key_tokens) > MANY_TOKENS:
        ax.tick_params(axis="x", rotation=60)
    return ax
