"""Surfaces over two weights to race on, each with its gradient written out and its lowest height at 0.

All are seen in the same picture, |x| ≤ 2 and |y| ≤ 1.4. Heights are plain arithmetic, of numbers, arrays or tensors.
What overflows becomes an infinity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

REACH = (2.0, 1.4)  # of the picture, from 0 to its edges, along x and y
GRID = (121, 85)  # points of its grid along x and y, a thirtieth of a unit apart


@dataclass(frozen=True)
class Surface:
    """A surface: `height(x, y)`, `gradient(x, y)` as two numbers, where a race starts, and where height is 0."""

    name: str
    height: Callable[[Any, Any], Any]
    gradient: Callable[[float, float], tuple[float, float]]
    start: tuple[float, float]
    lowest: tuple[tuple[float, float], ...]

    def grid(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """x (121,), y (85,) and the heights (85, 121) above them, as viz.plot_descent_paths takes them."""
        x, y = (np.linspace(-reach, reach, count) for reach, count in zip(REACH, GRID, strict=True))
        return x, y, self.height(*np.meshgrid(x, y))


def _square(z: Any) -> Any:
    return z * z  # z**2 of a float raises where it overflows


# A valley forty times as steep across as along: plain gradient descent stays on the surface below a rate of 2/20 only.
VALLEY = Surface(
    "valley",
    lambda x, y: (0.5 * _square(x) + 20 * _square(y)) / 2,
    lambda x, y: (0.5 * x, 20 * y),
    start=(-1.7, 0.6),
    lowest=((0.0, 0.0),),
)

# The same valley turned by the angle of 3 : 4, so that both weights are steep: a rate for each no longer helps.
_COS, _SIN = 0.8, 0.6
TILTED = Surface(
    "tilted",
    lambda x, y: VALLEY.height(_COS * x + _SIN * y, _COS * y - _SIN * x),
    lambda x, y: (
        0.5 * _COS * (_COS * x + _SIN * y) - 20 * _SIN * (_COS * y - _SIN * x),
        0.5 * _SIN * (_COS * x + _SIN * y) + 20 * _COS * (_COS * y - _SIN * x),
    ),
    start=(_COS * -1.7 - _SIN * 0.6, _COS * 0.6 + _SIN * -1.7),
    lowest=((0.0, 0.0),),
)

# Down on both sides of a pass: x² − y²/2 + y⁴/4 + 1/4. The start is a thousandth beside the ridge that leads to it.
SADDLE = Surface(
    "saddle",
    lambda x, y: _square(x) + _square(_square(y) - 1) / 4,
    lambda x, y: (2 * x, y * (_square(y) - 1)),
    start=(-1.6, 0.001),
    lowest=((0.0, 1.0), (0.0, -1.0)),
)

# Rosenbrock 1960, with 10 in place of 100, a tenth as high, and moved into the picture.
_DOWN = 0.6
BANANA = Surface(
    "banana",
    lambda x, y: _square(1 - x) / 10 + _square(y + _DOWN - _square(x)),
    lambda x, y: (
        (x - 1) / 5 - 4 * x * (y + _DOWN - _square(x)),
        2 * (y + _DOWN - _square(x)),
    ),
    start=(-1.2, -0.9),
    lowest=((1.0, 1 - _DOWN),),
)

# A gentle bowl that ends at a wall before its middle is reached (the cliffs of Pascanu et al. 2013, section 2.3).
_EDGE, _STEEP = 1.0, 80.0
_MIDDLE, _ALONG, _ACROSS = 1.6, 0.3, 0.6
_FOOT = (_ALONG * _MIDDLE + _STEEP * _EDGE) / (_ALONG + _STEEP)  # the bowl pushes as hard as the wall


def _behind(x: Any) -> Any:
    """How far x is inside the wall, 0 in front of it; NaN beyond an infinity, as everywhere here."""
    return (x - _EDGE + abs(x - _EDGE)) / 2


def _bowl(x: Any, y: Any) -> Any:
    return (_ALONG * _square(x - _MIDDLE) + _ACROSS * _square(y) + _STEEP * _square(_behind(x))) / 2


_LOW = _bowl(_FOOT, 0.0)
WALL = Surface(
    "wall",
    lambda x, y: _bowl(x, y) - _LOW,
    lambda x, y: (_ALONG * (x - _MIDDLE) + _STEEP * _behind(x), _ACROSS * y),
    start=(-1.6, 0.9),
    lowest=((_FOOT, 0.0),),
)

SURFACES = {surface.name: surface for surface in (VALLEY, TILTED, SADDLE, BANANA, WALL)}
