"""Tokens that are looked for in a text before its words are cut: [MASK], and what was added to a vocabulary later.

The rules are those of the `tokenizers` library.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from course_utils.support.given import listed


@dataclass(frozen=True)
class AddedToken:
    """One such token; all but `id` are named as in tokenizer.json.

    Attributes:
        content: as it is written.
        id: its own, or that of the piece of this name in the vocabulary.
        single_word: it counts only where no letter or digit touches it.
        lstrip, rstrip: it takes along the blanks on its left, on its right.
        normalized: looked for, itself normalised, in the normalised text; otherwise in the text as typed.
        special: left out when ids are turned into text.
    """

    content: str
    id: int
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = True
    special: bool = False


class Finder:
    """Cuts texts at tokens: from the left, the longest where several begin at one place.

    Args:
        tokens: to be found.
        write: how one is written where it is looked for.
    """

    def __init__(self, tokens: Sequence[AddedToken], write: Callable[[str], str] = str) -> None:
        self._tokens = {write(token.content): token for token in tokens}
        if len(self._tokens) < len(tokens):  # the library takes now one, now the other
            alike = [t.content for t in tokens if self._tokens[write(t.content)] is not t]
            told = f"{listed(alike)} and another added token are the same after normalisation"
            raise ValueError(f"{told}: give one of them normalized=false in its file")
        written = sorted(filter(None, self._tokens), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, written)) or "(?!)")  # (?!) is nowhere

    def cut(self, text: str) -> Iterator[tuple[str | None, int, int]]:
        """The parts of a text, each with start and end; of what is no token, None instead of the token."""
        start = 0
        for match in self._pattern.finditer(text):
            token, (begin, end) = self._tokens[match.group()], match.span()
            touched = _in_word(text[begin - 1 : begin]) or _in_word(text[end : end + 1])
            if token.single_word and touched:
                continue
            if token.lstrip:
                begin = max(start, len(text[:begin].rstrip()))
            if token.rstrip:
                end = len(text) - len(text[end:].lstrip())
            yield None, start, begin
            yield token.content, begin, end
            start = end
        yield None, start, len(text)


def _in_word(char: str) -> bool:
    """Whether a character (or none) is part of a word: Unicode's \\w, to which accents belong, unlike Python's."""
    kinds = ("L", "M", "Nd", "Nl", "Pc")
    return bool(char) and (unicodedata.category(char).startswith(kinds) or char in "\u200c\u200d")
