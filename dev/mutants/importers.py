"""Which tests import a module, read from the import statements: first those that name it, then those that reach it."""

from __future__ import annotations

import ast
from functools import cached_property
from pathlib import Path

from dev.mutants.faults import ROOT

ROOMS = ("course_utils", "scripts", "experiments", "lessons", "dev", "deploy", "benchmarks", "tests")
FARTHEST = 2  # a test that imports a module that imports the module in question
# The browser's tests need a server and minutes; that of the faults themselves would run for hours.
LEFT_OUT = ("tests/browser/", "tests/house/test_mutants.py")


class Importers:
    """The import graph of the Python files below `root`."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        paths = [path for room in ROOMS for path in root.glob(f"{room}/**/*.py")]
        self.trees = {
            path.relative_to(root).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
            for path in sorted(paths)
        }

    @cached_property
    def tests(self) -> list[str]:
        """The files of tests that can judge."""
        names = (file for file in self.trees if Path(file).name.startswith("test_"))
        return [file for file in names if file.startswith("tests/") and not file.startswith(LEFT_OUT)]

    @cached_property
    def distances(self) -> dict[str, dict[str, int]]:
        """test -> file -> over how many imports the test reaches it."""
        return {test: self._reached(test) for test in self.tests}

    def judges_of(self, file: str) -> list[str]:
        """The tests that reach a file over at most FARTHEST imports, or its room's if none does; nearest first."""
        near = {test: found[file] for test, found in self.distances.items() if file in found}
        if not near:
            room = Path(file).parts[1]
            return [test for test in self.tests if test.startswith(f"tests/{room}/")]
        farthest = max(FARTHEST, min(near.values()))
        return sorted((test for test in near if near[test] <= farthest), key=lambda test: (near[test], test))

    def _reached(self, test: str) -> dict[str, int]:
        distances = {test: 0}
        wave = [test]
        while wave:
            following = []
            for file in wave:
                # A package's own file imports everything in it; what is reached through it has been named already.
                helper = file.startswith("tests/")  # a test, or what tests share
                if file.endswith("/__init__.py") and not helper:
                    continue
                for other in self.imports[file]:
                    step = distances[file] + (0 if other.startswith("tests/") else 1)
                    if step < distances.get(other, len(self.trees)):
                        distances[other] = step
                        following.append(other)
            wave = following
        return distances

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """file -> the files whose names it imports, those behind a package's name included."""
        return {file: set(self._imported(tree)) for file, tree in self.trees.items()}

    def _imported(self, tree: ast.AST) -> list[str]:
        found: list[str] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found += [file for name in node.names if (file := self._file(name.name))]
            elif isinstance(node, ast.ImportFrom) and node.module and (home := self._file(node.module)):
                found += [home, *(file for name in node.names if (file := self._home(home, name.name)))]
                found += [part for name in node.names for part in self._offered(f"{node.module}.{name.name}")]
        return found

    def _offered(self, module: str) -> list[str]:
        """What a package that is imported as a whole, as in `from course_utils import heads`, takes its names from."""
        package = self._file(module) or ""
        return self._imported(self.trees[package]) if package.endswith("/__init__.py") else []

    def _file(self, module: str) -> str | None:
        stem = module.replace(".", "/")
        return next((file for file in (f"{stem}.py", f"{stem}/__init__.py") if file in self.trees), None)

    def _home(self, package: str, name: str) -> str | None:
        """The file in which a name that a package offers has its home."""
        if not package.endswith("/__init__.py"):
            return None
        folder = package.removesuffix("/__init__.py")
        if module := self._file(f"{folder}/{name}"):
            return module
        for node in ast.walk(self.trees[package]):
            if isinstance(node, ast.ImportFrom) and any(name == alias.name for alias in node.names):
                home = self._file(node.module or "")
                return home and (self._home(home, name) or home)
        for file, tree in self.trees.items():  # a package that imports its parts only when they are asked for
            if file.startswith(f"{folder}/") and any(getattr(node, "name", "") == name for node in tree.body):
                return file
        return None
