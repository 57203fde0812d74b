"""What is added up for each input token of a BERT (after figure 2 of Devlin et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from course_utils.locale import text
from course_utils.support.given import one_line
from course_utils.viz.given import literal, names, numbers
from course_utils.viz.theme import INK, KEY, MUTED, QUERY, VALUE

ROWS = {"token": QUERY, "segment": KEY, "position": VALUE}


def plot_input_embeddings(
    tokens: Sequence[str], token_type_ids: Sequence[int], *, ax: Axes | None = None
) -> Axes:
    """Draw the three vectors that are added for each token: its own, its segment's, its position's.

    Args:
        tokens: T tokens, [CLS] and [SEP] included.
        token_type_ids: T numbers, 0 for the first text (drawn as A), 1 for the second (B).
        ax: where to draw; a new figure by default.

    Returns:
        The Axes, without frame.
    """
    tokens, segments = names(tokens), numbers(token_type_ids)
    if segments.shape != (len(tokens),) or not tokens:
        raise ValueError(f"expected a segment for each token, got {len(tokens)} and {len(segments.flat)}")
    if not np.isin(segments, (0, 1)).all():
        raise ValueError(f"segments must be 0 or 1, got {one_line(str(sorted(set(segments.tolist()))))}")
    if ax is None:
        _, ax = plt.subplots(figsize=(1.05 * len(tokens) + 1.2, 3.6))
    for place, (token, segment) in enumerate(zip(tokens, segments.astype(int).tolist())):
        ax.text(place, 2.75, literal(token), ha="center", va="center", color=INK, weight="bold")
        boxes = [
            (literal(token), QUERY, 0.22),
            ("AB"[segment], KEY, (0.12, 0.4)[segment]),
            (str(place), VALUE, 0.22),
        ]
        for row, (written, color, strength) in enumerate(boxes):
            shape = FancyBboxPatch(
                (place - 0.4, 1.78 - row),
                0.8,
                0.5,
                boxstyle="round,pad=0.02",
                fc=(color, strength),
                ec=color,
                lw=1.5,
            )
            ax.add_patch(shape)
            ax.text(place, 2.03 - row, written, ha="center", va="center", color=INK, fontsize=11)
            if row:
                ax.text(place, 2.53 - row, "+", ha="center", va="center", color=MUTED, weight="bold")
        ax.annotate("", (place, -0.7), (place, -0.24), arrowprops=dict(arrowstyle="-|>", color=MUTED, lw=1.4))
    after = FancyBboxPatch(
        (-0.4, -1.22), len(tokens) - 0.2, 0.5, boxstyle="round,pad=0.02", fc="white", ec=MUTED, lw=1.5
    )
    ax.add_patch(after)
    ax.text(
        (len(tokens) - 1) / 2,
        -0.97,
        text("figures.input_embeddings.after"),
        ha="center",
        va="center",
        color=INK,
        fontsize=11,
    )
    for row, (name, color) in enumerate(ROWS.items()):
        ax.text(
            -0.65,
            2.03 - row,
            text(f"figures.input_embeddings.{name}"),
            ha="right",
            va="center",
            color=color,
            weight="bold",
        )
    ax.text(
        -0.65, 2.75, text("figures.input_embeddings.input"), ha="right", va="center", color=INK, weight="bold"
    )
    ax.set(xlim=(-1.75, len(tokens) - 0.4), ylim=(-1.35, 3.05))
    ax.axis("off")
    return ax
