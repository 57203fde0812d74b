"""A plugin for pytest: nbval as the course means it, strictly, with each figure held against the one saved.

    python -m pytest -p dev.strict_nbval FILE.ipynb ...

nbval compares texts only. The pictures come from the outputs that it has received anyway: no cell runs twice. A figure
that differs fails its cell's test, and lies with the saved one in build/figures for people to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from nbval.plugin import IPyNbCell

from dev.browser_tools import IN_CI
from dev.figures import ROOT, Comparison, compare_cell, other_versions, pictures

FOLDER = ROOT / "build" / "figures"
KEY = "figures"
CELL_SECONDS = 300  # unless told, nbval waits 2000 s
SANITISING = Path(__file__).with_name("nbval_sanitize.cfg")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """After nbval has run a cell and compared its texts, compare its figures."""
    yield
    if not isinstance(item, IPyNbCell):
        return
    found = compare_cell(item.cell, item.test_outputs)
    place = f"{item.path.stem} {item.cell.get('id', item.name)}"
    item.user_properties.append((KEY, [(place, one.out_of_place) for one in found if not one.complaint]))
    if any(one.complaint for one in found):
        leave_for_people(item, found)
        number = next(i for i, one in enumerate(found, start=1) if one.complaint)
        item.raise_cell_error(f"figure {number}: {found[number - 1].complaint} (see {FOLDER})")


def leave_for_people(item: IPyNbCell, found: list[Comparison]) -> None:
    """Write each figure that differs, and the saved one, into FOLDER."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for kind, outputs in (("saved", item.cell.outputs), ("fresh", item.test_outputs)):
        for number, picture in enumerate(pictures(outputs), start=1):
            picture.save(FOLDER / f"{item.path.stem}-{item.cell.get('id', item.name)}-{number}-{kind}.png")


class Tally:
    """Counts what the cells report, also from the processes of pytest-xdist, and says it in one line."""

    def __init__(self) -> None:
        self.compared: list[tuple[int, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            for key, figures in report.user_properties:
                if key == KEY:
                    self.compared += [(count, place) for place, count in figures]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        largest, place = max(self.compared, default=(0, ""))
        what = f"largest difference {largest} pixels, {place}" if largest else "all equal to the pixel"
        if others := other_versions():
            what = f"by their number and size only: {others}"
        terminalreporter.write_line(f"figures compared: {len(self.compared)}, {what}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if IN_CI and other_versions():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    config.option.nbval = config.option.nbval_current_env = True  # --nbval is the strict kind
    config.option.nbval_cell_timeout = CELL_SECONDS
    config.option.nbval_sanitize_with = str(SANITISING)
    config.pluginmanager.register(Tally())
