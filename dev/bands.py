"""Move the bands of numbers out of the learner's sight: `python -m dev.bands FILE ...`.

A band is an assert that holds something above or below something else. It guards what the text says of a number, and
gives the answer away; so it goes into a folded cell tagged `bands` right after. What must be equal, if only to within
rounding, teaches and stays, and so does what needs a name that a loop's body makes. Nothing is run: an assert prints
nothing, so all outputs are still those that a run would give.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from course_utils.support.files import write_atomically
from dev.notebook_cells import code_cells, is_folded, read_notebook, tags
from dev.run_notebooks import normalise, serialise

ROUNDING = 1e-4  # up to here a bound says "equal"
ORDERED = ast.Lt | ast.LtE | ast.Gt | ast.GtE
WALKED_TWICE = {"zip", "enumerate", "range", "sorted", "reversed", "items", "values", "keys", "len"}


def is_band(statement: ast.stmt) -> bool:
    """Whether it asserts that something is more or less than something else, by more than rounding."""
    return isinstance(statement, ast.Assert) and any(
        isinstance(node, ast.Compare)
        and any(isinstance(one, ORDERED) for one in node.ops)
        and not 0 < max(_numbers(node), default=1) <= ROUNDING
        for node in ast.walk(statement.test)
    )


def _numbers(node: ast.AST) -> Iterator[float]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, int | float):
            yield abs(one.value)


def bands(body: list[ast.stmt], gone: frozenset[str] = frozenset()) -> tuple[list[int], set[int]]:
    """(lines of the bands that also hold after all these statements, lines that are not needed where they stand).

    A loop over what can be walked a second time is kept around its bands. `gone` are names with another value by then.
    """
    shown, taken = [], set()
    for place, one in enumerate(body):
        lost = gone.union(*(names(later)[1] for later in body[place + 1 :]))
        rows = range(one.lineno, one.end_lineno + 1)
        if is_band(one) and not names(one)[0] & lost:
            shown += rows
            taken.update(rows)
        elif isinstance(one, ast.For) and _walks_twice(one) and not names(one.iter)[0] & lost:
            inside = lost.union(*(names(part)[1] for part in one.body)) - names(one.target)[1]
            kept, left_out = bands(one.body, inside)
            shown += [*range(one.lineno, one.iter.end_lineno + 1), *kept] if kept else []
            taken |= left_out
            taken.update(rows if left_out.issuperset(rows[one.body[0].lineno - one.lineno :]) else [])
    return shown, taken


def names(tree: ast.AST) -> tuple[set[str], set[str]]:
    """(those that it reads and does not bind itself, those that it binds or deletes)"""
    found = [one for one in ast.walk(tree) if isinstance(one, ast.Name)]
    bound = {one.id for one in found if not isinstance(one.ctx, ast.Load)}
    return {one.id for one in found} - bound, bound


def _walks_twice(loop: ast.For) -> bool:
    calls = [node.func for node in ast.walk(loop.iter) if isinstance(node, ast.Call)]
    called = {getattr(one, "attr", getattr(one, "id", "")) for one in calls}
    return called <= WALKED_TWICE and not loop.orelse and loop.body[0].lineno > loop.iter.end_lineno


def parted(source: str) -> tuple[str, str]:
    """(a cell without its bands, the bands)"""
    lines = dict(enumerate(source.splitlines(), start=1))
    shown, taken = bands(ast.parse(source).body)
    left = "\n".join(line for row, line in lines.items() if row not in taken)
    gap = "\n\n" if "\n\n\n" not in source else "\n\n\n"
    return re.sub(r"\n{3,}", gap, left).strip(), "\n".join(lines[row] for row in shown)


def part_bands(notebook: NotebookNode) -> int:
    """Move the bands of each cell that is read into a cell of their own; returns of how many cells."""
    found = 0
    for index, cell in reversed(list(code_cells(notebook))):
        if is_folded(cell) or tags(cell) & {"bands", "exercise"}:
            continue
        left, behind = parted(cell.source)
        if behind and left:
            cell.source = left
            after = new_code_cell(behind, id=f"{cell.id}-bands", metadata={"tags": ["bands"]})
            notebook.cells.insert(index + 1, after)
            found += 1
    normalise(notebook)
    return found


def main(files: list[str]) -> int:
    for path in map(Path, files):
        notebook = read_notebook(path)
        print(f"{path.name}: {part_bands(notebook)} cells with bands")
        write_atomically(path, serialise(notebook))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
