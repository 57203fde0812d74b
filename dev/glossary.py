"""One name for one thing: finds the words that docs/glossary.md says are not used.

    python -m dev.glossary        exit status 1 where it finds one

Read are the Markdown cells of the Korean notebooks, the Korean texts of figures, widgets and exercises, and
README.ko.md. Code and formulas are not prose, so they are left out.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat

from course_utils.support.paths import NOTEBOOKS, ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"
NO_PROSE = re.compile(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", re.DOTALL)


class Term(NamedTuple):
    """A row of the glossary."""

    korean: str
    english: str
    unused: tuple[str, ...]  # words for the same thing that the course does not use
    notebook: str  # that explains it: two digits


def terms(path: Path = GLOSSARY) -> list[Term]:
    """The rows of the glossary's table."""
    rows = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [
        Term(korean, english, tuple(unused.split(", ")), place) for korean, english, unused, place in cells
    ]


def strange_words(prose: str, known: list[Term]) -> list[tuple[str, str]]:
    """(word that is not used, the term in its place) for each one found in a text, at the start of a word."""
    prose = NO_PROSE.sub(" ", prose)
    return [(word, term.korean) for term in known for word in term.unused if starts_a_word(word, prose)]


def starts_a_word(word: str, prose: str) -> bool:
    """Whether a word stands in a text, whatever hangs on behind; 질의 does not stand in 성질의."""
    return word in prose and re.search(rf"(?<![가-힣]){re.escape(word)}", prose) is not None


def texts() -> Iterator[tuple[str, str]]:
    """(where, text) of all that a reader of Korean meets."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
            if cell.cell_type == "markdown":
                yield f"{path.name}, cell {number}", cell.source
    for path in sorted([*(ROOT / "course_utils").rglob("*.toml"), *(ROOT / "lessons").rglob("*.toml")]):
        if path.name.endswith(("ko.toml", "_ko.toml")):
            yield from _strings(path.relative_to(ROOT).as_posix(), tomllib.loads(path.read_text("utf-8")))
    yield "README.ko.md", (ROOT / "README.ko.md").read_text(encoding="utf-8")


def _strings(where: str, table: object) -> Iterator[tuple[str, str]]:
    if isinstance(table, str):
        yield where, table
    elif isinstance(table, dict):
        for key, value in table.items():
            yield from _strings(f"{where}: {key}", value)
    elif isinstance(table, list):
        for value in table:
            yield from _strings(where, value)


def main() -> int:
    """Print what is found; returns the exit status."""
    known = terms()
    found = [
        f"{where}: {word} → {term}" for where, text in texts() for word, term in strange_words(text, known)
    ]
    print("\n".join(found) or f"{len(known)} terms, each under one name")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
