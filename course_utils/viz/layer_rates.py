"""The learning rate of every layer at every update: a schedule and which layers are frozen, in one table."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import literals, names, numbers
from course_utils.viz.parts import axes_for
from course_utils.viz.theme import MUTED, WEIGHTS


def plot_layer_rates(rates: ArrayLike, layers: Sequence[str], *, ax: Axes | None = None) -> Axes:
    """Draw the rate of each layer at each update, as a share of the highest; where it is exactly 0 the cell is hatched.

    Args:
        rates: (L, N), at least 0 and not all 0; a row for each layer from the lowest, a column for each update.
        layers: L names, from the lowest; the highest is drawn on top.

    Returns:
        The Axes; updates count from 1.
    """
    layers = names(layers)
    rates = numbers(rates, float, finite=True, shape=(len(layers), None), least=0)
    ax = axes_for(ax, 9, 1.2 + 0.45 * len(layers))
    count = rates.shape[1]
    ends = (0.5, count + 0.5, -0.5, len(layers) - 0.5)
    look = {"cmap": WEIGHTS, "vmin": 0.0, "vmax": 1.0, "interpolation": "nearest"}
    ax.imshow(rates / rates.max(), origin="lower", aspect="auto", extent=ends, **look)
    for layer, row in enumerate(rates):
        for first, last in _frozen(row):
            box = plt.Rectangle((first + 0.5, layer - 0.5), last - first, 1, fill=False, hatch="///")
            box.set(edgecolor=(MUTED, 0.55), linewidth=0)
            ax.add_patch(box)
    for edge in range(1, len(layers)):
        ax.axhline(edge - 0.5, color="white", linewidth=2)
    ax.set_yticks(range(len(layers)), literals(layers))
    ax.set_xlabel(text("figures.layer_rates.update"))
    ax.tick_params(axis="y", length=0)
    ax.spines[:].set_visible(False)
    return ax


def _frozen(row: np.ndarray) -> list[tuple[int, int]]:
    """Where the rate is 0: runs of (first, one past the last)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], row == 0, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
