"""The mould of all widgets: inputs go in, a picture and a sentence come out, bad input is refused in words.

A subclass gives its `name` (of the folder with its texts, its view.js and view.css), its `inputs` (the synced traits a
learner can change) and `draw()`. It has no view code: the browser draws `picture` and sends inputs back.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

from course_utils.locale import text
from course_utils.support.lecture import lecture_mode
from course_utils.widgets.colors import variables
from course_utils.widgets.modules import linked

FOLDER = Path(__file__).parent
HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")  # a lone surrogate: UTF-8 has no bytes for it


def _own_style(name: str) -> str:
    """view.css, whose rules win over those of common.css, also over the copy that another widget brings later."""
    file = FOLDER / name / "view.css"
    return f"html:root {{\n{file.read_text('utf-8')}}}" if file.exists() else ""


class BadInput(ValueError):
    """An input that a widget refuses; its message is a sentence for the learner."""


class CourseWidget(anywidget.AnyWidget):
    """Base class: keeps `picture`, `summary` and `error` in step with the inputs.

    Whoever sets a bad input loses nothing: the inputs go back to the last good ones, the picture stays. Set from
    Python it raises BadInput (a ValueError); set in the browser it is told in `error`, in place.

    Attributes:
        picture: all that the browser draws; changes in one piece.
        summary: one line that says in words what is seen. Notebooks print it, screen readers speak it.
        error: why the last input was refused; "" when all is well.
        labels: what is written on the controls, in the learner's language.
    """

    name: ClassVar[str]
    inputs: ClassVar[tuple[str, ...]]
    constants: ClassVar[
        Mapping[str, Any]
    ] = {}  # what view.js must know of the numbers here: limits, palettes

    _course_name = traitlets.Unicode(read_only=True).tag(sync=True)
    _lecture = traitlets.Bool(read_only=True).tag(sync=True)
    _constants = traitlets.Dict(read_only=True).tag(sync=True)
    labels = traitlets.Dict(read_only=True).tag(sync=True)
    picture = traitlets.Dict().tag(sync=True)
    summary = traitlets.Unicode().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "name" in cls.__dict__:
            cls._esm = linked(FOLDER / cls.name / "view.js")
            cls._css = "\n".join(
                [variables(), (FOLDER / "common.css").read_text("utf-8"), _own_style(cls.name)]
            )
            # The browser need not hear back what it said: a message less before the picture.
            for trait in cls.inputs:
                getattr(cls, trait).tag(echo_update=False)
        super().__init_subclass__(**kwargs)

    def __init__(self, **inputs: Any) -> None:
        self._good: dict[str, Any] = {}
        self.set_trait("_course_name", self.name)
        self.set_trait("_lecture", lecture_mode())
        self.set_trait("_constants", dict(self.constants))
        self.set_trait("labels", {"lecture": text("widgets.common.lecture"), **self.say("labels")})
        super().__init__(**inputs)
        self.observe(self._redraw, names=list(self.inputs))

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; an input of a wrong type is a bad input as any other."""
        if name not in getattr(self, "inputs", ()):
            return super().__setattr__(name, value)
        self._refuse_wrong_type(name, value)
        try:
            super().__setattr__(name, value)
        except traitlets.TraitError as problem:
            raise BadInput(text("widgets.common.wrong_type")) from problem

    def _refuse_wrong_type(self, name: str, value: Any) -> None:
        """Refuse what a trait lets pass: True as a number, and half a character, which no message can carry."""
        for part in _parts(value):
            if isinstance(part, bool) and not isinstance(getattr(type(self), name), traitlets.Bool):
                raise BadInput(text("widgets.common.wrong_type"))
            if isinstance(part, str) and HALF_A_CHARACTER.search(part):
                raise BadInput(text("widgets.common.half_a_character"))

    @classmethod
    def say(cls, key: str, /, **facts: Any) -> Any:
        """One of the widget's own texts, with these facts in it."""
        return text(f"widgets.{cls.name}.{key}", **facts)

    @classmethod
    def bad(cls, reason: str, /, **facts: Any) -> BadInput:
        """What to raise for an input that cannot be drawn: one of the widget's texts under [bad]."""
        return BadInput(cls.say(f"bad.{reason}", **facts))

    def draw(self) -> tuple[dict[str, Any], str]:
        """Compute (picture, summary) from the inputs; raise self.bad(…) for one that cannot be drawn."""
        raise NotImplementedError

    def open(self) -> None:
        """Draw once before the browser hears of the widget, so that a bad widget never comes to be."""
        self._redraw()
        super().open()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take inputs from the browser; what is refused is told in `error` and sent back as it was."""
        problem = ""
        wanted = {name: value for name, value in sync_data.items() if name in self.inputs}
        try:
            for name, value in wanted.items():
                self._refuse_wrong_type(name, value)
            super().set_state(wanted)
        except BadInput as refused:
            problem = str(refused)
        except traitlets.TraitError:
            problem = text("widgets.common.wrong_type")
        if problem:
            self.send_state(list(wanted))
        self.error = problem

    def _redraw(self, _change: Any = None) -> None:
        wanted = {name: getattr(self, name) for name in self.inputs}
        if wanted == self._good:
            self.error = ""
            return
        try:
            with _one_thread():
                picture, summary = self.draw()
        except Exception as problem:
            with self.hold_trait_notifications():  # the last good inputs come back, in one piece
                for name, value in self._good.items():
                    setattr(self, name, value)
            if isinstance(problem, BadInput):
                raise
            raise BadInput(
                text("widgets.common.failed", problem=f"{type(problem).__name__}: {problem}")
            ) from problem
        self._good = wanted
        with self.hold_sync():
            self.picture, self.summary, self.error = picture, summary, ""

    def __repr__(self) -> str:
        return text("widgets.common.repr", title=self.say("labels.title"))


def _parts(value: Any) -> Iterator[Any]:
    """A value, or what a list holds, however deep."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from _parts(part)
    else:
        yield value


@contextmanager
def _one_thread() -> Iterator[None]:
    """torch computes in one thread: for a sentence a second one gains nothing, and it would keep the browser, which is
    to draw next, waiting for a processor."""
    torch = sys.modules.get("torch")  # not imported: nothing computes in it
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
