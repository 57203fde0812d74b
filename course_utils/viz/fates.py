"""Rows of tokens as a masked language model sees them: what became of each, and what is to be predicted below it."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from course_utils.locale import text
from course_utils.support.text_width import drawn_width
from course_utils.viz.given import literal, literals
from course_utils.viz.given import names as names_of
from course_utils.viz.parts import axes_for, write
from course_utils.viz.theme import INK, KEY, MUTED, QUERY, VALUE

FULL_ROW = 126.0  # in Latin letters: so many fit beside each other at 12 points

# fate -> look of the box; told apart by filling, hatching and line as well as by colour
LOOKS = {
    "masked": {"facecolor": KEY, "alpha": 0.85, "edgecolor": KEY},
    "random": {"facecolor": "white", "edgecolor": VALUE, "hatch": "///", "linewidth": 2.0},
    "kept": {"facecolor": "#DCEBF7", "edgecolor": QUERY, "linewidth": 3.0},
    "plain": {"facecolor": "white", "edgecolor": "#9CA3AF"},
    "special": {"facecolor": "#E5E7EB", "edgecolor": MUTED, "linestyle": ":"},
}


def plot_fates(
    tokens: Sequence[Sequence[str]],
    fates: Sequence[Sequence[str]],
    labels: Sequence[Sequence[str]],
    *,
    names: Sequence[str] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw each row's tokens as boxes, the true token below a box where it is to be predicted.

    Args:
        tokens: rows of the tokens that the model is given.
        fates: for each token "masked", "random", "kept", "plain" or "special".
        labels: for each token what is to be predicted there, "" for nothing.
        names: of the rows; none by default.

    Returns:
        The Axes, with a legend of the fates that occur.
    """
    tokens, fates = [names_of(row) for row in tokens], [names_of(row) for row in fates]
    labels, names = [names_of(row) for row in labels], names_of(names)
    used = {fate for row in fates for fate in row}
    ax = axes_for(ax, 12, 0.9 + 0.95 * len(tokens))
    longest = 0.0
    for row, (words, states, below) in enumerate(zip(tokens, fates, labels, strict=True)):
        left = 0.0
        for word, fate, label in zip(words, states, below, strict=True):
            width = max(drawn_width(word), drawn_width(label)) + 0.9
            ax.add_patch(plt.Rectangle((left, row - 0.38), width - 0.25, 0.44, **LOOKS[fate]))
            plate = {"facecolor": "white", "edgecolor": "none", "pad": 0.8} if fate == "random" else None
            color = "white" if fate == "masked" else INK
            middle = left + (width - 0.25) / 2
            write(ax, middle, row - 0.16, literal(word), color=color, bbox=plate)
            if label:
                write(ax, middle, row + 0.24, literal(label), color=INK, weight="bold")
            left += width
        longest = max(longest, left)
    for written in ax.texts:  # long rows: smaller letters, so that they stay in their boxes
        written.set_fontsize(min(12.0, 12.0 * FULL_ROW / longest))
    ax.set(xlim=(-0.2, longest), ylim=(len(tokens) - 0.5, -0.5), xticks=[])
    ax.set_yticks(range(len(names)), literals(names))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    handles = [
        Patch(label=text(f"figures.fates.{fate}"), **look) for fate, look in LOOKS.items() if fate in used
    ]
    ax.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(handles), handlelength=2.4
    )
    return ax
