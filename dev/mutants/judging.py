"""Whether a fault is noticed: put into a copy of the course, where the tests that import its module run.

The nearest tests come first, and the quickest of those that are equally near, until one fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue

from dev.mutants.faults import ROOT, Fault, Unfit
from dev.mutants.importers import Importers

SECONDS = 3600  # for all tests without a fault
PATIENCE, GRACE = 5, 60  # a run may take five times as long as without a fault, and a minute more
NOT_COPIED = (
    ".git",
    ".venv",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    ".ipynb_checkpoints",
    "node_modules",
)
PASSED, FAILED = 0, 1  # pytest's exit status; 2 to 5 mean that the tests were not run properly
OPTIONS = ("-q", "-p", "no:cacheprovider", "-m", "not rare")  # what is rare draws other inputs, or takes long
# pytest's plugins take longer to import than most tests to run; but what a test itself starts may need them.
PLAINLY = """
import os, sys, pytest
class Alone:
    def pytest_configure(self):
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
def plainly(arguments):
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return pytest.main(arguments, plugins=[Alone()])
"""
TOGETHER = f"{PLAINLY}sys.exit(plainly(sys.argv[1:]))"
# Each is collected only when all before it have passed.
IN_TURN = f"""{PLAINLY}
for test in sys.argv[1:]:
    status = plainly(["-x", *{OPTIONS}, test])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        sys.exit(status)
"""


@dataclass(frozen=True)
class Outcome:
    """What became of a fault."""

    fault: Fault
    noticed: bool


def judge(
    faults: Sequence[Fault], *, jobs: int = 1, root: Path = ROOT, grace: float = GRACE
) -> Iterator[Outcome]:
    """Judge each fault of the course below `root`, in the order given, `jobs` at a time.

    Raises:
        Unfit: if no test passes without any fault.
    """
    importers = Importers(root)
    judges = {file: importers.judges_of(file) for file in {fault.file for fault in faults}}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            ignored = shutil.ignore_patterns(*NOT_COPIED)
            copies.put(shutil.copytree(root, Path(folder) / str(number), ignore=ignored, symlinks=True))
        seconds = _healthy_seconds(sorted({test for tests in judges.values() for test in tests}), copies)

        def outcome(fault: Fault) -> Outcome:
            able = [test for test in judges[fault.file] if test in seconds]
            near = {test: importers.distances[test].get(fault.file, 0) for test in able}
            tests = sorted(able, key=lambda test: (near[test], seconds[test], test))
            copy = copies.get()
            try:
                return Outcome(
                    fault, _noticed(fault, tests, copy, PATIENCE * sum(map(seconds.get, tests)) + grace)
                )
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(max_workers=jobs) as pool:
            yield from pool.map(outcome, faults)


def _run(copy: Path, *arguments: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, so that the copy's package is the one imported."""
    environment = os.environ | {
        "PYTHONPATH": str(copy),  # before an editable install of the original
        "PYTHONDONTWRITEBYTECODE": "1",  # a cached .pyc could outlive a fault of the same length
        "COURSE_DATA_HOME": str(copy / ".learner"),
        "OMP_NUM_THREADS": "1",
    }
    environment.pop("COURSE_LANG", None)
    command = [sys.executable, "-c", *arguments]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=seconds)


def _healthy_seconds(tests: Sequence[str], copies: SimpleQueue[Path]) -> dict[str, float]:
    """How long the tests of each file take where there is no fault; a file that fails judges nothing, and is named."""
    if not tests:
        return {}
    copy = copies.get()
    report = copy / "report.xml"
    xml = (f"--junit-xml={report}", "-o", "junit_family=xunit1", "-o", "junit_duration_report=total")
    result = _run(copy, TOGETHER, *OPTIONS, "--continue-on-collection-errors", *xml, *tests, seconds=SECONDS)
    if result.returncode not in (PASSED, FAILED):
        raise Unfit(f"pytest could not run the tests:\n{result.stdout[-3000:]}{result.stderr[-1000:]}")
    spent, failing = Counter(dict.fromkeys(tests, 0.0)), set()
    for case in ElementTree.parse(report).iter("testcase"):
        file = case.get("file")
        spent[file] += float(case.get("time"))
        if case.find("failure") is not None or case.find("error") is not None:
            failing.add(file)
            print(f"! {file} fails without any fault, and is left out: {case.get('name')}", flush=True)
    report.unlink()
    copies.put(copy)
    if failing >= set(tests):
        raise Unfit("no test passes without any fault")
    return {test: seconds for test, seconds in spent.items() if test not in failing}


def _noticed(fault: Fault, tests: Sequence[str], copy: Path, seconds: float) -> bool:
    """Whether a test fails, or does not come to an end, with the fault in the copy; the copy is mended again."""
    faulty = copy / fault.file
    source = faulty.read_bytes()
    Path(cache_from_source(str(faulty))).unlink(missing_ok=True)
    faulty.write_bytes(fault.applied(source.decode()).encode())
    try:
        # A fault that breaks the import or the collection of tests is seen by everybody: it counts as noticed.
        return _run(copy, IN_TURN, *tests, seconds=seconds).returncode != PASSED
    except subprocess.TimeoutExpired:
        return True
    finally:
        faulty.write_bytes(source)


def shares(outcomes: Sequence[Outcome]) -> list[str]:
    """A line for each room and one for all: noticed, of how many, in percent."""
    rows: dict[str, list[Outcome]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.fault.room):
        rows.setdefault(outcome.fault.room, []).append(outcome)
    rows["all"] = list(outcomes)
    counts = {room: (sum(outcome.noticed for outcome in row), len(row)) for room, row in rows.items()}
    return [f"{room:16} {seen:4} of {of:4} {seen / max(of, 1):4.0%}" for room, (seen, of) in counts.items()]
