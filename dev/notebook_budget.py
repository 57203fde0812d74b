"""What strict nbval really compares: code cells compared, ignored and skipped, per notebook and in sum.

    python dev/notebook_budget.py [FILE ...]

More than 5 % ignored cells, or any skipped one, is a failure. "verdicts" are the words True and False in outputs, where
a reader should rather see a number.
"""

from __future__ import annotations

import re
import sys
from dataclasses import astuple, dataclass
from pathlib import Path

from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_utils.support.paths import NOTEBOOKS  # noqa: E402
from dev.notebook_cells import code_cells, output_texts, read_notebook  # noqa: E402

MOST_IGNORED = 0.05
MOST_VERDICTS = 60  # in all notebooks together
VERDICT = re.compile(r"\b(True|False)\b")

# The comments and tags that nbval 0.11 obeys (nbval/plugin.py).
IGNORING = {"NBVAL_IGNORE_OUTPUT", "nbval-ignore-output"}
SKIPPING = {
    "NBVAL_SKIP",
    "nbval-skip",
    "NBVAL_RAISES_EXCEPTION",
    "nbval-raises-exception",
    "raises-exception",
}


@dataclass(frozen=True)
class Budget:
    """Numbers of code cells, and of verdicts in their outputs."""

    compared: int = 0
    ignored: int = 0
    skipped: int = 0
    verdicts: int = 0

    @property
    def cells(self) -> int:
        return self.compared + self.ignored + self.skipped

    @property
    def within(self) -> bool:
        """Is no cell skipped, and at most 5 % ignored?"""
        return self.skipped == 0 and self.ignored <= MOST_IGNORED * self.cells

    def __add__(self, other: Budget) -> Budget:
        return Budget(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def markers(cell: NotebookNode) -> set[str]:
    """nbval's markers on a cell: comments that stand alone on their line, and tags."""
    lines = (line.strip() for line in cell.source.splitlines())
    comments = {line.lstrip("#").strip() for line in lines if line.startswith("#")}
    return (comments | set(cell.metadata.get("tags", []))) & (IGNORING | SKIPPING)


def budget(notebook: NotebookNode) -> Budget:
    """Count the code cells of one notebook."""
    total = Budget()
    for _, cell in code_cells(notebook):
        said = "\n".join(said for output in cell.outputs for said in output_texts(output))
        total += Budget(verdicts=len(VERDICT.findall(said)))
        # nbval compares nothing with a cell that was saved without having been run.
        if (found := markers(cell)) & SKIPPING or cell.execution_count is None:
            total += Budget(skipped=1)
        elif found & IGNORING:
            total += Budget(ignored=1)
        else:
            total += Budget(compared=1)
    return total


def main(arguments: list[str]) -> int:
    files = [Path(name) for name in arguments] or sorted(NOTEBOOKS.glob("*.ipynb"))
    if not files:
        print("✗ no notebooks found: nothing was compared")
        return 1
    rows = [(path.stem, budget(read_notebook(path))) for path in files]
    total = sum((row for _, row in rows), Budget())
    width = max(len(name) for name, _ in rows)
    print(f"{'nbval budget':{width}}  compared  ignored  skipped  verdicts")
    for name, row in [*rows, ("sum", total)]:
        print(f"{name:{width}}  {row.compared:8}  {row.ignored:7}  {row.skipped:7}  {row.verdicts:8}")
    found = (
        f"ignored {total.ignored} of {total.cells} code cells (at most {MOST_IGNORED:.0%}), "
        f"skipped {total.skipped} (none allowed), verdicts {total.verdicts} (at most {MOST_VERDICTS})"
    )
    good = total.within and total.verdicts <= MOST_VERDICTS
    print(f"{'✓' if good else '✗'} {found}")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
