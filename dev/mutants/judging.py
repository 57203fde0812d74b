"""Whether a fault is noticed: it is put into a copy of the course, and the checks run there.

A fault of the list is noticed when at least one of the tests it names fails. A test that cannot even be collected does
not count, nor does a fault that breaks the import.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from dev.mutants.faults import ROOT, Mutant, Unfit, mutated

SECONDS, ALL_SECONDS = 300, 3600  # for the tests of one fault, and of all
NOT_COPIED = (
    ".git",
    ".venv",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    ".ipynb_checkpoints",
    "node_modules",
)
FAILED = (
    1  # pytest's exit status for "tests were run, some failed"; 2 to 5 mean that they were not run properly
)
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider")
DAILY = ("-m", "not rare")  # what is rare draws other inputs each time, or takes long
NOT_IMPORTED = 64
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
# One process for both: importing torch takes longer than most tests. Not `import … as`: that gives a function of the
# same name where the package exports one.
IMPORT_AND_TEST = f"""
import importlib, os, sys
module, file, *arguments = sys.argv[1:]
try:
    imported = importlib.import_module(module).__file__
except BaseException as error:
    print(f"breaks the import of {{module}}: {{type(error).__name__}}: {{error}}", file=sys.stderr)
    sys.exit({NOT_IMPORTED})
if os.path.realpath(imported) != os.path.realpath(file):
    print(f"not the copy was imported but {{imported}}", file=sys.stderr)
    sys.exit({NOT_IMPORTED})
{PLAINLY}
sys.exit(plainly(arguments))
"""
IN_TURN = f"""{PLAINLY}
for test in sys.argv[1:]:
    status = plainly([*{OPTIONS + DAILY}, test])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        sys.exit(status)
"""


@dataclass(frozen=True)
class Verdict:
    """What came of one fault."""

    id: str
    noticed: bool = False
    trouble: str = ""


def copy_tree(target: Path, root: Path = ROOT) -> Path:
    """Copy the working tree, as far as the checks need it."""
    return Path(shutil.copytree(root, target, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True))


def run(copy: Path, *arguments: str, seconds: float = SECONDS) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, so that the copy's package is the one imported.

    Raises:
        TimeoutError: if it takes longer than `seconds`.
    """
    environment = os.environ | {
        "PYTHONPATH": str(copy),  # before an editable install of the original
        "PYTHONDONTWRITEBYTECODE": "1",  # a cached .pyc could outlive a fault of the same length
        "COURSE_DATA_HOME": str(copy / ".learner"),
        "OMP_NUM_THREADS": "1",
    }
    environment.pop("COURSE_LANG", None)
    try:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"the tests took longer than {seconds:.0f} s") from None


def run_in_turn(copy: Path, tests: Sequence[str], *, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run files of tests in the copy, each collected only when all before it have passed.

    Raises:
        TimeoutError: if it takes longer than `seconds`.
    """
    return run(copy, "-c", IN_TURN, *tests, seconds=seconds)


def run_tests(
    copy: Path, tests: Iterable[str], *, of: str = "course_utils/__init__.py", seconds: float = SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run tests in the copy, `of` being the file they are about.

    Raises:
        Unfit: if that file cannot be imported, or another one is imported in its place.
    """
    module = of.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    result = run(copy, "-c", IMPORT_AND_TEST, module, str(copy / of), *OPTIONS, *tests, seconds=seconds)
    if result.returncode == NOT_IMPORTED:
        raise Unfit(result.stderr.strip().splitlines()[-1])
    return result


def noticed(result: subprocess.CompletedProcess[str]) -> bool:
    """Whether tests failed.

    Raises:
        Unfit: if they could not be run.
    """
    if result.returncode not in (0, FAILED):
        last = (result.stdout.strip() or result.stderr.strip() or "no output").splitlines()[-1]
        raise Unfit(f"pytest could not run them (status {result.returncode}): {last}")
    return result.returncode == FAILED


def judge(mutant: Mutant) -> Verdict:
    """Apply one fault to a fresh copy and see whether it is noticed there."""
    try:
        changed = mutated(mutant)
        with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
            copy = copy_tree(Path(folder) / "copy")
            faulty = copy / mutant.file
            faulty.write_text(changed, encoding="utf-8")
            # The copied bytecode of this file alone must not outlive the fault.
            Path(cache_from_source(str(faulty))).unlink(missing_ok=True)
            return Verdict(mutant.id, noticed(run_tests(copy, mutant.tests, of=mutant.file)))
    except (Unfit, TimeoutError) as error:
        return Verdict(mutant.id, trouble=str(error))


def healthy(mutants: Sequence[Mutant]) -> bool:
    """Whether all the named checks pass in a copy without any fault; says what fails."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        result = run_tests(copy_tree(Path(folder) / "copy"), tests, seconds=ALL_SECONDS)
    if result.returncode:
        print(f"✗ tests fail without any fault:\n{result.stdout[-3000:]}{result.stderr[-1000:]}")
    return not result.returncode
