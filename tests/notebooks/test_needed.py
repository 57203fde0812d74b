"""Cells that other cells need."""

from __future__ import annotations

import nbformat

from tests.browser.needed import needed


def notebook(*sources: str) -> nbformat.NotebookNode:
    made = nbformat.v4.new_notebook()
    made.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    made.cells[0].metadata["tags"] = ["imports"]
    return made


def test_names_are_followed_back_through_functions_and_comprehensions():
    cells = notebook(
        "import math",
        "a = 1",
        "def twice(x):\n    return [n * a for n in (x, x)]",
        "unrelated = math.pi",
        "b = twice(3)",
        "%matplotlib inline\nb",
        "a = 5",
    )
    assert needed(cells, [5]) == [0, 1, 2, 4, 5]
    assert needed(cells, [3]) == [0, 3]
    assert needed(cells, []) == [0]


def test_names_of_a_function_are_its_own():
    cells = notebook("0", "x = 1", "def f(x):\n    y = x\n    return y", "y = 2", "f(7)")
    assert needed(cells, [4]) == [0, 2, 4]


def test_every_binding_before_counts_and_none_behind():
    cells = notebook(
        "0", "a = 1", "a += 1", "from os import path as p", "class K:\n    v = p", "K, a", "a = 9"
    )
    assert needed(cells, [5]) == [0, 1, 2, 3, 4, 5]


def test_what_a_cell_binds_before_it_reads_is_its_own():
    cells = notebook(
        "0",
        "row = name = part = made = 1",
        "rows = [3]",
        "for row in rows:\n    part = row\n    print(part)",
        "with open(f) as name:\n    [row for row in name]",
        "made = made + 1",
        "made += 1",
        "if part:\n    made = 2\nprint(made)",
        "def f():\n    return made\nmade = 3",
    )
    assert needed(cells, [3]) == [0, 2, 3]
    assert needed(cells, [4]) == [0, 4]
    assert needed(cells, [5]) == [0, 1, 5]
    assert needed(cells, [6]) == [0, 1, 5, 6]
    assert needed(cells, [7]) == [0, 1, 2, 3, 5, 6, 7]
    assert needed(cells, [8]) == [0, 1, 2, 3, 5, 6, 7, 8]
