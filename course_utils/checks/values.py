"""Compare two values: tensors, arrays, numbers, strings, or tuples of them."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_utils.locale import text
from course_utils.support.given import shown

LARGEST = 1e308  # of a tolerance: a larger integer is no float


def check_same(actual: Any, expected: Any, *, atol: float = 1e-6) -> None:
    """Show that two values are the same in shape, dtype and values.

    Integers, booleans and strings must be equal, floats within atol; NaN equals NaN at the same place.

    Args:
        actual: tensor, array, number, string, or a tuple or list of these (None may stand inside).
        expected: the same kind. Against a tensor, plain numbers and nested lists of numbers take its dtype.
        atol: largest absolute difference between floats.

    Raises:
        AssertionError: if they differ; says in what, and where the difference is largest.
        ValueError: if there is nothing to compare, or atol is no tolerance.
        TypeError: if the values are of a kind that cannot be compared.
    """
    check_atol(atol)
    found = [compare(mine, theirs, atol, place) for place, mine, theirs in pairs(actual, expected, "")]
    if not any(found):
        raise ValueError(text("checks.misuse.empty"))
    groups = [(what, len(list(group))) for what, group in groupby(filter(None, found))]
    print(
        text("checks.same.passed", what=" · ".join(f"{what} (×{n})" if n > 1 else what for what, n in groups))
    )


def check_atol(atol: float) -> None:
    if not isinstance(atol, numbers.Real) or not 0 <= atol <= LARGEST:
        raise ValueError(text("checks.misuse.atol", atol=shown(atol)))


def pairs(actual: Any, expected: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    """Walk two tuples (or lists) side by side: (place, actual, expected) of every leaf."""
    nested = [isinstance(value, tuple | list) for value in (actual, expected)]
    if not any(nested):
        yield place, actual, expected
        return
    if not all(nested):
        # a list of numbers written by hand, against a tensor or an array
        by_hand = isinstance(actual, Tensor | np.ndarray) or isinstance(expected, Tensor | np.ndarray)
        if by_hand and not isinstance(actual, tuple) and not isinstance(expected, tuple):
            yield place, actual, expected
            return
        _fail(place, "kind", expected=_kind(expected), actual=_kind(actual))
    if len(actual) != len(expected):
        _fail(place, "length", expected=len(expected), actual=len(actual))
    for index, (mine, theirs) in enumerate(zip(actual, expected, strict=True), start=1):
        yield from pairs(mine, theirs, f"{place} {index}".strip())


def compare(actual: Any, expected: Any, atol: float, place: str = "") -> str:
    """Compare two leaves; returns what to say about them, "" for None against None."""
    if actual is None and expected is None:
        return ""
    if isinstance(actual, str) and isinstance(expected, str):
        if actual != expected:
            _fail(place, "value", expected=repr(expected), actual=repr(actual))
        return text("checks.same.number_exact", value=expected)
    plain = [isinstance(value, bool | numbers.Number) for value in (actual, expected)]
    if all(plain) and not isinstance(actual, np.generic) and not isinstance(expected, np.generic):
        return _compare_numbers(actual, expected, atol, place)
    if any(value is None or isinstance(value, str) for value in (actual, expected)):
        _fail(place, "kind", expected=_kind(expected), actual=_kind(actual))
    mine, theirs = _as_tensors(actual, expected, place)
    if mine.shape != theirs.shape:
        _fail(place, "shape", expected=tuple(theirs.shape), actual=tuple(mine.shape))
    if mine.dtype != theirs.dtype:
        _fail(place, "dtype", expected=theirs.dtype, actual=mine.dtype)
    if theirs.numel() == 0:
        raise ValueError(text("checks.misuse.empty"))
    return _compare_tensors(mine, theirs, atol, place)


def _compare_numbers(actual: Any, expected: Any, atol: float, place: str) -> str:
    if isinstance(actual, bool) != isinstance(expected, bool):
        _fail(place, "kind", expected=_kind(expected), actual=_kind(actual))
    exact = isinstance(actual, int) and isinstance(expected, int)
    both_nan = actual != actual and expected != expected
    if not (actual == expected or both_nan or (not exact and abs(actual - expected) <= atol)):
        _fail(place, "value", expected=expected, actual=actual)
    return (
        text("checks.same.number_exact", value=expected) if exact else text("checks.same.number", atol=atol)
    )


def _compare_tensors(actual: Tensor, expected: Tensor, atol: float, place: str) -> str:
    """Both have the same shape and dtype, and are not empty."""
    facts = {"shape": tuple(expected.shape), "dtype": expected.dtype}
    if not (expected.is_floating_point() or expected.is_complex()):
        wrong = actual != expected
        if bool(wrong.any()):
            _fail_at(place, "exact", wrong, wrong.int(), actual, expected, atol)
        return text("checks.same.tensor_exact", **facts)
    wide = torch.complex128 if expected.is_complex() else torch.float64
    mine, theirs = actual.to(wide), expected.to(wide)
    same = (mine == theirs) | (mine.isnan() & theirs.isnan())
    difference = (mine - theirs).abs().masked_fill(same, 0.0)  # inf − inf is NaN, but the same
    difference = difference.nan_to_num(nan=math.inf, posinf=math.inf)
    wrong = difference > float(atol)  # torch takes no integer beyond int64
    if bool(wrong.any()):
        _fail_at(place, "close", wrong, difference, actual, expected, atol)
    return text("checks.same.tensor", atol=atol, **facts)


def _as_tensors(actual: Any, expected: Any, place: str) -> tuple[Tensor, Tensor]:
    """Turn both into detached tensors on the CPU; a value without a dtype of its own takes the other's."""
    values = [_with_dtype(value) for value in (actual, expected)]
    known = [value for value in values if value is not None]
    if not known:
        raise TypeError(text("checks.misuse.unknown", kind=f"{_kind(actual)}, {_kind(expected)}"))
    like = known[0]
    for index, value in enumerate((actual, expected)):
        if values[index] is not None:
            continue
        try:
            plain = torch.tensor(value)
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(text("checks.misuse.unknown", kind=_kind(value))) from None
        fits = torch.can_cast(plain.dtype, like.dtype) and (plain.dtype == torch.bool) == (
            like.dtype == torch.bool
        )
        values[index] = torch.tensor(value, dtype=like.dtype) if fits else plain
    return values[0], values[1]


def _with_dtype(value: Any) -> Tensor | None:
    if isinstance(value, Tensor):
        return value.detach().cpu()
    if isinstance(value, np.ndarray | np.generic):
        try:
            return torch.from_numpy(np.array(value))  # a copy: torch wants it writable
        except TypeError:
            raise TypeError(text("checks.misuse.unknown", kind=f"{_kind(value)} {value.dtype}")) from None
    return None


def _kind(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({len(value)})"
    return type(value).__name__


def _fail(place: str, how: str, **facts: Any) -> None:
    what = text(f"checks.different.{how}", **facts)
    where = (
        text("checks.different.place", place=place) if place.isdigit() else (f" ({place})" if place else "")
    )
    raise AssertionError(text("checks.different.head", place=where, what=what))


def _fail_at(
    place: str, how: str, wrong: Tensor, size: Tensor, actual: Tensor, expected: Tensor, atol: float
) -> None:
    """Fail, pointing to the entry where `size` is largest (the first such)."""
    index = tuple(int(i) for i in np.unravel_index(int(size.argmax()), tuple(size.shape)))
    facts = {"count": int(wrong.sum()), "index": index, "atol": atol}
    _fail(place, how, expected=f"{expected[index].item():.6g}", actual=f"{actual[index].item():.6g}", **facts)
