"""`import course_utils` is light: what it loads is looked up in a new interpreter."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HEAVY = {"torch", "numpy", "matplotlib", "IPython", "ipywidgets", "anywidget", "transformers", "tokenizers"}
HEAVY |= {"safetensors", "course_utils.locale"}


def loaded_by(statement: str) -> set[str]:
    """The modules in sys.modules of a new interpreter after one statement."""
    program = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("room", ["", "config", "locale", "doctor", "tokenization", "widgets"])
def test_light_parts_stay_light(room: str):
    modules = loaded_by(f"import course_utils.{room}".rstrip("."))
    assert "course_utils" in modules and modules & HEAVY <= ({"course_utils.locale"} if room else set())


def test_opening_a_checkpoint_does_not_load_the_compiler_of_torch():
    modules = loaded_by("from course_utils.pretrained import load_pretrained; load_pretrained()")
    assert "torch" in modules and "torch._dynamo" not in modules  # 80 MB and more than a second


def test_what_lies_beside_the_code_is_installed_with_it():
    package = Path(__file__).parents[2] / "course_utils"
    settings = tomllib.loads((package.parent / "pyproject.toml").read_text("utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["course_utils"]
    files = {path for path in package.rglob("*.*") if path.is_file() and "__pycache__" not in path.parts}
    beside = {path for path in files if path.suffix != ".py"}
    assert len(beside) > 50
    assert beside - {path for pattern in patterns for path in package.glob(pattern)} == set()
    rooms = {path.parent for path in files}  # a folder without __init__.py would be left out
    data_only = {package / "locale" / lang for lang in ("ko", "en")}
    assert {room for room in rooms if not (room / "__init__.py").exists()} <= data_only
