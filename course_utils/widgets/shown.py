"""How widgets write what they are given: tokens that a page can show, numbers with a true minus sign, shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from course_utils.locale import text
from course_utils.support.text_width import visible

LONGEST_PART = 40  # letters of a text that are repeated in a sentence


def readable(token: str, most: int) -> str:
    """A token as a page can show it: at most `most` letters; controls, direction marks, lone surrogates as numbers."""
    shown = "".join(visible(char) for char in token[: most + 1])
    shown = shown if shown.strip() else shown.replace(" ", "␣") or "∅"
    return shown if len(token) <= most and len(shown) <= most else shown[: most - 1] + "…"


Pieces = Callable[[str], Iterable[tuple[str, tuple[int, int]]]]


def unread(pieces: Pieces, *texts: str) -> list[str]:
    """A sentence that names the parts of which a model sees nothing but [UNK]; none where it reads all.

    Args:
        pieces: text -> [(piece, (start, end)), …], a tokenizer's.
    """
    parts = [one[start:end] for one in texts for piece, (start, end) in pieces(one) if piece == "[UNK]"]
    named = ", ".join(f"'{readable(part, LONGEST_PART)}'" for part in dict.fromkeys(parts))
    return [text("widgets.common.unread", parts=named)] if parts else []


def signed(value: float, digits: int) -> str:
    """A number with fixed digits, a true minus sign, and none before zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")


def percent(share: float, digits: int = 0) -> str:
    """In percent."""
    return f"{100 * share:.{digits}f} %"
