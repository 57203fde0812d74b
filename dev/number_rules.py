"""Rules for numbers that may move: who writes ≈ also asserts the band that the number stays in.

nbval does not compare what follows ≈ (nbval_sanitize.cfg); the assert in the same cell, or in the folded one with its
bands right after, is all that holds it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from nbformat import NotebookNode

from dev.notebook_cells import code_cells, holds_bands, output_texts, parse, where

MARK = "≈"
WRITTEN_BY_HAND = re.compile(r"≈\s*([-+]?[0-9]|$)")  # before a digit, or before a {value} of an f-string
HELPER = "about"


def about_has_its_assert(notebook: NotebookNode) -> Iterator[str]:
    """Each about(value) shares a name with an assert; a loop's variable stands for what the loop runs over."""
    writers = {HELPER} | {
        node.name
        for _, cell in code_cells(notebook)
        for node in ast.walk(parse(cell))
        if isinstance(node, ast.FunctionDef) and calls(node, {HELPER})
    }
    for index, cell in code_cells(notebook):
        if not any(MARK in said for output in cell.outputs for said in output_texts(output)):
            continue
        tree = parse(cell)
        for after in filter(holds_bands, notebook.cells[index + 1 : index + 2]):
            tree.body += parse(after).body
        sources = loop_sources(tree)
        asserts = [node.test for node in ast.walk(tree) if isinstance(node, ast.Assert)]
        held = {name for test in asserts for name in names(test, sources)}
        if not asserts:
            yield f"{where(notebook, index)} shows ≈ and has no assert"
        for call in calls(without_functions(tree), writers):
            if asserts and not names(call, sources) & held:
                yield f"{where(notebook, index)} has no assert that holds {ast.unparse(call)}"


def about_is_written_by_the_helper(notebook: NotebookNode) -> Iterator[str]:
    """No text of a cell puts ≈ before a number by itself: about() refuses what is not finite, and is seen above."""
    for index, cell in code_cells(notebook):
        for node in ast.walk(parse(cell)):
            if isinstance(node, ast.Constant) and WRITTEN_BY_HAND.search(str(node.value)):
                yield f"{where(notebook, index)} writes ≈ by hand: use about()"


def calls(tree: ast.AST, functions: set[str]) -> list[ast.Call]:
    """All calls of functions with these names."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in found if isinstance(call.func, ast.Name) and call.func.id in functions]


def without_functions(tree: ast.Module) -> ast.Module:
    """The statements of a cell that run at once: in a function, the value's name is a parameter's."""
    inner = (ast.FunctionDef, ast.ClassDef)
    return ast.Module([statement for statement in tree.body if not isinstance(statement, inner)], [])


def loop_sources(tree: ast.AST) -> dict[str, set[str]]:
    """Name of a loop's variable -> the names in what the loops over it run through."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            for target in ast.walk(node.target):
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, set()).update(names(node.iter, {}))
    return found


def names(tree: ast.AST, sources: dict[str, set[str]]) -> set[str]:
    """The variables in an expression, called functions aside, with what loops give them their values."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}
    while more := {source for name in found for source in sources.get(name, ())} - found:
        found |= more
    return found
