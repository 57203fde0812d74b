"""A lesson begun in a copy of the course passes every check, and whoever asks for a wrong one is told."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course_utils.course import FILE, Notebook
from dev import new_notebook, run_notebooks

ROOT = FILE.parent
FOLDERS = ("course_utils", "lessons", "notebooks", "tests", "dev", "scripts")
FILES = ("course.toml", "pyproject.toml", "constraints.txt")
UNWANTED = shutil.ignore_patterns("node_modules", "__pycache__", "screenshots", ".ipynb_checkpoints")
# What knows of every notebook; a copy has neither a widget nor a figure of its own.
CHECKS = ["tests/exercises", "tests/notebooks", "tests/house/test_course.py", "tests/house/test_locale.py"]
NAME = "97_planted_idea"
ROW = Notebook(NAME, "1", 45, "심은 생각", "심은 것", "무엇을 심었나?", "곡선")
IN_COURSE_TOML = f"""
[[notebooks]]
file = "{NAME}"
part = 1
minutes = {ROW.minutes}
ko = {{ title = "{ROW.title}", short = "{ROW.short}", question = "{ROW.question}", moves = "{ROW.moves}" }}
en = {{ title = "A planted idea", short = "Planted", question = "What was planted?", moves = "a curve" }}
"""


def files_of(folder: Path) -> dict[str, bytes]:
    hidden = {"__pycache__", ".pytest_cache", ".hypothesis", ".ruff_cache"}
    paths = [path for path in folder.rglob("*") if path.is_file() and not hidden & set(path.parts)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(folder), "COURSE_DATA_HOME": str(folder / "progress")}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=900)


@pytest.mark.rare
def test_every_check_passes_on_a_new_lesson(tmp_path):
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=UNWANTED)
    for name in FILES:
        shutil.copy2(ROOT / name, tmp_path / name)
    with open(tmp_path / "course.toml", "a", encoding="utf-8") as stream:
        stream.write(IN_COURSE_TOML)
    before = files_of(tmp_path)
    made = run(tmp_path, "-m", "dev.new_notebook", NAME)
    assert made.returncode == 0, made.stderr
    after = files_of(tmp_path)
    assert {path: after.get(path) for path in before} == before
    new = sorted(set(after) - set(before))
    lesson = ("exercises.py", "right.py", "scratch.py", "texts.en.toml", "texts.ko.toml")
    assert new == [*(f"lessons/{NAME}/{name}" for name in lesson), f"notebooks/ko/{NAME}.ipynb"]
    assert re.findall(r"^  (\S+)$", made.stdout, re.MULTILINE) == new
    python = [path for path in new if path.endswith((".py", ".ipynb"))]
    for command in (["check", "--no-cache"], ["format", "--check", "--no-cache", "--force-exclude"]):
        linted = run(tmp_path, "-m", "ruff", *command, *python)
        assert linted.returncode == 0, linted.stdout
    numbered = "97 or titles or tags or together or every_notebook"
    quick = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    checked = run(
        tmp_path, "-m", "pytest", *quick, "-k", numbered, "-p", "dev.strict_nbval", new[-1], *CHECKS
    )
    assert checked.returncode == 0, checked.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", checked.stdout)[1]) > 30, checked.stdout[-3000:]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("03_masking", "there already: lessons/03_masking"),
        ("22_more", "no notebook 22_more"),
        ("../x", "../x"),
    ],
)
def test_refusals(capsys, name, says):
    before = files_of(ROOT / "lessons/03_masking")
    assert new_notebook.main([name]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("✗ ") and says in err and len(err.splitlines()) == 1
    assert files_of(ROOT / "lessons/03_masking") == before


def test_a_notebook_that_does_not_run_is_taken_away(tmp_path, monkeypatch):
    model = new_notebook.MODEL
    shutil.copytree(ROOT / "lessons" / model, tmp_path / "lessons" / model)
    (tmp_path / "notebooks/ko").mkdir(parents=True)
    shutil.copy(ROOT / f"notebooks/ko/{model}.ipynb", tmp_path / "notebooks/ko")
    before = files_of(tmp_path)
    monkeypatch.setattr(new_notebook, "ROOT", tmp_path)
    monkeypatch.setattr(run_notebooks, "main", lambda arguments: 1)
    with pytest.raises(RuntimeError, match="did not run"):
        new_notebook.make(ROW)
    assert files_of(tmp_path) == before and not (tmp_path / "lessons" / NAME).exists()
