"""Begin a notebook as a copy of a written one, on which every check of the course passes.

    python -m dev.new_notebook 22_my_topic

course.toml must have its row. Copied is MODEL, notebook and lesson, under the new number; replace it piece by piece.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

from course_utils.course import FILE, Notebook, notebooks
from course_utils.support.files import write_atomically
from dev import run_notebooks
from dev.minutes import exercising
from dev.notebook_cells import read_notebook

ROOT = FILE.parent
MODEL = "02_scaled_dot_product_attention"
FIRST_CELL = """# {row.number} · {row.title}

**질문.** {row.question}

> **뼈대입니다.** {model}의 사본입니다. [채울 곳] 셀을 하나씩 바꾸고 이 줄을 지우십시오.

본문 {row.minutes}분, 연습 문제 {exercises}분쯤 걸립니다."""


def renamed(text: str, row: Notebook) -> str:
    """The text with the new notebook's name and number in place of the model's."""
    return re.sub(rf"(?<![\d.]){MODEL[:2]}(?!\d)", row.number, text.replace(MODEL, row.file))


def make(row: Notebook) -> list[Path]:
    """Copy and execute; returns the new files.

    Raises:
        FileExistsError: if the notebook or its lesson is there already; nothing is changed then.
        RuntimeError: if the notebook does not run; nothing of it stays.
    """
    model, lesson = ROOT / "lessons" / MODEL, ROOT / "lessons" / row.file
    notebook = ROOT / "notebooks" / "ko" / f"{row.file}.ipynb"
    for path in (lesson, notebook):
        if path.exists():
            raise FileExistsError(f"there already: {path.relative_to(ROOT)}")
    try:
        lesson.mkdir()
        for file in [*model.glob("*.py"), *model.glob("*.toml")]:
            write_atomically(lesson / file.name, renamed(file.read_text(encoding="utf-8"), row))
        copied = read_notebook(notebook.with_stem(MODEL))
        for cell in copied.cells:
            cell.id, cell.source = renamed(cell.id, row), renamed(cell.source, row)
        copied.cells[0].source = FIRST_CELL.format(row=row, model=MODEL, exercises=exercising(copied))
        write_atomically(notebook, run_notebooks.serialise(copied))
        if run_notebooks.main([str(notebook)]) != 0:
            raise RuntimeError(f"{notebook.name} did not run: nothing was kept")
    except BaseException:
        shutil.rmtree(lesson, ignore_errors=True)
        notebook.unlink(missing_ok=True)
        raise
    return [*sorted(lesson.glob("*.*")), notebook]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="number and name, as in course.toml: 22_my_topic")
    file = parser.parse_args(arguments).file
    try:
        rows = [row for row in notebooks("ko") if row.file == file]
        if not rows:
            raise ValueError(f"course.toml has no notebook {file}: add its row first")
        for path in make(rows[0]):
            print(f"  {path.relative_to(ROOT)}")
    except (ValueError, FileExistsError, RuntimeError) as error:
        print(f"✗ {error}", file=sys.stderr)
        return 1
    print("✓ made. Replace it cell by cell; then: python -m dev.way, make check")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
