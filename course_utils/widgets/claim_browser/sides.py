"""One side of a claim: numbers beside those they are compared with, written as they are shown, and their bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from course_utils.widgets.shown import readable

LONGEST = {"label": 40, "source": 60, "name": 24, "unit": 40, "note": 400}  # letters
MINUS = "−"

Row = tuple[str, float, float | None, str] | tuple[str, float, float | None, str, float]


def shown_side(
    *,
    rows: Sequence[Row],
    names: Sequence[str],
    unit: str = "",
    note: str = "",
    digits: int = 1,
) -> dict[str, Any]:
    """What a learner sees of a side.

    Args:
        rows: (label, value, reference or None, source), 1 to 8 of them, each perhaps with half of the interval of its
            difference: what lies within is not told apart.
        names: of the values, of the references.
        unit, note: words; "" for none.
        digits: after the point.
    """
    judged = [_judged(_row(row, digits)) for row in rows]
    return {
        "names": [readable(one, LONGEST["name"]) for one in names],
        "unit": unit and readable(unit, LONGEST["unit"]),
        "note": note and readable(note, LONGEST["note"]),
        **_scaled(judged, digits),
    }


def _row(row: Row, digits: int) -> dict[str, Any]:
    label, value, reference, source, *half = row
    return {
        "label": label and readable(label, LONGEST["label"]),
        "source": source and readable(source, LONGEST["source"]),
        "value": float(value),
        "reference": None if reference is None else float(reference),
        "difference": None if reference is None else round(value - reference, digits) + 0.0,
        "half": half[0] if half else None,
    }


def _judged(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its verdict: 1 above what it is compared with, −1 below, 0 not told apart, None not compared."""
    difference = row["difference"]
    if difference is None:
        return row | {"verdict": None}
    if abs(difference) <= (row["half"] or 0.0):
        return row | {"verdict": 0}
    return row | {"verdict": 1 if difference > 0 else -1}


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
            "half": "" if row["half"] is None else f"±\u00a0{_written(row['half'], digits)}",
        }
    return {"rows": rows, "zero": -low / width}


def _bar(amount: float, low: float, width: float) -> list[float]:
    start, end = sorted([(0.0 - low) / width, (amount - low) / width])
    return [round(start, 4), round(end - start, 4)]


def _written(amount: float, digits: int, *, sign: str = "") -> str:
    return f"{amount:{sign},.{digits}f}".replace("-", MINUS)
