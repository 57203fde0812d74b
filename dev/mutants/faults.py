"""A deliberate fault, put into the code; the list of those worth telling, dev/mutants.toml."""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "dev" / "mutants.toml"
PACKAGE = "course_utils"


class Unfit(Exception):
    """What proves nothing, with one sentence that says why."""


@dataclass(frozen=True)
class Fault:
    """In `file`, the bytes from `start` to `stop` become `code`."""

    name: str  # an id of the list, or the function that a random one stands in
    file: str
    line: int
    before: str  # the lines it touches, without the air around them
    after: str
    start: int  # in bytes of UTF-8, as ast counts
    stop: int
    code: str

    @property
    def room(self) -> str:
        """The folder it stands in; of course_utils, that in it."""
        parts = Path(self.file).parts
        return parts[1] if parts[0] == PACKAGE and len(parts) > 2 else parts[0]

    def applied(self, source: str) -> str:
        """The source with this fault in it."""
        code = source.encode()
        return (code[: self.start] + self.code.encode() + code[self.stop :]).decode()


def placed(name: str, file: str, source: str, start: int, stop: int, code: str) -> Fault:
    """A fault from `start` to `stop`, with the lines that it touches as they are and as they will be."""
    whole = source.encode()
    first = whole.rfind(b"\n", 0, start) + 1
    last = whole.find(b"\n", max(start, stop - 1))
    last = len(whole) if last < 0 else last
    before = whole[first:last].decode().strip()
    after = (whole[first:start] + code.encode() + whole[stop:last]).decode().strip()
    return Fault(name, file, whole.count(b"\n", 0, start) + 1, before, after, start, stop, code)


def load(path: Path = LIST, root: Path = ROOT) -> list[Fault]:
    """The faults of the list: in a file, or only in its function, the text `find` becomes `replace`.

    Raises:
        Unfit: if there is no such function, `find` does not occur exactly once, or the result is not Python.
    """
    faults = []
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]:
        file, function, find = entry["file"], entry.get("function", ""), entry["find"]
        source = (root / file).read_text(encoding="utf-8")
        place = f"{function} of {file}" if function else file
        lines = source.splitlines(keepends=True)
        first, last = lines_of(source, function, place) if function else (0, len(lines))
        part = "".join(lines[first:last])
        if (count := part.count(find)) != 1:
            raise Unfit(f"{entry['id']}: `find` must occur exactly once in {place}, found {count} times")
        start = len(("".join(lines[:first]) + part.partition(find)[0]).encode())
        fault = placed(entry["id"], file, source, start, start + len(find.encode()), entry["replace"])
        try:
            compile(fault.applied(source), file, "exec")
        except SyntaxError as error:
            raise Unfit(f"{entry['id']}: not Python: {error}") from None
        faults.append(fault)
    return faults


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
