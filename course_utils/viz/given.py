"""What a caller hands in, made ready for drawing: tables of numbers, and labels that are drawn letter by letter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

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


def numbers(
    values: ArrayLike,
    dtype: DTypeLike = None,
    *,
    finite: bool = False,
    shape: tuple[int | None, ...] | None = None,
    least: float = -math.inf,
    most: float = math.inf,
) -> np.ndarray:
    """Real numbers as an array; those of a tensor without its gradient, wherever it lives and whatever its precision.

    Args:
        values: numbers in rows of the same length.
        dtype: float, or None for the one that they have.
        finite: refuse NaN and the infinities, where one would be drawn as something else.
        shape: refuse another one, which would be cut off or turned round; None in it stands for any size.
        least, most: refuse what lies beyond.
    """
    if values is None:
        told = "expected numbers to draw, got None: attentions come only where a model is asked for them"
        raise ValueError(
            f'{told} (output_attentions=True; of transformers, attn_implementation="eager" as well)'
        )
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
    if shape and (array.ndim != len(shape) or any(w not in (None, s) for w, s in zip(shape, array.shape))):
        wanted = str(shape).replace("None", "any")
        raise ValueError(f"expected numbers of shape {wanted} to draw, got {array.shape}")
    if (array < least).any() or (array > most).any():
        found = f"{array.min():g} … {array.max():g}"
        raise ValueError(f"expected numbers from {least:g} to {most:g} to draw, got {found}")
    return array if dtype is None else array.astype(dtype, copy=False)


def intervals(rows: ArrayLike, count: int) -> np.ndarray:
    """float (count, 3): a number, and the two ends of the interval that it lies in."""
    found = numbers(rows, float, finite=True, shape=(count, 3))
    if (found[:, 1] > found[:, 0]).any() or (found[:, 0] > found[:, 2]).any():
        raise ValueError(f"expected (number, low, high) with low ≤ number ≤ high, got {found.tolist()}")
    return found


def segments_of(tokens: Sequence[str], token_type_ids: ArrayLike) -> list[int]:
    """0 or 1 for each token: whether it is of the first text or of the second."""
    return numbers(token_type_ids, int, shape=(len(tokens),), least=0, most=1).tolist()
