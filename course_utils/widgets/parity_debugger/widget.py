"""A model with a planted fault beside the reference: how far each stage is off, and which is the first to depart."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import traitlets

from course_utils.widgets.base import CourseWidget

MOST_FAULTS = 20
MOST_LAYERS = 48

Departures = Callable[[str, int], Sequence[tuple[str, float]]]


class ParityDebugger(CourseWidget):
    """Choose a fault and the layer where it sits; see the largest difference to the reference at every stage.

    Args:
        departures: (fault, layer) -> [(stage, largest absolute difference), …] from the input to the output, one to
            64 stages. A difference is not negative; NaN and infinity count as departures. Asked once for each pair.
        faults: the learner's words for the faults, one to twenty; the first is what the widget starts with.
        layers: L, in how many layers a fault can sit, 1 to 48.
        outside: those faults that sit in no layer; for them the layer's number means nothing.
        tolerance: a stage departs where its difference is larger than this.
        fault, layer: what to start with.

    Attributes:
        fault: one of `faults`.
        layer: from 1 to L.
        setup: what does not change: faults, layers, tolerance.
    """

    name = "parity_debugger"
    inputs = ("fault", "layer")

    fault = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Int().tag(sync=True)
    setup = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        departures: Departures,
        *,
        faults: Sequence[str],
        layers: int,
        outside: Collection[str] = (),
        tolerance: float = 1e-5,
        fault: str | None = None,
        layer: int = 1,
    ) -> None:
        self._departures = departures
        self._faults = [str(name) for name in faults]
        if not 1 <= len(self._faults) <= MOST_FAULTS or len(set(self._faults)) < len(self._faults):
            raise self.bad("count", most=MOST_FAULTS, actual=len(self._faults))
        if not isinstance(layers, int) or not 1 <= layers <= MOST_LAYERS:
            raise self.bad("layers", most=MOST_LAYERS, actual=layers)
        if not 0 < tolerance < math.inf:
            raise self.bad("tolerance", actual=tolerance)
        self._layers, self._tolerance, self._outside = layers, float(tolerance), frozenset(outside)
        self._known: dict[tuple[str, int], list[tuple[str, float]]] = {}
        setup = {"faults": self._faults, "layers": layers, "tolerance": self._tolerance}
        self.set_trait("setup", setup)
        super().__init__(fault=self._faults[0] if fault is None else fault, layer=layer)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers and its sentence, from fault and layer."""
        if self.fault not in self._faults:
            raise self.bad("fault", actual=self.fault)
        if not 1 <= self.layer <= self._layers:
            raise self.bad("layer", most=self._layers, actual=self.layer)
        stages = self._ask()
        departing = [not difference <= self._tolerance for _, difference in stages]  # NaN departs too
        first = departing.index(True) if any(departing) else None
        rows = [
            {
                "stage": stage,
                "difference": difference if math.isfinite(difference) else None,
                "shown": _number(difference),
                "departs": departs,
            }
            for (stage, difference), departs in zip(stages, departing, strict=True)
        ]
        picture = {"rows": rows, "first": first, "layer_counts": self.fault not in self._outside}
        return picture, self._sentence(rows, first)

    def _ask(self) -> list[tuple[str, float]]:
        """What `departures` says about the present fault, looked at; remembered for the next time."""
        key = (self.fault, self.layer)
        if key not in self._known:
            try:
                stages = [(str(stage), float(difference)) for stage, difference in self._departures(*key)]
            except (TypeError, ValueError) as problem:
                raise self.bad("stages", actual=str(problem)) from problem
            if not 1 <= len(stages) <= 64 or any(difference < 0 for _, difference in stages):
                raise self.bad("stages", actual=stages)
            self._known[key] = stages
        return self._known[key]

    def _sentence(self, rows: list[dict[str, Any]], first: int | None) -> str:
        counts = self.fault not in self._outside
        facts = {
            "fault": self.fault,
            "layer": self.layer,
            "limit": f"{self._tolerance:g}",
            "count": len(rows),
        }
        parts = [self.say(f"{'in_layer' if counts else 'outside'}", **facts)]
        if first is None:
            return " ".join([*parts, self.say("none", **facts)])
        here = rows[first]
        parts.append(self.say("first", stage=here["stage"], difference=here["shown"]))
        if first:
            parts.append(self.say("before", before=first, limit=facts["limit"]))
        if after := rows[first + 1 :]:
            also = sum(row["departs"] for row in after)
            parts.append(self.say("after", after=len(after), also=also))
        return " ".join(parts)


def _number(difference: float) -> str:
    """Two digits are enough to see a size: 0.31, 4.2e-07; and the two that are no numbers."""
    if math.isnan(difference):
        return "NaN"
    return "∞" if math.isinf(difference) else f"{difference:.2g}"
