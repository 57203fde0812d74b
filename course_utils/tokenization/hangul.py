"""Hangul made visible: a syllable is one code point (NFC) or two to three Jamo (NFD), and looks the same.

    code point = 0xAC00 + (initial · 21 + medial) · 28 + final        배 = 0xAC00 + (7 · 21 + 1) · 28 + 0 = U+BC30

Unicode's table of decompositions lists no syllable: this formula is the table (The Unicode Standard, section 3.12).
An uncased BERT model strips accents, for which it decomposes everything: 배 becomes ᄇ ᅢ, and a vocabulary that has
배 but no Jamo no longer knows it.
"""

from __future__ import annotations

from course_utils.support.given import shown

SYLLABLES, INITIALS, MEDIALS, FINALS = 0xAC00, 0x1100, 0x1161, 0x11A7  # FINALS + 0 stands for "no final"
INITIAL_COUNT, MEDIAL_COUNT, FINAL_COUNT = 19, 21, 28
SYLLABLE_COUNT = INITIAL_COUNT * MEDIAL_COUNT * FINAL_COUNT  # 11,172


def is_syllable(char: str) -> bool:
    """One of the 11,172 composed syllables 가 … 힣."""
    return len(char) == 1 and SYLLABLES <= ord(char) < SYLLABLES + SYLLABLE_COUNT


def to_jamo(syllable: str) -> str:
    """배 (U+BC30) -> ᄇ ᅢ (U+1107 U+1162); 밤 -> three Jamo. ValueError for what is no composed syllable."""
    if not is_syllable(syllable):
        raise ValueError(f"expected one composed syllable (가 … 힣), got {shown(syllable)}")
    rest, final = divmod(ord(syllable) - SYLLABLES, FINAL_COUNT)
    initial, medial = divmod(rest, MEDIAL_COUNT)
    jamo = chr(INITIALS + initial) + chr(MEDIALS + medial)
    return jamo + chr(FINALS + final) if final else jamo
