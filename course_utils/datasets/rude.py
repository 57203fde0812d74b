"""Leave out texts with insults, slurs and sexual words: what fills a blank is projected in class.

The stems are in rude_stems.txt. They are looked for with case, digits and marks taken away (18새★끼 has 새끼) and
blanks kept, since two words that merely follow each other (다시 발견) are none of them.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path

STEMS = Path(__file__).with_name("rude_stems.txt")
_MARKS = re.compile("[^가-힣ㄱ-ㅎㅏ-ㅣa-z ]+")


def rude_stem(text: str) -> str | None:
    """The first stem of rude_stems.txt that stands in a text; None if none does.

    Args:
        text: NFC, words apart by blanks.
    """
    searched = f" {_MARKS.sub('', text.lower())}"
    stem, either = _patterns()
    if not stem.search(searched):
        return None
    return next((found["stem"].strip() for found in either.finditer(searched) if found["stem"]), None)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What finds a stem, and what finds a stem or, rather, the harmless word that it is part of."""
    stems, harmless = read_stems(STEMS.read_text(encoding="utf-8"))
    any_stem = "|".join(  # by first letter: three times as fast as one after the other
        f"{re.escape(first)}(?:{'|'.join(re.escape(stem[1:]) for stem in same)})"
        for first, same in groupby(sorted(stems), key=itemgetter(0))
    )
    return re.compile(any_stem), re.compile(f"{'|'.join(map(re.escape, harmless))}|(?P<stem>{any_stem})")


def read_stems(text: str) -> tuple[list[str], list[str]]:
    """The stems of a list, and the harmless words; a blank at the beginning of either is that of a word."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    stems, harmless = [], []
    for line in lines:
        first, *others = line.split(" -")
        stems += [stem.replace("_", " ") for stem in first.split()]
        harmless += [word.replace("_", " ") for word in others]
    return stems, harmless
