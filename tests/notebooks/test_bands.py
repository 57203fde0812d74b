"""Bands go into a folded cell of their own, and hold there what they held before."""

from __future__ import annotations

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from dev import bands
from dev.notebook_cells import is_folded


@pytest.mark.parametrize(
    ("source", "left", "behind"),
    [
        ("a = 3\nassert 2 < a < 4\nprint(a)", "a = 3\nprint(a)", "assert 2 < a < 4"),
        ("a = 3\nassert (\n    a > 2\n)  # why", "a = 3", "assert (\n    a > 2\n)  # why"),
        ("a = 3\nassert a == 3\nassert gap < 1e-6", "a = 3\nassert a == 3\nassert gap < 1e-6", ""),
        ("assert gap < 1e-6 and far > 0.1\nb", "b", "assert gap < 1e-6 and far > 0.1"),
        ("a = 3\nassert a > 2\na = 1", "a = 3\nassert a > 2\na = 1", ""),  # another a by then
        ("a = 3\nassert a > 2\ndel a", "a = 3\nassert a > 2\ndel a", ""),
        ("import a\n\n\nassert b > 2\n\n\nc", "import a\n\n\nc", "assert b > 2"),
        ("x = [1]\nassert all(a > 0 for a in x)\nfor a in x: pass", None, "assert all(a > 0 for a in x)"),
        (
            "for k, v in d.items():\n    print(k)\n    assert v > 2\nassert w > 1",
            "for k, v in d.items():\n    print(k)",
            "for k, v in d.items():\n    assert v > 2\nassert w > 1",
        ),
        ("b = 1\nfor v in x:\n    assert v > 2", "b = 1", "for v in x:\n    assert v > 2"),
        ("for v in x:\n    w = v * v\n    assert w > 2", None, ""),  # the last w is all that is left
        ("for v in trained():\n    assert v > 2", None, ""),  # would train again
        ("for v in x:\n    for w in v:\n        assert w > 2\n    v = 1", None, ""),
    ],
)
def test_a_cell_is_parted(source: str, left: str | None, behind: str):
    first, second = bands.parted(source)
    assert second == behind
    assert first == (left or "\n".join(line for line in source.splitlines() if line != behind))


def test_a_notebook_keeps_its_outputs_and_counts_anew():
    shown = new_output("execute_result", data={"text/plain": "3"}, execution_count=1)
    cells = [
        new_code_cell("a = 3\nassert a > 2\na", id="02-001", outputs=[shown]),
        new_code_cell("assert a > 2"),
    ]
    cells[1].metadata.tags = ["exercise"]
    notebook = new_notebook(cells=cells)
    assert bands.part_bands(notebook) == 1 and bands.part_bands(notebook) == 0
    nbformat.validate(notebook)
    first, held, other = notebook.cells
    assert first.outputs == [shown] and first.source == "a = 3\na" and not held.outputs
    assert held.id == "02-001-bands" and is_folded(held) and held.metadata.tags == ["bands"]
    assert [cell.execution_count for cell in notebook.cells] == [1, 2, 3] and "assert" in other.source
