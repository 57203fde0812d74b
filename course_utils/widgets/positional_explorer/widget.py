"""Positions × dimensions: two positions to move, how alike their encodings are, and the wave of one dimension."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import torch
import traitlets
from torch import Tensor

from course_utils.widgets.base import CourseWidget
from course_utils.widgets.colors import SIGNED

LARGEST_HIDDEN_SIZE = 256
LARGEST_LENGTH = 512


class PositionalExplorer(CourseWidget):
    """Move two positions, A and B, over the picture of an encoding; see how their similarity follows their distance.

    Args:
        encoding: (length, hidden_size) -> float tensor of that shape; for example
            course_utils.positional.sinusoidal_encoding. Asked once for each hidden_size.
        length: T, how many positions there are, from 2 to 512.
        first, second, hidden_size, dimension: what to start from.

    Attributes:
        first: position A, from 0 to length − 1.
        second: position B, likewise.
        hidden_size: C, from 2 to 256.
        dimension: whose wave is drawn, from 0 to hidden_size − 1; follows when hidden_size falls below it.
    """

    name = "positional_explorer"
    constants: ClassVar[dict[str, Any]] = {"palette": SIGNED, "largest_hidden_size": LARGEST_HIDDEN_SIZE}
    inputs = ("first", "second", "hidden_size", "dimension")

    first = traitlets.Int().tag(sync=True)
    second = traitlets.Int().tag(sync=True)
    hidden_size = traitlets.Int().tag(sync=True)
    dimension = traitlets.Int().tag(sync=True)

    def __init__(
        self,
        encoding: Callable[[int, int], Tensor],
        *,
        length: int = 64,
        first: int = 10,
        second: int = 15,
        hidden_size: int = 64,
        dimension: int = 8,
    ) -> None:
        if not isinstance(length, int) or not 2 <= length <= LARGEST_LENGTH:
            raise self.bad("length", largest=LARGEST_LENGTH, actual=length)
        self._encoding = encoding
        self._length = length
        self._tables: dict[int, np.ndarray] = {}
        super().__init__(first=first, second=second, hidden_size=hidden_size, dimension=dimension)

    @traitlets.observe("hidden_size")
    def _keep_dimension(self, _change: Any) -> None:
        if 2 <= self.hidden_size <= self.dimension:
            self.dimension = self.hidden_size - 1

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers and its sentence, from the two positions, hidden_size and dimension."""
        table = self._table()  # (T, C)
        lengths = np.maximum(np.linalg.norm(table, axis=1), 1e-12)  # (T,)
        dots = table @ table[self.first]  # (T,)
        cosines = dots / (lengths * lengths[self.first])
        wave = table[:, self.dimension]
        reach = max(1.0, float(np.abs(table).max()))
        shades = np.round(128 + 127 * table / reach).astype(np.uint8)  # one byte a cell; 128 is zero
        picture = {
            "length": self._length,
            "hidden_size": self.hidden_size,
            "reach": reach,
            "shades": base64.b64encode(shades.tobytes()).decode("ascii"),
            "cosines": np.round(cosines, 4).tolist(),
            "wave": np.round(wave, 4).tolist(),
        }
        return picture, self._sentence(dots[self.second], cosines[self.second], wave)

    def _table(self) -> np.ndarray:
        """The encoding for the present hidden_size, after all inputs have been looked at: float64 (T, C)."""
        size, last = self.hidden_size, self._length - 1
        if not 2 <= size <= LARGEST_HIDDEN_SIZE:
            facts = {"largest": LARGEST_HIDDEN_SIZE, "actual": size}
            raise self.bad("hidden_size", **facts)
        for position in (self.first, self.second):
            if not 0 <= position <= last:
                raise self.bad("position", last=last, actual=position)
        if not 0 <= self.dimension < size:
            facts = {"last": size - 1, "actual": self.dimension}
            raise self.bad("dimension", **facts)
        if size not in self._tables:
            with torch.no_grad():
                table = np.asarray(self._encoding(self._length, size), dtype=np.float64)
            if table.shape != (self._length, size) or not np.isfinite(table).all():
                facts = {"expected": (self._length, size), "actual": table.shape}
                raise self.bad("encoding", **facts)
            self._tables[size] = table
        return self._tables[size]

    def _sentence(self, dot: float, cosine: float, wave: np.ndarray) -> str:
        distance = self.second - self.first
        side = "same" if distance == 0 else "after" if distance > 0 else "before"
        facts = {"first": self.first, "second": self.second, "distance": abs(distance)}
        facts |= {"dot": signed(dot, 1), "cosine": signed(cosine, 2), "dimension": self.dimension}
        facts |= {"value_first": signed(wave[self.first], 2), "value_second": signed(wave[self.second], 2)}
        parts = (side, "likeness", "values")
        return " ".join(self.say(f"{part}", **facts) for part in parts)


def signed(value: float, digits: int) -> str:
    """A number as the course writes it: a true minus sign, and no minus before zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")
