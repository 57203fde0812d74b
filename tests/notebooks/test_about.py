"""A number with ≈ may differ between two runs, inside the band that its assert states; nothing else may."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbval.plugin import get_sanitize_patterns

from course_utils.checks import about
from dev.run_notebooks import KERNELSPEC
from dev.strict_nbval import SANITISING

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = get_sanitize_patterns(SANITISING.read_text(encoding="utf-8"))


def sanitise(said: str) -> str:
    """A text without what strict nbval lets differ."""
    for pattern, replacement in PATTERNS:
        said = re.sub(pattern, replacement, said)
    return said


# ---- the helper ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "spec", "written"),
    [
        (0.7342, ".2f", "≈0.73"),
        (0.7342, "+.1f", "≈+0.7"),
        (0.7342, ".0%", "≈73 %"),
        (1234567.8, ",.0f", "≈1,234,568"),
        (12, "d", "≈12"),
        (3.2e-7, ".1e", "≈3.2e-07"),
        (-0.001, ".2f", "≈0.00"),
        (torch.tensor(0.5, requires_grad=True), ".2f", "≈0.50"),
        (np.float32(0.25), ".2f", "≈0.25"),
        ([0.125, -0.0], ".1f", "≈0.1 ≈0.0"),
        (torch.tensor([1.0, 22.0]), ".1f", "≈1.0 ≈22.0"),
    ],
)
def test_numbers_are_written_after_the_mark(value, spec: str, written: str):
    assert about(value, spec) == written
    assert re.sub("~#%?", "", sanitise(written)) == ""


def test_columns_of_a_table_are_aligned():
    assert about(0.7342) == "≈0.73"
    assert about(9.94, ".1f", width=6) == "  ≈9.9"
    assert about([9.94, 10.06], ".1f", width=6) == "  ≈9.9  ≈10.1"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, torch.tensor(math.nan), [1.0, math.inf]])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match=r"nan|inf"):
        about(value)


@pytest.mark.parametrize("spec", ["12.2f", "<9", "q", "_.2f", ".2f "])
def test_only_formats_that_write_one_plain_number(spec: str):
    with pytest.raises(ValueError, match=re.escape(repr(spec))):
        about(12345, spec)


# ---- what is compared ----------------------------------------------------------------------------------------------

SAME = [
    ("손실 ≈9.94", "손실 ≈10.06"),
    ("배   ≈9.9  ≈0.1|", "배  ≈10.1 ≈-0.1|"),
    ("≈999 파라미터", "≈1,000 파라미터"),
    ("≈73 %입니다", "≈100 %입니다"),
    ("(≈3.2e-07, ≈1.0)", "(≈0.0e+00, ≈2.0)"),
]
DIFFERENT = [
    ("손실 ≈9.94", "손실 9.94"),
    ("손실 ≈9.94, 3번", "손실 ≈9.94, 4번"),
    ("손실 ≈9.94", "정확도 ≈9.94"),
    ("≈73 %", "≈73"),
    ("≈0.1 ≈0.2", "≈0.1"),
    ("≈0.1\n≈0.2", "≈0.1 ≈0.2"),
    ("3 ≈0.5", "4 ≈0.5"),
    ("≈1,234", "≈1,23"),
    ("왕 ≈ 여왕", "왕 ≈ 남자"),
]


@pytest.mark.parametrize(("saved", "fresh"), SAME)
def test_numbers_after_the_mark_may_differ(saved: str, fresh: str):
    assert sanitise(saved) == sanitise(fresh)


@pytest.mark.parametrize(("saved", "fresh"), DIFFERENT)
def test_all_else_is_compared(saved: str, fresh: str):
    assert sanitise(saved) != sanitise(fresh)


def notebook_saying(saved: str, *sources: str) -> nbformat.NotebookNode:
    """Code cells that once printed `saved`, each."""
    outputs = [new_output("stream", name="stdout", text=saved + "\n")]
    cells = [
        new_code_cell(source, id=f"99-{index:03}", execution_count=index + 1, outputs=outputs)
        for index, source in enumerate(sources)
    ]
    return new_notebook(cells=cells, metadata={"kernelspec": KERNELSPEC})


def test_nbval_lets_only_numbers_inside_their_band_move(tmp_path: Path):
    """Strict nbval, as `make test` calls it, on a notebook whose saved outputs are of another run."""
    loss_is = "loss = {}\nmarked = f'≈{{loss:.1f}}'\nprint(f'{}')\nassert 9 < loss < 11"
    cells = {  # what differs -> what the cell does now
        "nothing": loss_is.format(9.9, "손실 {marked:>7}, 3번"),
        "number": loss_is.format(10.06, "손실 {marked:>7}, 3번"),
        "band": loss_is.format(12.0, "손실 {marked:>7}, 3번"),
        "word": loss_is.format(10.06, "오차 {marked:>7}, 3번"),
        "plain number": loss_is.format(10.06, "손실 {marked:>7}, 4번"),
        "mark": loss_is.format(9.9, "손실 {loss:>7}, 3번"),
    }
    path = tmp_path / "99_planted.ipynb"
    nbformat.write(notebook_saying("손실    ≈9.9, 3번", *cells.values()), path)
    options = "-m pytest -q -rA -p no:cacheprovider -p dev.strict_nbval"
    command = [sys.executable, *options.split(), str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    verdicts = re.findall(r"^(PASSED|FAILED) .*::Cell (\d)", done.stdout, re.MULTILINE)
    passed = [name for name, number in zip(cells, "012345", strict=True) if ("PASSED", number) in verdicts]
    assert passed == ["nothing", "number"] and len(verdicts) == len(cells), done.stdout
