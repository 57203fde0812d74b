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
