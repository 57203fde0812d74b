"""Fixtures of the browser tests: one server, one Chromium and one page for all tests of a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install -e '.[test]'")

from dev import browser_tools  # noqa: E402
from tests.browser import harness  # noqa: E402  (needs playwright)


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the tests of one widget the first is run each time; the others weekly, and in `make check` of that widget.

    What the widgets have in common is tried each time by test_standard.py, by the first tests and by those that are
    marked `each_time`.
    """
    own = [item for item in items if item.path.parent == Path(__file__).parent]
    if not browser_tools.AXE.exists():
        for item in own:
            if item.get_closest_marker("axe"):
                item.add_marker(pytest.mark.skip(reason=f"no axe-core: {browser_tools.INSTALL}"))
    for file, tests in groupby(own, key=lambda item: item.path):
        if file.name.startswith("test_widget_"):
            first, *others = tests
            for other in others:
                if other.originalname != first.originalname and not other.get_closest_marker("each_time"):
                    other.add_marker(pytest.mark.rare)


@pytest.fixture(scope="session")
def browser() -> Iterator[playwright.Browser]:
    if why := browser_tools.no_chromium():
        pytest.skip(why)
    with harness.running_chromium() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def lab(browser: playwright.Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[harness.Lab]:
    with harness.running_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


class Shared:
    """The page that the tests of one worker share, as long as none of them fails."""

    def __init__(self, browser: playwright.Browser, lab: harness.Lab) -> None:
        self.open = lambda: harness.visit(browser, lab)
        self.closing = ExitStack()
        self.visit: harness.Visit | None = None

    def enter(self) -> harness.Visit:
        if self.visit is None:
            self.visit = self.closing.enter_context(self.open())
        return self.visit

    def discard(self) -> None:
        self.visit = None
        self.closing.close()


@pytest.fixture(scope="session")
def shared(browser: playwright.Browser, lab: harness.Lab) -> Iterator[Shared]:
    pages = Shared(browser, lab)
    yield pages
    pages.discard()


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture
def guest(shared: Shared, request: pytest.FixtureRequest) -> Iterator[harness.Visit]:
    """A page for notebooks. Afterwards: no console error, no outside request.

    The next test of the worker gets the same page, refreshed, and make_notebook's next one the same kernel; after a
    failure a fresh one.
    """
    visit = shared.enter()
    yield visit
    complaints = visit.complaints()
    if complaints or request.node.stash.get(FAILED, False):
        shared.discard()
    else:
        visit.refresh()
    assert complaints == []


@pytest.fixture
def show(
    guest: harness.Visit, lab: harness.Lab, request: pytest.FixtureRequest
) -> Callable[..., playwright.Locator]:
    """Runs cells in a small notebook (by default CELLS or CELL of the test's file) and finds its widget there."""
    name, module = request.path.stem.removeprefix("test_widget_"), request.module

    def run(*cells: str) -> playwright.Locator:
        own = cells or getattr(module, "CELLS", None) or [module.CELL]
        guest.open(harness.make_notebook(lab.folder, [cell.strip() for cell in own]))
        guest.run_all()
        assert guest.failures() == []
        return guest.widget(name)

    return run


@pytest.fixture
def widget(show: Callable[..., playwright.Locator]) -> playwright.Locator:
    return show()
