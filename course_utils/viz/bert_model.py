"""The whole of BERT as one row of boxes: embeddings, blocks, pooler, and what leaves it where."""

from __future__ import annotations

from matplotlib.axes import Axes

from course_utils.locale import text
from course_utils.viz.parts import arrow, axes_for, round_box, write
from course_utils.viz.theme import INK, KEY, MUTED, QUERY, VALUE

WIDTH, STEP = 1.5, 2.55


def plot_bert_model(*, ax: Axes | None = None) -> Axes:
    """Draw token ids → embeddings → blocks 1, 2 … L → pooler, with the names of the hidden states between them."""
    ax = axes_for(ax, 12.5, 3.3)
    parts = [
        (text("figures.bert_model.embeddings"), KEY),
        (text("figures.bert_model.block", number=1), QUERY),
        (text("figures.bert_model.block", number=2), QUERY),
        ("…", MUTED),
        (text("figures.bert_model.block", number="L"), QUERY),
        (text("figures.bert_model.pooler"), VALUE),
    ]
    for place, (name, color) in enumerate(parts):
        if name != "…":
            look = {"facecolor": color, "alpha": 0.16, "edgecolor": "none"}
            round_box(ax, (place * STEP - WIDTH / 2, -0.45), WIDTH, 0.9, pad=0.03, **look)
            write(ax, place * STEP, 0, name, weight="bold", color=INK, fontsize=13)
        else:
            write(ax, place * STEP, 0, name, fontsize=20, color=MUTED)
    for place in range(len(parts) - 1):
        arrow(ax, (place * STEP + WIDTH / 2 + 0.04, 0), ((place + 1) * STEP - WIDTH / 2 - 0.04, 0))
    for place, name in [(0, "hidden_states[0]"), (1, "hidden_states[1]"), (4, "hidden_states[L]")]:
        middle = (place + 0.5) * STEP
        ax.plot([middle, middle], [0.08, 0.98], color=MUTED, linewidth=1.2, linestyle=":")
        write(ax, middle, 1.14, name, fontsize=10.5, family="monospace")
    write(ax, 4.5 * STEP, -0.22, text("figures.bert_model.only_cls"), fontsize=11, color=VALUE)
    arrow(ax, (-WIDTH / 2 - 0.75, 0), (-WIDTH / 2 - 0.04, 0))
    write(ax, -WIDTH / 2 - 0.85, 0, text("figures.bert_model.input"), ha="right")
    arrow(ax, (5 * STEP + WIDTH / 2 + 0.04, 0), (5 * STEP + WIDTH / 2 + 0.75, 0))
    write(ax, 5 * STEP + WIDTH / 2 + 0.85, 0, "pooler_output\n(B, C)", ha="left")
    ax.plot([STEP, 4 * STEP], [-1.25, -1.25], color=MUTED, linewidth=1.4, linestyle="-")
    for place in (1, 2, 4):
        arrow(ax, (place * STEP, -1.25), (place * STEP, -0.54))
    write(ax, 2.5 * STEP, -1.5, text("figures.bert_model.mask"), fontsize=11)
    ax.set(xlim=(-2.9, 5 * STEP + 3.3), ylim=(-1.75, 1.4))
    ax.axis("off")
    return ax
