"""What share each layer has in a mix of layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from course_utils.locale import text
from course_utils.viz.given import in_legend, numbers
from course_utils.viz.parts import axes_for, percent_axis, write
from course_utils.viz.theme import CYCLE

HATCHES = ["", "//", "..", "\\\\"]


def plot_layer_mix(mixes: Mapping[str, Sequence[float]], *, ax: Axes | None = None) -> Axes:
    """Draw, layer by layer from the embeddings down, the share of each in every mix: share_l = w_l / Σ w.

    Args:
        mixes: name -> L + 1 weights, not negative and not all 0; 1 to 4 mixes.

    Returns:
        The Axes, with a legend where there are several mixes.
    """
    layers = np.arange(len(next(iter(mixes.values()))))
    rows = {
        name: numbers(row, float, finite=True, shape=layers.shape, least=0) for name, row in mixes.items()
    }
    ax = axes_for(ax, 7, 1.0 + len(layers) * (0.3 + 0.2 * len(rows)))
    height = 0.74 / len(rows)
    for number, (name, row) in enumerate(rows.items()):
        shares = row / row.max() / (row / row.max()).sum()  # by the largest first: sums stay finite
        places = layers + (number + 0.5) * height - 0.37
        look = {
            "color": (CYCLE[number], 0.75),
            "edgecolor": "white",
            "hatch": HATCHES[number],
            "linewidth": 0,
        }
        ax.barh(places, shares, height=height * 0.92, label=in_legend(name), **look)
        for place, share in zip(places, shares):
            write(ax, share + 0.012, place, f"{share:.0%}", ha="left", fontsize=10)
    names = [text("figures.layer_mix.layer", number=layer) for layer in layers]
    ax.set_yticks(layers, [text("figures.layer_mix.embeddings"), *names[1:]])
    percent_axis(ax)
    ax.set_xlim(0, 1.1)
    ax.set_xlabel(text("figures.layer_mix.share"))
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    if len(rows) > 1:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(rows), handlelength=1.4)
    return ax
