"""What a caller hands in, made ready for drawing: tables of numbers, and labels that are drawn letter by letter."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, DTypeLike


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


def names(labels: Iterable[object]) -> list[str]:
    """Labels in their order: texts, or numbers as they are printed."""
    return [str(label) for label in labels]


def numbers(values: ArrayLike, dtype: DTypeLike = None, *, finite: bool = False) -> np.ndarray:
    """Real numbers as an array; those of a tensor without its gradient, wherever it lives and whatever its precision.

    Args:
        values: numbers in rows of the same length.
        dtype: float, or None for the one that they have.
        finite: refuse NaN and the infinities, where one would be drawn as something else.
    """
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if str(values.dtype) == "torch.bfloat16":  # NumPy has none
            values = values.float()
    try:
        array = np.asarray(values)
    except ValueError as problem:
        raise ValueError(f"expected numbers in rows of the same length: {problem}") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"expected real numbers to draw, got {array.dtype}")
    if finite and not np.isfinite(array).all():
        raise ValueError("expected finite numbers to draw, got NaN or an infinity among them")
    return array if dtype is None else array.astype(dtype, copy=False)
