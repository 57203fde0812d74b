"""Position encodings as a picture: one row a position, one column a dimension."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.viz.given import numbers
from course_utils.viz.parts import axes_for
from course_utils.viz.theme import SIGNED


def plot_encoding(encoding: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw a position encoding on a scale centred at 0, with its colour bar.

    Args:
        encoding: float (T, C); the scale reaches to the largest absolute value, at least to 1.

    Returns:
        The Axes: position 0 at the top, dimension 0 at the left.
    """
    encoding = numbers(encoding, float, finite=True, shape=(None, None))
    ax = axes_for(ax, 9, 5)
    reach = max(1.0, float(np.abs(encoding).max()))
    image = ax.imshow(encoding, cmap=SIGNED, vmin=-reach, vmax=reach, aspect="auto", interpolation="nearest")
    ax.set(xlabel=text("figures.encoding.dimension"), ylabel=text("figures.encoding.position"))
    ax.spines[:].set_visible(False)
    bar = ax.get_figure().colorbar(image, ax=ax, ticks=[-reach, 0.0, reach], format="%g")
    bar.outline.set_visible(False)
    bar.set_label(text("figures.encoding.value"))
    return ax
