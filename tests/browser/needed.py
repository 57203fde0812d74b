"""Which cells of a notebook must run before some others can: those that make the names they use, and so on back."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable

from nbformat import NotebookNode

from dev.notebook_cells import code_cells, parse, tags


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
    """(made, used): the global names that a cell binds, and those it reads, in its functions, too.

    What it binds first itself, such as the variable of a loop, it does not need from elsewhere.
    """
    outer = symtable.symtable(ast.unparse(tree), "cell", "exec")
    symbols = outer.get_symbols()
    made = {one.get_name() for one in symbols if one.is_assigned() or one.is_imported() or one.is_namespace()}
    used = {one.get_name() for one in symbols if one.is_referenced()}
    inner = outer.get_children()
    while inner:
        scope = inner.pop()
        inner += scope.get_children()
        used |= {one.get_name() for one in scope.get_symbols() if one.is_global()}
    order = _Order()
    order.visit(tree)
    return made, (used | order.changed) & order.read


class _Order(ast.NodeVisitor):
    """Walks a cell as it runs; `read` are the names that it reads before it has bound them itself."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.bound: set[str] = set()
        self.changed: set[str] = set()  # by += and the like: read as well, though symtable does not say so

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.read |= {node.id} - self.bound
        else:
            self.bound |= {node.id}

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        names = {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
        self.changed |= names
        self.read |= names - self.bound
        self.visit(node.value)

    def visit_For(self, node: ast.For) -> None:
        for part in (node.iter, node.target, *node.body, *node.orelse):
            self.visit(part)

    def _perhaps(self, node: ast.AST) -> None:
        """What may not run, or not here, binds nothing for certain."""
        bound = set(self.bound)
        self.generic_visit(node)
        self.bound = bound

    visit_If = visit_While = visit_Try = visit_Match = _perhaps

    def _inside(self, node: ast.AST) -> None:
        """A scope of its own; its own names are no global ones, which symtable knows better."""
        self.read |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)} - self.bound

    visit_FunctionDef = visit_ClassDef = visit_Lambda = _inside
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _inside
