"""Activation functions in four views: curves and slopes at a movable x, GELU's gate, inputs without gradient, a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import torch
import traitlets
from torch import Tensor

from course_utils.locale import text
from course_utils.widgets.activation_explorer.measures import (
    TINY,
    opening,
    shares_without_gradient,
    times_open,
)
from course_utils.widgets.base import BadInput, CourseWidget

Curve = Callable[[Tensor], Tensor]
POINTS = 401  # on the grid from −reach to reach; odd, so that 0 is among them
MOST_FUNCTIONS = 6  # as many as there are pairs of colour and dash in view.js
GATES = 81  # places along x where the gate's coins are thrown
THROWS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # the stops of the slider
SPREADS = (0.1, 3.0)
MOST_STEPS = 2000
VIEWS = ("curves", "gate", "inputs", "run")

Run = tuple[Sequence[float], Sequence[float]]


class ActivationExplorer(CourseWidget):
    """Move x along several functions; throw GELU's coins; move the inputs; scrub through a training run.

    Views: "curves" (values and slopes at x, and the magnified difference of two functions), "gate" (x·Bernoulli(Φ(x)),
    averaged over coins, beside x·Φ(x)), "inputs" (normally distributed inputs, and for each function the share that
    gets no gradient), "run" (dead units and loss of training runs, step by step; only where runs were given).

    Args:
        functions: name -> (function, derivative), one to six of them, each from a float64 tensor (n,) to one of the
            same shape. The names are the learner's words for the curves.
        difference_of: two of the names; with `difference` on, the first minus the second is drawn, magnified, in
            place of the derivatives. None for no such view.
        x: where to start.
        reach: the curves are drawn from −reach to reach.
        runs: name -> (dead units, loss), each a number for every step from 0, before the first update; one to six
            runs of the same length, at most 2001. Losses are above 0.
        units: how many units a run has in all.

    Attributes:
        view: one of "curves", "gate", "inputs", "run".
        x: a number from −reach to reach.
        shown: names of the curves that are switched on, in any order.
        difference: whether the magnified difference is drawn.
        flips: coins thrown at each x, 1 to 1000; roll: which coins, a number from 0.
        mean, spread: of the inputs; from −reach to reach, and from 0.1 to 3.
        step: of the runs, from 0.
        curves: what does not change: the grid, the curves on it, the derivatives, the difference, Φ, the runs.
    """

    name = "activation_explorer"
    inputs = ("view", "x", "shown", "difference", "flips", "roll", "mean", "spread", "step")
    constants: ClassVar[dict[str, Any]] = {"throws": THROWS, "spreads": SPREADS, "tiny": TINY}

    view = traitlets.Unicode("curves").tag(sync=True)
    x = traitlets.Float(0.0).tag(sync=True)
    shown = traitlets.List(traitlets.Unicode()).tag(sync=True)
    difference = traitlets.Bool(False).tag(sync=True)
    flips = traitlets.Int(1).tag(sync=True)
    roll = traitlets.Int(0).tag(sync=True)
    mean = traitlets.Float(0.0).tag(sync=True)
    spread = traitlets.Float(1.0).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    curves = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        functions: Mapping[str, tuple[Curve, Curve]],
        *,
        difference_of: tuple[str, str] | None = None,
        x: float = 0.0,
        reach: float = 4.0,
        runs: Mapping[str, Run] | None = None,
        units: int = 0,
        view: str = "curves",
    ) -> None:
        self._functions = {str(name): pair for name, pair in functions.items()}
        if not 1 <= len(self._functions) <= MOST_FUNCTIONS:
            raise self.bad("count", most=MOST_FUNCTIONS, actual=len(functions))
        if not 0 < reach <= 100:
            raise self.bad("reach", actual=reach)
        if difference_of is not None and not set(difference_of) <= set(self._functions):
            raise self.bad("name", actual=", ".join(map(str, difference_of)))
        self._difference_of = difference_of
        self._reach = float(reach)
        self._runs, self._units = _checked_runs(runs or {}, units), units
        self.set_trait("curves", self._sample())
        super().__init__(x=x, shown=list(self._functions), view=view)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers at x and their sentence."""
        if not abs(self.x) <= self._reach:  # also refuses NaN
            raise self.bad("x", reach=_plain(self._reach), actual=_plain(self.x))
        for name in self.shown:
            if name not in self._functions:
                raise self.bad("name", actual=name)
        if self.difference and self._difference_of is None:
            raise self.bad("difference")
        self._check_view()
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
        picture = {"view": self.view, "rows": rows, "gap": gap}
        if self.view == "gate":
            picture["gate"] = self._throw(at)
            return picture, self.say("gate", **_gate_facts(self.x, picture["gate"]))
        if self.view == "inputs":
            for row in rows:
                slope = self._functions[row["name"]][1]
                shares = shares_without_gradient(slope, mean=self.mean, spread=self.spread)
                row["zero"], row["tiny"] = (round(share, 5) for share in shares)
            return picture, self._say_inputs(rows)
        if self.view == "run":
            picture["run"] = [
                {"name": name, "dead": dead[self.step], "loss": loss[self.step]}
                for name, (dead, loss) in self._runs.items()
            ]
            return picture, self._say_run(picture["run"])
        return picture, self._sentence(rows, gap)

    def _check_view(self) -> None:
        """Refuse what the sliders cannot give."""
        if self.view not in VIEWS or (self.view == "run" and not self._runs):
            raise self.bad("view", actual=self.view)
        last = max((len(dead) - 1 for dead, _ in self._runs.values()), default=0)
        for name, low, high in [
            ("flips", 1, THROWS[-1]),
            ("roll", 0, 2**31),
            ("mean", -self._reach, self._reach),
            ("spread", *SPREADS),
            ("step", 0, last),
        ]:
            value = getattr(self, name)
            if not low <= value <= high:
                facts = {"name": name, "low": _plain(low), "high": _plain(high), "actual": _plain(value)}
                raise self.bad("range", **facts)

    def _throw(self, at: torch.Tensor) -> dict[str, Any]:
        """Coins at x, and at places all along the axis."""
        along = torch.linspace(-self._reach, self._reach, GATES, dtype=torch.float64)
        averages = along * times_open(along, flips=self.flips, roll=self.roll + 1) / self.flips
        opened = int(times_open(at, flips=self.flips, roll=self.roll)[0])
        probability = float(opening(at)[0])
        return {
            "flips": self.flips,
            "probability": probability,
            "opened": opened,
            "average": self.x * opened / self.flips,
            "expected": self.x * probability,
            "dots": [
                [round(x, 3), round(y, 3)] for x, y in zip(along.tolist(), averages.tolist(), strict=True)
            ],
        }

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
        gate = {
            "opening": _round(opening(grid).tolist()),
            "expected": _round((grid * opening(grid)).tolist()),
        }
        runs = [
            {"name": name, "dead": dead, "loss": [round(math.log10(value), 4) for value in loss]}
            for name, (dead, loss) in self._runs.items()
        ]
        return {
            "reach": self._reach,
            "x": _round(grid.tolist()),
            "lines": lines,
            "gap": gap,
            "gap_of": names,
            "gate": gate,
            "runs": runs,
            "units": self._units,
        }

    def _sentence(self, rows: list[dict[str, Any]], gap: float | None) -> str:
        shown = [row for row in rows if row["shown"]]
        here = self.say("here", x=_number(self.x, 2))
        if not shown:
            return f"{here} {text('widgets.activation_explorer.nothing')}"
        parts = [
            self.say("curve", **row | {key: _number(row[key], 4) for key in ("value", "slope")})
            for row in shown
        ]
        remarks = []
        for kind in ("falling", "flat"):
            if names := [row["name"] for row in shown if _kind(row["slope"]) == kind]:
                remarks.append(self.say(f"{kind}", names=" · ".join(names)))
        if self.difference and gap is not None:
            first, second = self._difference_of
            facts = {"first": first, "second": second, "units": _number(1e4 * gap, 2)}
            remarks.append(self.say("gap", **facts))
        return " ".join([here, ", ".join(parts) + ".", *remarks])

    def _say_inputs(self, rows: list[dict[str, Any]]) -> str:
        shown = [row for row in rows if row["shown"]]
        here = self.say("inputs", mean=_number(self.mean, 2), spread=f"{self.spread:.2f}")
        if not shown:
            return f"{here} {text('widgets.activation_explorer.nothing')}"
        zero, tiny = (
            ", ".join(f"{row['name']} {100 * row[kind]:.1f} %" for row in shown) for kind in ("zero", "tiny")
        )
        return self.say("shares", here=here, zero=zero, tiny=tiny)

    def _say_run(self, runs: list[dict[str, Any]]) -> str:
        when = self.say(f"{'before' if self.step == 0 else 'after'}", step=self.step)
        parts = [
            self.say("dead", name=run["name"], dead=f"{run['dead']:g}", loss=f"{run['loss']:.2g}")
            for run in runs
        ]
        facts = {"when": when, "units": self._units, "runs": ", ".join(parts)}
        return self.say("run", **facts)


def _gate_facts(x: float, gate: dict[str, Any]) -> dict[str, Any]:
    written = {name: _number(gate[name], 4) for name in ("probability", "average", "expected")}
    return {"x": _number(x, 2), "flips": gate["flips"], "opened": gate["opened"], **written}


def _checked_runs(runs: Mapping[str, Run], units: int) -> dict[str, tuple[list[float], list[float]]]:
    """Lists of the same length for each run, or BadInput."""
    kept = {
        str(name): ([float(value) for value in dead], [float(value) for value in loss])
        for name, (dead, loss) in runs.items()
    }
    lengths = {len(part) for pair in kept.values() for part in pair}
    fits = (
        len(kept) <= MOST_FUNCTIONS and len(lengths) <= 1 and all(1 <= n <= MOST_STEPS + 1 for n in lengths)
    )
    if not fits or not all(
        0 <= count <= units and 0 < value < math.inf
        for dead, loss in kept.values()
        for count, value in zip(dead, loss, strict=True)
    ):
        raise BadInput(text("widgets.activation_explorer.bad.runs", most=MOST_FUNCTIONS, steps=MOST_STEPS))
    return kept


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
