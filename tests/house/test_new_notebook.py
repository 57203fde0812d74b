"""A skeleton made in a copy of the course passes every check, and whoever asks for a wrong one is told."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course_utils.course import FILE, Notebook
from dev import new_notebook, run_notebooks
from dev.new_notebook import main, make, mark_written

ROOT = FILE.parent
FOLDERS = ("course_utils", "lessons", "notebooks", "tests", "dev", "scripts")
FILES = ("course.toml", "pyproject.toml", "constraints.txt")
UNWANTED = shutil.ignore_patterns("node_modules", "__pycache__", "screenshots", ".ipynb_checkpoints")
# What knows of every notebook; a skeleton has neither a widget nor a figure of its own.
CHECKS = ["tests/exercises", "tests/notebooks", "tests/house/test_course.py", "tests/house/test_locale.py"]
# The row that the tests add, so that they do not depend on what is still to be written.
ROW = """
[[notebooks]]
file = "97_planted_idea"
part = 1
minutes = 45
planned = true
ko = { title = "심은 생각", short = "심은 것", question = "무엇을 심었나?", moves = "곡선" }
en = { title = "A planted idea", short = "Planted", question = "What was planted?", moves = "a curve" }
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the course with a row for notebook 97."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=UNWANTED)
    for name in FILES:
        shutil.copy2(ROOT / name, tmp_path / name)
    with open(tmp_path / "course.toml", "a", encoding="utf-8") as stream:
        stream.write(ROW)
    return tmp_path


def files_of(folder: Path) -> dict[str, bytes]:
    hidden = {"__pycache__", ".pytest_cache", ".hypothesis", ".ruff_cache"}
    paths = [path for path in folder.rglob("*") if path.is_file() and not hidden & set(path.parts)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(folder), "COURSE_DATA_HOME": str(folder / "progress")}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.rare
def test_every_check_passes_on_a_skeleton(copy):
    before = files_of(copy)
    made = run(copy, "-m", "dev.new_notebook", "97", "planted_idea")
    assert made.returncode == 0, made.stderr
    after = files_of(copy)
    changed = sorted(path for path in before if before[path] != after.get(path))
    new = sorted(set(after) - set(before))
    assert changed == ["course.toml"]
    assert new == [
        "lessons/97_planted_idea/exercises.py",
        "lessons/97_planted_idea/right.py",
        "lessons/97_planted_idea/scratch.py",
        "lessons/97_planted_idea/texts.en.toml",
        "lessons/97_planted_idea/texts.ko.toml",
        "notebooks/ko/97_planted_idea.ipynb",
    ]
    assert all(re.search(rf"^  {path}$", made.stdout, re.MULTILINE) for path in [*changed, *new])
    python = [path for path in new if path.endswith((".py", ".ipynb"))]
    for command in (["check", "--no-cache"], ["format", "--check", "--no-cache", "--force-exclude"]):
        linted = run(copy, "-m", "ruff", *command, *python)
        assert linted.returncode == 0, linted.stdout
    skeleton = "notebooks/ko/97_planted_idea.ipynb"
    numbered = "97 or titles or tags or together or planned"
    quick = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    checked = run(copy, "-m", "pytest", *quick, "-k", numbered, "-p", "dev.strict_nbval", skeleton, *CHECKS)
    assert checked.returncode == 0, checked.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", checked.stdout)[1]) > 30, checked.stdout[-3000:]


# ---- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "name", "says"),
    [
        ("03", "masking", "written already"),
        ("98", "more", "course.toml has no notebook 98"),
        ("03", "../masking", "03_masking"),
    ],
)
def test_refusals(capsys, number, name, says):
    before = {path: path.stat().st_mtime_ns for path in (FILE, ROOT / "notebooks/ko")}
    assert main([number, name]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("✗ ") and says in err and len(err.splitlines()) == 1
    assert before == {path: path.stat().st_mtime_ns for path in before}


ROW_97 = Notebook("97_planted_idea", "1", 45, True, "심은 생각", "심은 것", "무엇을 심었나?", "")


@pytest.fixture
def small_course(tmp_path, monkeypatch):
    """course.toml and nothing else, to write into."""
    (tmp_path / "course.toml").write_text(FILE.read_text(encoding="utf-8") + ROW, encoding="utf-8")
    monkeypatch.setattr(new_notebook, "ROOT", tmp_path)
    monkeypatch.setattr(new_notebook, "FILE", tmp_path / "course.toml")
    return tmp_path


def test_what_is_there_is_not_overwritten(small_course):
    theirs = small_course / "lessons/97_planted_idea/scratch.py"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine")
    before = files_of(small_course)
    with pytest.raises(FileExistsError, match=r"there already: lessons/97_planted_idea/scratch\.py"):
        make(ROW_97)
    assert files_of(small_course) == before


def test_a_skeleton_that_does_not_run_is_taken_away(small_course, monkeypatch):
    before = files_of(small_course)
    monkeypatch.setattr(run_notebooks, "main", lambda arguments: 1)
    with pytest.raises(RuntimeError, match="did not run"):
        make(ROW_97)
    assert files_of(small_course) == before
    assert not (small_course / "lessons/97_planted_idea").exists()


def test_one_line_of_the_course_changes():
    course = FILE.read_text(encoding="utf-8") + ROW
    marked = mark_written(course, ROW_97)
    pairs = zip(course.splitlines(), marked.splitlines(), strict=True)
    assert [pair for pair in pairs if pair[0] != pair[1]] == [("planned = true", "planned = false")]
    with pytest.raises(ValueError, match="97_planted_idea"):
        mark_written(marked, ROW_97)
