"""Where a lesson lies, lessons/NN_name/, and its Python files, loaded by their path: the book imports no lesson."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

from course_utils.support.paths import ROOT

LESSONS = ROOT / "lessons"


def lesson_folder(number: str) -> Path | None:
    """The folder of a lesson, from its number of two digits; None if there is none."""
    return next(iter(sorted(LESSONS.glob(f"{number}_*/"))), None) if re.fullmatch(r"\d\d", number) else None


def lesson_numbers(having: str) -> list[str]:
    """The numbers of the lessons that have a file of this name, sorted."""
    return sorted(path.parent.name[:2] for path in LESSONS.glob(f"[0-9][0-9]_*/{having}"))


def lesson_module(number: str, name: str = "exercises") -> ModuleType:
    """lessons/NN_name/<name>.py as a module, read once.

    Raises:
        ImportError: if the file cannot be read or run; the sentence names it and says why.
    """
    folder = lesson_folder(number)
    path = (folder or LESSONS / number) / f"{name}.py"
    module_name = f"lessons.{path.parent.name}.{name}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    spec = importlib.util.spec_from_file_location(module_name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # before it runs: classes look themselves up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module_name]
        where = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        raise ImportError(f"{where}: {type(error).__name__}: {error}") from error
    return module
