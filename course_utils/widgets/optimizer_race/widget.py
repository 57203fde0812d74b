"""Optimisers race down a surface over two weights: their paths from above, and how high each still stands."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.figure import Figure
from matplotlib.path import Path

from course_utils.viz import plot_descent_paths
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.optimizer_race.racing import FAR, Race
from course_utils.widgets.optimizer_race.surfaces import REACH, SURFACES, Surface
from course_utils.widgets.refusals import as_array

STEPS = 120
RATES = [
    round(digit * 10**power, 4)
    for power in (-3, -2, -1)
    for digit in (1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8)
] + [1.0]  # the stops of the slider: each about a quarter more than the last (Renard's series R10)
MOST_WARMUP = 60
MOST_NOISE = 3.0
FINISH = 0.01  # of the height at the start: the line to come under
DECADES = (-6, 2)  # of the heights that the chart shows, as powers of ten


class OptimizerRace(CourseWidget):
    """Choose a surface, a rate, a warm-up and noise; go through the race step by step, or watch it.

    Args:
        race: (surface, rate, warmup, noise, seed, steps) -> {name of an optimiser: (steps + 1, 2)}, where it stands
            before its first step, which is the surface's start, and after each; numbers that are not finite from where
            it is lost. One to four names (there are as many marks), always the same. The rate of step t is
            rate · min(1, t / warmup); noise is the standard deviation of what is added to each number of the gradient.
            `racing.race_of` makes one.
        start: any of the attributes.

    Attributes:
        surface: one of surfaces.SURFACES.
        rate: learning rate, from 0.001 to 1.
        step: 0 to 120.
        warmup: steps in which the rate rises, 0 to 60.
        noise: 0 to 3; seed: which noise, a number from 0.
        shown: names of the optimisers that are drawn, in any order.
        relief: the contours of the surface.
        paths: where everybody is at each step, and the powers of ten of the heights there. Apart from `picture`, so
            that a step brings back only what it changes.
    """

    name = "optimizer_race"
    inputs = ("surface", "rate", "warmup", "noise", "seed", "step", "shown")
    constants: ClassVar[dict[str, Any]] = {
        "steps": STEPS,
        "rates": RATES,
        "warmup": MOST_WARMUP,
        "noise": MOST_NOISE,
        "finish": FINISH,
        "reach": REACH,
        "decades": DECADES,
        "surfaces": list(SURFACES),
    }

    surface = traitlets.Unicode("valley").tag(sync=True)
    rate = traitlets.Float(0.08).tag(sync=True)
    warmup = traitlets.Int(0).tag(sync=True)
    noise = traitlets.Float(0.0).tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)
    step = traitlets.Int(STEPS).tag(sync=True)
    shown = traitlets.List(traitlets.Unicode()).tag(sync=True)
    relief = traitlets.Dict(read_only=True).tag(sync=True)
    paths = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(self, race: Race, **start: Any) -> None:
        self._race = race
        self._raced: tuple[Any, ...] = ()  # what the paths were asked for
        self._heights: dict[str, np.ndarray] = {}
        self._ways: dict[str, np.ndarray] = {}
        for known in SURFACES:
            _relief(known)  # kept: a surface that is chosen later is there at once
        self._names = list(_asked(race, SURFACES["valley"], 0.001, 0, 0.0, 0, 1))
        super().__init__(**({"shown": self._names} | start))

    def draw(self) -> tuple[dict[str, Any], str]:
        """Who stands where after `step` steps, and its sentence; the paths go to `paths`."""
        self.one_of(surface=SURFACES, shown=self._names)
        self.within(rate=(RATES[0], RATES[-1]), warmup=(0, MOST_WARMUP), noise=(0, MOST_NOISE))
        self.within(seed=(0, 2**31), step=(0, STEPS))
        asked = (self.surface, self.rate, self.warmup, self.noise, self.seed)
        if asked != self._raced:
            self._run(asked)
        rows = [self._row(name) for name in self._ways]
        return {"step": self.step, "rows": rows}, self._sentence([row for row in rows if row["shown"]])

    def _run(self, asked: tuple[Any, ...]) -> None:
        """Race once, and keep what came: for Python all of it, for the browser what is finite."""
        surface = SURFACES[self.surface]
        ways = _asked(self._race, surface, self.rate, self.warmup, self.noise, self.seed, STEPS)
        self._raced, self._ways = asked, ways
        self._heights = {name: surface.height(*way.T) for name, way in ways.items()}
        racers = [
            {
                "name": name,
                "points": np.round(way, 4).tolist(),
                "logs": np.round(np.log10(np.maximum(self._heights[name], 1e-12)), 3).tolist(),
            }
            for name, way in ways.items()
        ]
        self.set_trait("relief", _relief(self.surface))
        line = math.log10(FINISH * surface.height(*surface.start))
        self.set_trait("paths", {"racers": racers, "line": round(line, 3)})

    def _row(self, name: str) -> dict[str, Any]:
        """One optimiser after `step` steps."""
        heights, last = self._heights[name], len(self._ways[name]) - 1
        at = min(self.step, last)
        x, y = self._ways[name][at]
        above = np.flatnonzero(heights[: at + 1] >= FINISH * heights[0])
        lost = last + 1 if self.step > last else None
        under = lost is None and above[-1] < at
        since = int(above[-1]) + 1 if under else None  # without a break
        outside = lost is None and bool(abs(x) > REACH[0] or abs(y) > REACH[1])
        states = {"lost": lost, "outside": outside, "since": since}
        where = next((state for state, holds in states.items() if holds), None)
        return {
            "name": name,
            "shown": name in self.shown,
            "height": float(heights[at]),
            "said": "–" if lost else _number(heights[at]),
            "where": self.say(f"row.{where}", step=states[where]) if where else "–",
            **states,
        }

    def _sentence(self, rows: list[dict[str, Any]]) -> str:
        say = {"surface": self.say(f"labels.{self.surface}"), "step": self.step}
        here = self.say("here", **say, settings=self._settings())
        if not rows:
            return f"{here} {self.say('nobody')}"
        if self.step == 0:
            height = _number(rows[0]["height"])
            return f"{here} {self.say('start', height=height)}"
        running = sorted((row for row in rows if row["lost"] is None), key=lambda row: row["height"])
        under = sorted((row for row in running if row["since"] is not None), key=lambda row: row["since"])
        parts = {
            "order": [f"{row['name']} {_number(row['height'])}" for row in running],
            "under": [self.say("since", name=row["name"], step=row["since"]) for row in under],
            "outside": [row["name"] for row in running if row["outside"]],
            "lost": [
                self.say("at", name=row["name"], step=row["lost"]) for row in rows if row["lost"] is not None
            ],
        }
        told = [self.say(what, names=", ".join(names)) for what, names in parts.items() if names]
        if not under:
            told.insert(1, self.say("none_under"))
        return " ".join([here, *told])

    def _settings(self) -> str:
        facts = [self.say("rate", rate=f"{self.rate:g}")]
        if self.warmup:
            facts.append(self.say("warmup", warmup=self.warmup))
        if self.noise:
            facts.append(self.say("noise", noise=f"{self.noise:g}", seed=self.seed))
        return ", ".join(facts)


def _asked(race: Race, surface: Surface, *how: Any) -> dict[str, np.ndarray]:
    """The paths of a race, each up to where it is lost."""
    ways = {}
    for name, path in race(surface, *how).items():
        way = as_array(path, how[-1] + 1, 2, what=name, finite=False)
        lost = ~(np.hypot(*way.T) <= FAR)
        ways[name] = way[: int(lost.argmax())] if lost.any() else way
    return ways


@cache
def _relief(name: str) -> dict[str, Any]:
    """The contours of the static figure, as outlines for SVG in hundredths of a unit, y pointing down."""
    surface = SURFACES[name]
    ax = plot_descent_paths(*surface.grid(), {}, ax=Figure().add_subplot())
    bands = [_outline(band) for band in ax.collections[0].get_paths()]
    return {"start": surface.start, "lowest": surface.lowest, "bands": bands}


def _outline(band: Path) -> str:
    letters = {Path.MOVETO: "M", Path.LINETO: "L"}
    return "".join(
        f"{letters[code]}{100 * x:.1f} {-100 * y:.1f}" if code in letters else "Z"
        for (x, y), code in zip(band.vertices, band.codes, strict=True)
    )


def _number(height: float) -> str:
    """Two digits; what is very small or large as a power of ten."""
    if height == 0 or 1e-3 <= height < 1e4:
        return f"{height:.2g}" if height < 100 else f"{height:.0f}"
    digits, power = f"{height:.1e}".split("e")
    return f"{digits}e{int(power)}".replace("-", "−")
