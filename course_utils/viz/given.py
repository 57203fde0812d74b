"""What a caller hands in, made ready for drawing: labels are literal text, tensors become arrays."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from course_utils.support.given import shown


def literal(label: object) -> str:
    """The label as matplotlib draws it letter by letter: `$` begins no formula."""
    return str(label).replace("$", r"\$")


def literals(labels: Iterable[object]) -> list[str]:
    """Each label as `literal` gives it."""
    return [literal(label) for label in labels]


def numbers(values: ArrayLike, dtype: DTypeLike = None) -> np.ndarray:
    """Values as an array; those of a tensor without its gradient, wherever it lives and whatever its precision.

    Raises:
        ValueError: if they are no table of numbers: rows of unequal length, complex or too large ones.
    """
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if str(values.dtype) == "torch.bfloat16":  # NumPy has none
            values = values.float()
    try:
        array = np.asarray(values, dtype=dtype)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"expected numbers in rows of the same length, got {shown(values)}") from None
    if array.dtype.kind == "c":
        raise ValueError(f"expected real numbers to draw, got {array.dtype}")
    return array
