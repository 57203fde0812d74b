"""What an exercise is, how an answer is judged, and helpers for writing checks.

A check is a function of the answer that raises Wrong(reason, **facts) at the first property that does not hold. It
calls the answer through `call`, so that the learner's code gets copies of the inputs.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.store import ProgressStore
from course_utils.locale import text

LEVELS = ("warm-up", "core", "stretch")


class Wrong(Exception):
    """An answer breaks a property; `reason` names the text that says so, `facts` fill it."""

    def __init__(self, reason: str, /, **facts: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.facts = facts


class Unsolved(Exception):
    """The answer is still the stub."""


@dataclass(frozen=True)
class Verdict:
    """status is "unsolved", "passed" or "failed"; reason is None unless failed; message is the whole sentence."""

    status: str
    reason: str | None
    message: str


class Exercise:
    """One exercise: judge an answer, give hints, show the solution.

    Its texts are in the lesson's texts.*.toml under its id: title, hints, why, and a text for each reason in `wrong`.
    """

    def __init__(self, id: str, *, level: str, check: Callable[[Any], None], solution: Any) -> None:
        if level not in LEVELS:
            raise ValueError(f"level must be one of {', '.join(LEVELS)}, got {level!r}")
        self.id = id
        self.level = level
        self.reference = solution
        self._check = check
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
            _run_undisturbed(self._check, answer)
        except Unsolved:
            return Verdict("unsolved", None, text("exercises.verdict.unsolved", id=self.id))
        except Wrong as wrong:
            return self._failed(wrong)
        except (Exception, SystemExit) as error:
            return self._failed(Wrong("raised", error=_describe(error)))
        return Verdict("passed", None, text("exercises.verdict.passed", id=self.id))

    def check(self, answer: Any) -> None:
        """Judge an answer, print the verdict, and remember it unless the answer is still the stub."""
        verdict = self.judge(answer)
        print(verdict.message)
        if verdict.status != "unsolved":
            _say(ProgressStore().record_attempt(self.id, passed=verdict.status == "passed"))

    def hint(self) -> None:
        """Print the next hint; after the last one, the last one again."""
        hints = text(f"{self.key}.hints")
        if self._hints_shown >= len(hints):
            print(text("exercises.words.no_more_hints"))
        self._hints_shown = min(self._hints_shown + 1, len(hints))
        number = self._hints_shown
        print(text("exercises.words.hint", number=number, total=len(hints), hint=hints[number - 1]))
        _say(ProgressStore().record_hint(self.id, number))

    def solution(self) -> None:
        """Print our solution and the reason behind it."""
        print(text("exercises.words.solution", id=self.id, title=text(f"{self.key}.title")) + "\n")
        print(inspect.getsource(self.reference) if callable(self.reference) else f"{self.reference!r}\n")
        print(text("exercises.words.why", why=text(f"{self.key}.why")))

    def _failed(self, wrong: Wrong) -> Verdict:
        for key in (
            f"{self.key}.wrong.{wrong.reason}",
            f"exercises.wrong.{wrong.reason}",
            "exercises.wrong.other",
        ):
            with suppress(KeyError):  # first the exercise's own text, then the one for any exercise
                message = text(key, **wrong.facts)
                break
        return Verdict("failed", wrong.reason, text("exercises.verdict.failed", id=self.id, message=message))


# ---- helpers for checks --------------------------------------------------------------------------------------------


def call(answer: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call the learner's function, class or module with copies of the arguments.

    Gradients flow through the copies back to the given tensors.

    Returns:
        What it returned.

    Raises:
        Unsolved: if it returned None or Ellipsis, or a tuple of nothing else.
        Wrong: "not_callable", "raised", or "mutates_input" with the place of the argument it wrote into.
    """
    if not callable(answer):
        raise Wrong("not_callable", actual=_name_of(answer))
    given = [*args, *kwargs.values()]
    copies = [_copy(value) for value in given]
    named = dict(zip(kwargs, copies[len(args) :], strict=True))
    run = answer
    if isinstance(answer, torch.nn.Module) and "_modules" not in vars(answer):
        run = answer.forward  # a stub without super().__init__() cannot be called as a module
    try:
        result = run(*copies[: len(args)], **named)
    except (Exception, SystemExit) as error:
        _raise_if_stub(error)
        raise Wrong("raised", error=_describe(error)) from error
    _stop_if_stub(result)
    for place, (copied, original) in enumerate(zip(copies, given, strict=True), start=1):
        if not _unchanged(copied, original):
            raise Wrong("mutates_input", place=place)
    return result


