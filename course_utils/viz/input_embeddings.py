"""What is added up for each input token of a BERT (after figure 2 of Devlin et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from course_utils.locale import text
from course_utils.viz.given import literal, names, segments_of
from course_utils.viz.parts import arrow, axes_for, round_box, write
from course_utils.viz.theme import INK, KEY, MUTED, QUERY, VALUE

ROWS = {"token": QUERY, "segment": KEY, "position": VALUE}


def plot_input_embeddings(
    tokens: Sequence[str], token_type_ids: Sequence[int], *, ax: Axes | None = None
) -> Axes:
    """Draw the three vectors that are added for each token: its own, its segment's, its position's.

    Args:
        tokens: T tokens, [CLS] and [SEP] included.
        token_type_ids: T numbers, 0 for the first text (drawn as A), 1 for the second (B).

    Returns:
        The Axes, without frame.
    """
    tokens = names(tokens)
    segments = segments_of(tokens, token_type_ids)
    ax = axes_for(ax, 1.05 * len(tokens) + 1.2, 3.6)
    for place, (token, segment) in enumerate(zip(tokens, segments)):
        write(ax, place, 2.75, literal(token), color=INK, weight="bold")
        boxes = [
            (literal(token), QUERY, 0.22),
            ("AB"[segment], KEY, (0.12, 0.4)[segment]),
            (str(place), VALUE, 0.22),
        ]
        for row, (written, color, strength) in enumerate(boxes):
            round_box(ax, (place - 0.4, 1.78 - row), 0.8, 0.5, fc=(color, strength), ec=color, lw=1.5)
            write(ax, place, 2.03 - row, written, color=INK, fontsize=11)
            if row:
                write(ax, place, 2.53 - row, "+", color=MUTED, weight="bold")
        arrow(ax, (place, -0.24), (place, -0.7), shrinkA=2, shrinkB=2)
    round_box(ax, (-0.4, -1.22), len(tokens) - 0.2, 0.5, fc="white", ec=MUTED, lw=1.5)
    write(ax, (len(tokens) - 1) / 2, -0.97, text("figures.input_embeddings.after"), color=INK, fontsize=11)
    left = [(2.03 - row, name, color) for row, (name, color) in enumerate(ROWS.items())]
    for height, name, color in [*left, (2.75, "input", INK)]:
        words = text(f"figures.input_embeddings.{name}")
        write(ax, -0.65, height, words, ha="right", color=color, weight="bold")
    ax.set(xlim=(-1.75, len(tokens) - 0.4), ylim=(-1.35, 3.05))
    ax.axis("off")
    return ax
