"""The list of deliberate faults, dev/mutants.toml, and each of them put into the code."""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "dev" / "mutants.toml"


class Unfit(Exception):
    """A fault that proves nothing, with one sentence that says why."""


@dataclass(frozen=True)
class Mutant:
    """One deliberate fault: in `file`, or only in its `function`, the text `find` becomes `replace`."""

    id: str
    file: str
    find: str
    replace: str
    why: str
    tests: tuple[str, ...]
    function: str = ""


def load(path: Path = LIST) -> list[Mutant]:
    """Read the list of faults."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    return [
        Mutant(**{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}) for entry in entries
    ]


def mutated(mutant: Mutant, root: Path = ROOT) -> str:
    """The text of the file with the fault in it.

    Raises:
        Unfit: if there is no such function, `find` does not occur exactly once, or the result is not Python.
    """
    source = (root / mutant.file).read_text(encoding="utf-8")
    place = f"{mutant.function} of {mutant.file}" if mutant.function else mutant.file
    lines = source.splitlines(keepends=True)
    first, last = 0, len(lines)
    if mutant.function:
        first, last = lines_of(source, mutant.function, place)
    part = "".join(lines[first:last])
    if (count := part.count(mutant.find)) != 1:
        raise Unfit(f"`find` must occur exactly once in {place}, found {count} times")
    changed = "".join([*lines[:first], part.replace(mutant.find, mutant.replace), *lines[last:]])
    try:
        compile(changed, mutant.file, "exec")
    except SyntaxError as error:
        raise Unfit(f"not Python: {error}") from None
    return changed


def lines_of(source: str, function: str, place: str) -> tuple[int, int]:
    """Where the lines of a function or class begin and end, its decorators included; "Class.method" is one name.

    Raises:
        Unfit: if the code has no such function, or several.
    """
    inside: list[ast.AST] = [ast.parse(source)]
    for name in function.split("."):
        inside = [node for outer in inside for node in _named(outer, name)]
    if len(inside) != 1:
        raise Unfit(f"expected one function {place}, found {len(inside)}")
    (node,) = inside
    return min(part.lineno for part in (node, *node.decorator_list)) - 1, node.end_lineno


def _named(outer: ast.AST, name: str) -> list[ast.AST]:
    """The functions and classes of this name that stand in `outer`, but not in another one of its own."""
    found = []
    for node in ast.iter_child_nodes(outer):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found += [node] if node.name == name else []
        else:
            found += _named(node, name)
    return found
