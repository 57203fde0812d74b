"""How wide a text is when it is shown: a Hangul letter takes two columns where a Latin one takes one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

JOINERS = "\u200c\u200d"  # parts of Indic words and of emoji: no direction, no harm
WIDE, NARROW = 1.9, 1.05  # of letters in a drawn label, in the width of an average Latin letter


def columns(text: str) -> int:
    """The columns that a text takes in a fixed-width font; an accent that stands as its own character takes none."""
    return sum(0 if unicodedata.combining(char) else 2 if _is_wide(char) else 1 for char in text)


def padded(text: str, width: int) -> str:
    """The text with blanks behind it, up to `width` columns; a longer one stays as it is."""
    return text + " " * (width - columns(text))


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of texts, as many in each, as lines with straight columns."""
    widths = [max(map(columns, column)) for column in zip(*rows)]
    return "\n".join("  ".join(map(padded, row, widths)).rstrip() for row in rows)


def drawn_width(text: str) -> float:
    """About how wide a text is in a figure's font, in Latin letters; a single jamo is drawn as wide as a syllable."""
    return sum(WIDE if _is_wide(char) or "\u1100" <= char <= "\u11ff" else NARROW for char in text)


def visible(char: str) -> str:
    """The letter; or its number, where it has no shape of its own or turns others around: NUL is ⟨0000⟩."""
    if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or char in JOINERS:
        return char
    return f"⟨{ord(char):04X}⟩"


def _is_wide(char: str) -> bool:
    """By Unicode Standard Annex #11: wide, or the full-width form of a narrow letter."""
    return unicodedata.east_asian_width(char) in "WF"
