"""Which layer of a teacher each layer of a student looks at."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from course_utils.locale import text
from course_utils.viz.parts import axes_for, write
from course_utils.viz.theme import KEY, MUTED, QUERY


def plot_layer_map(teacher_layers: int, chosen: Sequence[int], *, ax: Axes | None = None) -> Axes:
    """Draw the teacher's layers as a column at the left, the student's at the right, and a line for each pair.

    Layers of the teacher that nobody looks at are grey and dashed. The lowest layer is at the bottom.

    Args:
        teacher_layers: N.
        chosen: for each layer of the student, from the lowest, the number of a layer of the teacher, 1 … N, rising.
    """
    count = teacher_layers
    picked = list(chosen)
    if not set(picked) <= set(range(1, count + 1)):
        raise ValueError(f"expected numbers of layers from 1 to {count}, got {picked}")
    ax = axes_for(ax, 5, 0.34 * count + 1)
    step = count / len(picked)  # the student's layers are spread over the same height
    for layer in range(1, count + 1):
        used = layer in picked
        look = {"facecolor": QUERY if used else "none", "alpha": 0.85 if used else 1.0}
        edge = {"edgecolor": QUERY if used else MUTED, "linestyle": "-" if used else "--"}
        ax.add_patch(plt.Rectangle((0, layer - 0.38), 1, 0.76, **look, **edge))
        color = "white" if used else "black"
        write(ax, 0.5, layer, str(layer), color=color, fontsize=11)
    for place, layer in enumerate(picked, start=1):
        height = place * step - (step - 1) / 2
        ax.add_patch(plt.Rectangle((2.2, height - 0.38), 1, 0.76, facecolor=KEY, edgecolor=KEY))
        write(ax, 2.7, height, str(place), color="white", fontsize=11)
        ax.plot([1, 2.2], [layer, height], color=KEY, linestyle="-", linewidth=1.6)
    ax.set_xticks([0.5, 2.7], [text("figures.layer_map.teacher"), text("figures.layer_map.student")])
    ax.set_yticks([])
    ax.tick_params(length=0)
    ax.set_xlim(-0.2, 3.4)
    ax.set_ylim(0.3, count + 0.7)
    ax.spines[:].set_visible(False)
    ax.grid(False)
    return ax
