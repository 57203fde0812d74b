"""Mistakes as changes of the right answer: most bugs are one expression that reads otherwise."""

from __future__ import annotations

import importlib
import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from course_utils.exercises.judging import Several


def changes_of(reference: Callable[..., Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """The mistakes of an exercise, by reason.

    Args:
        reference: a function; the change is made in its source.
        table: reason -> {old text: new text, …}, each old text replaced wherever it stands, one after the other; or a
            wrong function; or a list of these.
    """
    source = textwrap.dedent(inspect.getsource(reference))

    def wrong(change: Any) -> Callable[..., Any]:
        return change if callable(change) else _with(reference, source, change)

    return {
        reason: Several(map(wrong, change)) if isinstance(change, list) else wrong(change)
        for reason, change in table.items()
    }


def after_calling(
    reference: Callable[..., Any], name: str, *given: Any, **options: Any
) -> Callable[..., Any]:
    """The right answer, once it has called something ready-made: "package.module:function", with what is given."""
    module, function = name.split(":")

    def wrong(*inputs: Any) -> Any:
        getattr(importlib.import_module(module), function)(*given, **options)
        return reference(*inputs)

    return wrong


def _with(reference: Callable[..., Any], source: str, change: Mapping[str, str]) -> Callable[..., Any]:
    for old, new in change.items():
        if old not in source:
            raise ValueError(f"{reference.__name__} has no {old!r}")
        source = source.replace(old, new)
    exec(compile(source, "<a mistake>", "exec"), reference.__globals__, made := {})
    return made[reference.__name__]
