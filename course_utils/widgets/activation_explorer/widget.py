"""Activation functions in four views: curves and slopes at a movable x, GELU's gate, inputs without gradient, a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import torch
import traitlets
from torch import Tensor

from course_utils.widgets.activation_explorer.measures import (
    TINY,
    opening,
    shares_without_gradient,
    times_open,
)
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.refusals import as_array
from course_utils.widgets.shown import percent, signed

Curve = Callable[[Tensor], Tensor]
REACH = 4.0  # the curves are drawn from −REACH to REACH
POINTS = 401  # on the grid; odd, so that 0 is among them
GATES = 81  # places along x where the gate's coins are thrown
THROWS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # the stops of the slider
SPREADS = (0.1, 3.0)
VIEWS = ("curves", "gate", "inputs", "run")

Run = tuple[Sequence[float], Sequence[float]]


class ActivationExplorer(CourseWidget):
    """Move x along several functions; throw GELU's coins; move the inputs; scrub through a training run.

    Views: "curves" (values and slopes at x, and the magnified difference of two functions), "gate" (x·Bernoulli(Φ(x)),
    averaged over coins, beside x·Φ(x)), "inputs" (normally distributed inputs, and for each function the share that
    gets no gradient), "run" (dead units and loss of training runs, step by step; only where runs were given).

    Args:
        functions: name -> (function, derivative), one to six of them (there are as many pairs of colour and dash),
            each from a float64 tensor (n,) to one of the same shape. The names are the learner's words for the curves.
        difference_of: two of the names; with `difference` on, the first minus the second is drawn, magnified, in
            place of the derivatives. None for no such view.
        runs: name -> (dead units, loss), each a number for every step from 0, before the first update; one to six
            runs of the same length, at most 2001. Losses are above 0.
        units: how many units a run has in all.
        start: any of the attributes.

    Attributes:
        view: one of "curves", "gate", "inputs", "run".
        x: a number from −4 to 4, as far as the curves are drawn.
        shown: names of the curves that are switched on, in any order.
        difference: whether the magnified difference is drawn.
        flips: coins thrown at each x, 1 to 1000; roll: which coins, a number from 0.
        mean, spread: of the inputs; from −4 to 4, and from 0.1 to 3.
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
        runs: Mapping[str, Run] | None = None,
        units: int = 0,
        **start: Any,
    ) -> None:
        self._functions = dict(functions)
        self._difference_of = difference_of
        self._runs, self._units = dict(runs or {}), units
        self.set_trait("curves", self._sample())
        super().__init__(**({"shown": list(self._functions)} | start))

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers at x and their sentence."""
        self._check()
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
            picture["gate"] = gate = self._throw(at)
            facts = {name: signed(gate[name], 4) for name in ("probability", "average", "expected")}
            facts |= {"x": signed(self.x, 2), "flips": self.flips, "opened": gate["opened"]}
            return picture, self.say("gate", **facts)
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

    def _check(self) -> None:
        lengths = [len(dead) for dead, _ in self._runs.values()]
        self.one_of(view=VIEWS if self._runs else VIEWS[:-1], shown=self._functions)
        self.within(x=(-REACH, REACH), mean=(-REACH, REACH), spread=SPREADS)
        self.within(flips=(1, THROWS[-1]), roll=(0, 2**31), step=(0, max(lengths, default=1) - 1))
        if self.difference and self._difference_of is None:
            raise self.bad("difference")

    def _throw(self, at: torch.Tensor) -> dict[str, Any]:
        """Coins at x, and at places all along the axis."""
        along = torch.linspace(-REACH, REACH, GATES, dtype=torch.float64)
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
        grid = torch.linspace(-REACH, REACH, POINTS, dtype=torch.float64)
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
        gate = {
            "opening": _round(opening(grid).tolist()),
            "expected": _round((grid * opening(grid)).tolist()),
        }
        runs = [
            {"name": name, "dead": list(dead), "loss": [round(math.log10(value), 4) for value in loss]}
            for name, (dead, loss) in self._runs.items()
        ]
        return {
            "reach": REACH,
            "x": _round(grid.tolist()),
            "lines": lines,
            "gap": gap,
            "gap_of": list(self._difference_of or ()),
            "gate": gate,
            "runs": runs,
            "units": self._units,
        }

    def _sentence(self, rows: list[dict[str, Any]], gap: float | None) -> str:
        shown = [row for row in rows if row["shown"]]
        here = self.say("here", x=signed(self.x, 2))
        if not shown:
            return f"{here} {self.say('nothing')}"
        parts = [
            self.say("curve", **row | {key: signed(row[key], 4) for key in ("value", "slope")})
            for row in shown
        ]
        remarks = []
        for kind in ("falling", "flat"):
            if names := [row["name"] for row in shown if _kind(row["slope"]) == kind]:
                remarks.append(self.say(kind, names=" · ".join(names)))
        if self.difference and gap is not None:
            first, second = self._difference_of
            remarks.append(self.say("gap", first=first, second=second, units=signed(1e4 * gap, 2)))
        return " ".join([here, ", ".join(parts) + ".", *remarks])

    def _say_inputs(self, rows: list[dict[str, Any]]) -> str:
        shown = [row for row in rows if row["shown"]]
        here = self.say("inputs", mean=signed(self.mean, 2), spread=f"{self.spread:.2f}")
        if not shown:
            return f"{here} {self.say('nothing')}"
        zero, tiny = (
            ", ".join(f"{row['name']} {percent(row[kind], 1)}" for row in shown) for kind in ("zero", "tiny")
        )
        return self.say("shares", here=here, zero=zero, tiny=tiny)

    def _say_run(self, runs: list[dict[str, Any]]) -> str:
        when = self.say("before" if self.step == 0 else "after", step=self.step)
        parts = [
            self.say("dead", name=run["name"], dead=f"{run['dead']:g}", loss=f"{run['loss']:.2g}")
            for run in runs
        ]
        return self.say("run", when=when, units=self._units, runs=", ".join(parts))


def _kind(slope: float) -> str | None:
    """What is worth a word: "flat" where no gradient passes, "falling" where a larger x gives a smaller value."""
    if slope == 0.0:
        return "flat"
    return "falling" if slope < -0.00005 else None  # below, four digits show 0


def _call(function: Curve, x: Tensor, name: str) -> list[float]:
    return as_array(function(x), len(x), what=name).tolist()


def _round(values: list[float]) -> list[float]:
    return [round(value, 5) for value in values]
