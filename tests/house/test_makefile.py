"""`make test`, `make check`, `make clean`, with a Python that only notes what it was asked: what runs, how it ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUB = """#!/bin/sh
echo "$*" >>{folder}/asked
case "$*" in
*browser_tools) [ -z "$LEFT_OUT" ] || echo "$LEFT_OUT" ;;
*changed_tests) echo "$CHANGED" ;;
*--widgets) echo "$WIDGETS" ;;
*) echo "speaks" ;;
esac
[ -z "$FAILS" ] || ! echo "$*" | grep -q -e "$FAILS" || exit ${{STATUS:-1}}
"""
LINT = ["-m ruff check", "-m ruff format", "-m dev.check_javascript"]
TESTS, BROWSER = "--ignore=tests/browser", "-m not rare tests/browser"
STRICT, BUDGET = "strict_nbval", "notebook_budget.py"
NOTEBOOKS = [f"notebooks/ko/{name}.ipynb" for name in ("01_short", "16_long", "13_less_long")]


@pytest.fixture
def made(tmp_path: Path):
    """Runs a target of the Makefile where there is no .venv; returns the status, what was said and what was asked."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for file, text in {"deploy/make_venv.sh": "", "python": STUB.format(folder=tmp_path)}.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    (tmp_path / "python").chmod(0o755)
    for notebook in NOTEBOOKS:
        (tmp_path / notebook).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / notebook).touch()

    def make(target: str, **more: str) -> tuple[int, list[str], list[str]]:
        given = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        command = ["make", "--no-print-directory", target, "PY=./python"]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=given | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        asked = tmp_path / "asked"
        lines = asked.read_text().splitlines() if asked.exists() else []
        asked.unlink(missing_ok=True)
        return done.returncode, done.stdout.splitlines(), lines

    return make


def ran(asked: list[str], *wanted: str) -> list[bool]:
    return [any(part in line for line in asked) for part in wanted]


@pytest.mark.parametrize(
    ("given", "status", "last", "runs"),
    [
        ({}, 0, "✓ passed every check", [True, True, True, True]),
        ({"LEFT_OUT": "without axe"}, 0, "✓ passed without axe", [True, True, True, True]),
        ({"FAILS": "browser_tools"}, 2, "✗ failed", [False] * 4),  # nothing is left out there
        ({"FAILS": "ruff"}, 2, "", [False, False, False, False]),
        ({"FAILS": "ignore=tests"}, 2, "✗ failed", [True, True, None, None]),
        ({"FAILS": "not rare tests/browser"}, 2, "✗ failed", [True, True, False, False]),
        ({"FAILS": "strict_nbval"}, 2, "✗ failed", [True, True, True, False]),
        ({"FAILS": "budget"}, 2, "✗ failed", [True, True, True, True]),
    ],
)
def test_make_test(made, given: dict[str, str], status: int, last: str, runs: list[bool | None]):
    ended, said, asked = made("test", **given)
    assert (ended != 0) == (status != 0), said
    assert any(line.startswith(last) for line in said[-3:]), said
    found = ran(asked, TESTS, BROWSER, STRICT, BUDGET)
    assert all(want in (None, there) for want, there in zip(runs, found, strict=True)), asked
    if not status:
        assert {"tests    speaks", "browser  speaks", "strict   speaks"} <= set(said)
        assert ran(asked[:3], *LINT) == [True] * 3
        (strict,) = (line for line in asked if STRICT in line)
        assert [word for word in strict.split() if word.endswith(".ipynb")] == [*NOTEBOOKS[1:], NOTEBOOKS[0]]


@pytest.mark.parametrize(("fails", "status"), [("", 0), ("random", 0), ("mutants$", 1)])
def test_make_test_all_leaves_nothing_out_and_survivors_are_for_people(made, fails: str, status: int):
    ended, said, asked = made("test-all", FAILS=fails)
    assert (ended != 0) == bool(status), said
    assert not any("rare" in line for line in asked)
    assert ran(asked, "-m  tests", "-m dev.mutants") == [True, True]
    assert ran(asked, "-m benchmarks memory busy") == [not status]
    assert made("test-all", FAILS="random", STATUS="2")[0]  # they could not be judged


def test_make_check(made):
    assert made("check")[1][-1] == "no test is about what changed"
    ended, _, asked = made("check", CHANGED="tests/a.py tests/b.py", WIDGETS="mask_painter or head_grid")
    assert ended == 0
    assert any(line.endswith("-m not rare and not slow tests/a.py tests/b.py") for line in asked)
    assert any(line.endswith("tests/browser -k mask_painter or head_grid") for line in asked)
    for fails in ("tests/a.py", "painter", "ruff"):
        assert made("check", CHANGED="tests/a.py", WIDGETS="mask_painter", FAILS=fails)[0]


def test_make_clean_removes_what_is_ours_alone(made, tmp_path: Path):
    mine = [".venv/bin/python", "build/mine/a.txt", "my_notebooks/.ipynb_checkpoints/02.ipynb"]
    for file in (*mine, "build/figures/a.png", ".ruff_cache/a", "course_utils/__pycache__/a.pyc"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    ended, said, _ = made("clean")
    assert ended == 0 and any(".venv was not made by this course" in line for line in said)
    assert all((tmp_path / file).exists() for file in mine)
    gone = ["build/figures", ".ruff_cache", "course_utils/__pycache__"]
    assert not any((tmp_path / folder).exists() for folder in gone)
    (tmp_path / ".venv").rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / ".course-ready").touch()
    (tmp_path / ".venv").symlink_to("elsewhere")
    assert made("clean")[0] == 0 and (tmp_path / ".venv").is_symlink()
    (tmp_path / ".venv").unlink()
    (tmp_path / "elsewhere").rename(tmp_path / ".venv")
    assert made("clean")[0] == 0 and not (tmp_path / ".venv").exists()


def test_a_request_for_another_host_fails_the_command_though_it_was_caught():
    ask = "import urllib.request as u\ntry: u.urlopen('http://example.org')\nexcept OSError: print('caught')"
    for code, status in (("print(1)", 0), ("raise SystemExit(3)", 3), (ask, 1)):
        command = [sys.executable, "-m", "dev.without_network", sys.executable, "-c", code]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
    assert "caught" in done.stdout and "outside this machine: example.org" in done.stdout
