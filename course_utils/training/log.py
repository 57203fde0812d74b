"""The log of a training run: one JSON object a line, which a notebook plots and a resumed run continues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from course_utils.support.files import write_atomically


class RunLog:
    """A file of records, each with the number of updates it was made after.

    Args:
        path: a .jsonl file; made with its folder.
        after: records made after this update are dropped: the run goes on from there and will make them again. So is
            a last line that a kill cut short.

    Raises:
        ValueError: if another line is no record; the file is left as it is.
    """

    def __init__(self, path: str | Path, *, after: int = 0) -> None:
        self.path = Path(path)
        kept = [record for record in read_log(self.path) if record["step"] <= after] if after else []
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path, "".join(map(_line, kept)))

    def add(self, step: int, **values: Any) -> None:
        """Append a record."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_line({"step": step, **values}))


def read_log(path: str | Path) -> list[dict[str, Any]]:
    """The records of a log, but for a last line that is cut short; no file, no records.

    Raises:
        ValueError: if another line is no record.
    """
    path = Path(path)
    lines = path.read_bytes().splitlines() if path.is_file() else []
    records = []
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):  # not JSON, or a character cut in two
            if number == len(lines):
                break
            record = None
        if not isinstance(record, dict) or type(record.get("step")) is not int:
            raise ValueError(f"{path}, line {number}, must be a record with its step: delete that line")
        records.append(record)
    return records


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"
