"""BERT's normalisation: from the text as typed to plain words, without losing where each character came from.

    clean → split CJK ideographs → (decompose and drop accents) → (lower case) → split at blanks and punctuation

Each step takes and returns an *aligned text*: a list of (character, place), where place is the index of the character
in the text as the learner typed it. A step may drop characters or turn one into several (İ → i̇, 배 → ᄇ ᅢ); the
places go along, so that a token can always be pointed out in the original.

The rules are those of Devlin et al. 2018 (tokenization.py of the released code) as the `tokenizers` library applies
them; where the two differ, the library's is taken and a comment says so. Not here: NFC. BERT does not compose, so text
that arrives decomposed (file names from a Mac) stays decomposed; see hangul.py for what that means for 배.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import NamedTuple

from course_utils.tokenization.unicode_tables import (
    CLASSLESS,
    EARLIER_MARKS,
    EARLIER_PUNCTUATION,
    LOWERCASE,
    STARTERS,
    STAYS_WHOLE,
)

Aligned = list[tuple[str, int]]

# Blocks of ideographs, each written without blanks between words; Hangul and kana are not among them.
# The fifth block really begins at 0x2B820 and does so in the released code; `tokenizers` has 0x2B920.
CJK_BLOCKS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class Word(NamedTuple):
    """A word of the normalised text, and for each of its characters the place in the text as typed."""

    text: str
    places: tuple[int, ...]


def align(text: str) -> Aligned:
    """Each character with its own place: "배" -> [("배", 0)]."""
    return [(char, place) for place, char in enumerate(text)]


def clean(text: Aligned) -> Aligned:
    """Drop control characters, U+0000 and U+FFFD; turn every kind of blank (tab, line end, U+3000 …) into " "."""
    return [(" " if is_blank(char) else char, place) for char, place in text if not is_control(char)]


def split_cjk(text: Aligned) -> Aligned:
    """Put blanks around every ideograph, so that each becomes a word: 배(梨) -> 배( 梨 )."""
    spaced: Aligned = []
    for char, place in text:
        spaced += [(" ", place), (char, place), (" ", place)] if is_cjk(char) else [(char, place)]
    return spaced


def decompose(text: Aligned) -> Aligned:
    """NFD: é -> e + U+0301, 배 (U+BC30) -> ᄇ (U+1107) + ᅢ (U+1162); marks after a letter in canonical order."""
    parts = [(part, number == 0) for char, _ in text for number, part in enumerate(_nfd(char))]
    ordered: list[tuple[str, bool]] = []
    marks: list[tuple[str, bool]] = []
    for part in parts:
        if _combining(part[0]):
            marks.append(part)
            continue
        if marks:
            ordered += sorted(marks, key=lambda mark: _combining(mark[0]))
            marks = []
        ordered.append(part)
    ordered += sorted(marks, key=lambda mark: _combining(mark[0]))
    # The first part of a character takes the next place, further parts share it: marks that changed their order
    # take their places in the new order, so that places never run backwards.
    places = iter([place for _, place in text])
    aligned: Aligned = []
    for part, first in ordered:
        aligned.append((part, next(places) if first else aligned[-1][1]))
    return aligned


def strip_accents(text: Aligned) -> Aligned:
    """Decompose, then drop nonspacing marks: café -> cafe. Hangul comes out as Jamo: they are letters, not marks."""
    return [(char, place) for char, place in decompose(text) if not is_mark(char)]


def lowercase(text: Aligned) -> Aligned:
    """Lower case, one character at a time; İ becomes two characters, both with the place of İ."""
    return [(lower, place) for char, place in text for lower in _lower(char)]


def split_words(text: Aligned) -> list[Word]:
    """Cut at blanks, which disappear, and around punctuation signs, each of which is a word of its own."""
    words: list[Word] = []
    current: Aligned = []
    for char, place in [*text, (" ", -1)]:
        blank, alone = is_blank(char), is_punctuation(char)
        if (blank or alone) and current:
            chars, places = zip(*current)
            words.append(Word("".join(chars), places))
            current = []
        if alone:
            words.append(Word(char, (place,)))
        elif not blank:
            current.append((char, place))
    return words


def normalize(text: str, *, lower: bool = True, accents_off: bool = True) -> Aligned:
    """All steps but the last: clean, split CJK, strip accents (accents_off), lower case (lower), in this order.

    Args:
        text: anything that is a str; a lone surrogate counts as a control character.
        lower: turn to lower case.
        accents_off: decompose and drop accents. Independent of `lower`.
    """
    aligned = split_cjk(clean(align(text)))
    if accents_off:
        aligned = strip_accents(aligned)
    return lowercase(aligned) if lower else aligned


def normalized_text(text: str, *, lower: bool = True, accents_off: bool = True) -> str:
    """The normalised text as a str: "Crème  Brûlée" -> "creme  brulee"."""
    return "".join(char for char, _ in normalize(text, lower=lower, accents_off=accents_off))


@cache
def is_blank(char: str) -> bool:
    """Unicode's White_Space: blanks of all widths, tab, line ends (str.isspace adds U+001C … U+001F to it)."""
    return char.isspace() and not "\x1c" <= char <= "\x1f"


@cache
def is_control(char: str) -> bool:
    """Dropped by clean: control, format, private use and surrogate code points, U+FFFD; not tab and line ends."""
    if char in "\t\n\r" or char in CLASSLESS:
        return False
    return char == "\ufffd" or unicodedata.category(char) in {"Cc", "Cf", "Co", "Cs"}


@cache
def is_punctuation(char: str) -> bool:
    """Unicode's classes P…, and all ASCII signs that are neither letter nor digit, such as $ + < = > ^ ` | ~."""
    if char in CLASSLESS:
        return char in EARLIER_PUNCTUATION
    sign = "!" <= char <= "/" or ":" <= char <= "@" or "[" <= char <= "`" or "{" <= char <= "~"
    return sign or char in EARLIER_PUNCTUATION or unicodedata.category(char).startswith("P")


@cache
def is_mark(char: str) -> bool:
    """Nonspacing mark (Mn): what is left of an accent after decomposition."""
    return char in EARLIER_MARKS or (unicodedata.category(char) == "Mn" and char not in CLASSLESS)


@cache
def is_cjk(char: str) -> bool:
    """An ideograph, by block."""
    return any(first <= ord(char) <= last for first, last in CJK_BLOCKS)


@cache
def _nfd(char: str) -> str:
    return char if char in STAYS_WHOLE else unicodedata.normalize("NFD", char)


@cache
def _lower(char: str) -> str:
    return LOWERCASE.get(char) or char.lower()


@cache
def _combining(char: str) -> int:
    return 0 if char in STARTERS else unicodedata.combining(char)
