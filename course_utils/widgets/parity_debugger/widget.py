"""A model with a planted fault beside the reference: how far each stage is off, and which is the first to depart."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any

import traitlets

from course_utils.widgets.base import CourseWidget

Departures = Callable[[str, int], Sequence[tuple[str, float]]]
TOLERANCE = 1e-5  # a stage departs where its difference is larger


class ParityDebugger(CourseWidget):
    """Choose a fault and the layer where it sits; see the largest difference to the reference at every stage.

    Args:
        departures: (fault, layer) -> [(stage, largest absolute difference), …] from the input to the output. NaN and
            infinity count as departures. Asked once for each pair.
        faults: the learner's words for the faults; the first is what the widget starts with.
        layers: L, in how many layers a fault can sit.
        outside: those faults that sit in no layer; for them the layer's number means nothing.
        start: any of the attributes.

    Attributes:
        fault: one of `faults`.
        layer: from 1 to L.
        setup: what does not change: faults, layers, tolerance.
    """

    name = "parity_debugger"
    inputs = ("fault", "layer")

    fault = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Int(1).tag(sync=True)
    setup = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        departures: Departures,
        *,
        faults: Sequence[str],
        layers: int,
        outside: Collection[str] = (),
        **start: Any,
    ) -> None:
        self._departures = cache(departures)
        self._faults = list(faults)
        self._layers, self._outside = layers, frozenset(outside)
        setup = {"faults": self._faults, "layers": layers, "tolerance": TOLERANCE}
        self.set_trait("setup", setup)
        super().__init__(**({"fault": self._faults[0]} | start))

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers and its sentence, from fault and layer."""
        self.one_of(fault=self._faults)
        self.within(layer=(1, self._layers))
        stages = [
            (stage, float(difference)) for stage, difference in self._departures(self.fault, self.layer)
        ]
        departing = [not difference <= TOLERANCE for _, difference in stages]  # NaN departs too
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

    def _sentence(self, rows: list[dict[str, Any]], first: int | None) -> str:
        counts = self.fault not in self._outside
        facts = {
            "fault": self.fault,
            "layer": self.layer,
            "limit": f"{TOLERANCE:g}",
            "count": len(rows),
        }
        parts = [self.say("in_layer" if counts else "outside", **facts)]
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
