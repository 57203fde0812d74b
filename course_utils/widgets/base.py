"""The mould of all widgets: inputs go in, a picture and a sentence come out, bad input is refused in words.

A subclass gives its `name` (of the folder with its texts, its view.js and view.css), its `inputs` (the synced traits a
learner can change) and `draw()`. It has no view code: the browser draws `picture` and sends inputs back.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

from course_utils.locale import text
from course_utils.support.given import composed
from course_utils.support.lecture import lecture_mode
from course_utils.widgets.colors import variables
from course_utils.widgets.modules import linked
from course_utils.widgets.refusals import BadInput
from course_utils.widgets.shown import readable

FOLDER = Path(__file__).parent
LONGEST_TOLD = 60  # letters of a choice that is none
HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")  # a lone surrogate: UTF-8 has no bytes for it


def _own_style(name: str) -> str:
    """view.css, whose rules win over those of common.css, also over the copy that another widget brings later."""
    file = FOLDER / name / "view.css"
    return f"html:root {{\n{file.read_text('utf-8')}}}" if file.exists() else ""


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
    composes: ClassVar[bool] = True  # whether Hangul that comes in Jamo (NFD) is read as its syllables
    # What view.js must know of the numbers here: limits, palettes.
    constants: ClassVar[Mapping[str, Any]] = {}

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

    def __init__(self, **start: Any) -> None:
        """`start`: the inputs to begin with; the others have their defaults."""
        self._know(start)
        self._good: dict[str, Any] = {}
        self.set_trait("_course_name", self.name)
        self.set_trait("_lecture", lecture_mode())
        self.set_trait("_constants", dict(self.constants))
        common = {name: text(f"widgets.common.{name}") for name in ("lecture", "stopped")}
        self.set_trait("labels", common | self.say("labels"))
        super().__init__(**start)
        self.observe(self._redraw, names=list(self.inputs))

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; an input of a wrong type is a bad input as any other."""
        if name not in getattr(self, "inputs", ()):
            return super().__setattr__(name, value)
        try:
            super().__setattr__(name, self._taken(name, value))
        except traitlets.TraitError as problem:
            raise BadInput(text("widgets.common.wrong_type")) from problem

    def _taken(self, name: str, value: Any) -> Any:
        """An input with its Hangul composed; refuses what a trait lets pass: True as a number, and half a character,
        which no message can carry."""
        for part in _parts(value):
            if isinstance(part, bool) and not isinstance(getattr(type(self), name), traitlets.Bool):
                raise BadInput(text("widgets.common.wrong_type"))
            if isinstance(part, str) and HALF_A_CHARACTER.search(part):
                raise BadInput(text("widgets.common.half_a_character"))
        return composed(value) if self.composes and isinstance(value, str) else value

    @classmethod
    def say(cls, key: str, /, **facts: Any) -> Any:
        """One of the widget's own texts, with these facts in it."""
        return text(f"widgets.{cls.name}.{key}", **facts)

    @classmethod
    def bad(cls, reason: str, /, **facts: Any) -> BadInput:
        """What to raise for an input that cannot be drawn: one of the widget's texts under [bad]."""
        return BadInput(cls.say(f"bad.{reason}", **facts))

    # ---- what most widgets refuse

    def within(self, **bounds: tuple[float, float]) -> None:
        """Refuse each of these inputs that is not from its first bound to its second, as a number or as a list."""
        for name, (low, high) in bounds.items():
            for value in _parts(getattr(self, name)):
                if not low <= value <= high:  # also refuses NaN
                    facts = {"low": _plain(low), "high": _plain(high), "actual": _plain(value)}
                    raise BadInput(text("widgets.common.range", name=self._called(name), **facts))

    def one_of(self, **choices: Collection[str]) -> None:
        """Refuse each of these inputs that is not, or has a part that is not, among its choices."""
        for name, known in choices.items():
            for value in _parts(getattr(self, name)):
                if value not in known:
                    facts = {"known": ", ".join(filter(None, known)), "actual": readable(value, LONGEST_TOLD)}
                    raise BadInput(text("widgets.common.choice", name=self._called(name), **facts))

    def typed(self, **longest: int) -> None:
        """Refuse each of these texts that is empty, with the widget's own words, or has more letters than this."""
        for name in longest:
            if not getattr(self, name).strip():
                raise self.bad("empty", name=self._called(name))
        self.no_longer(**longest)

    def no_longer(self, **longest: int) -> None:
        """Refuse each of these texts that has more letters than this."""
        for name, most in longest.items():
            letters = len(getattr(self, name))
            if letters > most:
                facts = {"name": self._called(name), "most": most, "actual": letters}
                raise BadInput(text("widgets.common.long", **facts))

    def split(self, most: int) -> list[str]:
        """The words of `sentence`, split at spaces, 1 to `most` of them."""
        words = self.sentence.split()
        if not 1 <= len(words) <= most:
            raise BadInput(
                text(f"widgets.common.{'many' if words else 'none'}", most=most, actual=len(words))
            )
        return words

    def _called(self, name: str) -> str:
        """What is written on the control of an input, or its name: some labels are patterns."""
        label = self.labels.get(name, name)
        return name if "{" in label else label

    # ---- drawing

    def draw(self) -> tuple[dict[str, Any], str]:
        """Compute (picture, summary) from the inputs; raise self.bad(…) for one that cannot be drawn."""
        raise NotImplementedError

    @contextmanager
    def tried(self, **inputs: Any) -> Iterator[CourseWidget]:
        """Show the widget as it began, but for these inputs; after the block all are back where they were.

            with explorer.tried(layer=3):
                print(explorer.summary)

        So a cell prints the same whatever was played before, and leaves what one plays with alone, also when it stops
        with an error. The browser hears of it when the block ends, in one message.
        """
        self._know(inputs)
        before = {name: getattr(self, name) for name in self.inputs}
        with self.hold_sync():
            try:
                self._set(self._start | inputs)
                yield self
            finally:
                self._set(before)

    def _know(self, inputs: Mapping[str, Any]) -> None:
        if unknown := inputs.keys() - set(self.inputs):
            raise TypeError(f"{type(self).__name__} has no input {', '.join(sorted(unknown))}")

    def _set(self, inputs: Mapping[str, Any]) -> None:
        """Change inputs in one piece: what stands between two of them is neither drawn nor refused."""
        with self.hold_trait_notifications():
            for name, value in inputs.items():
                setattr(self, name, value)

    def open(self) -> None:
        """Draw once before the browser hears of the widget, so that a bad widget never comes to be."""
        self._redraw()
        self._start = self._good
        super().open()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take inputs from the browser; what is refused is told in `error` and sent back as it was."""
        problem = ""
        wanted = {name: value for name, value in sync_data.items() if name in self.inputs}
        try:
            super().set_state({name: self._taken(name, value) for name, value in wanted.items()})
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
        with self.hold_sync():  # what belongs together reaches the browser together
            try:
                with _one_thread():
                    picture, summary = self.draw()
            except Exception as problem:
                self._set(self._good)
                if isinstance(problem, BadInput):
                    raise
                reason = f"{type(problem).__name__}: {problem}"
                raise BadInput(text("widgets.common.failed", problem=reason)) from problem
            self._good = wanted
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


def _plain(value: float) -> str:
    return f"{value:.10g}".replace("-", "−").replace("inf", "∞")


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
