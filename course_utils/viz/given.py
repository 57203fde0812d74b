"""What a caller hands in, made ready for drawing: labels are literal text, tensors become arrays."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, DTypeLike


def literal(label: object) -> str:
    """The label as matplotlib draws it letter by letter: `$` begins no formula."""
    return str(label).replace("$", r"\$")


def literals(labels: Iterable[object]) -> list[str]:
    """Each label as `literal` gives it."""
    return [literal(label) for label in labels]


def numbers(values: ArrayLike, dtype: DTypeLike = None) -> np.ndarray:
    """Values as an array; those of a tensor without its gradient, wherever it lives and whatever its precision."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if str(values.dtype) == "torch.bfloat16":  # NumPy has none
            values = values.float()
    return np.asarray(values, dtype=dtype)
