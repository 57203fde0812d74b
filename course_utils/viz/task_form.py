"""The four forms of a task: what goes into BERT, and which vectors the head reads (Devlin et al. 2019, figure 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from course_utils.locale import text
from course_utils.support.given import one_line
from course_utils.viz.given import literal, names, numbers
from course_utils.viz.theme import INK, KEY, MUTED, QUERY, VALUE

SPECIAL = ("[CLS]", "[SEP]")
LOW, BERT, HEAD, SAID = 0.0, 1.25, 2.75, 3.85  # heights of the middles: tokens, BERT, heads, what they say


def plot_task_form(
    tokens: Sequence[str], token_type_ids: Sequence[int], said: Mapping[int, str], *, ax: Axes | None = None
) -> Axes:
    """Draw one form, data flowing upwards: tokens, BERT, the head on the vectors that it reads, what it says.

    Args:
        tokens: T tokens, [CLS] and [SEP] included.
        token_type_ids: T numbers, 0 for the first text (blue), 1 for the second (vermillion).
        said: place of a token that the head reads -> what it says there, "" for nothing.
        ax: where to draw; a new figure by default.

    Returns:
        The Axes, without frame.
    """
    tokens, segments = names(tokens), numbers(token_type_ids)
    if segments.shape != (len(tokens),) or not tokens:
        raise ValueError(f"expected a segment for each token, got {len(tokens)} and {len(segments.flat)}")
    if not np.isin(segments, (0, 1)).all():
        raise ValueError(f"segments must be 0 or 1, got {one_line(str(sorted(set(segments.tolist()))))}")
    told = dict(said)
    if not told.keys() <= set(range(len(tokens))):
        raise ValueError(f"each place of said must be from 0 to {len(tokens) - 1}, got {sorted(told)}")
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 4.2))
    for place, (token, segment) in enumerate(zip(tokens, segments.astype(int).tolist())):
        color = MUTED if token in SPECIAL else (QUERY, KEY)[segment]
        _box(ax, place, LOW, 0.9, 0.5, literal(token), color)
        _arrow(ax, place, LOW + 0.29, BERT - 0.42)
    middle = (len(tokens) - 1) / 2
    _box(ax, middle, BERT, len(tokens), 0.8, text("figures.task_form.bert"), INK)
    for place, words in told.items():
        _arrow(ax, place, BERT + 0.42, HEAD - 0.3)
        _box(ax, place, HEAD, 0.9, 0.56, text("figures.task_form.head"), VALUE)
        if words:
            _arrow(ax, place, HEAD + 0.3, SAID - 0.2)
            ax.text(place, SAID, literal(words), ha="center", va="center", color=VALUE, weight="bold")
    ax.set(xlim=(-0.7, len(tokens) - 0.3), ylim=(-0.45, 4.25))
    ax.axis("off")
    return ax


def _box(ax: Axes, x: float, y: float, width: float, height: float, words: str, color: str) -> None:
    """A box with words in it, around its middle."""
    place = (x - width / 2 + 0.04, y - height / 2)
    shape = FancyBboxPatch(place, width - 0.08, height, boxstyle="round,pad=0.02", fc="white", ec=color, lw=2)
    ax.add_patch(shape)
    ax.text(x, y, words, ha="center", va="center", color=color, fontsize=11, weight="bold")


def _arrow(ax: Axes, x: float, low: float, high: float) -> None:
    style = dict(arrowstyle="-|>", color=INK, lw=1.2, shrinkA=0, shrinkB=0)
    ax.annotate("", (x, high), (x, low), arrowprops=style)
