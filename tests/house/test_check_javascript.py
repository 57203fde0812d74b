"""JavaScript is checked where biome is; where it is not, one line says so, and continuous integration fails."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from dev import check_javascript
from dev.browser_tools import BIOME, ROOT


@pytest.mark.parametrize("status", [0, 1])
def test_without_biome(tmp_path: Path, monkeypatch, capsys, status: int) -> None:
    monkeypatch.setattr(check_javascript, "IN_CI", bool(status))
    monkeypatch.setattr(check_javascript, "from_npm", lambda wanted: False)
    assert check_javascript.main(tmp_path / "biome") == status
    assert capsys.readouterr().out.count("\n") == 1


def test_what_biome_says_counts(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(check_javascript, "from_npm", Path.exists)
    for status in (0, 1):
        biome = tmp_path / f"biome-{status}"
        biome.write_text(f"#!/bin/sh\n[ $1 = check ] && exit {status}\nexit 9\n")
        biome.chmod(0o755)
        assert check_javascript.main(biome) == status


@pytest.mark.skipif(not BIOME.exists(), reason=f"no biome: {check_javascript.INSTALL}")
@pytest.mark.parametrize(
    ("name", "code", "fault"),
    [
        ("good.js", "export const one = 1;\n", ""),
        ("unused.js", 'import { one } from "./good.js";\n', "noUnusedImports"),
        ("undeclared.js", "export const two = three;\n", "noUndeclaredVariables"),
        ("shape.js", "export const one = 1\n", "format"),
        ("unknown.css", ".a {\n  colour: red;\n}\n", "noUnknownProperty"),
    ],
)
def test_faults_are_seen(tmp_path: Path, name: str, code: str, fault: str) -> None:
    shutil.copy(ROOT / "biome.jsonc", tmp_path)
    (tmp_path / "course_utils").mkdir()
    (tmp_path / "course_utils" / name).write_text(code)
    done = subprocess.run([BIOME, "check", "course_utils"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode == 0) == (not fault) and fault in done.stdout + done.stderr
