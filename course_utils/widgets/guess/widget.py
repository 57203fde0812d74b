"""A question to guess at before the cell below it prints the answer, whose output opens when a guess is made."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, ClassVar, SupportsFloat

import traitlets

from course_utils.locale import text
from course_utils.progress import ProgressStore
from course_utils.support.given import shown
from course_utils.widgets.base import CourseWidget


class Guess(CourseWidget):
    """Two to four choices, or a number: guess first, then see what the next cell computes.

        width = Guess("00.a", "How wide is a head?")    # a cell that ends in `width`
        width.answer(768 // 12)                         # in the next one, tagged `answer`, before it prints

    Why it is so stands in the lesson's texts, under ["00.a"]; in the cell it would give the answer away. The output of
    the next cell is saved folded; the browser opens it once guess and answer are there. Until the answer
    is known the guess may be changed. A kernel remembers it when the cell runs again, progress() counts the first.

    Args:
        id: notebook and letter, "00.a".
        question: what is asked, one sentence.
        choices: two to four; none: a number is asked for.
        tolerance: how far off a number may be.

    Attributes:
        guess: what was guessed: one of the choices, or a number as it is typed; "" before.
    """

    name = "guess"
    inputs = ("guess",)
    made: ClassVar[dict[str, str]] = {}  # of this kernel: id -> guess

    guess = traitlets.Unicode().tag(sync=True)

    def __init__(
        self, id: str, question: str, choices: Sequence[str] = (), *, tolerance: float = 0.0
    ) -> None:
        if not re.fullmatch(r"\d\d\.[a-z]", id) or (
            choices and not 2 <= len(set(choices)) == len(choices) <= 4
        ):
            raise self.bad("question", id=shown(id), choices=" · ".join(choices))
        self._id, self._question, self._choices, self._tolerance = id, question, list(choices), tolerance
        self._answer: str | float | None = None
        self._runs = 0  # of the cell with the answer
        kept = self.made.get(id, "")
        super().__init__(guess=kept if self._fits(kept) else "")

    def answer(self, right: str | SupportsFloat) -> None:
        """Say what came out; prints the question, which stands beside a folded output.

        Raises:
            BadInput: if the question cannot be answered so.
        """
        if self._choices and right not in self._choices:
            raise self.bad("answer", known=" · ".join(self._choices), actual=shown(right))
        print(self.say("answer", question=self._question))
        self._answer, self._runs = right if self._choices else float(right), self._runs + 1
        with self.hold_sync():
            self.picture, self.summary = self.draw()

    def draw(self) -> tuple[dict[str, Any], str]:
        """The question, the guess and, once both are there, whether it was right."""
        before = self._good.get("guess", "")
        if self._answer is not None and before and self.guess != before:
            raise self.bad("made", guess=before)
        if self.guess and not self._fits(self.guess):
            known, actual = " · ".join(self._choices), shown(self.guess)
            raise self.bad("choice" if known else "number", known=known, actual=actual)
        state, summary = self._state()
        right = self._right() if state in ("right", "wrong") else ""
        if self.guess:
            self.made[self._id] = self.guess
        picture = {"question": self._question, "choices": self._choices, "guess": self.guess, "state": state}
        within = self.say("within", tolerance=f"{self._tolerance:g}") if self._tolerance else ""
        return picture | {"right": right, "within": within, "runs": self._runs}, summary

    def _fits(self, guess: str) -> bool:
        return guess in self._choices if self._choices else math.isfinite(_number(guess))

    def _state(self) -> tuple[str, str]:
        """Where the question stands, and the sentence that says so."""
        right = self._answer
        if right is None or not self.guess:
            state = "guessed" if self.guess else "asked" if right is None else "answered"
            return state, self.say(state, guess=self.guess)
        if self._choices:
            hit = self.guess == right
        else:
            # a float32 or a decimal is off by this much
            hit = abs(_number(self.guess) - right) <= self._tolerance + 1e-6 * abs(right)
        state = "right" if hit else "wrong"
        note = ProgressStore().record_guess(self._id, right=hit)
        why = text(f"lessons.{self._id[:2]}.{self._id}.why")
        said = self.say(state, guess=self.guess, right=self._right(), why=why)
        return state, f"{said} {note}" if note else said

    def _right(self) -> str:
        right = self._answer
        return right if self._choices else f"{right:,.4f}".rstrip("0").rstrip(".")

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), self._question, *(f"  ○ {choice}" for choice in self._choices)])


def _number(typed: str) -> float:
    """What was typed as a number; NaN where it is none."""
    try:
        return float(typed.replace("−", "-"))
    except ValueError:
        return math.nan
