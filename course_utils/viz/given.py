"""What a caller hands in, made ready for drawing: tables of numbers, lists of labels, groups under their names.

Each function gives back what is drawn, or raises ValueError with one sentence: what was expected, and what came. It is
called before anything is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from course_utils.support.given import shown

LARGEST = 1e100  # matplotlib multiplies what it draws, and must not come beyond all floats


def literal(label: object) -> str:
    """The label as matplotlib draws it letter by letter: `$` begins no formula, half a surrogate pair becomes `?`."""
    return str(label).encode("utf-8", "replace").decode("utf-8").replace("$", r"\$")


def literals(labels: Iterable[object]) -> list[str]:
    """Each label as `literal` gives it."""
    return [literal(label) for label in labels]


def in_legend(name: object) -> str:
    """The label as it stands in a legend, which leaves out what is empty or begins with a low line."""
    label = literal(name)
    return f" {label}" if not label or label.startswith("_") else label


def numbers(values: ArrayLike, dtype: DTypeLike = None, *, finite: bool = False) -> np.ndarray:
    """Values as an array; those of a tensor without its gradient, wherever it lives and whatever its precision.

    Args:
        values: real numbers in rows of the same length; NaN and the infinities, too.
        dtype: float, or None for the one that they have.
        finite: refuse NaN and the infinities.

    Raises:
        ValueError: if they are no table of real numbers, or one is too large to be drawn.
    """
    array = _array(values)
    if array.dtype.kind == "c":
        raise ValueError(f"expected real numbers to draw, got {array.dtype}")
    if array.dtype.kind == "O" and all(isinstance(value, Number) for value in array.flat):
        try:  # fractions, or integers beyond int64
            array = array.astype(float)
        except (ValueError, TypeError, OverflowError):
            raise ValueError("expected numbers to draw, got one that is no float") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"expected numbers to draw, got {_what(values, array)}")
    if array.dtype.kind == "f":
        if finite and not np.isfinite(array).all():
            raise ValueError("expected finite numbers to draw, got NaN or an infinity among them")
        if (found := _largest(array)) > LARGEST:
            raise ValueError(f"expected numbers of at most {LARGEST:g} to draw, got {found:g}")
    return array if dtype is None else array.astype(dtype, copy=False)


def number(name: str, value: Any) -> float:
    """One number of a scale, such as its end.

    Raises:
        ValueError: if it is none, or not finite, or too large to be drawn.
    """
    found = numbers(value, float) if isinstance(value, Number) or hasattr(value, "__array__") else np.empty(0)
    if found.shape or not math.isfinite(found):
        raise ValueError(f"{name} must be a finite number, got {shown(value)}")
    return float(found)


def names(what: str, values: Any) -> list[str]:
    """Labels in their order: texts, or numbers as they are printed.

    Args:
        what: they are, for a message.
        values: a list of them; of a text, its letters.

    Raises:
        ValueError: if they are no list, or one is neither a text nor a number.
    """
    if not isinstance(values, Iterable) or isinstance(values, bytes | Mapping | Set) or _is_single(values):
        raise ValueError(f"{what} must be a list of texts, got {shown(values)}")
    return [name(f"each of the {what}", label) for label in values]


def name(what: str, label: Any) -> str:
    """A label as a text.

    Raises:
        ValueError: if it is neither a text nor a number.
    """
    if not isinstance(label, str | Number):
        raise ValueError(f"{what} must be a text, got {shown(label)}")
    try:
        return str(label)
    except ValueError:  # an integer of so many digits that Python writes none of them
        raise ValueError(f"{what} must be a text, got {shown(label)}") from None


def rows_of_names(what: str, rows: Any) -> list[list[str]]:
    """Rows of labels, of any lengths.

    Raises:
        ValueError: if they are no list of lists of texts.
    """
    if not isinstance(rows, Iterable) or isinstance(rows, str | bytes | Mapping | Set) or _is_single(rows):
        raise ValueError(f"{what} must be a list of rows, got {shown(rows)}")
    return [names(f"{what} of a row", row) for row in rows]


def groups(what: str, values: Any) -> dict[Any, Any]:
    """What is drawn under each name.

    Raises:
        ValueError: if it is no dict, or a name is no text.
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"{what} must be a dict from names to what is drawn, got {shown(values)}")
    for label in values:
        name(f"each name of {what}", label)
    return dict(values)


def _array(values: Any) -> np.ndarray:
    """Of NumPy's own kind for them, or ValueError where they are no rows of the same length."""
    try:
        if hasattr(values, "detach"):
            values = values.detach().cpu()
            if str(values.dtype) == "torch.bfloat16":  # NumPy has none
                values = values.float()
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError, RuntimeError):  # RuntimeError: of a list of tensors
        raise ValueError(f"expected numbers in rows of the same length, got {shown(values)}") from None


def _largest(array: np.ndarray) -> float:
    """The largest finite size; 0 where there is none."""
    return float(np.abs(array, where=np.isfinite(array), out=np.zeros_like(array)).max(initial=0.0))


def _what(values: Any, array: np.ndarray) -> str:
    """What came instead of numbers."""
    if not array.shape:
        return shown(values)
    odd = [value for value in array.ravel().tolist() if not isinstance(value, Number)]
    return f"{shown(odd[0])} among them" if odd else str(array.dtype)


def _is_single(values: Any) -> bool:
    """Whether it is an array of one number, which is an Iterable that cannot be iterated over."""
    return getattr(values, "shape", None) == ()
