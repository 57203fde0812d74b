"""Lines by room, as git has them, and how much of the book's code checks arguments: python -m dev.count.

Counted are .py, .js, .css, .toml and .sh, without data/ and notebooks/. A line of code holds more than a comment or a
docstring; it checks in an `if …: raise`, or in a statement that calls what shapes.py or support/given.py define.
"""

import ast
import subprocess
from collections import Counter
from pathlib import Path

from course_utils.support.paths import ROOT

KINDS, LEFT_OUT = (".py", ".js", ".css", ".toml", ".sh"), ("data/", "notebooks/")
BOOK, HELPERS = "course_utils", ("course_utils/shapes.py", "course_utils/support/given.py")


def share(source: str, helpers: set[str]) -> tuple[int, int]:
    """How many lines of a file are code, and how many of these check."""
    words, checking = set(), set()
    for node in ast.walk(ast.parse(source)):
        lines = range(getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) + 1)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            words.update(lines)
        refuses = isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise) and not node.orelse
        asks = isinstance(node, ast.Expr | ast.Assign | ast.Return) and helpers & called(node)
        checking.update(lines if refuses or asks else ())
    text = enumerate(source.splitlines(), start=1)
    code = {number for number, line in text if line.strip() and line.strip()[0] != "#"} - words
    return len(code), len(code & checking)


def called(node: ast.AST) -> set[str]:
    calls = (inside.func for inside in ast.walk(node) if isinstance(inside, ast.Call))
    return {getattr(function, "id", getattr(function, "attr", "")) for function in calls}


def main() -> int:
    command = ["git", "-c", "core.quotePath=false", "ls-files"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    paths = [name for name in listed if name.endswith(KINDS) and not name.startswith(LEFT_OUT)]
    sources = {name: (ROOT / name).read_text("utf-8") for name in paths if (ROOT / name).exists()}
    bodies = [ast.parse(sources.get(file, "")).body for file in HELPERS]
    helpers = {node.name for body in bodies for node in body if isinstance(node, ast.FunctionDef)}
    rooms, code, checks = Counter(), 0, 0
    for name, source in sources.items():
        rooms["/".join(Path(name).parts[:-1][:2])] += source.count("\n")
        if name.startswith(BOOK) and name.endswith(".py"):
            code, checks = map(sum, zip((code, checks), share(source, helpers)))
    print(*(f"{lines:7,}  {room or 'at the top'}" for room, lines in sorted(rooms.items())), sep="\n")
    tests = sum(lines for room, lines in rooms.items() if room.startswith("tests"))
    print(f"{rooms.total():7,}  in all, of which tests {tests:,}")
    print(f"{checks / code:7.1%}  of the book's {code:,} lines of code check arguments")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
