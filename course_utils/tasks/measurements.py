"""What fine-tuning reached, training by training, kept in a file.

    {"command": …, "settings": {…}, "measurements": [
    {"task": "reviews", "start": "pre-trained", "labels": 1000, "seed": 0, "rate": 0.0001, "batch_size": 16,
     "epochs": 4, "validation": {"accuracy": …}, "test": {"accuracy": …}}, …]}

finetune.py makes them, summaries.py says what they come to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from course_utils.support.files import write_atomically
from course_utils.support.foreign_json import entry, read_object
from course_utils.support.given import (
    mapping,
    one_line,
    one_text,
    path_of,
    real_number,
    several,
    shown,
    whole_number,
)

STARTS = ("pre-trained", "from-scratch", "frozen", "baseline")
VARIANTS = ("two-layers", "frozen-1", "frozen-2", "frozen-3")  # of the pre-trained start
LARGEST = 2**63 - 1  # of a whole number in a file


@dataclass(frozen=True)
class Measurement:
    """One training, or one baseline.

    Attributes:
        task: see forms.TASKS.
        start: one of STARTS or VARIANTS.
        labels: how many examples it was trained with.
        seed: of the draw, of the order, of the new weights and of the dropout.
        rate, batch_size, epochs: of the training; 0 of a baseline.
        validation, test: measure -> value, the main one first.
    """

    task: str
    start: str
    labels: int
    seed: int
    rate: float
    batch_size: int
    epochs: int
    validation: dict[str, float]
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
    """The first of several measures.

    Raises:
        ValueError: if measures are no dict, hold none, or the first is no number.
    """
    for value in mapping("measures", measures, "from a measure's name to its value").values():
        return real_number("the first of measures", value, least=-1e30)
    raise ValueError("measures must hold at least one, got none")


def read_measurements(path: str | Path) -> list[Measurement]:
    """What a file holds.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if path is none, or the file holds something else.
        OSError: if it cannot be read.
    """
    return read_file(path)[1]


def read_file(path: str | Path) -> tuple[dict[str, Any], list[Measurement]]:
    """The settings that all measurements of a file share, and the measurements.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if path is none, or the file holds something else.
        OSError: if it cannot be read.
    """
    path = path_of("path", path)
    if not path.exists():
        raise FileNotFoundError(f"there is no file {one_line(str(path), 200)}")
    content = read_object(path)
    source = one_line(path.name, 80)
    settings = entry(content, "settings", dict, source=source)
    rows = entry(content, "measurements", list, source=source)
    return settings, [_measurement(row, f"{source}, measurement {number}") for number, row in enumerate(rows)]


def write_file(
    path: str | Path, command: str, settings: Mapping[str, Any], measurements: Sequence[Measurement]
) -> None:
    """Replace a file, wholly or not at all; a measurement a line.

    Args:
        path: where to; its folder is made.
        command: that made them.
        settings: what all of them share, of what JSON can hold.
        measurements: all of them.

    Raises:
        ValueError: if an argument does not fit.
        OSError: if it cannot be written.
    """
    path = path_of("path", path)
    head = {"command": one_text("command", command), "settings": dict(settings)}
    rows = ",\n".join(json.dumps(asdict(one), allow_nan=False) for one in checked(measurements))
    path.parent.mkdir(parents=True, exist_ok=True)
    told = json.dumps(head, ensure_ascii=False, allow_nan=False)
    write_atomically(path, f'{told[:-1]},\n"measurements": [\n{rows}\n]}}\n')


def _measurement(row: Any, source: str) -> Measurement:
    """One row of a file."""
    texts = [entry(row, name, str, source=source) for name in ("task", "start")]
    labels, seed, batch_size, epochs = (
        whole_number(f"{name} in {source}", row.get(name), least=0, most=LARGEST)
        for name in ("labels", "seed", "batch_size", "epochs")
    )
    rate = real_number(f"rate in {source}", row.get("rate"))
    measures = []
    for part in ("validation", "test"):
        found = entry(row, part, dict, source=source)
        if not found:
            raise ValueError(f"{part} in {source} must hold at least one measure, and holds none")
        measures.append(
            {name: real_number(f"{part} in {source}", value, least=-1e30) for name, value in found.items()}
        )
    return Measurement(*texts, labels, seed, rate, batch_size, epochs, *measures)


def checked(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Measurements as a list; anything else is refused.

    Raises:
        ValueError: if one is none.
    """
    found = several("measurements", measurements, "measurements")
    for one in found:
        if not isinstance(one, Measurement):
            raise ValueError(f"measurements must hold Measurements and nothing else, got {shown(one)}")
    return found