def expect_tensor(
    result: Any, *, shape: tuple[int, ...] | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return the result if it is a tensor of that shape and dtype, else raise Wrong "type", "shape" or "dtype"."""
    _stop_if_stub(result)
    if not isinstance(result, Tensor):
        raise Wrong("type", expected=text("exercises.words.tensor"), actual=_name_of(result))
    if shape is not None and tuple(result.shape) != tuple(shape):
        raise Wrong("shape", expected=tuple(shape), actual=tuple(result.shape))
    if dtype is not None and result.dtype != dtype:
        raise Wrong("dtype", expected=dtype, actual=result.dtype)
    return result


def expect_tuple(result: Any, length: int) -> tuple[Any, ...]:
    """Return the result if it is a tuple (or list) of that length, else raise Wrong "tuple"."""
    _stop_if_stub(result)
    if not isinstance(result, tuple | list) or len(result) != length:
        raise Wrong("tuple", expected=length, actual=_name_of(result))
    return tuple(result)


def expect_close(
    actual: Tensor, expected: Tensor, reason: str = "value", *, atol: float = 1e-5, **facts: Any
) -> None:
    """Raise Wrong(reason) where the two differ most; the text may use {index}, {expected}, {actual}.

    Args:
        actual: the learner's tensor.
        expected: the right one, of the same shape.
        reason: the reason to give.
        atol: largest difference that counts as equal. NaN equals nothing.
        facts: further facts for the text.
    """
    expect_tensor(actual, shape=tuple(expected.shape))
    difference = (actual.detach().double() - expected.detach().double()).abs().nan_to_num(nan=torch.inf)
    if bool((difference <= atol).all()):
        return
    index = tuple(int(i) for i in torch.unravel_index(difference.argmax(), difference.shape))
    right, given = told_apart(expected.detach()[index], actual.detach()[index])
    raise Wrong(reason, **({"index": index, "expected": right, "actual": given} | facts))


def number(value: Any) -> str:
    """A number as a learner reads it: at most four significant digits."""
    return f"{float(value) + 0.0:.4g}"  # + 0.0: no "-0"


def told_apart(one: Any, other: Any) -> tuple[str, str]:
    """Two different numbers as a learner reads them: four significant digits, or as many as show the difference."""
    for digits in range(4, 18):
        first, second = (f"{float(value) + 0.0:.{digits}g}" for value in (one, other))
        if first != second:
            break
    return first, second


def numbers(values: Tensor) -> str:
    """A vector or matrix as a learner reads it: [0.09, 0.245, 0.665]."""
    if values.dim() == 0:
        return f"{float(values) + 0.0:.3g}"
    return "[" + ", ".join(numbers(row) for row in values.detach()) + "]"


def _run_undisturbed(check: Callable[[Any], None], answer: Any) -> None:
    """Run a check from a fixed seed; give the global random states back afterwards."""
    _stop_if_stub(answer)
    state = random.getstate()
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.default_generator.manual_seed(0)
            check(answer)
    except NotImplementedError as error:
        _raise_if_stub(error)
        raise
    finally:
        random.setstate(state)


def _stop_if_stub(result: Any) -> None:
    parts = result if isinstance(result, tuple) and result else (result,)
    if all(part is None or part is Ellipsis for part in parts):
        raise Unsolved


def _raise_if_stub(error: BaseException) -> None:
    """A NotImplementedError means the stub, unless it is torch's, which lacks an operation for some dtype."""
    if isinstance(error, NotImplementedError) and "not implemented for" not in str(error):
        raise Unsolved from error


def _copy(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.clone()
    if type(value) in (list, tuple):
        return type(value)(_copy(item) for item in value)
    if type(value) is dict:
        return {name: _copy(item) for name, item in value.items()}
    return value


def _unchanged(copied: Any, original: Any) -> bool:
    if isinstance(original, Tensor):
        if copied.shape != original.shape or copied.dtype != original.dtype:
            return False
        same = (copied == original) | ((copied != copied) & (original != original))  # NaN stays NaN
        return bool(same.all())
    if type(original) in (list, tuple):
        return len(copied) == len(original) and all(map(_unchanged, copied, original))
    if type(original) is dict:
        return copied.keys() == original.keys() and all(
            _unchanged(copied[name], original[name]) for name in original
        )
    if original is None or isinstance(original, str | int):
        return type(copied) is type(original) and copied == original
    return True  # handed over as it is


def _describe(error: BaseException) -> str:
    """The kind of error and the first line of what it says."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _name_of(value: Any) -> str:
    name = type(value).__name__
    return f"{name}({len(value)})" if isinstance(value, tuple | list) else name


def _say(note: str | None) -> None:
    if note:
        print(note)
