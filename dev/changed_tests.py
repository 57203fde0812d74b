"""Which test files are about what changed since the branch left main: those that import it, or bear its name.

    python -m dev.changed_tests              the files, on one line; `make check` gives them to pytest
    python -m dev.changed_tests --widgets    of the browser's: the widgets that changed, as pytest's -k takes them

Tests that only reach a changed module through others are left to `make test`, and so are notebooks.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dev.mutants.faults import ROOT
from dev.mutants.importers import Importers

WIDGETS = "course_utils/widgets/"
ROOMS = {"__init__", "tests", "dev", "scripts", "experiments", "deploy", "lessons", "course_utils"}


def files(root: Path = ROOT) -> list[str]:
    """Test files to run, relative to `root`, but for those that need a browser."""
    changed, importers = changes(root), Importers(root)
    return [test for test in importers.tests if any(is_about(test, one, importers) for one in changed)]


def widgets(root: Path = ROOT) -> list[str]:
    """Names of the widgets whose folder, or whose tests in the browser, changed."""
    changed = changes(root)
    tests = {
        test.stem.removeprefix("test_widget_"): test.relative_to(root).as_posix()
        for test in sorted(root.glob("tests/browser/test_widget_*.py"))
    }
    return [
        name
        for name, test in tests.items()
        if any(one.startswith(f"{WIDGETS}{name}/") or one == test for one in changed)
    ]


def changes(root: Path = ROOT) -> list[str]:
    """Files that differ from where the branch left main, committed or not, relative to `root`."""
    start = next(
        filter(None, (_git(root, "merge-base", "HEAD", main) for main in ("main", "origin/main"))), ["HEAD"]
    )
    untracked = _git(root, "ls-files", "--others", "--exclude-standard")
    return sorted({*_git(root, "diff", "--name-only", "--no-renames", *start), *untracked})


def is_about(test: str, changed: str, importers: Importers) -> bool:
    """Does a test file import the changed file, stand in its folder of helpers, or bear its name?"""
    if changed.startswith("notebooks/"):
        return test.startswith("tests/notebooks/")
    if importers.distances[test].get(changed, 2) <= 1:
        return True
    # A package's own files (widget.py, view.js) go by the name of their folder.
    names = {Path(changed).stem, Path(changed).parent.name} - ROOMS
    return any(Path(test).stem.endswith(f"_{name}") for name in names)


def _git(root: Path, *arguments: str) -> list[str]:
    """The lines that git answers; none where it fails."""
    command = ["git", "-c", "core.quotePath=false", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True).stdout.splitlines()


def main(arguments: list[str]) -> int:
    print(" or ".join(widgets()) if arguments == ["--widgets"] else " ".join(files()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
