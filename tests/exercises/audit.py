"""What the tests of exercises and the lessons' right answers share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def forms(*answers: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Answers by the names of their functions, as a lesson's RIGHT has them."""
    return {answer.__name__: answer for answer in answers}
