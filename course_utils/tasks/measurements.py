"""What fine-tuning reached, training by training, kept in a file.

    {"command": …, "settings": {…}, "measurements": [
    {"task": "reviews", "start": "pre-trained", "labels": 1000, "seed": 0, "rate": 0.0001, "batch_size": 16,
     "epochs": 4, "validation": {"accuracy": …}, "test": {"accuracy": …}}, …]}

scripts/finetune.py makes them, summaries.py says what they come to.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from course_utils.support.files import write_atomically
from course_utils.support.foreign_json import entry, read_object

STARTS = ("pre-trained", "from-scratch", "frozen", "baseline")
VARIANTS = ("two-layers", "frozen-1", "frozen-2", "frozen-3")  # of the pre-trained start


@dataclass(frozen=True)
class Measurement:
    """One training, or one baseline."""

    task: str  # see load.TASKS
    start: str  # one of STARTS or VARIANTS
    labels: int  # how many examples it was trained with
    seed: int  # of the draw, of the order, of the new weights and of the dropout
    rate: float  # of the training, as batch_size and epochs; 0 of a baseline
    batch_size: int
    epochs: int
    validation: dict[str, float]  # measure -> value, the main one first
    test: dict[str, float]

    @property
    def setting(self) -> tuple[float, int, int]:
        """Rate, batch size, epochs."""
        return self.rate, self.batch_size, self.epochs

    @property
    def plan(self) -> tuple[Any, ...]:
        """What was known before it was made."""
        return self.task, self.start, self.labels, self.seed, *self.setting


def main_value(measures: Mapping[str, float]) -> float:
    """The first of several measures."""
    return next(iter(measures.values()))


def read_measurements(path: str | Path) -> list[Measurement]:
    """What a file holds; errors as in read_file."""
    return read_file(path)[1]


def read_file(path: str | Path) -> tuple[dict[str, Any], list[Measurement]]:
    """The settings that all measurements of a file share, and the measurements.

    Raises:
        OSError: if it is not there, or cannot be read.
        ValueError: if it holds something else.
    """
    path = Path(path)
    content, source = read_object(path), path.name
    settings = entry(content, "settings", dict, source=source)
    rows = entry(content, "measurements", list, source=source)
    return settings, [_measurement(row, f"{source}, measurement {number}") for number, row in enumerate(rows)]


def write_file(
    path: str | Path, command: str, settings: Mapping[str, Any], measurements: Sequence[Measurement]
) -> None:
    """Replace a file, wholly or not at all; a measurement a line. Its folder is made; `settings` are what all share."""
    path = Path(path)
    head = {"command": command, "settings": dict(settings)}
    rows = ",\n".join(json.dumps(asdict(one), allow_nan=False) for one in measurements)
    path.parent.mkdir(parents=True, exist_ok=True)
    told = json.dumps(head, ensure_ascii=False, allow_nan=False)
    write_atomically(path, f'{told[:-1]},\n"measurements": [\n{rows}\n]}}\n')


def _measurement(row: Any, source: str) -> Measurement:
    kinds = {"task": str, "start": str, "labels": int, "seed": int, "batch_size": int, "epochs": int}
    told = {name: entry(row, name, kind, source=source) for name, kind in kinds.items()}
    parts = {part: entry(row, part, dict, source=source) for part in ("validation", "test")}
    numbers = [row.get("rate"), *(value for part in parts.values() for value in part.values())]
    if not all(isinstance(number, int | float) and math.isfinite(number) for number in numbers):
        raise ValueError(f"{source}: rate and measures must be finite numbers")
    if not all(parts.values()):
        raise ValueError(f"{source}: validation and test must hold at least one measure each")
    return Measurement(**told, rate=row["rate"], **parts)
