"""Which cells of a notebook must run before some others can: those that make the names they use, and so on back."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable

from nbformat import NotebookNode

from tools.notebook_cells import code_cells, parse, tags


def needed(notebook: NotebookNode, wanted: Iterable[int]) -> list[int]:
    """Indices of the wanted cells, of the cells they need, and of the one with the imports, in order.

    What a cell changes without giving it a name (a list that grows, a model that learns) is not followed: the cells run
    without an error and draw, with fewer numbers perhaps.
    """
    names = {index: _names(parse(cell)) for index, cell in code_cells(notebook)}
    found, todo = set(), [index for index, cell in code_cells(notebook) if "imports" in tags(cell)]
    todo += wanted
    while todo:
        index = todo.pop()
        if index not in found:
            found.add(index)
            _, used = names[index]
            todo += [earlier for earlier, (made, _) in names.items() if earlier < index and made & used]
    return sorted(found)


def _names(tree: ast.Module) -> tuple[set[str], set[str]]:
    """(made, used): the global names that a cell binds, and those it reads, in its functions, too."""
    outer = symtable.symtable(ast.unparse(tree), "cell", "exec")
    symbols = outer.get_symbols()
    made = {one.get_name() for one in symbols if one.is_assigned() or one.is_imported() or one.is_namespace()}
    used = {one.get_name() for one in symbols if one.is_referenced()}
    inner = outer.get_children()
    while inner:
        scope = inner.pop()
        inner += scope.get_children()
        used |= {one.get_name() for one in scope.get_symbols() if one.is_global()}
    return made, used
