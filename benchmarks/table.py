"""The table of `make bench`: plain rows in, lines of text out. Nothing is measured here."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from typing import Any, NamedTuple

from course_utils.support.text_width import aligned

PIPELINE_GOAL = "≥ 5"  # one process makes a batch and then takes the step: even a fifth would be noticeable
TRAINING_SHARE = 65  # % of the float32 ceiling, in float32
NO_GOAL = "–"
MEDIAN_MS, HIGH_MS = 50, 100  # a widget's answer: the median, and the 95th percentile
MOST_MEMORY_MB = 600  # of a notebook's kernel
MOST_SLOWER = 3  # a notebook beside one busy core


class Row(NamedTuple):
    """One line. `ratio` is theirs / ours: 2 means that ours is twice as fast, 0.5 half as fast."""

    what: str
    ours: float | None  # seconds, median; None where nothing was measured: the note says why
    theirs: float | None
    ratio: float | None  # not always theirs / ours of the two before: it may be a median over pairs of runs
    goal: str = NO_GOAL  # such as "≥ 0.1"
    note: str = ""


def training_note(precision: str, ours: float, theirs: float, gflops: float, ceiling: float) -> str:
    """Tokens a second of both, and the share of the float32 ceiling: a goal in float32 alone."""
    share = 100 * gflops / ceiling
    note = f"{ours:,.0f} : {theirs:,.0f} tokens/s; {gflops:.0f} of {ceiling:.0f} GFLOP/s = {share:.0f} %"
    if precision == "float32":
        note += f" {'✓' if share >= TRAINING_SHARE else '✗'} ≥ {TRAINING_SHARE} %"
    return note


def pipeline_row(measured: Mapping[str, float], steps: Sequence[Row]) -> Row:
    """How much faster batches are prepared than our own fastest step uses them up."""
    fastest = min(row.ours for row in steps if row.ours is not None)
    return Row(
        "data pipeline : our fastest step",
        measured["seconds"],
        fastest,
        fastest / measured["seconds"],
        PIPELINE_GOAL,
        f"{measured['tokens_per_second']:,.0f} tokens/s",
    )


def reached(row: Row) -> bool | None:
    """Whether the goal is reached; None where there is none."""
    if row.goal == NO_GOAL:
        return None
    goal = re.fullmatch(r"≥ (\d+(?:\.\d+)?)", row.goal)
    if goal is None:
        raise ValueError(f"a goal must be {NO_GOAL} or such as '≥ 0.1', got {row.goal!r}")
    return row.ratio >= float(goal[1])


def lines(title: str, rows: Iterable[Sequence[Any]]) -> list[str]:
    """The table of some rows (Row, or a tuple that begins like one) under its title."""
    told = [[title, f"{'ours':>11}", f"{'theirs':>11}", f"{'ratio':>6}", "  goal", ""]]
    sign = {True: "✓", False: "✗", None: " "}
    for row in (Row(*row) for row in rows):
        cells = [""] * 4
        if row.ours is not None and row.theirs is not None:
            times = (f"{1e3 * seconds:8.1f} ms" for seconds in (row.ours, row.theirs))
            cells = [*times, f"{row.ratio:6.2f}", f"{sign[reached(row)]} {row.goal}"]
        told.append([row.what, *cells, row.note])
    return aligned(told).splitlines()


def answer_lines(rows: Iterable[tuple[str, int, float, float]]) -> list[str]:
    """The table of widgets: (name, number of keys, median, 95th percentile) in milliseconds; the peer comes first."""
    rows = list(rows)
    told = [["widgets, key to picture", "keys", "     median", "       95 %", "ours : peer", "goal"]]
    for name, keys, median, high in rows:
        sign = "✓" if median <= MEDIAN_MS and high <= HIGH_MS else "✗"
        times = (f"{milliseconds:8.1f} ms" for milliseconds in (median, high))
        ratio, goal = f"{median / rows[0][2]:.2f}", f"{sign} ≤ {MEDIAN_MS}, ≤ {HIGH_MS} ms"
        told.append([name, str(keys), *times, ratio, goal])
    return aligned(told).splitlines()


def memory_lines(rows: Iterable[tuple[str, int]]) -> list[str]:
    """The table of notebooks: (name, bytes of its kernel at most)."""
    told = [["memory of one kernel, at most", ""]]
    for name, size in rows:
        sign = "✓" if size <= MOST_MEMORY_MB * 1e6 else "✗"
        told.append([name, f"{size / 1e6:8,.0f} MB {sign} ≤ {MOST_MEMORY_MB}"])
    return aligned(told).splitlines()


def busy_line(what: str, quiet: float, busy: float) -> str:
    """A notebook's seconds, alone and beside a busy core."""
    ratio = busy / quiet
    goal = f"{'✓' if ratio <= MOST_SLOWER else '✗'} ≤ {MOST_SLOWER}"
    return f"{what}  {quiet:.0f} s, beside a busy core {busy:.0f} s  {ratio:.1f} {goal}"


def machine() -> str:
    """What the numbers were measured on, and with which versions; imports nothing."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    packages = ("torch", "transformers", "tokenizers")
    versions = " · ".join(f"{name} {metadata.version(name)}" for name in packages)
    return f"{platform.machine()}, {cores} cores · Python {platform.python_version()} · {versions}"
