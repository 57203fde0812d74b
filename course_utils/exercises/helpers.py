"""For checks written as code: what a result must be, or Wrong. Goes once every lesson's exercises are data."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.calling import Wrong, name_of, stop_if_stub
from course_utils.exercises.values import told_apart
from course_utils.locale import text


def expect_tensor(
    result: Any, *, shape: tuple[int, ...] | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return the result if it is a tensor of that shape and dtype, else raise Wrong "type", "shape" or "dtype"."""
    stop_if_stub(result)
    if not isinstance(result, Tensor):
        raise Wrong("type", expected=text("exercises.words.tensor"), actual=name_of(result))
    if shape is not None and tuple(result.shape) != tuple(shape):
        raise Wrong("shape", expected=tuple(shape), actual=tuple(result.shape))
    if dtype is not None and result.dtype != dtype:
        raise Wrong("dtype", expected=dtype, actual=result.dtype)
    return result


def expect_tuple(result: Any, length: int) -> tuple[Any, ...]:
    """Return the result if it is a tuple (or list) of that length, else raise Wrong "tuple"."""
    stop_if_stub(result)
    if not isinstance(result, tuple | list) or len(result) != length:
        raise Wrong("tuple", expected=length, actual=name_of(result))
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
