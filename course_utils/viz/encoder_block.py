"""The two orders of an encoder block as a diagram: what the residual path meets on its way."""

from __future__ import annotations

from matplotlib.axes import Axes

from course_utils.locale import text
from course_utils.viz.parts import axes_for, round_box, write
from course_utils.viz.theme import INK, KEY, MUTED, QUERY, VALUE

# From bottom to top. "+" is where the residual path comes back in; it leaves at the last "·" before that.
ORDERS = {
    "post": ["·", "attention", "+", "norm", "·", "feed_forward", "+", "norm"],
    "pre": ["·", "norm", "attention", "+", "·", "norm", "feed_forward", "+"],
}
BOXES = {"attention": QUERY, "feed_forward": KEY, "norm": MUTED}


def plot_encoder_block(order: str, *, ax: Axes | None = None) -> Axes:
    """Draw one encoder block with its data flowing upwards and the residual path at the right.

    Args:
        order: "post" (Vaswani et al. 2017, BERT) or "pre" (Xiong et al. 2020).

    Returns:
        The Axes, without frame.
    """
    ax = axes_for(ax, 4, 5.4)
    arrow = dict(arrowstyle="-|>", color=INK, lw=1.6, shrinkA=0, shrinkB=0)
    height, below, split = 1.0, 0.25, 0.0
    for part in ORDERS[order]:
        if part == "·":
            split = height - 0.28
            height += 0.25
            continue
        half = 0.2 if part == "+" else 0.32
        ax.annotate("", (0, height - half), (0, below), arrowprops=arrow)
        if part == "+":
            way = [(0, split), (1.65, split), (1.65, height), (0.2, height)]
            ax.plot(*zip(*way[:3], strict=True), color=VALUE, lw=2.6, linestyle="-")
            ax.annotate("", way[3], way[2], arrowprops=arrow | dict(color=VALUE, lw=2.6))
            ring = {"markerfacecolor": "white", "markeredgecolor": VALUE, "markeredgewidth": 2}
            ax.plot(0, height, "o", markersize=19, **ring)
            write(ax, 0, height, "+", va="center_baseline", fontsize=16, color=VALUE, weight="bold")
        else:
            name, color = text(f"figures.encoder_block.{part}"), BOXES[part]
            round_box(ax, (-1.2, height - half), 2.4, 2 * half, fc="white", ec=color, lw=2)
            write(ax, 0, height, name, color=color, weight="bold")
        below = height + half
        height += 0.9
    ax.annotate("", (0, height - 0.2), (0, below), arrowprops=arrow)
    write(ax, 0, 0.15, text("figures.encoder_block.input"), va="top")
    write(ax, 0, height - 0.12, text("figures.encoder_block.output"), va="bottom")
    ax.set(xlim=(-1.6, 2.1), ylim=(-0.35, height + 0.35))
    ax.axis("off")
    return ax
