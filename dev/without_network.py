"""Run a command whose Python processes reach nothing outside this machine, nor the learner's progress; fail where one
wanted to reach out.

python -m dev.without_network COMMAND ...
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLOSED = ROOT / "tests/browser/closed_network"


def main(command: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "outside.txt")
        path = os.pathsep.join(filter(None, [str(CLOSED), os.environ.get("PYTHONPATH")]))
        environment = os.environ | {"PYTHONPATH": path, "COURSE_OUTSIDE_NOTES": str(notes)}
        environment["COURSE_DATA_HOME"] = folder
        status = subprocess.run(command, env=environment).returncode
        if notes.exists():
            hosts = sorted(set(notes.read_text("utf-8").split()))
            print(f"✗ wanted to reach outside this machine: {', '.join(hosts)}")
            return 1
        return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
