"""Which test files are about what changed: those that import a changed module, or are named after it.

What changed: since the branch left main, committed or not. Tests that only reach a changed module through others are
left to `make test`, and so are notebooks; of the browser's tests those of a widget are chosen whose folder changed.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

IN_A_BROWSER = "tests/browser/"
WIDGETS = "course_utils/widgets/"


def files(root: Path) -> list[str]:
    """Test files to run, relative to `root`, but for those that need a browser."""
    changed = changes(root)
    tests = sorted(root.glob("tests/**/test_*.py"))
    found = [
        str(test.relative_to(root)) for test in tests if any(is_about(test, one, root) for one in changed)
    ]
    return [name for name in found if not name.startswith(IN_A_BROWSER)]


def widgets(root: Path) -> list[str]:
    """Names of the widgets whose folder, or whose tests in the browser, changed."""
    changed = changes(root)
    tests = {
        test.stem.removeprefix("test_widget_"): test for test in root.glob(f"{IN_A_BROWSER}test_widget_*.py")
    }
    return sorted(
        name
        for name, test in tests.items()
        if any(one.startswith(f"{WIDGETS}{name}/") or root / one == test for one in changed)
    )


def changes(root: Path) -> list[str]:
    """Files that differ from where the branch left main, relative to `root`."""
    for main in ("main", "origin/main", "HEAD"):
        try:
            start = _git(root, "merge-base", "HEAD", main)[0]
            break
        except (subprocess.CalledProcessError, IndexError):
            continue
    else:
        return []
    untracked = _git(root, "ls-files", "--others", "--exclude-standard")
    return sorted({*_git(root, "diff", "--name-only", "--no-renames", start), *untracked})


def is_about(test: Path, changed: str, root: Path) -> bool:
    """Does a test file import the changed file, stand in its folder of helpers, or bear its name?"""
    path = root / changed
    if path == test:
        return True
    if changed.startswith("notebooks/"):
        return test.parent == root / "tests/notebooks"
    if path.suffix == ".py" and path in _imported(test, root):
        return True
    # A package's own files (widget.py, view.js) go by the name of their folder.
    names = {path.stem, path.parent.name} - {
        "__init__",
        "tests",
        "dev",
        "scripts",
        "experiments",
        "deploy",
        "course_utils",
    }
    return any(test.stem.endswith(f"_{name}") for name in names)


@cache
def _imported(file: Path, root: Path) -> frozenset[Path]:
    """Files of this checkout that a file imports, and those that stand behind a package's names."""
    found: set[Path] = set()
    for module in _modules(file, root):
        found.add(module)
        if module.name in ("__init__.py", "conftest.py") or module.is_relative_to(root / "tests"):
            found |= set(_modules(module, root))
    found |= {helper for helper in (file.with_name("conftest.py"),) if helper.exists()}
    return frozenset(found)


def _modules(file: Path, root: Path) -> Iterator[Path]:
    """Files of this checkout named by the import statements of a file."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            place = root.joinpath(*name.split("."))
            for candidate in (place.with_suffix(".py"), place / "__init__.py"):
                if candidate.exists():
                    yield candidate


def _git(root: Path, *arguments: str) -> list[str]:
    command = ["git", "-c", "core.quotePath=false", *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
