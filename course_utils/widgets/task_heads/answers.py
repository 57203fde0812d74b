"""What the four heads of TaskHeads gave, checked and made ready for drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from course_utils.locale import text
from course_utils.widgets.attention_explorer.side import as_array, readable
from course_utils.widgets.base import BadInput

MOST_TASKS = 3  # that put a sentence into classes
MOST_LABELS = 8
MOST_WORDS = 64
MOST_PIECES = 200  # of a passage
MOST_ALIKE = 5.0  # the scale of KorSTS: 0 nothing in common … 5 the same
LONGEST_NAME = 24  # letters of a label, a word, a piece
LONGEST_ANSWER = 60  # letters
OUTSIDE = "O"  # the tag of a word that is in no name
KEYS = ("pieces", "start", "end", "span", "answer", "margin", "threshold")


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
    def of(cls, found: Any) -> Found:
        """From what `answer` gave."""
        if not isinstance(found, Mapping) or not set(KEYS) <= found.keys():
            raise _bad("keys", expected=", ".join(KEYS))
        pieces = [_name(piece) for piece in found["pieces"]]
        start, end = as_array(found["start"]), as_array(found["end"])
        if not 1 <= len(pieces) <= MOST_PIECES:
            raise _bad("pieces", most=MOST_PIECES, actual=len(pieces))
        for values in (start, end):
            # At most 1: what is missing lies on [CLS] and on the question. The comparison also refuses NaN.
            if values.shape != (len(pieces),) or not ((values >= 0).all() and values.sum() <= 1.01):
                raise _bad("ends", count=len(pieces), actual=values.shape)
        first, last = found["span"]
        if not (first in range(len(pieces)) and last in range(len(pieces)) and first <= last):
            raise _bad("span", last=len(pieces) - 1, actual=(first, last))
        margin, threshold = float(found["margin"]), float(found["threshold"])
        if not np.isfinite([margin, threshold]).all():
            raise _bad("margin")
        answer = readable(str(found["answer"]), LONGEST_ANSWER)
        return cls(pieces, start, end, (int(first), int(last)), answer, margin, threshold)

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
            "rule": text(
                f"widgets.task_heads.{'above' if self.answered else 'below'}",
                margin=signed(self.margin),
                threshold=signed(self.threshold),
            ),
        }

    def say(self) -> str:
        """The answer, or that there is none."""
        facts = {"answer": self.answer, "margin": signed(self.margin), "threshold": signed(self.threshold)}
        return text(f"widgets.task_heads.{'answered' if self.answered else 'unanswered'}", **facts)


def classes_of(found: Any) -> list[dict[str, Any]]:
    """For each task its name and a bar for each label, in the order given; the likeliest is marked."""
    fits = isinstance(found, Mapping) and 1 <= len(found) <= MOST_TASKS
    if not fits or not all(isinstance(labels, Mapping) for labels in found.values()):
        raise _bad("tasks", most=MOST_TASKS)
    tasks = []
    for name, labels in found.items():
        shares = as_array(list(labels.values()))
        if not 2 <= len(labels) <= MOST_LABELS:
            raise _bad("labels", name=_name(name), most=MOST_LABELS, actual=len(labels))
        # 1e-2: they may come from a model in half precision. The comparison also refuses NaN.
        if shares.shape != (len(labels),) or not ((shares >= 0).all() and abs(shares.sum() - 1) <= 1e-2):
            raise _bad("probabilities", name=_name(name))
        best = int(shares.argmax())
        bars = [
            {
                "label": _name(label),
                "share": round(float(share), 4),
                "shown": percent(share),
                "best": at == best,
            }
            for at, (label, share) in enumerate(zip(labels, shares, strict=True))
        ]
        tasks.append({"name": _name(name), "bars": bars})
    return tasks


def likeness_of(found: Any) -> dict[str, Any]:
    """The score as it is, and as a place on the meter, whose ends it may pass: a head for a number knows no bounds."""
    score = as_array(found)
    if score.shape or not np.isfinite(score):
        raise _bad("score", actual=readable(str(found), LONGEST_NAME))
    inside = float(np.clip(score, 0, MOST_ALIKE))
    return {
        "share": round(inside / MOST_ALIKE, 4),
        "score": round(inside, 2),
        "shown": signed(float(score), 2),
    }


def words_of(found: Any) -> list[dict[str, Any]]:
    """For each word its tag, the probability of that tag, and whether it goes on with the name before it."""
    rows = [(str(word), str(tag), float(share)) for word, tag, share in found]
    if not 1 <= len(rows) <= MOST_WORDS:
        raise _bad("words", most=MOST_WORDS, actual=len(rows))
    words = []
    for place, (word, tag, share) in enumerate(rows):
        if not 0 <= share <= 1:
            raise _bad("share", word=_name(word), actual=share)
        before = rows[place - 1][1] if place else OUTSIDE
        words.append(
            {
                "word": _name(word),
                "tag": _name(tag),
                "share": round(share, 4),
                "shown": percent(share),
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


def percent(share: float) -> str:
    """In whole percent; what would be 0 and is not nothing, is told as that."""
    return "<1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def signed(value: float, digits: int = 1) -> str:
    """A number with a true minus sign, and none before zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def _name(label: Any) -> str:
    """A label as the page shows it."""
    return readable(str(label), LONGEST_NAME)


def _bad(reason: str, **facts: Any) -> BadInput:
    return BadInput(text(f"widgets.task_heads.bad.{reason}", **facts))
