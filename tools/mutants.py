"""Are deliberate faults noticed? Each fault of tools/mutants.toml is applied to a copy, and the checks run there.

    python tools/mutants.py                     all faults, against the tests
    python tools/mutants.py no-scale gelu-tanh  these
    python tools/mutants.py --notebooks         against the notebooks as well (strict nbval; slower)

Exit status: 0 when every fault is noticed, 1 when one is not, or when the list no longer fits the code, 2 when the
checks already fail without any fault (then "noticed" would mean nothing).

A fault is noticed by the tests when at least one of the tests it names fails, and by the notebooks when each of the
notebooks it names fails. A test that cannot even be collected does not count, nor does a fault that breaks the import.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tools" / "mutants.toml"
NOTEBOOKS = "notebooks/ko"
SECONDS = 300  # for one run of pytest
NOT_COPIED = (
    ".git",
    ".venv",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    ".ipynb_checkpoints",
)
FAILED = (
    1  # pytest's exit status for "tests were run, some failed"; 2 to 5 mean that they were not run properly
)
NOT_IMPORTED = 64
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
import pytest
sys.exit(pytest.main(arguments))
"""


class Unfit(Exception):
    """A fault that proves nothing, with one sentence that says why."""


@dataclass(frozen=True)
class Mutant:
    """One deliberate fault: in `file`, the text `find` becomes `replace`."""

    id: str
    file: str
    find: str
    replace: str
    why: str
    tests: tuple[str, ...]
    notebooks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What came of one fault; None = not asked."""

    id: str
    tests: bool | None = None
    notebooks: bool | None = None
    trouble: str = ""

    @property
    def good(self) -> bool:
        return not self.trouble and self.tests is not False and self.notebooks is not False


def load(path: Path = LIST) -> list[Mutant]:
    """Read the list of faults."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    return [
        Mutant(**{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}) for entry in entries
    ]


def mutated(mutant: Mutant, root: Path = ROOT) -> str:
    """The text of the file with the fault in it.

    Raises:
        Unfit: if `find` does not occur exactly once, or the result is not Python.
    """
    source = (root / mutant.file).read_text(encoding="utf-8")
    if (count := source.count(mutant.find)) != 1:
        raise Unfit(f"`find` must occur exactly once in {mutant.file}, found {count} times")
    changed = source.replace(mutant.find, mutant.replace)
    try:
        compile(changed, mutant.file, "exec")
    except SyntaxError as error:
        raise Unfit(f"not Python: {error}") from None
    return changed


def copy_tree(target: Path) -> Path:
    """Copy the working tree, as far as the checks need it."""
    return Path(shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True))


