"""python -m dev.kill_test interrupts six writers fifty times each; here some of them a few times."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the tool forks")
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.rare
def test_some_kills():
    writers = ["pretrain", "save", "export", "download", "progress"]
    result = subprocess.run(
        [sys.executable, "-m", "dev.kill_test", *writers, "--kills", "2"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("✓") == 15 and result.stdout.count("2 killed") == 5


def half(folder: Path) -> int:
    """Writes in place, a little at a time: a kill leaves a half."""
    with open(folder / "file", "wb", buffering=0) as file:
        for byte in b"0123456789":
            file.write(bytes([byte]))
            time.sleep(0.01)
    return 0


@pytest.mark.parametrize(
    ("changed", "fault", "told"),
    [
        ({}, "kill", "neither what was before nor what was to come"),
        ({"act": lambda folder: half(folder) or 2}, "kill", "undisturbed it ends with 2"),
        ({"kept": ()}, "two at once", "left behind: file"),
    ],
)
def test_it_sees_what_is_wrong(tmp_path, monkeypatch, capsys, changed, fault, told):
    from dev import kill_test as tool  # only here: it forks

    in_place = tool.Writer(
        prepare=lambda folder: None,
        act=half,
        found=lambda folder: (folder / "file").read_bytes() if (folder / "file").exists() else b"",
        kept=("file",),
    )
    monkeypatch.setitem(tool.WRITERS, "in place", replace(in_place, **changed))
    assert not tool.check("in place", fault, 5, tmp_path, random.Random(3))
    assert told in capsys.readouterr().out
