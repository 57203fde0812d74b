"""What the four heads of TaskHeads gave, checked and made ready for drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from course_utils.locale import text
from course_utils.widgets.refusals import BadInput, as_array, as_weights
from course_utils.widgets.shown import percent, readable, signed

MOST_WORDS = 64
MOST_PIECES = 200  # of a passage
MOST_ALIKE = 5.0  # the scale of KorSTS: 0 nothing in common … 5 the same
LONGEST_NAME = 24  # letters of a label, a word, a piece
LONGEST_ANSWER = 60  # letters
OUTSIDE = "O"  # the tag of a word that is in no name


@dataclass(frozen=True)
class Found:
    """What a reading head said of T pieces.

    Attributes:
        pieces: T, as the page shows them.
        start, end: (T,), the probability that the answer begins, ends there.
        span: the first and last piece of the best legal pair.
        answer: its text.
        margin, threshold: it is given where margin > threshold.
    """

    pieces: list[str]
    start: np.ndarray
    end: np.ndarray
    span: tuple[int, int]
    answer: str
    margin: float
    threshold: float

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Found:
        """From what `answer` gave."""
        pieces = [_name(piece) for piece in found["pieces"]]
        _check_count("pieces", len(pieces), MOST_PIECES)
        start, end = (as_array(found[name], len(pieces), what=name) for name in ("start", "end"))
        answer = readable(str(found["answer"]), LONGEST_ANSWER)
        return cls(pieces, start, end, tuple(found["span"]), answer, found["margin"], found["threshold"])

    @property
    def answered(self) -> bool:
        """Whether the passage is said to have an answer."""
        return self.margin > self.threshold

    def picture(self) -> dict[str, Any]:
        """The two bars of each piece, and which pieces are the best pair's."""
        first, last = self.span
        return {
            "pieces": [
                {
                    "piece": piece,
                    "start": round(float(begins), 4),
                    "end": round(float(ends), 4),
                    "inside": first <= place <= last,
                }
                for place, (piece, begins, ends) in enumerate(
                    zip(self.pieces, self.start, self.end, strict=True)
                )
            ],
            "answered": self.answered,
            "answer": self.answer,
            "rule": self._told("above" if self.answered else "below"),
        }

    def say(self) -> str:
        """The answer, or that there is none."""
        return self._told("answered" if self.answered else "unanswered")

    def _told(self, key: str) -> str:
        margin, threshold = signed(self.margin, 1), signed(self.threshold, 1)
        return text(f"widgets.task_heads.{key}", answer=self.answer, margin=margin, threshold=threshold)


def classes_of(found: Mapping[str, Mapping[str, float]]) -> list[dict[str, Any]]:
    """For each task its name and a bar for each label, in the order given; the likeliest is marked."""
    tasks = []
    for name, labels in found.items():
        shares = as_weights(list(labels.values()), len(labels), what=name)
        best = int(shares.argmax())
        bars = [
            {
                "label": _name(label),
                "share": round(float(share), 4),
                "shown": _share(share),
                "best": at == best,
            }
            for at, (label, share) in enumerate(zip(labels, shares, strict=True))
        ]
        tasks.append({"name": _name(name), "bars": bars})
    return tasks


def likeness_of(found: float) -> dict[str, Any]:
    """The score as it is, and as a place on the meter, whose ends it may pass: a head for a number knows no bounds."""
    score = as_array(found, what="compare")
    inside = float(np.clip(score, 0, MOST_ALIKE))
    return {
        "share": round(inside / MOST_ALIKE, 4),
        "score": round(inside, 2),
        "shown": signed(float(score), 2),
    }


def words_of(found: Iterable[tuple[str, str, float]]) -> list[dict[str, Any]]:
    """For each word its tag, the probability of that tag, and whether it goes on with the name before it."""
    rows = [(str(word), str(tag), float(share)) for word, tag, share in found]
    _check_count("words", len(rows), MOST_WORDS)
    words = []
    for place, (word, tag, share) in enumerate(rows):
        before = rows[place - 1][1] if place else OUTSIDE
        words.append(
            {
                "word": _name(word),
                "tag": _name(tag),
                "share": round(share, 4),
                "shown": _share(share),
                "outside": tag == OUTSIDE,
                "joined": tag.startswith("I-") and before in (f"B-{tag[2:]}", tag),
            }
        )
    return words


def names_in(words: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each name with its kind: 'New York (LC)'; of tags that are in no BIO form, each word with its tag."""
    names: list[list[str]] = []
    for word in words:
        if word["joined"]:
            names[-1][0] += f" {word['word']}"
        elif not word["outside"]:
            names.append([word["word"], word["tag"].removeprefix("B-").removeprefix("I-")])
    return [f"{word} ({kind})" for word, kind in names]


def _share(share: float) -> str:
    """In whole percent; what would be 0 and is not nothing, is told as that."""
    return "<1 %" if 0 < share < 0.005 else percent(share)


def _name(label: Any) -> str:
    """A label as the page shows it."""
    return readable(str(label), LONGEST_NAME)


def _check_count(of: str, count: int, most: int) -> None:
    if not 1 <= count <= most:
        raise BadInput(text(f"widgets.task_heads.bad.{of}", most=most, actual=count))
