"""Widgets of the course: pictures that answer when they are touched.

Each is a folder here: a small class of synced traits on top of CourseWidget (widget.py), what the browser draws
(view.js, view.css), its words (texts.*.toml) and an example for the tests: `largest()`, and MOVES, pairs of a
control's data-testid and a key, each of which changes the picture. What it computes comes from callables it
receives. The classes are found by the names of the folders and loaded when they are first used, so that importing this
package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

NAMES = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
_HOMES = {"BadInput": "refusals", "CourseWidget": "base"} | {
    name.title().replace("_", ""): f"{name}.widget"  # HeadGrid in head_grid/widget.py
    for name in NAMES
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
