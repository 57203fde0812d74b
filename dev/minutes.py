"""How long a notebook takes: an estimate from what is in it, at the steady pace of somebody who reads aloud.

    python -m dev.minutes

    prose       300 syllables a minute; a letter of a formula counts as half a syllable
    code        2.5 seconds for a line that is not folded away
    figures     20 seconds each; a widget two minutes
    exercises   5, 10 and 15 minutes (몸풀기, 본문제, 도전)

The pace is a lecturer's, somewhat slower than a newsreader's; it was assumed, not measured with learners, who differ by
a factor of two either way. course.toml states reading, rounded to five minutes; the exercises come on top. What comes
after a heading 부록 is left out.
"""

from __future__ import annotations

import re
import sys

import nbformat
from nbformat import NotebookNode

from course_utils.course import notebooks
from course_utils.support.paths import NOTEBOOKS
from dev.notebook_cells import is_folded, tags

SYLLABLES_A_MINUTE, LETTERS_A_SYLLABLE = 300, 2
SECONDS_A_LINE, SECONDS_A_FIGURE, SECONDS_A_WIDGET = 2.5, 20, 120
EXERCISES = {"몸풀기": 5, "본문제": 10, "도전": 15}


def reading(notebook: NotebookNode) -> float:
    """Minutes for prose, code, figures and widgets, up to an appendix."""
    cells = _without_appendix(notebook)
    seconds = sum(_seconds_of_prose(cell.source) for cell in cells if cell.cell_type == "markdown")
    for cell in cells:
        if cell.cell_type != "code":
            continue
        if not is_folded(cell):
            seconds += SECONDS_A_LINE * sum(bool(line.strip()) for line in cell.source.splitlines())
        if "widget" in tags(cell):
            seconds += SECONDS_A_WIDGET
        seconds += SECONDS_A_FIGURE * sum("image/png" in output.get("data", {}) for output in cell.outputs)
    return seconds / 60


def exercising(notebook: NotebookNode) -> int:
    """Minutes for the exercises, told by their kind."""
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return sum(EXERCISES[kind] for kind in re.findall(r"\*\*\d\d\.\d (\w+)\.\*\*", prose))


def rounded(minutes: float) -> int:
    """To five minutes."""
    return 5 * round(minutes / 5)


def _without_appendix(notebook: NotebookNode) -> list[NotebookNode]:
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown" and re.match(r"#+ 부록", cell.source):
            return notebook.cells[:place]
    return notebook.cells


def _seconds_of_prose(text: str) -> float:
    syllables = len(re.findall(r"[가-힣]", text))
    letters = sum(len(re.sub(r"\s", "", formula)) for formula in re.findall(r"\$[^$]+\$", text))
    return 60 * (syllables + letters / LETTERS_A_SYLLABLE) / SYLLABLES_A_MINUTE


def main() -> int:
    """Print a table: what course.toml states, and what is estimated."""
    print("      stated  reading  exercises")
    for row in (row for row in notebooks("ko") if not row.planned):
        notebook = nbformat.read(NOTEBOOKS / f"{row.file}.ipynb", as_version=4)
        read, tried = rounded(reading(notebook)), exercising(notebook)
        print(
            f"{row.number}    {row.minutes:>6}  {read:>7}  {tried:>9}{'' if read == row.minutes else '  ←'}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
