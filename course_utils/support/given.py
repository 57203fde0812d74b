"""What comes in at a door (a setting, a command's option, a tokenizer's texts), checked; and a value in a message.

Each check gives the value back or raises ValueError with one sentence: its name, what was expected, what came.
"""

from __future__ import annotations

import math
import numbers
import operator
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

LONGEST = 60  # characters of a value that are repeated in a message
JAMO = "[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"  # a syllable of Hangul in parts, as a pattern


def whole_number(name: str, value: Any, *, least: int = 1, most: int | None = None) -> int:
    """A size or a count: an integer within its bounds. True is none, nor is 3.0."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be a whole number {bounds}, got {shown(value)}")
    return number


def real_number(
    name: str, value: Any, *, least: float = 0.0, most: float = math.inf, open_at: tuple[str, ...] = ()
) -> float:
    """A rate, a share or a width: a finite number within its bounds. True, "0.1" and NaN are none.

    Args:
        name, value: what it is called, and what came.
        least, most: the bounds.
        open_at: "least" and "most": which of the bounds it may not be itself.
    """
    number = float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else math.nan
    above = least < number if "least" in open_at else least <= number
    below = number < most if "most" in open_at else number <= most
    if not (math.isfinite(number) and above and below):
        wanted = f"above {least:g}" if "least" in open_at else f"at least {least:g}"
        if math.isfinite(most):
            wanted += f" and below {most:g}" if "most" in open_at else f" and at most {most:g}"
        raise ValueError(f"{name} must be a finite number, {wanted}, got {shown(value)}")
    return number


def list_of_texts(name: str, value: Any, *, least: int = 1) -> list[str]:
    """Several texts. One string is none: its letters would be taken for texts, and nothing would say so."""
    if isinstance(value, str | bytes):
        raise ValueError(f"{name} must be a list of texts, got one text, {shown(value)}: put it in a list")
    found = list(value)
    if strange := [text for text in found if not isinstance(text, str)]:
        raise ValueError(f"{name} must hold texts and nothing else, got {shown(strange[0])} among them")
    if len(found) < least:
        raise ValueError(f"{name} must hold at least {least} text{'s' * (least > 1)}, got {len(found)}")
    return found


def composed(text: str) -> str:
    """A text with its Hangul in syllables, as it is typed; from a Mac's files it comes in parts (NFD: ᄇ ᅢ for 배)."""
    return re.sub(JAMO, lambda syllable: unicodedata.normalize("NFC", syllable.group()), text)


def one_line(text: str, most: int = LONGEST) -> str:
    """A caller's text inside a message: on one line, without control signs, at most so long."""
    plain = "".join(sign if sign.isprintable() else "�" for sign in " ".join(text.split()))
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def shown(value: Any) -> str:
    """A value as it stands in a message: short, on one line, and what it is where that is not seen."""
    text = repr(value) if isinstance(value, str | bytes | bool | numbers.Number) else type(value).__name__
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def listed(names: Iterable[str], most: int = 8, *, letters: int = 240) -> str:
    """Names for a message, sorted: a, b, c and 4 more. At most so many, in so many letters, but at least one."""
    ordered = [one_line(name) for name in sorted(names)]
    while most > 1 and len(", ".join(ordered[:most])) > letters:
        most -= 1
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(ordered[:most]) + more
