"""The four forms of a task: what goes into BERT, and which vectors the head reads (Devlin et al. 2019, figure 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from course_utils.locale import text
from course_utils.viz.given import literal, names, segments_of
from course_utils.viz.parts import arrow, axes_for, round_box, write
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

    Returns:
        The Axes, without frame.
    """
    tokens = names(tokens)
    segments = segments_of(tokens, token_type_ids)
    ax = axes_for(ax, 6.4, 4.2)
    for place, (token, segment) in enumerate(zip(tokens, segments)):
        color = MUTED if token in SPECIAL else (QUERY, KEY)[segment]
        _box(ax, place, LOW, 0.9, 0.5, literal(token), color)
        _up(ax, place, LOW + 0.29, BERT - 0.42)
    middle = (len(tokens) - 1) / 2
    _box(ax, middle, BERT, len(tokens), 0.8, text("figures.task_form.bert"), INK)
    for place, words in said.items():
        _up(ax, place, BERT + 0.42, HEAD - 0.3)
        _box(ax, place, HEAD, 0.9, 0.56, text("figures.task_form.head"), VALUE)
        if words:
            _up(ax, place, HEAD + 0.3, SAID - 0.2)
            write(ax, place, SAID, literal(words), color=VALUE, weight="bold")
    ax.set(xlim=(-0.7, len(tokens) - 0.3), ylim=(-0.45, 4.25))
    ax.axis("off")
    return ax


def _box(ax: Axes, x: float, y: float, width: float, height: float, words: str, color: str) -> None:
    """A box with words in it, around its middle."""
    place = (x - width / 2 + 0.04, y - height / 2)
    round_box(ax, place, width - 0.08, height, fc="white", ec=color, lw=2)
    write(ax, x, y, words, color=color, fontsize=11, weight="bold")


def _up(ax: Axes, x: float, low: float, high: float) -> None:
    arrow(ax, (x, low), (x, high), color=INK, lw=1.2)
