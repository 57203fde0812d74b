"""Every widget of the course at its largest documented input, from the example in its folder.

test_standard.py holds each to one standard; `python -m benchmarks widgets` measures how soon each answers.
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple


class Largest(NamedTuple):
    """A widget to be looked at."""

    code: str  # a cell whose value is the widget
    moves: tuple[tuple[str, str], ...]  # (data-testid of a control, key); each changes the picture


def largest(name: str) -> Largest:
    """The example of the widget in this folder of course_utils/widgets."""
    module = f"course_utils.widgets.{name}.example"
    return Largest(f"from {module} import largest\n\nlargest()", import_module(module).MOVES)
