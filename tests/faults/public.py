"""Which functions and classes are public: what a package's __all__ names, and what a notebook's cell imports.

Not held to the contract of functions are errors, and the widgets, which say what is wrong in place (tests/widgets/).
"""

from __future__ import annotations

import ast
import inspect
import json
import pkgutil
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import course_utils

ROOT = Path(__file__).parents[2]


def names() -> dict[str, Any]:
    """ "masks.padding_mask" -> the function, by the module that defines it; sorted."""
    found = {}
    for module, name in {*exported(), *imported()}:
        thing = getattr(import_module(module), name)
        if is_public(thing):
            found[name_of(thing)] = thing
    return dict(sorted(found.items()))


def is_public(thing: Any) -> bool:
    """Whether it is a function or a class of the course that the contract speaks of."""
    is_code = inspect.isroutine(thing) or inspect.isclass(thing) or isinstance(thing, type(cache(len)))
    if not is_code or not thing.__module__.startswith("course_utils."):
        return False
    is_error = inspect.isclass(thing) and issubclass(thing, Exception)
    return not is_error and not thing.__module__.startswith("course_utils.widgets.")


def name_of(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}".removeprefix("course_utils.")


def exported() -> list[tuple[str, str]]:
    """What the rooms' __init__ names in __all__: (module, name)."""
    rooms = [
        module.name for module in pkgutil.iter_modules(course_utils.__path__, "course_utils.") if module.ispkg
    ]
    return [(room, name) for room in rooms for name in getattr(import_module(room), "__all__", ())]


@lru_cache
def imported() -> list[tuple[str, str]]:
    """What the cells of the Korean notebooks import of the course: (module, name)."""
    found = []
    for notebook in sorted((ROOT / "notebooks/ko").glob("*.ipynb")):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] != "code" or "course_utils" not in (code := "".join(cell["source"])):
                continue
            for node in ast.walk(
                ast.parse("\n".join(line for line in code.splitlines() if line[:1] not in "%!"))
            ):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("course_utils."):
                    found += [(node.module, alias.name) for alias in node.names]
    return found
