"""dev/browser_tools.py: where Chromium and axe-core come from, with commands on PATH that only pretend."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from dev import browser_tools

STARTS, FAILS = "#!/bin/sh\n# starts\n", "#!/bin/sh\nexit 3\n"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose bin/ is all of PATH; files with "# starts" in them start; Playwright's download is noted."""
    (tmp_path / "bin").mkdir()
    shell = shutil.which("sh")
    (tmp_path / "bin" / "sh").symlink_to(shell)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    own = tmp_path / "own"  # Playwright's

    def trouble(executable: str | None) -> str:
        file = own if executable is None else Path(executable)
        return "" if file.exists() and "# starts" in file.read_text() else f"{file.name} does not start"

    monkeypatch.setattr(browser_tools, "trouble", trouble)
    monkeypatch.setattr(browser_tools, "DOWNLOAD", [shell, "-c", f"echo >>asked; printf '# starts' >{own}"])
    monkeypatch.setattr(browser_tools, "DRIVER", [sys.executable, "-c", ""])
    monkeypatch.setattr(browser_tools, "ROOT", tmp_path)
    return tmp_path


def command(machine: Path, name: str, text: str) -> None:
    (machine / "bin" / name).write_text(text)
    (machine / "bin" / name).chmod(0o755)


@pytest.mark.parametrize(("system", "asked"), [(STARTS, False), (FAILS, True), (None, True)])
def test_the_systems_is_taken_when_it_starts_else_playwrights_is_fetched_once(machine: Path, system, asked):
    if system:
        command(machine, "chromium-browser", system)
    for _ in range(2):
        assert browser_tools.no_chromium() == ""
    assert (machine / "asked").exists() == asked and (not asked or (machine / "asked").read_text() == "\n")


@pytest.mark.parametrize(
    ("name", "program", "told"),
    [
        ("DOWNLOAD", "print('no route'); raise SystemExit(1)", "own does not start"),
        (
            "DRIVER",
            "import sys; sys.exit('node: libatomic.so.1')",
            "libatomic.so.1.*apt-get install libatomic1",
        ),
    ],
)
def test_when_none_can_be_had_it_is_one_sentence(machine: Path, monkeypatch, capsys, name, program, told):
    monkeypatch.setattr(browser_tools, name, [sys.executable, "-c", program])
    monkeypatch.setattr(browser_tools, "from_npm", lambda wanted: True)
    monkeypatch.setattr(browser_tools, "IN_CI", False)
    assert browser_tools.main() == 0
    out, err = capsys.readouterr()
    assert out == "without the browser\n" and ("no route" in err) == (name == "DOWNLOAD")
    assert re.search(f"^! without the browser: .*{told}", err.splitlines()[-1])
    monkeypatch.setattr(browser_tools, "IN_CI", True)
    assert browser_tools.main() == 1
