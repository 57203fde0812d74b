"""What the tools read off the cells of a saved notebook."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

FOLDED_TAGS = {"imports", "figure"}
FEW_LINES = 3


def read_notebook(path: Path) -> NotebookNode:
    """A notebook, in the newest of its formats that we know."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


def code_cells(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode]]:
    """Index and cell of every code cell that is not empty."""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and cell.source.strip():
            yield index, cell


def tags(cell: NotebookNode) -> set[str]:
    return set(cell.metadata.get("tags", []))


def belongs_folded(cell: NotebookNode) -> bool:
    """Imports and a figure's code, beyond a few lines, and bands are folded, so that the page shows the lesson."""
    few = len(cell.source.strip().splitlines()) <= FEW_LINES
    return holds_bands(cell) or (bool(tags(cell) & FOLDED_TAGS) and not few)


def is_folded(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden", False))


def holds_an_answer(cell: NotebookNode) -> bool:
    """What a question asks for is saved folded: nobody reads it before they have thought."""
    return "answer" in tags(cell)


def holds_bands(cell: NotebookNode) -> bool:
    """What numbers of the cell before must lie between."""
    return "bands" in tags(cell)


def where(notebook: NotebookNode, index: int) -> str:
    """A cell's name for people: its place among all cells (from 1) and its id."""
    return f"cell {index + 1} ({notebook.cells[index].get('id', 'no id')})"


def widget_outputs(cell: NotebookNode) -> list[NotebookNode]:
    """The outputs of a cell tagged `widget` that are the widget: its one line, and its picture."""
    return [
        one
        for one in cell.get("outputs", [])
        if "widget" in tags(cell) and "text/plain" in one.get("data", {})
    ]


def output_texts(output: NotebookNode) -> Iterator[str]:
    """Every text in an output that people can read: streams, and data other than pictures."""
    if output.output_type == "stream":
        yield output.text
    elif output.output_type == "error":
        yield "\n".join([output.ename, output.evalue, *output.traceback])
    for mime, content in sorted(output.get("data", {}).items()):
        if not mime.startswith("image/") or mime == "image/svg+xml":
            yield content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def parse(cell: NotebookNode) -> ast.Module:
    """The cell's syntax tree; lines that are IPython's (%magic, !command) are left out."""
    lines = ["" if line.lstrip().startswith(("%", "!")) else line for line in cell.source.splitlines()]
    return ast.parse("\n".join(lines))
