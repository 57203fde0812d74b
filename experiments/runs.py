"""What the experiments share: planned runs, each stored when it ends in one file, and the options of their commands.

A command that was stopped goes on with the next run. Two may work at one file: before each run it is read anew, and
what is written is what both have made.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from course_utils.support.commands import add_debug, carry_out
from course_utils.support.files import write_atomically
from course_utils.support.foreign_json import read_object
from course_utils.training.settings import MOST_THREADS

Run = dict[str, Any]
Plan = TypeVar("Plan")

ROOT = Path(__file__).resolve().parent.parent


class Store:
    """Runs in a JSON file: command, settings and report first, then a run a line.

    Args:
        path: the file; where it is there, its runs are kept.
        command: how it is made.
        key: of a stored run -> what was planned, which tells it from others.
        settings: what all runs share; a file of others is refused.
        report: of the runs -> what else is told in the file, made anew each time that it is written.
    """

    def __init__(
        self,
        path: Path,
        *,
        command: str,
        key: Callable[[Run], Any],
        settings: dict[str, Any] | None = None,
        report: Callable[[Store], dict[str, Any]] | None = None,
    ) -> None:
        self.path, self.command, self.key, self.report = path, command, key, report
        self.settings = json.loads(json.dumps(settings))
        self.head: dict[str, Any] = {}  # whatever else stands in the file
        self.runs: dict[str, Run] = {}
        self.read()

    def read(self) -> None:
        """Take what the file holds by now; ValueError where that is something else, or of other settings."""
        if not self.path.exists():
            return
        data = read_object(self.path)
        try:
            runs = {_name(self.key(run)): run for run in data.pop("runs")}
            known = data.pop("settings", None)
            others = [name for name, value in (self.settings or {}).items() if known[name] != value]
        except (KeyError, TypeError, AttributeError):
            raise ValueError(
                f"{self.path} must hold runs of this command, and does not: give another --out"
            ) from None
        if others:
            told = ", ".join(sorted(others))
            raise ValueError(f"{self.path} was made with other settings ({told}): give another --out")
        self.settings = known
        self.head |= {name: value for name, value in data.items() if name != "command"}
        self.runs |= runs

    def get(self, plan: Any) -> Run | None:
        return self.runs.get(_name(plan))

    def add(self, run: Run) -> None:
        self.read()
        self.runs[_name(self.key(run))] = run
        self.write()

    def write(self) -> None:
        if self.report is not None:
            self.head |= self.report(self)
        first = {"command": self.command} | ({} if self.settings is None else {"settings": self.settings})
        told = ",\n".join(
            f"{json.dumps(name)}: {_text(value)}" for name, value in (first | self.head).items()
        )
        lines = ",\n".join(map(_text, self.runs.values()))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path, f'{{{told},\n"runs": [\n{lines}\n]}}\n')


def _name(plan: Any) -> str:
    return plan if isinstance(plan, str) else json.dumps(plan, sort_keys=True)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def carry_on(
    store: Store,
    planned: Sequence[Plan],
    *,
    key: Callable[[Plan], Any],
    make: Callable[[Plan], Run],
    tell: Callable[[Run], str],
) -> None:
    """Make what is planned and not stored yet, one by one; `key` is as the store's, `tell` a line about a run."""
    for number, plan in enumerate(planned):
        if store.get(key(plan)) is None:
            store.read()
        if store.get(key(plan)) is None:
            run = make(plan)
            store.add(run)
            print(f"{number + 1} of {len(planned)}: {tell(run)}", flush=True)


# --- The command


def plain_parser(name: str, doc: str | None) -> argparse.ArgumentParser:
    """The parser of a command with --debug alone."""
    look = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog=f"python -m experiments.{name}", description=doc, formatter_class=look
    )
    add_debug(parser)
    return parser


def parser_of(name: str, doc: str, *, out: Path, only: Iterable[str], seeds: int | None = None) -> Any:
    """The options that all have: --out, --only, --seeds, --table, --debug."""
    parser = plain_parser(name, doc)
    add, only = parser.add_argument, tuple(only)
    add("--out", type=Path, default=out, help=f"the file ({out.relative_to(ROOT)})")
    add(
        "--only", type=some_of(only), default=list(only), help=f"of {', '.join(only)}, joined by commas (all)"
    )
    if seeds is not None:
        add("--seeds", type=count, default=seeds, help=f"runs of each plan ({seeds})")
    add("--table", action="store_true", help="only print what is stored")
    return parser


def run_command(parser: Any, command_line: Sequence[str] | None, work: Callable[[Any], None]) -> int:
    """Read the options and do the work; the exit status: 0, or 2 after an error, 130 after Ctrl-C."""
    chosen = parser.parse_args(command_line)
    goes_on = "; the same command goes on with the next run" if "table" in chosen else ""
    name = parser.prog.rpartition(".")[2]
    return carry_out(name, lambda: work(chosen), debug=chosen.debug, stopped=f"stopped{goes_on}")


def count(text: str) -> int:
    """An option that is a number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number


def threads(text: str) -> int:
    """An option that is a number of threads."""
    number = count(text)
    if number > MOST_THREADS:
        raise argparse.ArgumentTypeError(f"must be at most {MOST_THREADS}, got {number}")
    return number


def some_of(known: Sequence[str]) -> Callable[[str], list[str]]:
    """An option that is one or some of the names, joined by commas."""

    def names(text: str) -> list[str]:
        found = text.split(",")
        if unknown := [name for name in found if name not in known]:
            raise argparse.ArgumentTypeError(f"no {unknown[0]!r}; there are {', '.join(known)}")
        return found

    return names
