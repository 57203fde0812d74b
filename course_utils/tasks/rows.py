"""Read a table (.tsv) or a list of objects (.jsonl) row by row; what is wrong is told with the file's name and the row.

A row is counted as an editor counts lines, from 1; in a .tsv the first one names the columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from course_utils.support.foreign_json import entry, parse_object
from course_utils.support.given import composed, shown


class Row:
    """One row, and where it stands. What is broken raises ValueError, which says where.

    Args:
        content: its values by column.
        where: what a message calls it: "reviews.tsv, row 17".
    """

    def __init__(self, content: dict[str, Any], where: str) -> None:
        self.content, self.where = content, where

    def value(self, column: str, kind: type) -> Any:
        """A value of a kind that foreign_json.entry knows."""
        return entry(self.content, column, kind, source=self.where)

    def text(self, column: str) -> str:
        """A text that is not empty."""
        found = self.value(column, str)
        if not found.strip():
            raise self.bad(column, "a text that is not empty", found)
        return found

    def one_of(self, column: str, known: Sequence[str]) -> str:
        """One of the known values."""
        found = self.value(column, str)
        if found not in known:
            raise self.bad(column, f"one of {', '.join(known)}", found)
        return found

    def number(self, column: str, least: float, most: float) -> float:
        """A number from `least` to `most`, written in digits."""
        found = self.value(column, str)
        try:
            number = float(found)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise self.bad(column, f"a number from {least:g} to {most:g}", found)
        return number

    def count(self, column: str) -> int:
        """A whole number of at most nine digits."""
        found = self.text(column)
        if not (found.isascii() and found.isdigit() and len(found) < 10):
            raise self.bad(column, "a number", found)
        return int(found)

    def bad(self, column: str, expected: str, found: Any) -> ValueError:
        """The error that says so."""
        return ValueError(f"{self.where}: {column} must be {expected}, got {shown(found)}")


def tsv_rows(path: str | Path, columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a table: cells apart by tabs, nothing quoted, a header; Hangul is composed.

    Args:
        path: a UTF-8 file.
        columns: that must be there, in any order; others may be.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is not UTF-8, has no row, lacks a column, or a row has another number of cells.
    """
    name, (first, *lines) = _lines(path)
    header = first.split("\t")
    missing = [column for column in columns if column not in header]
    if missing:
        raise ValueError(f"{name} must have the columns {', '.join(columns)}, and lacks {missing[0]}")
    if not lines:
        raise ValueError(f"{name} must have at least one row below its header, and has none")
    for number, line in enumerate(map(composed, lines), 2):
        cells, where = line.split("\t"), f"{name}, row {number}"
        if len(cells) != len(header):
            raise ValueError(f"{where}: there must be {len(header)} cells, got {len(cells)}")
        yield Row(dict(zip(header, cells)), where)


def json_rows(path: str | Path) -> Iterator[Row]:
    """The objects of a file that has one in each row; errors as in tsv_rows."""
    name, lines = _lines(path)
    for number, line in enumerate(lines, 1):
        where = f"{name}, row {number}"
        if line != composed(line):  # places are counted in it
            raise ValueError(f"{where}: Hangul must be in syllables (NFC), and is in parts (NFD)")
        yield Row(parse_object(line.encode(), source=where), where)


def _lines(path: str | Path) -> tuple[str, list[str]]:
    """A file's name as messages have it, and its lines, of which there is at least one."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    name = path.name
    try:
        text = path.read_text(encoding="utf-8-sig")  # every kind of line end becomes \n
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} must be UTF-8, and byte {error.start} is not") from None
    if not text.strip():
        raise ValueError(f"{name} must hold at least one row, and is empty")
    return name, text.removesuffix("\n").split("\n")
