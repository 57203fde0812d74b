"""What the checks say to wrong answers: kept in said/NN.txt, so that whoever changes a word or a number sees it.

    python -m tests.exercises.said        write what they say now; read the difference before you commit it
    python -m tests.exercises.said 02     for notebook 02 only

A file has every named wrong answer in both languages; after them, in English, answers that return something else
altogether, or are right but for a thousandth, or but for one of the inputs that the check draws.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import torch

from course_utils.exercises import Exercise, exercises_of
from course_utils.exercises.core import Verdict
from course_utils.locale import language

FOLDER = Path(__file__).parent / "said"
AT_MOST = 17  # inputs of an exercise for which an answer is spoilt
STRANGE = {"a word": "글", "7.5": 7.5, "zeros (2, 3)": torch.zeros(2, 3)}
NEARLY = ("  a thousandth off", "  wrong for input ")  # how their lines begin
# Their first inputs are looked at for known faults only; others of the kind are judged further on.
LOOKED_AT = {"09.2": 3, "09.3": 1}


def said(number: str, *, near: bool = True) -> str:
    """All that the checks of a notebook say, as it stands in its file; on request without the nearly right answers."""
    lines = [f"Notebook {number}. Written by: python -m tests.exercises.said {number}"]
    for found in exercises_of(number):
        lines += ["", found.id]
        for reason, answer in wrong_answers(number)[found.id].items():
            lines += [f"  {reason}", *_told(found, answer, "ko"), *_told(found, answer, "en")]
        for name, answer in [*_strange(), *(nearly_right(found) if near else ())]:
            lines += [f"  {name}", *_told(found, answer, "en")]
    return "\n".join(lines) + "\n"


def without_near(text: str) -> str:
    """A file's text, but for what is said to the nearly right answers."""
    kept, left_out = [], False
    for line in text.splitlines():
        if not line.startswith("    "):  # an exercise or an answer, not what is said to it
            left_out = line.startswith(NEARLY)
        kept += [] if left_out else [line]
    return "\n".join(kept) + "\n"


def wrong_answers(number: str) -> dict[str, dict[str, Any]]:
    """Exercise -> reason -> the answer that fails for it."""
    return importlib.import_module(f"tests.exercises.wrong_{number}").WRONG


def judged(found: Exercise, answer: Any) -> Verdict:
    """found.judge(answer) in the language in use, once for every test that asks.

    That judging is repeatable is a test of its own.
    """
    key = found.id, language(), id(answer)
    if key not in _JUDGED:
        _JUDGED[key] = answer, found.judge(answer)  # the answer is kept: no other gets its id
    return _JUDGED[key][1]


_JUDGED: dict[tuple[str, str, int], tuple[Any, Verdict]] = {}


@cache
def nearly_right(found: Exercise) -> tuple[tuple[str, Callable[..., Any]], ...]:
    """Answers to an exercise that asks for a function, each wrong in one place, with what is wrong."""
    return tuple(_nearly_right(found))


def _strange() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, result in STRANGE.items():
        yield name, lambda *args, result=result, **kwargs: result


def _nearly_right(found: Exercise) -> Iterator[tuple[str, Callable[..., Any]]]:
    if not inspect.isfunction(found.reference):
        return
    if off := a_thousandth_off(found):
        yield "a thousandth off", off
    inputs = _inputs(found)
    for place in range(LOOKED_AT.get(found.id, 0), len(inputs), 1 + len(inputs) // AT_MOST):
        one, name = list(inputs)[place], f"wrong for input {place + 1} of {len(inputs)}"
        parts = len(inputs[one]) if isinstance(inputs[one], tuple) else 0
        yield name, _wrong_for(found, one, None)
        for part in range(1, parts):
            yield f"{name} in part {part + 1}", _wrong_for(found, one, part)


def a_thousandth_off(found: Exercise) -> Callable[..., Any] | None:
    """The solution with 0.001 added to each of its floating-point numbers; None if it has none."""
    touched = []

    def off(*args: Any, **kwargs: Any) -> Any:
        return _changed(
            found.reference(*args, **kwargs), lambda value: touched.append(1) or _raised(value, 0.001)
        )

    found.judge(off)
    return off if touched else None


def _told(found: Exercise, answer: Any, language: str) -> list[str]:
    with mock.patch.dict(os.environ, COURSE_LANG=language):
        return [f"    {line}" for line in judged(found, answer).message.splitlines()]


def _inputs(found: Exercise) -> dict[str, Any]:
    """What the check gives to an answer that is right -> what that returns; not what it must refuse."""
    inputs: dict[str, Any] = {}

    def watched(*args: Any, **kwargs: Any) -> Any:
        result = found.reference(*args, **kwargs)
        inputs[_given(args, kwargs)] = result
        return result

    found.judge(watched)
    return inputs


def _wrong_for(found: Exercise, one: str, part: int | None) -> Callable[..., Any]:
    """The solution spoilt for one input: wholly, or one part of what it returns."""

    def answer(*args: Any, **kwargs: Any) -> Any:
        result = found.reference(*args, **kwargs)
        if _given(args, kwargs) != one:
            return result
        return (
            _spoilt(result) if part is None else (*result[:part], _spoilt(result[part]), *result[part + 1 :])
        )

    return answer


def _given(args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """What a function is given: tensors by all their numbers, without the addresses of anything."""
    with mock.patch.object(torch.Tensor, "__repr__", _numbers):
        return re.sub(" at 0x[0-9a-f]+", "", repr((args, kwargs)))


def _numbers(tensor: torch.Tensor, **_: Any) -> str:
    """A digest of its bytes, with its shape and type. repr takes a hundred times as long and leaves out digits."""
    values = tensor.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes()
    gradient = ", with its gradient" if tensor.requires_grad else ""
    return f"tensor({hashlib.sha256(values).hexdigest()}, {tuple(tensor.shape)}, {tensor.dtype}{gradient})"


def _changed(result: Any, how: Callable[[Any], Any]) -> Any:
    """A result with each of its floating-point numbers changed; classes, whole numbers and words as they are."""
    if isinstance(result, tuple | list) and not hasattr(result, "_fields"):
        return type(result)(_changed(item, how) for item in result)
    floats = result.is_floating_point() if isinstance(result, torch.Tensor) else isinstance(result, float)
    return how(result) if floats else result


def _raised(value: Any, by: float) -> Any:
    """A number raised by `by`; those of a tensor by up to twice that, the last the most: one differs most anywhere."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value + by
    return value + by * torch.linspace(1, 2, value.numel(), dtype=value.dtype).view(value.shape)


def _spoilt(result: Any) -> Any:
    """A result of the same kind, shape and type, and wrong all over; numbers that are not whole by a hundredth."""
    if isinstance(result, torch.Tensor):
        return (
            ~result
            if result.dtype == torch.bool
            else _raised(result, 0.01 if result.is_floating_point() else 1)
        )
    if isinstance(result, dict):
        return {key: _spoilt(value) for key, value in result.items()} or {"": 1}
    if isinstance(result, tuple | list):
        return type(result)(map(_spoilt, result)) or type(result)([1])
    return f"{result}." if isinstance(result, str) else result + 1


if __name__ == "__main__":
    # By the module's own name: a solution that is asked from __main__ counts as asked by the learner.
    tell = importlib.import_module("tests.exercises.said").said
    FOLDER.mkdir(exist_ok=True)
    for number in sys.argv[1:]:
        (FOLDER / f"{number}.txt").write_text(tell(number), encoding="utf-8")
