"""A sentence with a tag below each word; the words of one name are one box."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from course_utils.support.text_width import drawn_width
from course_utils.viz.given import literal, names, numbers
from course_utils.viz.parts import axes_for, write
from course_utils.viz.theme import INK, MUTED, QUERY

OUTSIDE = "O"  # the tag of a word that is in no name
LINE = 96.0  # Latin letters: what is wider goes on below
AIR = 1.6  # left and right of a word together
GAP = 0.7  # between two words that are not of one name


def plot_tagged_words(
    words: Sequence[str], tags: Sequence[str], *, shares: ArrayLike = (), ax: Axes | None = None
) -> Axes:
    """Draw N words in reading order, the tag of each below it; a word with a tag other than O stands in a box.

    A word tagged I-x directly behind B-x or I-x belongs to the same name: no gap, a dotted line between the two.

    Args:
        words: N, at least one.
        tags: N, such as B-LC, I-LC and O, or parts of speech.
        shares: (N,), how likely each tag is, 0 to 1, written behind it; none by default.
    """
    words, tags = names(words), names(tags)
    shares = numbers(shares, float, finite=True, least=0, most=1)
    told = [f"{tag} {share:.0%}" for tag, share in zip(tags, shares, strict=True)] if shares.size else tags
    places = _places(words, tags, told)
    rows = places[-1][1] + 1
    ax = axes_for(ax, 11, 0.3 + 0.95 * rows)
    for place, (left, row, width) in enumerate(places):
        tagged = tags[place] != OUTSIDE
        if tagged:
            look = {"facecolor": (QUERY, 0.16), "edgecolor": "none"}
            ax.add_patch(plt.Rectangle((left, row - 0.3), width, 0.72, **look))
        if tagged and _goes_on(tags, place) and left > 0:
            ax.plot([left, left], [row - 0.3, row + 0.42], color=QUERY, linewidth=1.4, linestyle=":")
        middle = left + width / 2
        write(ax, middle, row - 0.08, literal(words[place]), fontsize=14, color=INK)
        look = {"color": QUERY if tagged else MUTED, "weight": "bold" if tagged else "normal"}
        write(ax, middle, row + 0.26, literal(told[place]), fontsize=10, **look)
    wide = max(left + width for left, _, width in places)
    ax.set(xlim=(-0.2, max(wide, LINE) + 0.2), ylim=(rows - 0.5, -0.5), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return ax


def _goes_on(tags: Sequence[str], place: int) -> bool:
    """Whether a word belongs to the name of the word before it."""
    kind = tags[place][2:]
    return place > 0 and tags[place] == f"I-{kind}" and tags[place - 1] in (f"B-{kind}", f"I-{kind}")


def _places(words: Sequence[str], tags: Sequence[str], told: Sequence[str]) -> list[tuple[float, int, float]]:
    """(left, row, width) of each word."""
    places: list[tuple[float, int, float]] = []
    left, row = 0.0, 0
    for place, (word, below) in enumerate(zip(words, told, strict=True)):
        width = max(1.35 * drawn_width(word), drawn_width(below)) + AIR  # 1.35: its letters are larger
        if place and not _goes_on(tags, place):
            left += GAP
        if left and left + width > LINE:
            left, row = 0.0, row + 1
        places.append((left, row, width))
        left += width
    return places
