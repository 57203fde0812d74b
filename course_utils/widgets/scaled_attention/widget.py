"""A query among keys in the plane: who is looked at, how sharply, and why the scores are divided by √d_k."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
import traitlets
from numpy.typing import ArrayLike
from torch import Tensor

from course_utils.viz.plane import hull_order
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.refusals import as_array

LARGEST_D_K = 1024


class ScaledAttention(CourseWidget):
    """Drag a query among keys; see scores, attention weights and the context inside the hull of the values.

    The plane stands for d_k dimensions: `spread` copies each 2-D vector into d_k / 2 planes such that the score q·k
    grows as √d_k, as it does for vectors with independent coordinates. The attention function sees these d_k-wide
    vectors and divides by √d_k itself; with `scaled` off, the query is multiplied by √d_k first, which undoes that.
    The temperature divides all scores.

    Args:
        keys: float (n, 2).
        values: float (n, 2).
        labels: n words.
        attention: (query (1, d_k), key (n, d_k), value (n, 2)) -> (context (1, 2), weights (1, n)), tensors of float64,
            with the division by √d_k inside; for example course_utils.attention.scaled_dot_product_attention.
        query: the query to start from, (2,).

    Attributes:
        query: two finite numbers.
        d_k: a power of two from 2 to 1024 (one dimension cannot hold the plane).
        temperature: positive.
        scaled: whether scores are divided by √d_k.
    """

    name = "scaled_attention"
    constants: ClassVar[dict[str, Any]] = {"largest_d_k": LARGEST_D_K}
    inputs = ("query", "d_k", "temperature", "scaled")

    query = traitlets.List(traitlets.Float()).tag(sync=True)
    d_k = traitlets.Int(64).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    scaled = traitlets.Bool(True).tag(sync=True)

    def __init__(
        self,
        keys: ArrayLike,
        values: ArrayLike,
        *,
        labels: Sequence[str],
        attention: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]],
        query: Sequence[float] = (1.0, 0.0),
    ) -> None:
        self._words = list(labels)
        self._keys = as_array(keys, len(self._words), 2, what="keys")
        self._values = as_array(values, len(self._words), 2, what="values")
        self._attention = attention
        super().__init__(query=[float(number) for number in query])

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers and its sentence, from query, d_k, temperature and scaled."""
        self.within(query=(-1e6, 1e6), temperature=(1e-3, 1e3))
        if not 2 <= self.d_k <= LARGEST_D_K or self.d_k & (self.d_k - 1):
            raise self.bad("d_k", largest=LARGEST_D_K, actual=self.d_k)
        query = as_array(self.query, 2, what="query")
        key = spread(self._keys, self.d_k, turn=True)  # (n, d_k)
        wide_query = spread(query[None] / self.temperature, self.d_k)  # (1, d_k)
        if not self.scaled:
            wide_query = wide_query * math.sqrt(self.d_k)
        with torch.no_grad():
            context, weights = self._attention(*map(torch.from_numpy, (wide_query, key, self._values)))
        scores = (key @ wide_query[0]) / math.sqrt(self.d_k)  # (n,), what softmax is given
        weights = weights.numpy().reshape(len(self._words))
        reach = 1.1 * max(np.abs(self._keys).max(), 0.8)
        divisor = f"(√{self.d_k} × {self.temperature:.2f})" if self.scaled else f"{self.temperature:.2f}"
        picture = {
            "words": self._words,
            "keys": self._keys.tolist(),
            "values": self._values.tolist(),
            "hull": hull_order(self._values),
            "reach": float(max(reach, np.abs(query).max())),
            "formula": self.say("formula", divisor=divisor),
            "scores": scores.tolist(),
            "weights": weights.tolist(),
            "context": context.numpy().reshape(2).tolist(),
        }
        return picture, self._sentence(weights)

    def _sentence(self, weights: np.ndarray) -> str:
        best = int(weights.argmax())
        bits = entropy_bits(weights)
        facts = {"word": self._words[best], "weight": f"{weights[best]:.2f}", "bits": f"{bits:.2f}"}
        facts |= {
            "most": f"{math.log2(len(weights)):.2f}",
            "d_k": self.d_k,
            "temperature": f"{self.temperature:.2f}",
        }
        parts = ["summary", "scaled" if self.scaled else "unscaled"]
        if weights[best] > 0.99:
            parts.append("saturated")
        return " ".join(self.say(part, **facts) for part in parts)


def spread(vectors: np.ndarray, d_k: int, *, turn: bool = False) -> np.ndarray:
    """Copy plane vectors into d_k dimensions so that q·k grows as √d_k: float (n, 2), d_k a power of two -> (n, d_k).

    There are m = d_k / 2 planes, and each holds a copy of the vector; lengths so grow by √m, as those of real vectors
    do. Without `turn` every copy is the same (queries). With `turn` (keys) the copies are turned by +φ and −φ in
    alternation, cos φ = 1 / √m: a query's copies meet them at other angles, most of the score cancels, and what is left
    is exactly √m times the score in the plane. Independent coordinates cancel just so, on average: the standard
    deviation of q·k is √d_k. (Plain copies, m times the same, would make q·k grow as d_k: no model of real vectors.)
    """
    planes = d_k // 2
    angle = math.acos(1 / math.sqrt(planes)) if turn else 0.0
    x, y = vectors[:, :1], vectors[:, 1:]  # (n, 1) each
    signs = np.where(np.arange(planes) % 2, -1.0, 1.0)  # (m,); one plane alone has φ = 0
    cos, sin = math.cos(angle), math.sin(angle) * signs
    return np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1).reshape(len(vectors), d_k)


def entropy_bits(weights: np.ndarray) -> float:
    """How spread out the weights are, in bits: −Σ w log₂ w, from 0 (one word only) to log₂ n (all alike)."""
    positive = weights[weights > 0]
    return abs(float(-(positive * np.log2(positive)).sum()))
