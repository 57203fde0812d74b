"""Make the files of data/tasks/ that are selections from public corpora.

    python -m experiments.task_data                  all of them
    python -m experiments.task_data pairs.tsv        one

The same bytes come out on every machine. The corpora are those of course_utils/datasets/download.py, from the folder
that COURSE_DATA_MIRROR names, from the cache or from their origin. Everything is made before the first file is
replaced.

dialect.tsv and questions.jsonl were written for the course: they are their own source.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

from course_utils.support.files import write_atomically
from course_utils.tasks.data import TASKS
from experiments.runs import plain_parser, run_command
from experiments.task_data import names, pairs, parts_of_speech, reviews


def table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    for row in rows:
        assert len(row) == len(columns) and not any("\t" in cell or "\n" in cell for cell in row), row
    return "".join("\t".join(row) + "\n" for row in (columns, *rows))


# The file, and what gives its content.
MAKERS: dict[str, Callable[[], str]] = {
    "reviews.tsv": lambda: table(reviews.COLUMNS, reviews.make()),
    "pairs.tsv": lambda: table(pairs.COLUMNS, pairs.make()),
    "names.jsonl": lambda: "".join(f"{names.written(row)}\n" for row in names.make()),
    "parts_of_speech.tsv": lambda: table(parts_of_speech.COLUMNS, parts_of_speech.make()),
}


def main(arguments: list[str] | None = None) -> int:
    parser = plain_parser("task_data", __doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of {', '.join(MAKERS)}; default: all")
    parser.add_argument("--out", type=Path, default=TASKS, help="the folder to write into (data/tasks)")
    return run_command(parser, arguments, lambda chosen: make(chosen.names or list(MAKERS), chosen.out))


def make(wanted: list[str], out: Path) -> None:
    """Make the files that are wanted, then write them, and say how large each is, and its sha256."""
    if unknown := [name for name in wanted if name not in MAKERS]:
        raise ValueError(f"the files are {', '.join(MAKERS)}; got {unknown[0]!r}")
    made = {name: MAKERS[name]().encode() for name in dict.fromkeys(wanted)}
    out.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        write_atomically(out / name, content)
        print(f"{name}\t{len(content):,} bytes\t{hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    sys.exit(main())
