"""Random faults judged: by the tests that import their module, the nearest first, then the quickest."""

from __future__ import annotations

import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue

from dev.mutants.faults import ROOT, Unfit
from dev.mutants.importers import Importers
from dev.mutants.judging import ALL_SECONDS, DAILY, FAILED, OPTIONS, TOGETHER, copy_tree, run, run_in_turn
from dev.mutants.random_faults import Fault

EQUIVALENT = ROOT / "dev" / "mutants" / "equivalent.toml"
PASSED = 0  # pytest's exit status
PATIENCE, GRACE = 5, 60  # a run may take five times as long as without a fault, and a minute more


@dataclass(frozen=True)
class Outcome:
    """What became of a random fault."""

    fault: Fault
    noticed: bool
    reason: str = ""  # why it changes nothing, for one that is listed as such

    @property
    def word(self) -> str:
        return "noticed" if self.noticed else "nothing changes" if self.reason else "SURVIVED"


def equivalent(path: Path = EQUIVALENT) -> dict[tuple[str, str, str, str], str]:
    """The faults that change nothing: what names each -> the reason."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["equivalent"]
    return {(e["file"], e["function"], e["before"], e["after"]): e["why"] for e in entries}


def judge_sample(
    faults: Sequence[Fault], *, jobs: int = 1, root: Path = ROOT, grace: float = GRACE
) -> Iterator[Outcome]:
    """Judge each fault, in the order given.

    Args:
        faults: of the package below `root`.
        jobs: how many at a time.
        root: of the course.
        grace: seconds that a run may take besides PATIENCE times what it takes without a fault.

    Raises:
        Unfit: if no test passes without any fault.
    """
    same = equivalent()
    importers = Importers(root)
    judges = {file: importers.judges_of(file) for file in {fault.file for fault in faults}}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            copies.put(copy_tree(Path(folder) / str(number), root))
        seconds = _healthy_seconds(sorted({test for tests in judges.values() for test in tests}), copies)

        def judge(fault: Fault) -> Outcome:
            if fault.key in same:
                return Outcome(fault, noticed=False, reason=same[fault.key])
            able = [test for test in judges[fault.file] if test in seconds]
            tests = in_order(able, importers.distances, fault.file, seconds)
            limit = PATIENCE * sum(map(seconds.get, tests)) + grace
            copy = copies.get()
            try:
                return Outcome(fault, noticed=_noticed(fault, tests, copy, limit))
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(max_workers=jobs) as pool:
            yield from pool.map(judge, faults)


def in_order(
    tests: Sequence[str],
    distances: Mapping[str, Mapping[str, int]],
    file: str,
    seconds: Mapping[str, float],
) -> list[str]:
    """The tests of a file, the nearest first, and the quickest of those that are equally near."""
    return sorted(tests, key=lambda test: (distances[test].get(file, 0), seconds[test], test))


def _healthy_seconds(tests: Sequence[str], copies: SimpleQueue[Path]) -> dict[str, float]:
    """How long the tests of each file take where there is no fault; a file that fails judges nothing, and is named."""
    if not tests:
        return {}
    copy = copies.get()
    report = copy / "report.xml"
    xml = (f"--junit-xml={report}", "-o", "junit_family=xunit1", "-o", "junit_duration_report=total")
    # All of them, not up to the first failure (-x): so that every one is told.
    how = (*OPTIONS[1:], *DAILY, "--continue-on-collection-errors", *xml)
    result = run(copy, "-c", TOGETHER, *how, *tests, seconds=ALL_SECONDS)
    if result.returncode not in (PASSED, FAILED):
        raise Unfit(f"pytest could not run the tests:\n{result.stdout[-3000:]}{result.stderr[-1000:]}")
    spent, failing = Counter(dict.fromkeys(tests, 0.0)), set()
    for case in ElementTree.parse(report).iter("testcase"):
        spent[case.get("file")] += float(case.get("time"))
        if case.find("failure") is not None or case.find("error") is not None:
            failing.add(case.get("file"))
            print(
                f"! {case.get('file')} fails without any fault, and is left out: {case.get('name')}",
                flush=True,
            )
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
        return run_in_turn(copy, tests, seconds=seconds).returncode != PASSED
    except TimeoutError:
        return True
    finally:
        faulty.write_bytes(source)


def shares(outcomes: Sequence[Outcome]) -> list[str]:
    """A line for each room and one for all: noticed, of how many that change something, in percent."""
    judged = [outcome for outcome in outcomes if not outcome.reason]
    rows: dict[str, list[Outcome]] = {}
    for outcome in sorted(judged, key=lambda outcome: outcome.fault.room):
        rows.setdefault(outcome.fault.room, []).append(outcome)
    rows["all"] = judged
    lines = []
    for room, of_room in rows.items():
        noticed = sum(outcome.noticed for outcome in of_room)
        share = f"{noticed / len(of_room):4.0%}" if of_room else "   –"
        lines.append(f"{room:16} {noticed:4} of {len(of_room):4} {share}")
    return lines
