"""What an exercise says of an answer; hints, solution and progress open below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from course_utils.widgets.base import CourseWidget


class ExerciseCard(CourseWidget):
    """A verdict in colour, and buttons. As plain text, in a terminal or on a saved page, it is the verdict alone.

    Args:
        said: the verdict.
        state: "right", "wrong", or "" where there is no answer yet.
        parts: what may be opened -> what makes its text: "hint 1", …, "solution", "progress".
        marks: makes what is written on the button of the progress.

    Attributes:
        asked: what is open, one of the parts; "": nothing.
    """

    name = "exercise_card"
    inputs = ("asked",)

    asked = traitlets.Unicode().tag(sync=True)

    def __init__(
        self, said: str, state: str, parts: Mapping[str, Callable[[], str]], marks: Callable[[], str]
    ) -> None:
        # Half a character, in the learner's own words, has no bytes to be sent as.
        self._said = said.encode("utf-8", "backslashreplace").decode()
        self._state, self._parts, self._marks = state, parts, marks
        super().__init__()

    def draw(self) -> tuple[dict[str, Any], str]:
        """The part that is open, how many hints there are, the progress."""
        self.one_of(asked=["", *self._parts])
        opened = self._parts[self.asked]() if self.asked else ""
        hints = sum(part.startswith("hint ") for part in self._parts)
        picture = {"state": self._state, "hints": hints, "marks": self._marks(), "asked": self.asked}
        return picture | {"opened": opened}, self._said

    def _repr_mimebundle_(self, **options: Any) -> Any:
        data, metadata = super()._repr_mimebundle_(**options)
        return data | {"text/plain": self._said}, metadata
