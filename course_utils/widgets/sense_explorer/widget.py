"""The learner's own sentence: which sense a word has there, where it lands among known ones, what moved it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.refusals import BadInput, as_array
from course_utils.widgets.sense_map.widget import Example, framed, sense_name
from course_utils.widgets.shown import Pieces, unread

LONGEST_SENTENCE = 120
UNSURE = 0.6  # a best score below this is called unsure
PAUSE = 0.15  # seconds without a key, after which the words of the context are weighed


class Reading(NamedTuple):
    """What a model makes of a word in a sentence."""

    scores: Sequence[tuple[str, float]]  # (sense, score), the best first; they sum to 1
    place: ArrayLike  # (2,), in the map of the word's examples
    # (start, end, by how much) of each word of the context; or what finds them, and may take its time: while someone
    # types it is called in the pauses only
    moved: Sequence[tuple[int, int, float]] | Callable[[], Sequence[tuple[int, int, float]]]


class SenseExplorer(CourseWidget):
    """Type a sentence with one of the words; see its sense, its place on the map, and which words moved it there.

    Choosing a word that the sentence lacks brings that word's first example sentence; typing a sentence without the
    chosen word, but with another one, chooses that.

    Args:
        sentence: what to start from; holds one of the words by itself.
        examples: word -> its Examples, or tuples (sentence, start, end, sense): the points of its map.
        place: word -> (N, 2), where its N examples lie; asked once each.
        read: (sentence, word, occurrence) -> Reading, or such a tuple. A ValueError of it is told to the learner; its
            facts["inside"] names the other words of which the word is only a part (contextual.WordNotFound); one with
            another `reason` is told in the learner's language.
        occurrences: (sentence, word) -> [(start, end), …], where the word stands by itself, such as
            course_utils.contextual.occurrences.
        pieces: text -> [(piece, (start, end)), …], as the tokenizer cuts it: what becomes [UNK] is told.

    Attributes:
        sentence: str of at most 120 characters.
        word: one of examples.
        occurrence: which one is read where the word stands more than once, from 0 (the last, if there are fewer).
        background: the points of the word's map, and the kind of each; apart from `picture`, since most keys leave them
            where they are.
    """

    name = "sense_explorer"
    inputs = ("sentence", "word", "occurrence")

    sentence = traitlets.Unicode().tag(sync=True)
    word = traitlets.Unicode().tag(sync=True)
    occurrence = traitlets.Int(0).tag(sync=True)
    background = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        sentence: str,
        *,
        examples: Mapping[str, Sequence[tuple[str, int, int, str]]],
        place: Callable[[str], ArrayLike],
        read: Callable[[str, str, int], tuple],
        occurrences: Callable[[str, str], Sequence[tuple[int, int]]],
        word: str | None = None,
        pieces: Pieces = lambda text: (),
    ) -> None:
        self._examples = {name: [Example(*row) for row in rows] for name, rows in examples.items()}
        self._place, self._read, self._occurrences, self._pieces = cache(place), read, occurrences, pieces
        self._typed = False  # whether the inputs come from the browser just now
        self._weighing: asyncio.TimerHandle | None = None
        found = [name for name in self._examples if occurrences(sentence, name)]
        super().__init__(sentence=sentence, word=word or next(iter(found or self._examples)))

    @traitlets.observe("word")
    def _bring_sentence(self, change: Any) -> None:
        rows = self._examples.get(self.word)
        if self._good and rows and not self._occurrences(self.sentence, self.word):
            self.sentence = rows[0].sentence

    @traitlets.observe("sentence")
    def _follow_sentence(self, change: Any) -> None:
        if self._good and self.word not in self.sentence:
            found = [name for name in self._examples if self._occurrences(self.sentence, name)]
            if found:
                self.word = found[0]

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """As CourseWidget; words of the context that are found by a function may come a moment later."""
        self._typed = True
        try:
            super().set_state(sync_data)
        finally:
            self._typed = False

    def _weigh(self) -> None:
        """Draw again, with the words of the context."""
        with self.hold_sync():
            self.picture, self.summary = self.draw()

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's words and bars, and its sentence; the points go to `background`."""
        spans = self._spans()
        chosen = min(self.occurrence, len(spans) - 1)
        try:
            reading = Reading(*self._read(self.sentence, self.word, chosen))
            moved = self._moved(reading)
        except ValueError as problem:
            if reason := getattr(problem, "reason", None):  # WordNotFound: the word is part of an [UNK]
                reason = text(f"words.{reason}", **problem.facts)
                raise BadInput(text("widgets.common.refused", reason=reason)) from problem
            raise self.bad("refused", problem=problem) from problem
        rows = self._examples[self.word]
        points = as_array(self._place(self.word), len(rows), 2, what="place")
        senses = list(dict.fromkeys(row.sense for row in rows))
        scaled = framed(np.vstack([points, as_array(reading.place, 2, what="place")]))
        picture = {
            "words": list(self._examples),
            "senses": [{"name": name, "shown": sense_name(self.word, name)} for name in senses],
            "bars": [
                {"kind": senses.index(sense), "shown": sense_name(self.word, sense), "score": score}
                for sense, score in reading.scores
            ],
            "own": scaled[-1],
            "parts": self._parts(spans[chosen], moved or []),
            "weighing": moved is None,
            "count": len(spans),
            "chosen": chosen,
        }
        said = self._say(reading, moved, len(spans), chosen)
        kinds = [senses.index(row.sense) for row in rows]
        self.set_trait("background", {"points": scaled[:-1], "kinds": kinds})
        return picture, said

    def _moved(self, reading: Reading) -> Sequence[tuple[int, int, float]] | None:
        """The words of the context, or None if they come after the pause."""
        if self._weighing:  # of the inputs before; a refused input never comes here, so theirs still follow
            self._weighing.cancel()
        if not callable(reading.moved):
            return reading.moved
        if self._typed:
            try:
                self._weighing = asyncio.get_running_loop().call_later(PAUSE, self._weigh)
                return None
            except RuntimeError:  # no loop, nothing that could come later
                pass
        return reading.moved()

    def _spans(self) -> Sequence[tuple[int, int]]:
        """Where the word stands; refuses a sentence in which it does not, and says why."""
        self.one_of(word=self._examples)
        self.typed(sentence=LONGEST_SENTENCE)
        self.within(occurrence=(0, math.inf))
        spans = self._occurrences(self.sentence, self.word)
        if not spans:
            raise self._not_found()
        return spans

    def _not_found(self) -> BadInput:
        """Why the word does not stand in the sentence; whoever reads sentences says in what words it was only seen."""
        facts = {"word": self.word, "words": " ".join(self._examples), "pieces": ""}
        try:
            self._read(self.sentence, self.word, 0)
        except ValueError as problem:
            facts["pieces"] = getattr(problem, "facts", {}).get("inside", "")
        return self.bad("inside" if facts["pieces"] else "absent", **facts)

    def _parts(self, own: tuple[int, int], moved: Sequence[tuple[int, int, float]]) -> list[dict[str, Any]]:
        """The sentence cut into the word itself, the words of its context with how much each moved it, and the rest."""
        marked = sorted([(*own, None), *moved], key=lambda part: part[0])
        most = max((abs(by) for _, _, by in moved), default=0.0) or 1.0
        parts, end = [], 0
        for start, stop, by in marked:
            if start > end:
                parts.append({"text": self.sentence[end:start], "role": "rest"})
            role = "word" if by is None else "context"
            share = 0.0 if by is None else by / max(most, 0.5)
            parts.append(
                {"text": self.sentence[start:stop], "role": role, "moved": by or 0.0, "share": share}
            )
            end = stop
        if end < len(self.sentence):
            parts.append({"text": self.sentence[end:], "role": "rest"})
        return parts

    def _say(
        self, reading: Reading, moved: Sequence[tuple[int, int, float]] | None, count: int, chosen: int
    ) -> str:
        (best, score), *others = reading.scores
        facts = {"word": self.word, "best": sense_name(self.word, best), "score": round(100 * score)}
        said = []
        if count > 1:
            said.append(self.say("several", word=self.word, count=count, number=chosen + 1))
        said.append(self.say("sure" if score >= UNSURE else "unsure", **facts))
        if others:
            facts = {"next": sense_name(self.word, others[0][0]), "score": round(100 * others[0][1])}
            said.append(self.say("next", **facts))
        said += unread(self._pieces, self.sentence)
        if moved is None:
            return " ".join(said)
        start, end, by = max(moved, key=lambda part: part[2], default=(0, 0, 0.0))
        if by > 0:
            said.append(self.say("moved", context=self.sentence[start:end]))
        else:
            said.append(self.say("unmoved"))
        return " ".join(said)