def run(copy: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, so that the copy's package is the one imported, with more in the environment.

    Raises:
        Unfit: if it takes longer than SECONDS.
    """
    environment = os.environ | {
        "PYTHONPATH": str(copy),  # before an editable install of the original
        "PYTHONDONTWRITEBYTECODE": "1",  # a cached .pyc could outlive a fault of the same length
        "COURSE_DATA_HOME": str(copy / ".learner"),
        "OMP_NUM_THREADS": "1",
        **more,
    }
    environment.pop("COURSE_LANG", None)
    environment.pop("MPLBACKEND", None)  # a notebook's kernel chooses its own
    try:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise Unfit(f"took longer than {SECONDS} s: python {' '.join(arguments)}") from None


def run_tests(
    copy: Path, tests: Iterable[str], *, of: str = "course_utils/__init__.py"
) -> subprocess.CompletedProcess[str]:
    """Run tests in the copy, `of` being the file they are about.

    Raises:
        Unfit: if that file cannot be imported, or another one is imported in its place.
    """
    module = of.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    options = ("-x", "-q", "-p", "no:cacheprovider")
    # pytest's plugins, which none of these tests needs, take longer to import than most tests to run.
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    result = run(copy, "-c", IMPORT_AND_TEST, module, str(copy / of), *options, *tests, **alone)
    if result.returncode == NOT_IMPORTED:
        raise Unfit(result.stderr.strip().splitlines()[-1])
    return result


def run_notebook(copy: Path, name: str) -> subprocess.CompletedProcess[str]:
    strict = ("--nbval", "--nbval-current-env", "--nbval-cell-timeout=120")
    return run(
        copy, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *strict, f"{NOTEBOOKS}/{name}.ipynb"
    )


def noticed(result: subprocess.CompletedProcess[str]) -> bool:
    """Whether tests failed.

    Raises:
        Unfit: if they could not be run.
    """
    if result.returncode not in (0, FAILED):
        last = (result.stdout.strip() or result.stderr.strip() or "no output").splitlines()[-1]
        raise Unfit(f"pytest could not run them (status {result.returncode}): {last}")
    return result.returncode == FAILED


def judge(mutant: Mutant, *, notebooks: bool = False) -> Verdict:
    """Apply one fault to a fresh copy and see whether it is noticed there."""
    by_tests = by_notebooks = None
    try:
        changed = mutated(mutant)
        with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
            copy = copy_tree(Path(folder) / "copy")
            faulty = copy / mutant.file
            faulty.write_text(changed, encoding="utf-8")
            # The copied bytecode of this file alone must not outlive the fault.
            Path(cache_from_source(str(faulty))).unlink(missing_ok=True)
            by_tests = noticed(run_tests(copy, mutant.tests, of=mutant.file))
            if notebooks and mutant.notebooks:
                by_notebooks = all(noticed(run_notebook(copy, name)) for name in mutant.notebooks)
    except Unfit as error:
        return Verdict(mutant.id, by_tests, by_notebooks, str(error))
    return Verdict(mutant.id, by_tests, by_notebooks)


def healthy(mutants: Sequence[Mutant], *, notebooks: bool = False) -> bool:
    """Whether all the named checks pass in a copy without any fault; says what fails."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    names = sorted({name for mutant in mutants for name in mutant.notebooks}) if notebooks else []
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = copy_tree(Path(folder) / "copy")
        for what, result in [
            ("the tests", run_tests(copy, tests)),
            *((name, run_notebook(copy, name)) for name in names),
        ]:
            if result.returncode:
                print(f"✗ {what} fail without any fault:\n{result.stdout[-3000:]}{result.stderr[-1000:]}")
                return False
    return True


def row(verdict: Verdict) -> str:
    """One line of the table."""
    sign = {True: "yes", False: "NO", None: "–"}
    line = f"{verdict.id:34} {sign[verdict.tests]:^6} {sign[verdict.notebooks]:^10}"
    return f"{line} ✗ {verdict.trouble}" if verdict.trouble else line


def main(arguments: Sequence[str] | None = None, *, mutants: Sequence[Mutant] | None = None) -> int:
    """Judge the chosen faults, print the table, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", help="ids of faults (default: all)")
    parser.add_argument("--notebooks", action="store_true", help="run the named notebooks, too")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default 2)")
    options = parser.parse_args(arguments)
    mutants = load() if mutants is None else list(mutants)
    if unknown := set(options.ids) - {mutant.id for mutant in mutants}:
        parser.error(f"no such fault: {', '.join(sorted(unknown))}")
    chosen = [mutant for mutant in mutants if not options.ids or mutant.id in options.ids]
    start = time.monotonic()
    try:
        if not healthy(chosen, notebooks=options.notebooks):
            return 2
    except Unfit as error:
        print(f"✗ without any fault: {error}")
        return 2
    print(f"{'fault':34} {'tests':^6} {'notebooks':^10}", flush=True)
    verdicts = []
    with ThreadPoolExecutor(max_workers=options.jobs) as pool:
        for verdict in pool.map(lambda mutant: judge(mutant, notebooks=options.notebooks), chosen):
            verdicts.append(verdict)
            print(row(verdict), flush=True)
    bad = [verdict.id for verdict in verdicts if not verdict.good]
    spent = f"{time.monotonic() - start:.0f} s"
    if bad:
        print(f"✗ {len(bad)} of {len(chosen)} not noticed: {', '.join(bad)} ({spent})")
        return 1
    print(f"✓ all {len(chosen)} noticed ({spent})")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
