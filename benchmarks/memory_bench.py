"""A kernel as `make lab` starts it, while its notebook runs from top to bottom: memory, and time beside other work."""

from __future__ import annotations

import subprocess
import sys
import time

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

from course_utils.support.paths import NOTEBOOKS, ROOT

CELL_SECONDS = 900  # beside a busy core
LONGEST = "16_fine_tuning"
# Linux: the high-water mark of this process; ru_maxrss would begin with that of the process which started it.
ASK = """
import re as _re, resource as _resource
from pathlib import Path as _Path
_status = _Path("/proc/self/status")
if _status.exists():
    print(_re.search(r"VmHWM:\\s+(\\d+) kB", _status.read_text())[1])
else:
    print(_resource.getrusage(_resource.RUSAGE_SELF).ru_maxrss)
"""
UNIT = 1 if sys.platform == "darwin" else 1024  # bytes; the unit of both


def rows() -> list[tuple[str, int]]:
    """Measure; of each notebook its name and the largest resident set of its kernel, in bytes."""
    return [(path.stem, peak(path.stem)) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]


def busy_row() -> tuple[str, float, float]:
    """The longest notebook, its seconds alone, and its seconds beside a process that never rests."""
    quiet = seconds(LONGEST)
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        try:
            return LONGEST, quiet, seconds(LONGEST)
        finally:
            other.kill()


def seconds(name: str) -> float:
    """How long a notebook takes, its kernel's start included."""
    start = time.perf_counter()
    peak(name)
    return time.perf_counter() - start


def as_in_lab() -> None:
    """Let kernels find in their environment what JupyterLab's settings say."""
    settings = ROOT / "etc" / "jupyter_lab_config.py"
    code = compile(settings.read_text("utf-8"), settings, "exec")
    exec(code, {"get_config": Config, "__file__": settings})


def peak(name: str) -> int:
    """The most bytes that this notebook's kernel held."""
    as_in_lab()
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(ASK))
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=CELL_SECONDS,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    ).execute()
    return int(notebook.cells[-1].outputs[0].text) * UNIT
