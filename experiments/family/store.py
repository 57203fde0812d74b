"""Where runs are kept: one file a run while they are made, all of them together in data/family.json.

Two commands may work at once, each on other runs. A run is written when it ends, wholly or not at all, into a folder of
its own file; the file that is handed on is then made anew from that folder and from what it held before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from course_utils.support.files import write_atomically
from course_utils.support.foreign_json import entry, read_object
from course_utils.support.given import shown

Run = dict[str, Any]
KEYS = ("part", "member", "seed")  # what tells runs apart, with whatever else stands in "plan"


def name_of(plan: Mapping[str, Any]) -> str:
    """The file name of a run: its plan, in the order given."""
    return "-".join(f"{value:g}" if isinstance(value, float) else str(value) for value in plan.values())


class Store:
    """The runs of a race.

    Args:
        folder: gets one JSON file a run, and what else the command leaves there (weights, the vocabulary).
        out: the file that holds all of them.
        settings: what all runs share; a file made with others is refused.
    """

    def __init__(self, folder: Path, out: Path, settings: Mapping[str, Any]) -> None:
        self.folder, self.out, self.settings = folder, out, json.loads(json.dumps(dict(settings)))
        self.runs: dict[str, Run] = {}
        if out.exists():
            self._take(read_object(out), out)
        for file in sorted((folder / "done").glob("*.json")):
            self._take(read_object(file), file)

    def _take(self, content: Mapping[str, Any], file: Path) -> None:
        """Read runs; ValueError where they are none, or of another race."""
        settings = entry(content, "settings", dict, source=file.name)
        runs = entry(content, "runs", list, source=file.name)
        if settings != self.settings:
            names = sorted(settings.keys() | self.settings.keys())
            others = [name for name in names if settings.get(name) != self.settings.get(name)]
            raise ValueError(
                f"{file.name} was made with other settings ({', '.join(others)}): give another --out and --work"
            )
        for run in runs:
            if not isinstance(run, dict) or not isinstance(run.get("plan"), dict):
                raise ValueError(f"{file.name} must hold runs, each with its plan, and holds {shown(run)}")
            self.runs[name_of(run["plan"])] = run

    def has(self, plan: Mapping[str, Any]) -> bool:
        """Whether a run was made."""
        return name_of(plan) in self.runs

    def get(self, plan: Mapping[str, Any]) -> Run | None:
        """A run that was made."""
        return self.runs.get(name_of(plan))

    def add(self, run: Run) -> None:
        """Keep a run that has ended."""
        name = name_of(run["plan"])
        self.runs[name] = run
        done = self.folder / "done"
        done.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"settings": self.settings, "runs": [run]}, ensure_ascii=False, allow_nan=False)
        write_atomically(done / f"{name}.json", content + "\n")

    def of(self, part: str) -> list[Run]:
        """The runs of a part, in the order of their names."""
        return [self.runs[name] for name in sorted(self.runs) if self.runs[name]["plan"]["part"] == part]

    def write(self, command: str, report: Mapping[str, Any]) -> None:
        """Make the file anew; a run a line."""
        head = {"command": command, "settings": self.settings, "report": dict(report)}
        told = ",\n".join(
            f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}"
            for key, value in head.items()
        )
        self.out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.out, f'{{{told},\n"runs": [\n{_lines(list(self.runs.items()))}\n]}}\n')


def _lines(runs: Sequence[tuple[str, Run]]) -> str:
    return ",\n".join(json.dumps(run, ensure_ascii=False, allow_nan=False) for _, run in sorted(runs))
