"""From a typed text to the ids a model sees: code points, normalisation, words, pieces, offsets."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import traitlets

from course_utils.tokenization import WordPieceTokenizer
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.shown import unread

LONGEST_TEXT = 60
UNKNOWN = "[UNK]"


class TokenInspector(CourseWidget):
    """Type a text and follow it: code points, NFC and NFD, what normalisation leaves, words, pieces, ids, offsets.

    Args:
        sentence: what to start from, at most 60 code points.
        tokenizer: (lowercase, strip_accents) -> tokenizer; asked once for each combination.
        start: any of the attributes.

    Attributes:
        sentence: str; may be empty.
        lowercase: whether the tokenizer turns to lower case.
        strip_accents: whether it decomposes and drops accents.
        piece: which piece is pointed out in the text (the last one, if there are fewer).
    """

    name = "token_inspector"
    inputs = ("sentence", "lowercase", "strip_accents", "piece")
    composes = False  # NFD is what one comes to see

    sentence = traitlets.Unicode().tag(sync=True)
    lowercase = traitlets.Bool(True).tag(sync=True)
    strip_accents = traitlets.Bool(True).tag(sync=True)
    piece = traitlets.Int(0).tag(sync=True)

    def __init__(
        self, sentence: str, *, tokenizer: Callable[[bool, bool], WordPieceTokenizer], **start: Any
    ) -> None:
        self._make = cache(tokenizer)
        super().__init__(sentence=sentence, **start)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's tables and its sentence, from the text and the two switches."""
        typed = self.sentence
        self.no_longer(sentence=LONGEST_TEXT)
        self.within(piece=(0, LONGEST_TEXT))
        tokenizer = self._make(self.lowercase, self.strip_accents)
        kept = tokenizer.normalized(typed)
        pieces = [
            {
                "text": piece,
                "id": tokenizer.vocab[piece],
                "start": start,
                "end": end,
                "unknown": piece == UNKNOWN,
            }
            for piece, (start, end) in tokenizer.pieces(typed)
        ]
        chosen = min(self.piece, len(pieces) - 1)
        span = (pieces[chosen]["start"], pieces[chosen]["end"]) if pieces else (0, 0)
        picture = {
            "characters": _characters(typed, kept),
            "forms": _forms(typed, kept),
            "words": [word for word, _ in tokenizer.words(typed)],
            "pieces": pieces,
            "chosen": chosen,
            "marked": [typed[: span[0]], typed[span[0] : span[1]], typed[span[1] :]],
        }
        return picture, self._say(tokenizer, picture)

    def _say(self, tokenizer: WordPieceTokenizer, picture: dict[str, Any]) -> str:
        forms = {form["name"]: form["count"] for form in picture["forms"]}
        pieces = picture["pieces"]
        unknown = sum(piece["unknown"] for piece in pieces)
        facts = {"words": len(picture["words"]), "pieces": len(pieces), "unknown": unknown}
        said = [self.say("forms", **forms)]
        said.append(self.say("pieces", **facts))
        said += unread(tokenizer.pieces, self.sentence)
        if pieces:
            piece = pieces[picture["chosen"]]
            facts = {"piece": piece["text"], "id": piece["id"], "start": piece["start"], "end": piece["end"]}
            said.append(self.say("here", part=picture["marked"][1], **facts))
        return " ".join(said)


def _characters(typed: str, kept: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    """A row for each code point as typed: number, name, NFD, and what normalisation leaves of it."""
    left: list[list[str]] = [[] for _ in typed]
    for char, place in kept:
        left[place].append(char)
    return [
        {
            "char": char,
            "number": _numbers(char),
            "name": unicodedata.name(char, ""),
            "decomposed": _numbers(unicodedata.normalize("NFD", char)),
            "left": _numbers("".join(own)),
            "changed": "".join(own) != char,
        }
        for char, own in zip(typed, left, strict=True)
    ]


def _forms(typed: str, kept: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    forms = {
        "typed": typed,
        "nfc": unicodedata.normalize("NFC", typed),
        "nfd": unicodedata.normalize("NFD", typed),
        "normalized": "".join(char for char, _ in kept),
    }
    return [
        {"name": name, "text": form, "count": len(form), "bytes": len(form.encode("utf-8"))}
        for name, form in forms.items()
    ]


def _numbers(chars: str) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in chars)
