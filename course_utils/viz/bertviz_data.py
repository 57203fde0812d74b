"""What bertviz's scripts are given: weights and tokens that fit each other, rounded.

Letters: T tokens, D head size, H heads, L layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_utils.support.given import list_of_texts, whole_number
from course_utils.viz.given import numbers

MOST_TOKENS = 64
MOST_LINES = 30_000  # drawn at once; more and the browser stutters
MOST_NUMBERS = 2_000_000  # carried by one page
DIGITS = 4  # after the point
ROW_TOLERANCE = 1e-2  # rows of half-precision weights, too, sum to 1 within this


def check_weights(weights: ArrayLike, tokens: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """Float64 weights (L, H, T, T) and the T tokens; ValueError if they do not fit, or a row is no distribution.

    A model's own tuple, of each layer (1, H, T, T), is taken as it is: bertviz does.
    """
    tokens = list_of_texts("tokens", tokens)
    count = len(tokens)
    if isinstance(weights, tuple | list):
        layers = [numbers(layer) for layer in weights]
        weights = [layer[0] if layer.ndim == 4 and len(layer) == 1 else layer for layer in layers]
    weights = numbers(weights, float, finite=True, shape=(None, None, count, count))
    if count > MOST_TOKENS:
        raise ValueError(f"at most {MOST_TOKENS} tokens can be drawn, got {count}; take a shorter text")
    off = np.abs(weights.sum(-1) - 1)
    if weights.min() < 0 or off.max() > ROW_TOLERANCE:
        layer, head, row = np.unravel_index(off.argmax(), off.shape)
        found = f"row {row} of layer {layer}, head {head} sums to {weights[layer, head, row].sum():.3f}"
        found = f"the smallest weight is {weights.min():.3f}" if weights.min() < 0 else found
        raise ValueError(f"expected weights of at least 0 whose rows (queries) sum to 1, but {found}")
    return weights, tokens


def check_lines(pictures: int, count: int) -> None:
    """Refuse what a browser would not draw fluently: `pictures` heads of count × count lines at once."""
    lines = pictures * count**2
    if lines > MOST_LINES:
        product = f"{pictures} × {count} × {count}"
        message = f"too many lines to draw at once: at most {MOST_LINES:,}, got {lines:,} ({product})"
        raise ValueError(f"{message}; give fewer layers or heads, or a shorter text")


def one_of(name: str, value: int, size: int) -> int:
    """A place from 0 to size − 1."""
    return whole_number(name, value, least=0, most=size - 1)


def some_of(name: str, values: Sequence[int] | None, size: int) -> list[int]:
    """Places from 0 to size − 1, all of them for None."""
    return [one_of(name, value, size) for value in (range(size) if values is None else values)]


def drawn_part(
    weights: np.ndarray, tokens: list[str], vectors: dict[str, np.ndarray]
) -> dict[str, list[Any]]:
    """What bertviz's scripts read.

    Args:
        weights: float (L, H, T, T).
        tokens: T of them.
        vectors: of the neuron view: "queries" and "keys", each float (L, H, T, D); else empty.
    """
    carried = weights.size + sum(array.size for array in vectors.values())
    if carried > MOST_NUMBERS:
        message = f"too many numbers for one page: at most {MOST_NUMBERS:,}, got {carried:,}"
        raise ValueError(f"{message}; give fewer layers or a shorter text")
    rounded = {name: np.round(array, DIGITS).tolist() for name, array in {"attn": weights, **vectors}.items()}
    return {"left_text": tokens, "right_text": tokens, **rounded}
