"""dev/browser_tools.py: where Chromium and axe-core come from, with commands on PATH that only pretend."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from dev import browser_tools
from tests.datasets.serving import Server

STARTS, FAILS = "#!/bin/sh\n# starts\n", "#!/bin/sh\nexit 3\n"
APT = """#!/bin/sh
echo "apt-get $*" >>{folder}/asked
case "$*" in install*) printf '%s' '{chromium}' >{folder}/bin/chromium; chmod +x {folder}/bin/chromium ;; esac
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose bin/ is all of PATH; files with "# starts" in them start; Playwright's download is noted."""
    (tmp_path / "bin").mkdir()
    for name in ("sh", "chmod"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    own = tmp_path / "own"  # Playwright's

    def trouble(executable: str | None) -> str:
        file = own if executable is None else Path(executable)
        return "" if file.exists() and "# starts" in file.read_text() else f"{file.name} does not start"

    monkeypatch.setattr(browser_tools, "trouble", trouble)
    download = [
        shutil.which("sh", path=os.defpath),
        "-c",
        f"echo playwright >>{tmp_path}/asked; printf '# starts' >{own}",
    ]
    monkeypatch.setattr(browser_tools, "DOWNLOAD", download)
    monkeypatch.setattr(browser_tools, "no_axe", lambda: "")
    monkeypatch.setattr(browser_tools, "DRIVER", [sys.executable, "-c", ""])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    command(tmp_path, "fc-list", "#!/bin/sh\necho NanumGothic.ttf\n")
    return tmp_path


def command(machine: Path, name: str, text: str) -> None:
    (machine / "bin" / name).write_text(text)
    (machine / "bin" / name).chmod(0o755)


def asked(machine: Path) -> list[str]:
    return (machine / "asked").read_text().splitlines() if (machine / "asked").exists() else []


def test_the_systems_is_taken_when_it_starts(machine: Path):
    command(machine, "chromium-browser", STARTS)
    assert browser_tools.missing() == {} and asked(machine) == []


def test_root_on_debian_asks_apt(machine: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    command(machine, "apt-get", APT.format(folder=machine, chromium=STARTS))
    assert browser_tools.missing() == {}
    assert [line.split()[:2] for line in asked(machine)] == [["apt-get", "update"], ["apt-get", "install"]]


@pytest.mark.parametrize("fc_list", [None, "#!/bin/sh\n"])
def test_a_font_for_hangul_is_fetched_where_none_is_known(
    machine: Path, monkeypatch: pytest.MonkeyPatch, fc_list: str | None
):
    command(machine, "chromium", STARTS)
    command(machine, "apt-get", APT.format(folder=machine, chromium=STARTS))
    (machine / "bin" / "fc-list").unlink()
    if fc_list:
        command(machine, "fc-list", fc_list)
    assert browser_tools.missing() == {} and asked(machine) == []  # not as anyone else
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert browser_tools.missing() == {}
    assert [line.split()[-2:] for line in asked(machine)] == [
        ["update", "-qq"],
        ["fontconfig", "fonts-nanum"],
    ]


def test_what_apt_brings_and_does_not_start_is_not_enough(machine: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    command(machine, "apt-get", APT.format(folder=machine, chromium=FAILS))
    assert browser_tools.missing() == {}
    assert asked(machine)[-1] == "playwright"


def lacks_a_library(machine: Path) -> list[str]:
    """A driver that starts only where apt has been asked for libatomic1."""
    program = (
        "import pathlib, sys\n"
        f"there = pathlib.Path({str(machine / 'asked')!r})\n"
        "if not (there.exists() and 'libatomic1' in there.read_text()):\n"
        "    sys.exit('node: error while loading shared libraries: libatomic.so.1')\n"
    )
    return [sys.executable, "-c", program]


def test_the_library_that_playwrights_driver_wants_is_fetched(machine: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(browser_tools, "DRIVER", lacks_a_library(machine))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    command(machine, "chromium", STARTS)
    command(machine, "apt-get", APT.format(folder=machine, chromium=STARTS))
    assert browser_tools.missing() == {}
    assert [line.split()[-1] for line in asked(machine)] == ["-qq", "libatomic1"]


def test_without_it_one_sentence_names_it(machine: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(browser_tools, "DRIVER", lacks_a_library(machine))
    command(machine, "chromium", STARTS)
    found = browser_tools.missing()[browser_tools.BROWSER]
    assert "libatomic.so.1" in found and "apt-get install libatomic1" in found and "\n" not in found


def test_anyone_else_gets_playwrights_once(machine: Path):
    command(machine, "apt-get", APT.format(folder=machine, chromium=STARTS))
    for _ in range(2):
        assert browser_tools.missing() == {}
    assert asked(machine) == ["playwright"]


def test_when_none_can_be_had_it_is_one_sentence(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    command(machine, "google-chrome", FAILS)
    failing = [shutil.which("sh", path=os.defpath), "-c", "echo no route; exit 1"]
    monkeypatch.setattr(browser_tools, "DOWNLOAD", failing)
    found = browser_tools.missing()
    assert list(found) == [browser_tools.BROWSER]
    assert "does not start" in found[browser_tools.BROWSER] and "\n" not in found[browser_tools.BROWSER]
    assert "no route" in capsys.readouterr().err


def test_axe_is_fetched_with_npm_or_missed(machine: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.undo()
    monkeypatch.setattr(browser_tools, "no_chromium", lambda: "")
    axe, lock, installed = machine / "axe.min.js", machine / "lock", machine / "installed"
    monkeypatch.setattr(browser_tools, "AXE", axe)
    monkeypatch.setattr(browser_tools, "LOCK", lock)
    monkeypatch.setattr(browser_tools, "INSTALLED", installed)
    monkeypatch.setenv("PATH", str(machine / "bin"))
    lock.touch()
    assert list(browser_tools.missing()) == [browser_tools.BARRIERS]
    asked = machine / "asked"
    command(
        machine,
        "npm",
        f'#!/bin/sh\ncase "$*" in "ci --prefix tests/browser "*) echo x >>{asked}; : >{axe}; : >{installed} ;; esac\n',
    )
    for _ in range(2):  # fetched, and then there
        assert browser_tools.missing() == {}
        assert asked.read_text() == "x\n"
    later = installed.stat().st_mtime + 5
    os.utime(lock, (later, later))  # another list of packages
    assert browser_tools.missing() == {}
    assert asked.read_text() == "x\nx\n"


@pytest.mark.parametrize("in_ci", [False, True])
def test_the_command_says_what_is_left_out_and_in_continuous_integration_that_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], in_ci: bool
):
    monkeypatch.setattr(browser_tools, "IN_CI", in_ci)
    monkeypatch.setattr(browser_tools, "missing", dict)
    assert browser_tools.main() == 0 and capsys.readouterr().out == ""
    monkeypatch.setattr(browser_tools, "missing", lambda: {browser_tools.BROWSER: "none starts"})
    assert browser_tools.main() == int(in_ci)
    assert capsys.readouterr() == ("without the browser\n", "! without the browser: none starts\n")


def test_a_program_that_is_no_browser_is_told_apart(tmp_path: Path):
    pretender = tmp_path / "chromium"
    pretender.write_text(FAILS)
    pretender.chmod(0o755)
    assert browser_tools.trouble(str(pretender))


# Where Playwright looks in what it downloads: the browser on two kinds of processor, and its ffmpeg.
PROGRAMS = [
    "chrome-headless-shell-linux64/chrome-headless-shell",
    "chrome-linux/headless_shell",
    "ffmpeg-linux",
]


class Archive(BaseHTTPRequestHandler):
    """Answers every path with a zip whose every program is the given script."""

    script = ""
    asked: list[str] = []  # noqa: RUF012  (shared on purpose)

    def do_GET(self) -> None:
        self.asked.append(self.path)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name in PROGRAMS:
                entry = zipfile.ZipInfo(name)
                entry.external_attr = 0o100755 << 16
                archive.writestr(entry, self.script)
        self.send_response(200)
        self.send_header("Content-Length", str(len(buffer.getvalue())))
        self.end_headers()
        self.wfile.write(buffer.getvalue())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def host() -> Iterator[str]:
    """Playwright's download host, on loopback."""
    server = Server(("127.0.0.1", 0), Archive)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    Archive.asked.clear()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.slow
@pytest.mark.rare
@pytest.mark.parametrize("starts", [True, False])
def test_playwrights_own_is_downloaded_into_the_cache_and_started(tmp_path: Path, host: str, starts: bool):
    real = browser_tools.chromium()
    works = starts and real is not None
    Archive.script = f'#!/bin/sh\nexec {real} "$@"\n' if works else FAILS
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to(shutil.which("sh"))  # no Chromium and no apt on this PATH
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PLAYWRIGHT_")}
    environment |= {
        "PATH": str(tmp_path / "bin"),
        "PLAYWRIGHT_DOWNLOAD_HOST": host,
        "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-c", "from dev.browser_tools import no_chromium; print([no_chromium()])"],
        cwd=browser_tools.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    why = done.stdout.splitlines()[-1]
    assert done.returncode == 0 and Archive.asked, done.stderr
    assert done.stderr.splitlines() == ["fetching Playwright's Chromium into the user's cache …"]
    assert list((tmp_path / "cache").glob("chromium*"))
    assert (why == "['']") is works, done.stdout
