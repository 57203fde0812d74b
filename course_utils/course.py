"""What course.toml says of the notebooks: number, part, titles, question, minutes.

The file stands beside this package in the checkout, from which the course always runs. This module needs the standard
library only.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from course_utils.locale import language
from course_utils.support.paths import ROOT

FILE = ROOT / "course.toml"


@dataclass(frozen=True)
class Notebook:
    """One row of course.toml, in one language.

    Attributes:
        file: name without .ipynb, "02_scaled_dot_product_attention".
        part: title of the part it belongs to.
        minutes: how long its main path takes, without 심화 and the exercises.
        title: as in its first heading.
        short: the title as on the map of the course.
        question: what it answers.
        moves: what its widgets let the learner move; empty where it has none.
        waiting: seconds that its cells compute, on two quiet cores.
    """

    file: str
    part: str
    minutes: int
    title: str
    short: str
    question: str
    moves: str
    waiting: int = 0

    @property
    def number(self) -> str:
        """Two digits, "02"."""
        return self.file[:2]


def notebooks(lang: str | None = None) -> list[Notebook]:
    """All notebooks of the course in their order.

    Args:
        lang: "ko" or "en"; the language in use by default.
    """
    lang = lang or language()
    with open(FILE, "rb") as stream:
        course = tomllib.load(stream)
    parts = [part[lang] for part in course["parts"]]
    return [
        Notebook(
            file=row["file"],
            part=parts[row["part"] - 1],
            minutes=row["minutes"],
            waiting=row.get("waiting", 0),
            **row[lang],
        )
        for row in course["notebooks"]
    ]


def title_of(number: str) -> str:
    """The title of a notebook in the language in use.

    Raises:
        ValueError: if course.toml has no notebook with this number.
    """
    for found in notebooks():
        if found.number == number:
            return found.title
    raise ValueError(f"course.toml has no notebook {number!r}")
