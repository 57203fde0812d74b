"""Activation functions side by side, their derivatives below, and a point x that can be moved along them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import traitlets
from torch import Tensor

from course_utils.locale import text
from course_utils.widgets.base import BadInput, CourseWidget

Curve = Callable[[Tensor], Tensor]
POINTS = 401  # on the grid from −reach to reach; odd, so that 0 is among them
MOST_FUNCTIONS = 6  # as many as there are pairs of colour and dash in view.js


class ActivationExplorer(CourseWidget):
    """Move x along several functions; read values and derivatives; magnify the difference of two of them.

    Args:
        functions: name -> (function, derivative), one to six of them, each from a float64 tensor (n,) to one of the
            same shape. The names are the learner's words for the curves.
        difference_of: two of the names; with `difference` on, the first minus the second is drawn, magnified.
            None for no such view.
        x: where to start.
        reach: the curves are drawn from −reach to reach.

    Attributes:
        x: a number from −reach to reach.
        shown: names of the curves that are switched on, in any order.
        difference: whether the magnified difference is drawn.
        curves: what does not change with x: the grid, the curves on it, the derivatives, the difference.

    Raises:
        BadInput: a ValueError, if an argument or, later, an attribute is not as described.
    """

    name = "activation_explorer"
    inputs = ("x", "shown", "difference")

    x = traitlets.Float(0.0).tag(sync=True)
    shown = traitlets.List(traitlets.Unicode()).tag(sync=True)
    difference = traitlets.Bool(False).tag(sync=True)
    curves = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        functions: Mapping[str, tuple[Curve, Curve]],
        *,
        difference_of: tuple[str, str] | None = None,
        x: float = 0.0,
        reach: float = 4.0,
    ) -> None:
        self._functions = {str(name): pair for name, pair in functions.items()}
        if not 1 <= len(self._functions) <= MOST_FUNCTIONS:
            raise BadInput(
                text("widgets.activation_explorer.bad.count", most=MOST_FUNCTIONS, actual=len(functions))
            )
        if not 0 < reach <= 100:
            raise BadInput(text("widgets.activation_explorer.bad.reach", actual=reach))
        if difference_of is not None and not set(difference_of) <= set(self._functions):
            raise BadInput(
                text("widgets.activation_explorer.bad.name", actual=", ".join(map(str, difference_of)))
            )
        self._difference_of = difference_of
        self._reach = float(reach)
        self.set_trait("curves", self._sample())
        super().__init__(x=x, shown=list(self._functions))

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers at x and their sentence."""
        if not abs(self.x) <= self._reach:  # also refuses NaN
            raise BadInput(
                text("widgets.activation_explorer.bad.x", reach=_plain(self._reach), actual=_plain(self.x))
            )
        for name in self.shown:
            if name not in self._functions:
                raise BadInput(text("widgets.activation_explorer.bad.name", actual=name))
        if self.difference and self._difference_of is None:
            raise BadInput(text("widgets.activation_explorer.bad.difference"))
        at = torch.tensor([self.x], dtype=torch.float64)
        values = {
            name: (_call(f, at, name)[0], _call(slope, at, name)[0])
            for name, (f, slope) in self._functions.items()
        }
        gap = None
        if self._difference_of is not None:
            first, second = self._difference_of
            gap = values[first][0] - values[second][0]
        rows = [
            {"name": name, "value": value, "slope": slope, "shown": name in self.shown}
            for name, (value, slope) in values.items()
        ]
        return {"rows": rows, "gap": gap}, self._sentence(rows, gap)

    def _sample(self) -> dict[str, Any]:
        """Everything on the grid, rounded to what a screen can show (the difference is small: more digits)."""
        grid = torch.linspace(-self._reach, self._reach, POINTS, dtype=torch.float64)
        sampled = {
            name: (_call(f, grid, name), _call(slope, grid, name))
            for name, (f, slope) in self._functions.items()
        }
        gap = None
        if self._difference_of is not None:
            first, second = (sampled[name][0] for name in self._difference_of)
            gap = [mine - other for mine, other in zip(first, second, strict=True)]
        lines = [
            {"name": name, "values": _round(values), "slopes": _round(slopes)}
            for name, (values, slopes) in sampled.items()
        ]
        names = list(self._difference_of or ())
        return {"reach": self._reach, "x": _round(grid.tolist()), "lines": lines, "gap": gap, "gap_of": names}

    def _sentence(self, rows: list[dict[str, Any]], gap: float | None) -> str:
        shown = [row for row in rows if row["shown"]]
        here = text("widgets.activation_explorer.here", x=_number(self.x, 2))
        if not shown:
            return f"{here} {text('widgets.activation_explorer.nothing')}"
        parts = [
            text(
                "widgets.activation_explorer.curve",
                **row | {key: _number(row[key], 4) for key in ("value", "slope")},
            )
            for row in shown
        ]
        remarks = []
        for kind in ("falling", "flat"):
            if names := [row["name"] for row in shown if _kind(row["slope"]) == kind]:
                remarks.append(text(f"widgets.activation_explorer.{kind}", names=" · ".join(names)))
        if self.difference and gap is not None:
            first, second = self._difference_of
            facts = {"first": first, "second": second, "units": _number(1e4 * gap, 2)}
            remarks.append(text("widgets.activation_explorer.gap", **facts))
        return " ".join([here, ", ".join(parts) + ".", *remarks])


def _kind(slope: float) -> str | None:
    """What is worth a word: "flat" where no gradient passes, "falling" where a larger x gives a smaller value."""
    if slope == 0.0:
        return "flat"
    return "falling" if slope < -0.00005 else None  # below, four digits show 0


def _call(function: Curve, x: Tensor, name: str) -> list[float]:
    result = function(x)
    if not isinstance(result, Tensor) or result.shape != x.shape or not bool(result.isfinite().all()):
        raise BadInput(text("widgets.activation_explorer.bad.function", name=name))
    return result.detach().double().tolist()


def _round(values: list[float]) -> list[float]:
    return [round(value, 5) for value in values]


def _number(value: float, digits: int) -> str:
    """Fixed digits, the true minus sign, no negative zero."""
    shown = f"{value:.{digits}f}"
    if float(shown) == 0.0:
        shown = shown.lstrip("-")
    return shown.replace("-", "−")


def _plain(value: float) -> str:
    return f"{value:g}".replace("-", "−")
