"""The most memory that a kernel took while its notebook ran from top to bottom."""

from __future__ import annotations

import sys

import nbformat
from nbclient import NotebookClient

from course_utils.support.paths import NOTEBOOKS

CELL_SECONDS = 300
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
    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    return [(path.stem, peak(nbformat.read(path, as_version=4))) for path in paths]


def peak(notebook: nbformat.NotebookNode) -> int:
    """The most bytes that this notebook's kernel held."""
    notebook.cells.append(nbformat.v4.new_code_cell(ASK))
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=CELL_SECONDS,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    ).execute()
    return int(notebook.cells[-1].outputs[0].text) * UNIT
