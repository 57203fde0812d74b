"""Write a number that may differ a little from one machine to the next."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from course_utils.locale import text

MARK = "≈"
NUMBER = re.compile(r"[-+]?[0-9]+(,[0-9]{3})*(\.[0-9]+)?(e[-+][0-9]+)?%?")


def about(value: Any, spec: str = ".2f", *, width: int = 0) -> str:
    """Write a number with ≈ before it: about(0.7342) is "≈0.73".

    The mark says that sums in float32, or training, may move the number a little on another machine. An assert in
    the same cell says how far; without one the notebook's rules refuse the output.

    Args:
        value: a finite number, or a flat sequence, array or tensor of them for a row of a table.
        spec: a format specification of Python without a width: ".3f", "+.2f", ",.0f", ".1e", ".0%" ("≈73 %").
        width: columns of each number, the mark included; shorter ones are moved to the right.

    Returns:
        The text; the numbers of a row are one space apart.

    Raises:
        ValueError: if a number is not finite, if there is none, or if spec does not write one plain number.
    """
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Iterable) and not isinstance(value, str):
        row = [_about_one(number, spec).rjust(width) for number in value]
        if not row:
            raise ValueError(text("checks.about.empty"))
        return " ".join(row)
    return _about_one(value, spec).rjust(width)


def _about_one(value: Any, spec: str) -> str:
    if not math.isfinite(value):
        raise ValueError(text("checks.about.not_finite", value=value))
    try:
        written = format(value, spec)
    except ValueError:
        written = ""
    if not NUMBER.fullmatch(written):  # what the tests that compare outputs know as a number
        raise ValueError(text("checks.about.spec", spec=repr(spec)))
    if not any(digit in written for digit in "123456789"):
        written = written.replace("-", "")  # no "-0.00"
    return MARK + written.replace("%", " %")
