"""What is checked at each change of the course: `python -m dev.run_tests [stage ...]`, or `make test`.

    --all      what is slow and rare, too (`make test-all`, once a week): every notebook and every detail of the
               widgets in the browser, kills, the full list of faults; writes tests/browser/screenshots
    --check    lint and the tests of what changed (`make check`), under a minute; longer where a widget changed

Stages: lint (ruff, biome) · tests (pytest) · browser (Playwright) · notebooks (strict nbval, then its budget). Browser
and notebooks, in this order, run beside the others. The first stage that fails ends the run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from dev import browser_tools, changed_tests
from dev.stages import Command, Stages, interrupted_by_every_signal, python, told

ROOT = Path(__file__).resolve().parent.parent
BROWSER = "browser"
BESIDE = (BROWSER, "notebooks")
# What takes longest first, so that none keeps all waiting at the end.
LONG_NOTEBOOKS = ("16", "17", "13", "07", "08", "12", "05", "18", "15", "19", "14", "20", "01", "06")
NOTEBOOKS = sorted(
    (str(path.relative_to(ROOT)) for path in (ROOT / "notebooks/ko").glob("*.ipynb")),
    key=lambda file: (
        LONG_NOTEBOOKS.index(Path(file).name[:2]) if Path(file).name.startswith(LONG_NOTEBOOKS) else 99,
        file,
    ),
)
# Unless told, nbval waits 2000 s for a cell.
NBVAL = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=300"]
NBVAL += ["--nbval-sanitize-with=dev/nbval_sanitize.cfg", "-p", "dev.nbval_figures"]
WARM = ["-p", "dev.warm_kernels"]  # pays from two notebooks on
SLOWEST = ["--durations=15"]  # cells to shorten first

# These take longest of the tests: first, too.
LONG_TESTS = (
    "test_functions.py",
    "test_mutants.py",
    "test_exercises.py",
    "test_folders.py",
    "test_figures.py",
)
TESTS = sorted(
    (
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("test_*.py")
        if path.parent.name != BROWSER
    ),
    key=lambda file: (LONG_TESTS.index(Path(file).name) if file.endswith(LONG_TESTS) else 99, file),
)
# What computes gives way to the browser beside it, where a person would be waiting.
NICE = ["nice"] if shutil.which("nice") else []
PYTEST = python("-m", "pytest", "-q")
# Two workers, each on one core. A file's tests stay together, and in their order.
PAIR = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
PAIR_OF_BROWSERS = ["-n", "2", "--dist", "worksteal"]
LINT = [
    python("-m", "ruff", "check"),
    python("-m", "ruff", "format", "--check"),
    python("-m", "dev.check_javascript"),
]


def stages(*, rare: bool = False, axe: bool = True, pair: bool = False) -> dict[str, list[Command]]:
    """Name of each stage -> the commands it runs, in order.

    Args:
        rare: with what is slow and rare.
        axe: with the tests that need axe-core.
        pair: with two workers for the tests. Each collects all of them: beside the others one has done sooner.
    """
    kinds = ([] if rare else ["not rare"]) + ([] if axe else ["not axe"])
    only = ["-m", " and ".join(kinds)] if kinds else []
    plan = {
        "lint": LINT,
        "tests": [
            [*NICE, *PYTEST, *(PAIR if pair else []), *only, *TESTS, "--durations=10"],
        ],
        "notebooks": [
            # --nbval is the strict kind: every output is compared. Each notebook gets a kernel of its own.
            [
                *NICE,
                *python("-m", "dev.without_network"),
                *PYTEST,
                *PAIR,
                *NBVAL,
                *WARM,
                *SLOWEST,
                *NOTEBOOKS,
            ],
            python("dev/notebook_budget.py"),
        ],
        # Each worker has a server and a Chromium of its own; beside the tests one is soon enough.
        BROWSER: [[*PYTEST, *(PAIR_OF_BROWSERS if rare else []), *only, "tests/browser", "--durations=5"]],
    }
    if rare:
        plan["faults"] = [[*NICE, *python("-m", "dev.mutants")]]
    return plan


def check(*, axe: bool = True) -> dict[str, list[Command]]:
    """Lint, and the tests of what changed since the branch main; a changed widget with all that the browser tries.

    Args:
        axe: with the tests that need axe-core.
    """
    chosen, names = changed_tests.files(ROOT), changed_tests.widgets(ROOT)
    quick = ["-m", "not rare and not slow"]
    how = [*NICE, *PYTEST] if names else [*PYTEST, *PAIR]  # beside the browser in one process
    plan = {"lint": LINT, "tests": [[*how, *quick, *chosen]] if chosen else []}
    if names:
        files = [
            "tests/browser/test_standard.py",
            *(f"tests/browser/test_widget_{name}.py" for name in names),
        ]
        plan[BROWSER] = [[*PYTEST, *([] if axe else ["-m", "not axe"]), *files, "-k", " or ".join(names)]]
    return plan


def run(chosen: list[str], plan: dict[str, list[Command]], *, pictures: bool = False) -> int:
    """Run the chosen stages of the plan, on request with the browser's pictures for people; returns the exit status."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        # The learner's own progress is never read or written by a test.
        environment = os.environ | {"COURSE_DATA_HOME": folder, "PYTHONUNBUFFERED": "1"}
        environment.pop("COURSE_LANG", None)
        # Some hundred processes import the same modules and tests: compiled once.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if pictures:
            environment["COURSE_PICTURES"] = "1"
        # Two processes with two threads each would wait for one another on two cores.
        environment.setdefault("OMP_NUM_THREADS", "1")
        done = Stages(plan, folder=ROOT, environment=environment)
        beside = [name for name in BESIDE if name in chosen]
        done.run([name for name in chosen if name not in BESIDE], beside=beside)
    print("\n" + told(done.seconds, time.monotonic() - start))
    if done.failed:
        left_out = [name for name in chosen if name not in done.seconds]
        print(
            f"✗ the stage '{done.failed}' failed"
            + (f"; not ended: {', '.join(left_out)}" if left_out else "")
        )
        return 1
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stages", nargs="*", help="which (default: all)")
    parser.add_argument("--all", action="store_true", help="what is slow and rare, too")
    parser.add_argument("--check", action="store_true", help="lint and the tests of what changed")
    options = parser.parse_args(arguments)
    pair = bool(options.stages) and not set(options.stages) & set(BESIDE)
    plan = check() if options.check else stages(rare=options.all, pair=pair)
    if unknown := [name for name in options.stages if name not in plan]:
        parser.error(f"no such stage: {', '.join(unknown)}; there are: {', '.join(plan)}")
    chosen = options.stages or list(plan)
    without = []
    if BROWSER in chosen:
        missing = browser_tools.missing()
        without = [f"without {what}: {why}" for what, why in missing.items()]
        print(*(f"! {line}" for line in without), sep="\n", end="\n" if without else "", flush=True)
        if without and browser_tools.IN_CI:
            return 1
        if browser_tools.BROWSER in missing:
            chosen.remove(BROWSER)
        elif missing:
            plan = check(axe=False) if options.check else stages(rare=options.all, axe=False)
    status = run(chosen, plan, pictures=options.all)
    if status == 0:
        print("✓ passed " + ("; ".join(without) if without else "every stage"))
    return status


if __name__ == "__main__":
    interrupted_by_every_signal()
    try:
        raise SystemExit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("\n✗ interrupted")
        raise SystemExit(130) from None
