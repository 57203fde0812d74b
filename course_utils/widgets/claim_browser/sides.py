"""One side of a claim: numbers beside those they are compared with, checked and written as they are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from course_utils.locale import text
from course_utils.widgets.attention_explorer.side import readable
from course_utils.widgets.base import BadInput

MOST_ROWS = 8
LONGEST = {"label": 40, "source": 60, "name": 24, "unit": 40, "note": 400}  # letters
MINUS = "−"


def checked_side(name: str, given: Any) -> dict[str, Any] | None:
    """What a learner sees of a side; None where there is none.

    Args:
        name: of the side, for what is told of a bad one.
        given: None, or {"rows": [(label, value, reference or None, source), …]} of 1 to 8 rows, {"names": two words},
            and where there are any "unit", "note", "digits" after the point (1), "better": "high" or "low", whichever
            is better of these numbers ("high"), and "same": differences up to it count as none (0).
    """
    if given is None:
        return None
    known = {"rows", "names", "unit", "note", "digits", "better", "same"}
    if not isinstance(given, Mapping) or not {"rows", "names"} <= set(given) <= known:
        raise BadInput(text("widgets.claim_browser.bad.side", side=name))
    digits = given.get("digits", 1)
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 4:
        raise BadInput(text("widgets.claim_browser.bad.digits", side=name))
    better, same = given.get("better", "high"), given.get("same", 0.0)
    if better not in ("high", "low") or not _is_number(same) or same < 0:
        raise BadInput(text("widgets.claim_browser.bad.better", side=name))
    rows = _list(given["rows"])
    if not 1 <= len(rows) <= MOST_ROWS:
        raise BadInput(text("widgets.claim_browser.bad.rows", side=name, most=MOST_ROWS, actual=len(rows)))
    names = _list(given["names"])
    if len(names) != 2:
        raise BadInput(text("widgets.claim_browser.bad.side", side=name))
    return {
        "names": [_words(name, "name", one) for one in names],
        "unit": _words(name, "unit", given.get("unit", "")),
        "note": _words(name, "note", given.get("note", "")),
        **_scaled([_judged(_row(name, row, digits), better, same) for row in rows], digits),
    }


def _row(side: str, given: Any, digits: int) -> dict[str, Any]:
    row = _list(given)
    if len(row) != 4 or not _is_number(row[1]) or not (row[2] is None or _is_number(row[2])):
        raise BadInput(text("widgets.claim_browser.bad.row", side=side))
    label, value, reference, source = row
    return {
        "label": _words(side, "label", label),
        "source": _words(side, "source", source),
        "value": float(value),
        "reference": None if reference is None else float(reference),
        "difference": None if reference is None else round(float(value) - float(reference), digits) + 0.0,
    }


def _judged(row: dict[str, Any], better: str, same: float) -> dict[str, Any]:
    """The row with its verdict: 1 better than what it is compared with, −1 worse, 0 the same, None not compared."""
    difference = row["difference"]
    if difference is None:
        return row | {"verdict": None}
    if abs(difference) <= same + 1e-9:  # as they are written: 0.1 + 0.2 is not quite 0.3
        return row | {"verdict": 0}
    return row | {"verdict": 1 if (difference > 0) == (better == "high") else -1}


def _scaled(rows: list[dict[str, Any]], digits: int) -> dict[str, Any]:
    """The rows with their bars, [start, length] in shares of the width, and their numbers as texts."""
    amounts = [row[key] for row in rows for key in ("value", "reference") if row[key] is not None]
    low, high = min(0.0, *amounts), max(0.0, *amounts)
    width = high - low or 1.0
    widest = (
        max((abs(row["difference"]) for row in rows if row["difference"] is not None), default=0.0) or 1.0
    )
    for row in rows:
        bars = {key: _bar(row[key], low, width) for key in ("value", "reference") if row[key] is not None}
        if row["difference"] is not None:
            bars["difference"] = _bar(row["difference"], -widest, 2 * widest)
        row["bars"] = bars
        row["shown"] = {
            "value": _written(row["value"], digits),
            "reference": "" if row["reference"] is None else _written(row["reference"], digits),
            "difference": "" if row["difference"] is None else _written(row["difference"], digits, sign="+"),
        }
    return {"rows": rows, "zero": -low / width}


def _bar(amount: float, low: float, width: float) -> list[float]:
    start, end = sorted([(0.0 - low) / width, (amount - low) / width])
    return [round(start, 4), round(end - start, 4)]


def _written(amount: float, digits: int, *, sign: str = "") -> str:
    return f"{amount:{sign},.{digits}f}".replace("-", MINUS)


def _words(side: str, what: str, given: Any) -> str:
    if not isinstance(given, str):
        raise BadInput(text("widgets.claim_browser.bad.words", side=side))
    return readable(given, LONGEST[what]) if given else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _list(given: Any) -> Sequence[Any]:
    return list(given) if isinstance(given, list | tuple) else []
