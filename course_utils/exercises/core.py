"""What an exercise is: data that an answer is judged by, and what a learner may ask of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from IPython import get_ipython
from IPython.display import display

from course_utils.exercises.calling import (
    Unsolved,
    Wrong,
    call,
    describe,
    line_of,
    raise_if_stub,
    undisturbed,
)
from course_utils.exercises.judging import Found, Several, _plainly, judge
from course_utils.exercises.values import Departure, drawn, number, numbers, shown, told_apart
from course_utils.locale import language, raw_text, text
from course_utils.progress import ProgressStore

__all__ = [
    "Departure",
    "Exercise",
    "Found",
    "Several",
    "Unsolved",
    "Verdict",
    "Wrong",
    "call",
    "drawn",
    "number",
    "numbers",
    "shown",
    "told_apart",
]

LEVELS = ("warm-up", "core", "stretch")


@dataclass(frozen=True)
class Verdict:
    """status is "unsolved", "passed" or "failed"; reason is None unless failed; message is the whole sentence."""

    status: str
    reason: str | None
    message: str


class Exercise:
    """One exercise: judge an answer, give hints, show the solution.

    Its texts are in the lesson's texts.*.toml under its id: title, hints, why, and in `wrong` a text for each reason.

    Args:
        id: notebook and number, "02.1". level: one of LEVELS.
        reference: a right answer, a function or class, or the value itself; .solution() shows its source.
        cases: name -> a function that makes the inputs: a tuple, or a list of tuples. The first case is the one that
            the texts work by hand. A name is the reason where nothing more exact is known.
        mistakes: reason -> a wrong answer, or Several(…): real bugs and the cheap trick. Each is the diagnosis of
            those who do the same, and its own test.
        signs: reason -> found -> bool: what is told of a departure that no mistake explains ("rows do not sum to 1").
        properties: reason -> answer -> what breaks it (facts, or True), or None; looked at once the values are right.
        forbids: what the answer may not use: "softmax", any function of that name in torch, numpy and their like;
            "course_utils.masks", a module, or one function of it; "torch", any computing with tensors; "autograd".
        parts: names of the parts of a tuple that is returned -> their places, in the order in which they are looked at.
        facts: reason, or "*" for all -> found -> what its text needs beside the usual {expected}, {actual}, {index},
            {right}, {yours}, {error} and the inputs under the names that the reference gives them.
        texts_of: an exercise of the same lesson whose texts are taken for reasons that this one has no text for.
        run: how the answer is used on a case, (answer, *inputs) -> result, where calling it is not enough.
        compare: (result, right) -> Departure or None, in place of comparing by value.
        show: how {right} and {yours} are written.
        gradients: are those of the reference asked for, where it has any?
        strict: where a tensor is asked for, is it one of that dtype? Else any array of the same numbers.
        atol: see values.Rule.
    """

    def __init__(
        self,
        id: str,
        *,
        level: str,
        reference: Any = None,
        cases: Mapping[str, Callable[[], Any]] | None = None,
        mistakes: Mapping[str, Any] | None = None,
        signs: Mapping[str, Callable[[Found], bool]] | None = None,
        properties: Mapping[str, Callable[[Any], Any]] | None = None,
        forbids: Iterable[str] = (),
        parts: Mapping[str, int] | None = None,
        facts: Mapping[str, Callable[[Found], dict[str, Any]]] | None = None,
        texts_of: str | None = None,
        run: Callable[..., Any] | None = None,
        compare: Callable[[Any, Any], Departure | None] | None = None,
        show: Callable[[Any], str] = shown,
        gradients: bool = True,
        strict: bool = True,
        atol: float = 1e-5,
    ) -> None:
        self.id = id
        self.level = level
        self.reference = reference
        self.is_function = callable(self.reference)
        self.cases = cases or {"value": tuple}  # a value is judged once, on no inputs
        self.mistakes = mistakes or {}
        self.signs = signs or {}
        self.properties = properties or {}
        self.forbids = tuple(forbids)
        self.parts = parts
        self.facts = facts or {}
        self.texts_of = texts_of
        self.run = run or _plainly
        self.compare = compare
        self.show = show
        self.gradients = gradients
        self.strict = strict
        self.atol = atol
        self._hints_shown = 0

    @property
    def key(self) -> str:
        """Where its texts are: "lessons.02.02.1"."""
        return f"lessons.{self.id.split('.')[0]}.{self.id}"

    def __repr__(self) -> str:
        facts = {"title": text(f"{self.key}.title"), "level": text(f"exercises.level.{self.level}")}
        return text("exercises.words.repr", id=self.id, **facts)

    def judge(self, answer: Any) -> Verdict:
        """Judge an answer without printing or recording; the random state is left as it was."""
        try:
            with undisturbed():
                self._judge(answer)
        except Unsolved:
            return Verdict("unsolved", None, text("exercises.verdict.unsolved", id=self.id))
        except Wrong as wrong:
            return self._failed(wrong)
        except (Exception, SystemExit) as error:
            return self._failed(Wrong("raised", error=describe(error) + line_of(error)))
        return Verdict("passed", None, text("exercises.verdict.passed", id=self.id))

    def check(self, answer: Any) -> None:
        """Judge an answer, show the verdict, and remember it unless the answer is still the stub."""
        verdict = self.judge(answer)
        said = [verdict.message]
        if verdict.status != "unsolved":
            said.append(ProgressStore().record_attempt(self.id, passed=verdict.status == "passed") or "")
        message = "\n".join(filter(None, said))
        if get_ipython() is None:
            print(message)
        else:
            display(self._card(message, verdict.status))

    def hint(self) -> None:
        """Print the next hint; after the last one, the last one again."""
        hints = text(f"{self.key}.hints")
        if self._hints_shown >= len(hints):
            print(text("exercises.words.no_more_hints"))
        self._hints_shown = min(self._hints_shown + 1, len(hints))
        print(self._hints(self._hints_shown)[-1])

    def solution(self) -> None:
        """Print our solution and the reason behind it."""
        print(self._solution())

    def first_text(self, *reasons: str) -> str:
        """The first of these reasons that has a text, the exercise's own or one for any exercise; else "other"."""
        return next((reason for reason in reasons if reason and self._text_of(reason)), "other")

    def _hints(self, shown: int) -> list[str]:
        """The first hints; it is remembered that they were seen."""
        hints = text(f"{self.key}.hints")
        said = [
            text("exercises.words.hint", number=number, total=len(hints), hint=hint)
            for number, hint in enumerate(hints[:shown], 1)
        ]
        note = ProgressStore().record_hint(self.id, shown)
        return [*said[:-1], "\n".join(filter(None, [said[-1], note]))]

    def _solution(self) -> str:
        source = inspect.getsource(self.reference) if callable(self.reference) else f"{self.reference!r}\n"
        title = text("exercises.words.solution", id=self.id, title=text(f"{self.key}.title"))
        return "\n".join([title, "", source, text("exercises.words.why", why=text(f"{self.key}.why"))])

    def _card(self, said: str, status: str) -> Any:
        """What JupyterLab shows; elsewhere it is `said`."""
        from course_utils.exercises import marks_of, progress_told  # they import this file
        from course_utils.widgets import ExerciseCard

        parts = {
            f"hint {number}": lambda number=number: "\n".join(self._hints(number))
            for number in range(1, len(text(f"{self.key}.hints")) + 1)
        }
        parts |= {"solution": self._solution, "progress": progress_told}
        state = {"passed": "right", "failed": "wrong"}.get(status, "")
        return ExerciseCard(said, state, parts, lambda: marks_of(self.id[:2], ProgressStore().load()[0]))

    def _judge(self, answer: Any) -> None:
        if answer is None or answer is Ellipsis:
            raise Unsolved
        try:
            judge(self, answer)
        except NotImplementedError as error:
            raise_if_stub(error)
            raise

    def _text_of(self, reason: str) -> str | None:
        """The key of the text for a reason."""
        topic = self.key.removesuffix(self.id)
        for key in (self.key, f"{topic}{self.texts_of}", "exercises"):
            with suppress(KeyError):
                raw_text(language(), f"{key}.wrong.{reason}")
                return f"{key}.wrong.{reason}"
        return None

    def _failed(self, wrong: Wrong) -> Verdict:
        """In the exercise's own words, else in those for any exercise; where a fact is missing, in none."""
        message = text("exercises.wrong.other")
        with suppress(KeyError, AttributeError):
            message = text(self._text_of(wrong.reason) or "exercises.wrong.other", **wrong.facts)
        for place, instead in text("exercises.words.nowhere"):  # a result of one number has none
            message = message.replace(place, instead)
        return Verdict("failed", wrong.reason, text("exercises.verdict.failed", id=self.id, message=message))
