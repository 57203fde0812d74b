"""Random faults: every small change that the syntax trees of the course allow, and a draw from them.

A change is a comparison, an arithmetic or logical operator, a number, True or False, `not`, the sign or the condition
turned around or made False, two arguments swapped, or a statement left out. Annotations, decorators, docstrings and
f-strings stay as they are: they say things, they do none.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from dev.mutants.faults import PACKAGE, ROOT, Fault, placed

OTHERS = ("scripts", "lessons")
COMPARISONS = {
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
# Called with two arguments, these give the same whichever comes first.
SYMMETRIC = {
    "max",
    "min",
    "math.isclose",
    "torch.equal",
    "torch.allclose",
    "torch.maximum",
    "torch.minimum",
    "np.array_equal",
}
Change = tuple[ast.AST, str]  # a node and the code that takes its place


def draw(count: int, seed: int, *, inside: str = "", outside: str = "", root: Path = ROOT) -> list[Fault]:
    """Draw `count` faults, or all where there are fewer, from the part `inside` a folder or file, or `outside` one.

    Raises:
        ValueError: if there is no such folder or file.
    """
    for part in filter(None, (inside, outside)):
        if not (root / part).exists():
            raise ValueError(f"there is no {part}")
    faults = []
    for path in sorted(path for room in (PACKAGE, *OTHERS) for path in (root / room).rglob("*.py")):
        file = path.relative_to(root)
        if (inside and not file.is_relative_to(inside)) or (outside and file.is_relative_to(outside)):
            continue
        faults += faults_of(path.read_text(encoding="utf-8"), file.as_posix())
    return random.Random(seed).sample(faults, min(count, len(faults)))


def faults_of(source: str, file: str) -> list[Fault]:
    """Every fault of a file, in the order of its code."""
    begins = [0]
    for line in source.encode().splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    found = []
    for node, code, function in _changes(ast.parse(source), ()):
        start = begins[node.lineno - 1] + node.col_offset
        stop = begins[node.end_lineno - 1] + node.end_col_offset
        fault = placed(".".join(function), file, source, start, stop, code)
        found += [fault] if fault.before != fault.after else []
    return list(dict.fromkeys(found))


def _changes(node: ast.AST, function: tuple[str, ...]) -> Iterator[tuple[ast.AST, str, tuple[str, ...]]]:
    """Every change in a node and below it, with the function it stands in."""
    if isinstance(node, ast.JoinedStr):
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        function = (*function, node.name)
    for change in _changes_here(node):
        yield *change, function
    silent = {"annotation", "returns", "decorator_list"}
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in silent:
                yield from _changes(child, function)


def _changes_here(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare():
            for place, op in enumerate(node.ops):
                for other in COMPARISONS[type(op)]:
                    yield node, _with(node, ops=[*node.ops[:place], other(), *node.ops[place + 1 :]])
        case ast.BinOp() | ast.AugAssign() if type(node.op) in ARITHMETIC:
            code = _with(node, op=ARITHMETIC[type(node.op)]())
            yield node, f"({code})" if isinstance(node, ast.BinOp) else code
        case ast.BoolOp():
            yield node, f"({_with(node, op=ast.And() if isinstance(node.op, ast.Or) else ast.Or())})"
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node, f"({ast.unparse(node.operand)})"
        case ast.Constant(value=bool()):
            yield node, repr(not node.value)
        case ast.Constant(value=int() | float()):
            yield node, repr(node.value + 1)
        case ast.Call(args=[first, second, *_]) if ast.unparse(node.func) not in SYMMETRIC:
            starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
            if not starred and ast.dump(first) != ast.dump(second):
                yield node, _with(node, args=[second, first, *node.args[2:]])
        case ast.Expr(value=ast.Call()) | ast.Raise():
            yield node, "pass"
        case ast.Return(value=ast.expr()):
            yield node, "return None"
    for test in _tests(node):
        yield test, f"(not ({ast.unparse(test)}))"
        if not isinstance(node, ast.While):
            yield test, "False"


def _tests(node: ast.AST) -> Sequence[ast.expr]:
    """The conditions on which a node does one thing or another."""
    if isinstance(node, ast.comprehension):
        return node.ifs
    if not isinstance(node, ast.If | ast.While | ast.IfExp):
        return []
    return [] if "__name__" in ast.unparse(node.test) or isinstance(node.test, ast.Constant) else [node.test]


def _with(node: ast.AST, **fields: object) -> str:
    """The code of a node some of whose fields are others."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return ast.unparse(changed)
