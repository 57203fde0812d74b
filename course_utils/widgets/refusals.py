"""What a widget cannot draw, refused in words: arrays that do not fit, and what a function says of its input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from course_utils.locale import text
from course_utils.widgets.shown import readable

LONGEST_REASON = 300  # letters


class BadInput(ValueError):
    """An input that a widget refuses; its message is a sentence for the learner."""


def as_array(values: Any, *shape: int | None, what: str, finite: bool = True) -> np.ndarray:
    """Numbers from a function or an argument, checked before they are drawn: float64, wherever they lay.

    Args:
        values: an array, a tensor, or lists of numbers.
        shape: the lengths that are expected; None for any from 1.
        what: the name of the function or argument.
        finite: whether NaN and infinity are refused.
    """
    if hasattr(values, "detach"):  # a tensor
        values = values.detach().double().cpu().numpy()
    array = np.asarray(values, dtype=float)
    fits = array.ndim == len(shape) and 0 not in array.shape
    fits = fits and all(length in (None, own) for length, own in zip(shape, array.shape, strict=True))
    if not fits or (finite and not np.isfinite(array).all()):
        expected = ", ".join("…" if length is None else str(length) for length in shape)
        raise BadInput(text("widgets.common.array", what=what, expected=expected, actual=array.shape))
    return array


def as_weights(values: Any, *shape: int | None, what: str) -> np.ndarray:
    """As as_array, and each row is not negative and sums to 1, as near as half precision comes."""
    array = as_array(values, *shape, what=what)
    if (array < 0).any() or (np.abs(array.sum(axis=-1) - 1) > 1e-2).any():
        raise BadInput(text("widgets.common.weights", what=what))
    return array


@contextmanager
def refusals_told() -> Iterator[None]:
    """A ValueError of a function that is asked inside is a sentence for the learner."""
    try:
        yield
    except ValueError as problem:
        reason = readable(str(problem), LONGEST_REASON)
        raise BadInput(text("widgets.common.refused", reason=reason)) from problem
