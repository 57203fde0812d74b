"""Every check of the course, cheap ones first: `python tools/run_tests.py [stage ...]`.

Stages: lint (ruff, biome) · tests (pytest) · notebooks (strict nbval, then its budget) · browser (Playwright).
Stops at the first stage that fails, says which, and prints the seconds of each.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The later ones take longest: first, so that none keeps all waiting at the end.
NOTEBOOKS = [
    str(path.relative_to(ROOT)) for path in sorted((ROOT / "notebooks/ko").glob("*.ipynb"), reverse=True)
]
# Unless told, nbval waits 2000 s for a cell.
NBVAL = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=300"]
NBVAL += ["--nbval-sanitize-with=tools/nbval_sanitize.cfg"]

# These files take longest: first, too.
LONGEST = [
    f"tests/{name}.py"
    for name in (
        "house/test_mutants",
        "training/test_pretrain",
        "training/test_course_checkpoint",
        "training/test_ablations",
    )
]

Command = list[str]


def stages() -> dict[str, list[Command]]:
    """Name of each stage -> the commands it runs, in order."""
    python = sys.executable
    pytest = [python, "-m", "pytest", "-q"]
    # Two workers: most tests wait or compute on one core. A file's tests stay together, and in their order.
    pair = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    return {
        "lint": [
            [python, "-m", "ruff", "check"],
            [python, "-m", "ruff", "format", "--check"],
            [python, "tools/check_javascript.py"],
        ],
        "tests": [[*pytest, *pair, *LONGEST, "tests", "--ignore=tests/browser", "--durations=10"]],
        "notebooks": [
            # --nbval is the strict kind: every output is compared. Each notebook gets a kernel of its own.
            [*pytest, *pair, *NBVAL, *NOTEBOOKS],
            [python, "tools/notebook_budget.py"],
        ],
        # Two at a time: a browser test waits more than it computes. Each worker has a server and a Chromium of its own.
        "browser": [[*pytest, "-n", "2", "--dist", "worksteal", "tests/browser", "--durations=5"]],
    }


def main(chosen: list[str], *, plan: dict[str, list[Command]] | None = None) -> int:
    """Run the chosen stages, or all; returns the exit status."""
    plan = stages() if plan is None else plan
    if unknown := [name for name in chosen if name not in plan]:
        print(f"no such stage: {', '.join(unknown)}; there are: {', '.join(plan)}", file=sys.stderr)
        return 2
    seconds: dict[str, float] = {}
    failed = None
    with tempfile.TemporaryDirectory() as folder:
        # The learner's own progress is never read or written by a test.
        environment = os.environ | {"COURSE_DATA_HOME": folder, "PYTHONUNBUFFERED": "1"}
        environment.pop("COURSE_LANG", None)
        # Two processes with two threads each would wait for one another on two cores.
        environment.setdefault("OMP_NUM_THREADS", "1")
        for name in chosen or plan:
            print(f"\n=== {name}", flush=True)
            start = time.monotonic()
            for command in plan[name]:
                if subprocess.run(command, cwd=ROOT, env=environment).returncode != 0:
                    failed = name
                    break
            seconds[name] = time.monotonic() - start
            if failed:
                break
    print("\n=== " + " · ".join(f"{name} {spent:.0f} s" for name, spent in seconds.items()), end="")
    print(f" · sum {sum(seconds.values()):.0f} s")
    if failed:
        left_out = [name for name in (chosen or plan) if name not in seconds]
        print(f"✗ the stage '{failed}' failed" + (f"; not run: {', '.join(left_out)}" if left_out else ""))
        return 1
    print("✓ every stage passed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
