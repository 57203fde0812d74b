"""Make the skeleton of a notebook that course.toml plans; every check of the course passes on it.

    python -m dev.new_notebook 07 transformer

It writes the notebook with its outputs, its exercises with their texts, and what the tests know of both, from the
templates in dev/skeleton/; then it sets `planned = false` in course.toml. What the templates say is a stand-in: replace
every [채울 곳] and [to fill in].
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_utils.course import FILE, Notebook, notebooks
from course_utils.support.files import write_atomically
from dev import run_notebooks

ROOT = FILE.parent
SKELETON = Path(__file__).resolve().parent / "skeleton"
# Template -> where it goes; NN is the number of the notebook, @FILE@ the name of its file.
PLACES = {
    "notebook.md": "notebooks/ko/@FILE@.ipynb",
    "exercises.py": "lessons/@FILE@/exercises.py",
    "texts.ko.toml": "lessons/@FILE@/texts.ko.toml",
    "texts.en.toml": "lessons/@FILE@/texts.en.toml",
    "scratch.py": "lessons/@FILE@/scratch.py",
    "right.py": "lessons/@FILE@/right.py",
}


def planned_row(number: str, name: str) -> Notebook:
    """The row of course.toml for a notebook that is still to be written.

    Raises:
        ValueError: if course.toml has no such number, gives it another name, or says that it is written already.
    """
    rows = {row.number: row for row in notebooks("ko")}
    if number not in rows:
        raise ValueError(f"course.toml has no notebook {number}: add its row first, with planned = true")
    row = rows[number]
    if row.file != f"{number}_{name}":
        raise ValueError(f"course.toml calls notebook {number} {row.file}, not {number}_{name}")
    if not row.planned:
        raise ValueError(f"notebook {number} is written already: {row.file}")
    return row


def fill(template: str, row: Notebook) -> str:
    """The template with this notebook's number, file, title, question and minutes."""
    facts = {"FILE": row.file, "TITLE": row.title, "QUESTION": row.question, "MINUTES": str(row.minutes)}
    filled = re.sub(r"@([A-Z]+)@", lambda found: facts[found[1]], template)
    return re.sub(r"(?<![A-Z])NN(?![A-Z])", row.number, filled)


def to_notebook(text: str, number: str) -> NotebookNode:
    """A notebook from cells that each begin with a line "=== markdown" or "=== code", maybe with tags behind it."""
    notebook = new_notebook(metadata={"kernelspec": dict(run_notebooks.KERNELSPEC)})
    cells = re.split(r"^=== (markdown|code)(.*)\n", text, flags=re.MULTILINE)[1:]
    for kind, tags, source in zip(cells[::3], cells[1::3], cells[2::3], strict=True):
        make = new_markdown_cell if kind == "markdown" else new_code_cell
        cell = make(source.rstrip("\n"), metadata={"tags": tags.split()} if tags.split() else {})
        cell.id = f"{number}-{len(notebook.cells):03}"
        notebook.cells.append(cell)
    return notebook


def files(row: Notebook) -> dict[Path, str]:
    """Every file of the skeleton with its content; the notebook is not yet executed."""
    found = {}
    for template, place in PLACES.items():
        content = fill((SKELETON / template).read_text(encoding="utf-8"), row)
        if template == "notebook.md":
            content = run_notebooks.serialise(to_notebook(content, row.number))
        found[ROOT / fill(place, row)] = content
    return found


def mark_written(course: str, row: Notebook) -> str:
    """course.toml with `planned = false` in the row of this notebook, and nothing else changed."""
    pattern = rf'(?m)^(file = "{row.file}"\n(?:(?!\[\[).*\n)*?planned = )true$'
    changed, count = re.subn(pattern, r"\1false", course)
    if count != 1:
        raise ValueError(f"course.toml: no line `planned = true` below file = {row.file!r}")
    return changed


def make(row: Notebook) -> list[Path]:
    """Write, execute and register the skeleton; returns every file that is new or changed.

    Raises:
        FileExistsError: if one of its files is there already; nothing is changed then.
        RuntimeError: if the notebook does not run; its files are taken away again.
    """
    contents = files(row)
    if there := [path for path in contents if path.exists()]:
        raise FileExistsError(f"there already: {', '.join(str(path.relative_to(ROOT)) for path in there)}")
    course = mark_written(FILE.read_text(encoding="utf-8"), row)
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
        notebook = next(path for path in contents if path.suffix == ".ipynb")
        if run_notebooks.main([str(notebook)]) != 0:
            raise RuntimeError(f"{notebook.name} did not run: nothing was kept")
    except BaseException:
        for path in contents:
            path.unlink(missing_ok=True)
        shutil.rmtree(ROOT / "lessons" / row.file, ignore_errors=True)  # with compiled files
        raise
    write_atomically(FILE, course)
    return [*contents, FILE]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("number", help="two digits, as in course.toml")
    parser.add_argument("name", help="the rest of the file's name, as in course.toml")
    options = parser.parse_args(arguments)
    try:
        touched = make(planned_row(options.number, options.name))
    except (ValueError, FileExistsError, RuntimeError) as error:
        print(f"✗ {error}", file=sys.stderr)
        return 1
    for path in touched:
        print(f"  {path.relative_to(ROOT)}")
    print("✓ made. Replace every [채울 곳] and [to fill in]; then: python -m dev.way, make check")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
