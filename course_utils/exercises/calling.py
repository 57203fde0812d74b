"""Calling a learner's answer: on copies, from a fixed seed, with words for what goes wrong on the way."""

from __future__ import annotations

import dis
import linecache
import random
import sys
import traceback
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from course_utils.locale import text


class Wrong(Exception):
    """An answer breaks a property; `reason` names the text that says so, `facts` fill it."""

    def __init__(self, reason: str, /, **facts: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.facts = facts


class Unsolved(Exception):
    """The answer is still the stub, or has a body and yet returned what a stub does: the parts of that, in `args`."""


def call(answer: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call the learner's function, class or module with copies of the arguments.

    Gradients flow through the copies back to the given tensors.

    Returns:
        What it returned.

    Raises:
        Unsolved: if it returned None or Ellipsis, or a tuple of nothing else, and did nothing else either; or if it
            raised NotImplementedError.
        Wrong: "not_callable", "raised", "no_return" if it printed or wrote into an argument instead of returning, or
            "mutates_input" with the place of the argument it wrote into.
    """
    if not callable(answer):
        raise Wrong("not_callable", actual=name_of(answer))
    given = [*args, *kwargs.values()]
    copies = [copy_of(value) for value in given]
    named = dict(zip(kwargs, copies[len(args) :], strict=True))
    run = answer
    if isinstance(answer, torch.nn.Module) and "_modules" not in vars(answer):
        run = answer.forward  # a stub without super().__init__() cannot be called as a module
    with _listening() as printed:
        try:
            result = run(*copies[: len(args)], **named)
        except (Exception, SystemExit) as error:
            raise_if_stub(error)
            raise Wrong("raised", error=describe(error) + line_of(error)) from error
    changed = [
        place for place, (mine, own) in enumerate(zip(copies, given), start=1) if not unchanged(mine, own)
    ]
    if is_stub(result) and (printed or changed):
        raise Wrong("no_return")
    stop_if_stub(result)
    if changed:
        raise Wrong("mutates_input", place=changed[0])
    return result


@contextmanager
def undisturbed(seed: int = 0):
    """From a fixed seed, with gradients; the global random states are as before afterwards."""
    state = random.getstate()
    numpy_random = getattr(sys.modules.get("numpy"), "random", None)
    numpy_state = numpy_random.get_state() if numpy_random else None
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            seed_all(seed)
            yield
    finally:
        random.setstate(state)
        if numpy_random:
            numpy_random.set_state(numpy_state)


def seed_all(seed: int) -> None:
    # torch.manual_seed writes down the whole stack, for a GPU that may come
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    if numpy_random := getattr(sys.modules.get("numpy"), "random", None):
        numpy_random.seed(seed)


@contextmanager
def _listening():
    """A list that is not empty once something was printed; it is printed all the same."""
    heard: list[bool] = []
    out = sys.stdout

    class Ear:
        def write(self, text: str) -> int:
            heard.append(True)
            return out.write(text)

        def __getattr__(self, name: str) -> Any:
            return getattr(out, name)

    sys.stdout = Ear()
    try:
        yield heard
    finally:
        sys.stdout = out


def is_stub(result: Any) -> bool:
    return all(part is None or part is Ellipsis for part in _parts(result))


def stop_if_stub(result: Any) -> None:
    if is_stub(result):
        raise Unsolved(*_parts(result))


def _parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) and result else (result,)


_STUB = {"RESUME", "NOP", "MAKE_CELL", "COPY_FREE_VARS", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}


def is_written(answer: Any) -> bool:
    """Whether a function's body, or that of a module's forward, holds more than `...`, pass or a constant."""
    function = type(answer).forward if isinstance(answer, torch.nn.Module) else answer
    code = getattr(function, "__code__", None)
    return code is None or any(step.opname not in _STUB for step in dis.get_instructions(code))


def raise_if_stub(error: BaseException) -> None:
    """A NotImplementedError means the stub, unless it is torch's, which lacks an operation for some dtype."""
    if isinstance(error, NotImplementedError) and "not implemented for" not in str(error):
        raise Unsolved from error


def copy_of(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.clone()
    if type(value) in (list, tuple):
        return type(value)(copy_of(item) for item in value)
    if type(value) is dict:
        return {name: copy_of(item) for name, item in value.items()}
    return value


def unchanged(copied: Any, original: Any) -> bool:
    if isinstance(original, Tensor):
        if copied.shape != original.shape or copied.dtype != original.dtype:
            return False
        same = (copied == original) | ((copied != copied) & (original != original))  # NaN stays NaN
        return bool(same.all())
    if type(original) in (list, tuple):
        return len(copied) == len(original) and all(map(unchanged, copied, original))
    if type(original) is dict:
        return copied.keys() == original.keys() and all(
            unchanged(copied[name], original[name]) for name in original
        )
    if original is None or isinstance(original, str | int):
        return type(copied) is type(original) and copied == original
    return True  # handed over as it is


def describe(error: BaseException) -> str:
    """The kind of error and the first line of what it says."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def line_of(error: BaseException) -> str:
    """The last line of the learner's own code on the way to an error, in words; "" where there is none."""
    steps = [step for step in traceback.walk_tb(error.__traceback__) if _is_learners(step[0])]
    frame, number = steps[-1] if steps else (None, 0)
    source = frame and linecache.getline(frame.f_code.co_filename, number, frame.f_globals).strip()
    return text("exercises.words.line", number=number, source=source) if source else ""


def _is_learners(frame: Any) -> bool:
    return frame.f_globals.get("__name__") == "__main__"


def name_of(value: Any) -> str:
    name = type(value).__name__
    return f"{name}({len(value)})" if isinstance(value, tuple | list) else name
