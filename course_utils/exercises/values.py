"""Where a result departs from the right one; numbers are taken by value. And how values are shown to a learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from numbers import Number
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.calling import name_of
from course_utils.locale import text

# Of the tolerance for float32, by the dtype of what was returned.
FINENESS = {torch.float64: 0.02, torch.float32: 1.0, torch.float16: 200.0, torch.bfloat16: 2000.0}


@dataclass(frozen=True)
class Departure:
    """How a result differs: kind is "type", "tuple", "length", "shape", "dtype" or "value".

    expected and actual are what the kind is about (two shapes, two numbers at `index`), as a learner reads them.
    """

    kind: str
    expected: Any
    actual: Any
    index: Any = ()
    part: int | None = None


@dataclass(frozen=True)
class Rule:
    """How closely results are compared.

    Attributes:
        atol: largest difference in float32, relative to the largest number of the right result where that exceeds 1.
            In float64 a fiftieth of it (a factor like √d may be in float32), in half precision 200 times as much.
        strict: where the right result is a tensor, want a tensor of its dtype; else any array of the same numbers.
        order: the parts of a tuple, in the order in which they are looked at.
    """

    atol: float = 1e-5
    strict: bool = True
    order: tuple[int, ...] | None = None


def departure(result: Any, right: Any, rule: Rule = Rule()) -> Departure | None:
    """The first difference, or None."""
    if isinstance(right, tuple) and not _is_numbers(right):
        return _of_parts(result, right, rule)
    return _of_values(result, right, rule)


def _of_parts(result: Any, right: tuple[Any, ...], rule: Rule) -> Departure | None:
    if not isinstance(result, tuple | list) or len(result) != len(right):
        return Departure("tuple", len(right), name_of(result))
    found = [_of_values(one, other, rule) for one, other in zip(result, right)]
    order = [place for place in rule.order or range(len(right)) if found[place]]
    # A wrong shape in any part goes before a wrong number in another.
    order.sort(key=lambda place: found[place].kind == "value")
    if not order:
        return None
    first = found[order[0]]
    return Departure(first.kind, first.expected, first.actual, first.index, part=order[0])


def _of_values(result: Any, right: Any, rule: Rule) -> Departure | None:
    if isinstance(right, Tensor):
        return _of_tensors(result, right, rule)
    result = plain(result)
    if isinstance(right, bool | int | float):
        return _of_numbers(result, right, rule)
    if isinstance(right, str):
        return _of_leaves(result, right) if isinstance(result, str) else _type(right, result)
    if isinstance(right, list | tuple):
        if not isinstance(result, list | tuple):
            return _type(right, result)
        if len(result) != len(right):
            return Departure("length", len(right), len(result))
        return _first(
            ((place, _of_values(one, other, rule)) for place, (one, other) in enumerate(zip(result, right)))
        )
    if isinstance(right, Mapping):
        return _of_mappings(result, right, rule)
    return _of_leaves(result, right)


def _of_tensors(result: Any, right: Tensor, rule: Rule) -> Departure | None:
    if not rule.strict and not isinstance(result, Tensor):
        value = plain(result)
        with suppress(TypeError, ValueError):
            result = torch.as_tensor(value) if isinstance(value, Number | list) else result
    if isinstance(result, Tensor) and right.dim() == 0 and result.numel() == 1:
        result = result.reshape(())  # a number is a number
    if not isinstance(result, Tensor):
        return Departure("type", text("exercises.words.tensor"), name_of(result))
    if result.shape != right.shape:
        return Departure("shape", tuple(right.shape), tuple(result.shape))
    if rule.strict and result.dtype != right.dtype:
        return Departure("dtype", right.dtype, result.dtype)
    # A result in float64 is judged as such; one in less, where that is allowed, by its own fineness.
    atol = rule.atol * FINENESS.get(result.dtype, 1.0)
    one, other = result.detach().double(), right.detach().double()
    if right.is_floating_point():
        largest = float(other.nan_to_num(0, 0, 0).abs().max()) if other.numel() else 0.0
        close = (one - other).abs() <= atol * max(1.0, largest)
    else:
        close = one == other
    close |= (one == other) | (one.isnan() & other.isnan())
    if bool(close.all()):
        return None
    index = tuple(int(place) for place in (~close).nonzero()[0])
    return Departure("value", *_told(right.detach()[index].item(), result.detach()[index].item()), index)


def _of_numbers(result: Any, right: Any, rule: Rule) -> Departure | None:
    while isinstance(result, list) and len(result) == 1:
        result = result[0]  # a tensor or array of one number
    if (isinstance(result, bool) and isinstance(right, float)) or not isinstance(result, Number):
        return _type(right, result)
    if isinstance(result, complex):
        return _type(right, result)
    close = result == right or (result != result and right != right)
    if isinstance(right, float) or isinstance(result, float):
        close |= (
            abs(result - right) <= rule.atol * max(1.0, abs(right)) if isinstance(right, float) else False
        )
    return None if close else Departure("value", *_told(right, result))


def _told(right: Any, result: Any) -> tuple[str, str]:
    """Whole numbers with all their digits."""
    whole = isinstance(right, int) and isinstance(result, int)
    return (str(right), str(result)) if whole else told_apart(right, result)


def _of_mappings(result: Any, right: Mapping[Any, Any], rule: Rule) -> Departure | None:
    if not isinstance(result, Mapping):
        return _type(right, result)
    for key in [*right, *(key for key in result if key not in right)]:
        one, other = (shown(table[key]) if key in table else "–" for table in (result, right))
        if key not in result or key not in right:
            return Departure("value", other, one, key)
        if found := _of_values(result[key], right[key], rule):
            return Departure(found.kind, found.expected, found.actual, key)
    return None


def _of_leaves(result: Any, right: Any) -> Departure | None:
    same = (type(result) is type(right) and result == right) or result is right
    return None if same else Departure("value", shown(right), shown(result))


def _first(found: Any) -> Departure | None:
    for place, one in found:
        if one:
            return Departure(one.kind, one.expected, one.actual, (place, *_tuple(one.index)))
    return None


def _tuple(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _type(right: Any, result: Any) -> Departure:
    return Departure("type", type(right).__name__, name_of(result))


def plain(value: Any) -> Any:
    """Numbers of numpy and torch, and arrays of them, as Python's own."""
    if isinstance(value, Tensor):
        return value.detach().tolist()
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    return value


