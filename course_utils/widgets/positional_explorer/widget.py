"""Positions × dimensions: two positions to move, how alike their encodings are, and the wave of one dimension."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import numpy as np
import traitlets
from torch import Tensor

from course_utils.widgets.base import CourseWidget
from course_utils.widgets.colors import SIGNED
from course_utils.widgets.refusals import as_array
from course_utils.widgets.shown import signed

LARGEST_HIDDEN_SIZE = 256


class PositionalExplorer(CourseWidget):
    """Move two positions, A and B, over the picture of an encoding; see how their similarity follows their distance.

    Args:
        encoding: (length, hidden_size) -> float tensor of that shape; for example
            course_utils.positional.sinusoidal_encoding. Asked once for each hidden_size.
        length: T, how many positions there are, from 2 to 512.
        start: any of the attributes.

    Attributes:
        first: position A, from 0 to length − 1.
        second: position B, likewise.
        hidden_size: C, from 2 to 256.
        dimension: whose wave is drawn, from 0 to hidden_size − 1; follows when hidden_size falls below it.
    """

    name = "positional_explorer"
    constants: ClassVar[dict[str, Any]] = {"palette": SIGNED, "largest_hidden_size": LARGEST_HIDDEN_SIZE}
    inputs = ("first", "second", "hidden_size", "dimension")

    first = traitlets.Int(10).tag(sync=True)
    second = traitlets.Int(15).tag(sync=True)
    hidden_size = traitlets.Int(64).tag(sync=True)
    dimension = traitlets.Int(8).tag(sync=True)

    def __init__(self, encoding: Callable[[int, int], Tensor], *, length: int = 64, **start: Any) -> None:
        self._length = length
        self._table = cache(lambda size: as_array(encoding(length, size), length, size, what="encoding"))
        super().__init__(**start)

    @traitlets.observe("hidden_size")
    def _keep_dimension(self, _change: Any) -> None:
        if 2 <= self.hidden_size <= self.dimension:
            self.dimension = self.hidden_size - 1

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers and its sentence, from the two positions, hidden_size and dimension."""
        size, last = self.hidden_size, self._length - 1
        self.within(first=(0, last), second=(0, last))
        self.within(hidden_size=(2, LARGEST_HIDDEN_SIZE), dimension=(0, size - 1))
        table = self._table(size)  # (T, C)
        lengths = np.maximum(np.linalg.norm(table, axis=1), 1e-12)  # (T,)
        dots = table @ table[self.first]  # (T,)
        cosines = dots / (lengths * lengths[self.first])
        wave = table[:, self.dimension]
        reach = max(1.0, float(np.abs(table).max()))
        shades = np.round(128 + 127 * table / reach).astype(np.uint8)  # one byte a cell; 128 is zero
        picture = {
            "length": self._length,
            "hidden_size": size,
            "reach": reach,
            "shades": base64.b64encode(shades.tobytes()).decode("ascii"),
            "cosines": np.round(cosines, 4).tolist(),
            "wave": np.round(wave, 4).tolist(),
        }
        return picture, self._sentence(dots[self.second], cosines[self.second], wave)

    def _sentence(self, dot: float, cosine: float, wave: np.ndarray) -> str:
        distance = self.second - self.first
        side = "same" if distance == 0 else "after" if distance > 0 else "before"
        facts = {"first": self.first, "second": self.second, "distance": abs(distance)}
        facts |= {"dot": signed(dot, 1), "cosine": signed(cosine, 2), "dimension": self.dimension}
        facts |= {"value_first": signed(wave[self.first], 2), "value_second": signed(wave[self.second], 2)}
        return " ".join(self.say(part, **facts) for part in (side, "likeness", "values"))
