"""One sentence of the AttentionExplorer: tokens that can be shown, weights in 16 bits, and what a token sees, in words.

The browser makes the same words from the same integers (numbers.js): both divide no floats, so that
no rounding edge can part them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_utils.locale import text
from course_utils.widgets.refusals import BadInput, as_array, as_weights
from course_utils.widgets.shown import readable

MOST_TOKENS = 64
ONE = 65_535  # what a weight of 1 is in 16 bits
LONGEST_TOKEN = 120  # letters; in titles and tables
LONGEST_NAME = 20  # letters; in sentences and lists
TOLD = 3  # so many tokens are named on each way

Measures = Callable[[Sequence[str], ArrayLike], Mapping[str, ArrayLike]]


@dataclass(frozen=True)
class Side:
    """One sentence as a model sees it. Letters: T tokens, H heads, L layers.

    Attributes:
        tokens: T of them, as the model has them.
        weights: uint16 (L, H, T, T), rows = queries; the weight times 65,535, rounded.
        measures: name -> float (L, H).
    """

    tokens: tuple[str, ...]
    weights: np.ndarray
    measures: dict[str, np.ndarray]

    @classmethod
    def of(cls, tokens: Sequence[str], weights: ArrayLike, *, measures: Measures | None) -> Side:
        """From tokens and float weights (L, H, T, T)."""
        tokens = tuple(str(token) for token in tokens)
        if not 1 <= len(tokens) <= MOST_TOKENS:
            facts = {"most": MOST_TOKENS, "actual": len(tokens)}
            raise BadInput(text("widgets.attention_explorer.bad.tokens", **facts))
        array = as_weights(weights, None, None, len(tokens), len(tokens), what="look")
        steps = as_steps(np.minimum(array, 1)).astype("<u2")
        found = {} if measures is None else measures(list(tokens), weights)
        arrays = {name: as_array(own, *array.shape[:2], what=name) for name, own in found.items()}
        return cls(tokens, steps, arrays)

    @property
    def shown(self) -> list[str]:
        """The tokens as titles and tables show them."""
        return [readable(token, LONGEST_TOKEN) for token in self.tokens]

    @property
    def names(self) -> list[str]:
        """The tokens as sentences and lists show them."""
        return [readable(token, LONGEST_NAME) for token in self.tokens]

    def partners(self, other: Side) -> list[int]:
        """For each token where its like stands in the other sentence (the second 배 goes with the second), or −1."""
        found = []
        for place, token in enumerate(self.tokens):
            there = [index for index, twin in enumerate(other.tokens) if twin == token]
            found.append(there[min(self.tokens[:place].count(token), len(there) - 1)] if there else -1)
        return found

    def say(self, words: Mapping[str, Any], layer: int, head: int, token: int, threshold: float) -> str:
        """Where a token looks, who looks at it, and how many lines there are; token −1: it is not in this sentence."""
        weights = self.weights[layer, head].astype(int)  # (T, T)
        parts = []
        if token >= 0:
            facts = {"token": self.names[token]}
            looks, looked_at = weights[token], weights[:, token]
            if len(self.tokens) > 1 and hundredths(looks.max()) == hundredths(looks.min()):
                parts.append(words["say_even"].format(weight=as_weight(looks[0]), **facts))
            else:
                parts.append(words["say_keys"].format(keys=self._ranked(words, looks), **facts))
            parts.append(words["say_queries"].format(queries=self._ranked(words, looked_at), **facts))
        # A weight of 0 is no line, whatever the threshold.
        lines = int((weights >= max(int(as_steps(threshold)), 1)).sum())
        parts.append(words["say_lines"].format(threshold=as_number(in_hundredths(threshold)), count=lines))
        return " ".join(parts)

    def _ranked(self, words: Mapping[str, Any], weights: np.ndarray) -> str:
        best = np.argsort(-weights, kind="stable")[:TOLD]
        names = self.names
        return ", ".join(
            words["say_item"].format(token=names[place], weight=as_weight(weights[place])) for place in best
        )


def as_steps(weights: ArrayLike) -> np.ndarray:
    """Weights in 0 … 1 as whole steps of 1/65,535, the half upwards as in JavaScript's Math.floor(x + 0.5)."""
    return np.floor(np.asarray(weights, dtype=float) * ONE + 0.5)


def hundredths(steps: int) -> int:
    """16-bit steps in hundredths, rounded; 200·steps / (2·65,535) is never a half, an odd number being on top."""
    return (200 * int(steps) + ONE) // (2 * ONE)


def in_hundredths(value: float) -> int:
    """A number in hundredths, the half upwards."""
    return int(np.floor(100 * value + 0.5))


def as_weight(steps: int) -> str:
    """16-bit steps as the weight they stand for, with two decimals."""
    return as_number(hundredths(steps))


def as_number(value: int) -> str:
    """Hundredths with two decimals."""
    return f"{'−' if value < 0 else ''}{abs(value) // 100}.{abs(value) % 100:02d}"
