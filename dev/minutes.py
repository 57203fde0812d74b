"""How long a notebook takes: an estimate from what is in it, at the pace of somebody who follows every line.

    python -m dev.minutes [--sections NUMBER]

    prose       250 syllables a minute; 10 seconds a display formula
    code        5 seconds a line that is not folded away; 2 seconds a printed line
    figures     30 seconds each; 15 a question to predict; a widget two minutes
    waiting     what the cells compute, in course.toml as `make test` measured it
    exercises   5, 10 and 15 minutes (몸풀기, 본문제, 도전), instead of what their section holds

The pace was assumed, not measured with learners, who differ by a factor of two either way. What stands under a heading
심화, folded when the notebook opens, is told apart: the main path never needs it. Each first cell says all three, and
course.toml the main path, rounded to five minutes.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator

import nbformat
from nbformat import NotebookNode

from course_utils.course import notebooks
from course_utils.support.paths import NOTEBOOKS
from dev.notebook_cells import holds_an_answer, is_folded, output_texts, tags

SYLLABLES_A_MINUTE = 250
A_FORMULA, A_LINE, A_PRINTED_LINE, A_FIGURE, A_QUESTION, A_WIDGET = 10, 5, 2, 30, 15, 120  # seconds
EXERCISES = {"몸풀기": 5, "본문제": 10, "도전": 15}
MAIN, DEPTH, EXERCISE = "본문", "심화", "연습"
HEADING = re.compile(r"^(#+) +(.+)$", re.MULTILINE)


def sections(notebook: NotebookNode) -> Iterator[tuple[str, str, list[NotebookNode]]]:
    """Part (본문, 심화 or 연습), heading, cells: as the headings divide the notebook."""
    part, depth, title, cells = MAIN, 9, "", []
    for cell in notebook.cells:
        headings = HEADING.findall(cell.source) if cell.cell_type == "markdown" else []
        if headings:
            if cells:
                yield part, title, cells
            marks, title = min(headings, key=lambda heading: len(heading[0]))  # as JupyterLab folds
            cells = []
            if len(marks) <= depth:  # the section whose part this was has ended
                part, depth = MAIN, 9
            if part == MAIN and (told := re.match(f"{DEPTH}|{EXERCISE}", title)):
                part, depth = told[0], len(marks)
        cells.append(cell)
    yield part, title, cells


def minutes(notebook: NotebookNode) -> dict[str, float]:
    """Minutes of the main path and of 심화, without the computer's, and of the exercises, told by their kind."""
    spent = {MAIN: 0.0, DEPTH: 0.0}
    for part, _, cells in sections(notebook):
        if part in spent:
            spent[part] += sum(map(_seconds, cells)) / 60
    return spent | {EXERCISE: exercising(notebook)}


def exercising(notebook: NotebookNode) -> int:
    """Minutes for the exercises, told by their kind."""
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return sum(EXERCISES[kind] for kind in re.findall(r"\*\*\d\d\.\d (\w+)\.\*\*", prose))


def rounded(spent: float) -> int:
    """To five minutes; something is never nothing."""
    return 5 * max(round(spent / 5), int(spent > 0))


def _seconds(cell: NotebookNode) -> float:
    if cell.cell_type == "markdown":
        formulas = len(re.findall(r"\$\$.+?\$\$", cell.source, re.DOTALL))
        return 60 * len(re.findall(r"[가-힣]", cell.source)) / SYLLABLES_A_MINUTE + A_FORMULA * formulas
    seconds = 0.0 if is_folded(cell) else A_LINE * _lines(cell.source)
    if "widget" in tags(cell):
        return seconds + A_WIDGET
    if "widget-digest" in tags(cell):
        return seconds
    if holds_an_answer(cell):
        seconds += A_QUESTION
    for output in cell.get("outputs", []):
        picture = "image/png" in output.get("data", {})
        seconds += A_FIGURE if picture else A_PRINTED_LINE * sum(map(_lines, output_texts(output)))
    return seconds


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sections", metavar="NUMBER", help="a notebook's sections, minute by minute")
    asked = parser.parse_args(arguments).sections
    total = 0.0
    print("    stated   본문  (계산)   심화   연습")
    for row in notebooks("ko"):
        if asked not in (None, row.number):
            continue
        notebook = nbformat.read(NOTEBOOKS / f"{row.file}.ipynb", as_version=4)
        spent, wait = minutes(notebook), row.waiting / 60
        total += (spent[MAIN] + wait) * (row.number != "21")
        main = spent[MAIN] + wait
        off = "" if abs(row.minutes - main) <= 2.5 else "  ←"
        print(
            f"{row.number}  {row.minutes:>6} {main:>6.1f}  {wait:>5.1f} {spent[DEPTH]:>6.1f} {spent[EXERCISE]:>6}{off}"
        )
        for part, title, cells in sections(notebook) if asked else ():
            print(f"    {part} {sum(map(_seconds, cells)) / 60:5.1f}  {cells[0].id}  {title}")
    print(f"main paths without 21: {total / 60:.1f} hours")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