def _is_numbers(values: tuple[Any, ...]) -> bool:
    return all(isinstance(value, bool | int | float) for value in values)


def drawn(
    *shapes: tuple[int, ...], times: float = 1.0, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, ...]:
    """Normal tensors for a case, of these shapes and so many times as large."""
    return tuple(times * torch.randn(shape, dtype=dtype) for shape in shapes)


# ---- showing -------------------------------------------------------------------------------------------------------


def number(value: Any) -> str:
    """A number as a learner reads it: at most four significant digits."""
    return f"{float(value) + 0.0:.4g}"  # + 0.0: no "-0"


def told_apart(one: Any, other: Any) -> tuple[str, str]:
    """Two different numbers as a learner reads them: four significant digits, or as many as show the difference."""
    if isinstance(plain(one), bool) and isinstance(plain(other), bool):
        return str(plain(one)), str(plain(other))
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


def shown(value: Any) -> str:
    """Any value as a learner reads it."""
    if isinstance(value, Tensor):
        whole = not value.is_floating_point() and (value.dtype != torch.bool or value.dim() == 0)
        return str(value.tolist()) if whole else numbers(value)  # ids with all digits, masks as 0 and 1
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list) and value and all(isinstance(item, float) for item in value):
        return "[" + ", ".join(map(number, value)) + "]"
    return str(value)


def briefly(value: Any, most: int = 60) -> str:
    """A value, or its shape, or how it begins, in a line."""
    said = " ".join(shown(value).split())
    if len(said) > most:
        said = f"{tuple(value.shape)}" if isinstance(value, Tensor) else said[: most - 1] + "…"
    return said


class Shown:
    """A value inside a text: {right} whole, {right[0]} a row, {right[0,1]} a number, {right.shape}, {rate:.2f}."""

    def __init__(self, value: Any, show: Callable[[Any], str] = shown) -> None:
        self.value = value
        self._show = show

    def __getitem__(self, place: Any) -> Shown:
        value = self.value
        try:
            for step in str(place).split(","):
                value = value[int(step)]
        except (TypeError, ValueError):
            value = value[place]
        return Shown(value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.value, name)
        return tuple(found) if name == "shape" else found

    def __str__(self) -> str:
        return self._show(self.value)

    def __format__(self, form: str) -> str:
        return format(float(self.value) if form[-1:] in "eEfgG%" else self.value, form) if form else str(self)
