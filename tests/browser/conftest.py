"""Fixtures of the browser tests: one server and one Chromium for all, a fresh page and fresh kernels for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install -e '.[test]'")

from tests.browser import harness  # noqa: E402  (needs playwright)


@pytest.fixture(scope="session")
def browser() -> Iterator[playwright.Browser]:
    if harness.find_chromium() is None:
        message = f"no Chromium for the browser tests; install it with: {harness.INSTALL_CHROMIUM}"
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail(message)
        pytest.skip(message)
    with harness.running_chromium() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def lab(browser: playwright.Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[harness.Lab]:
    with harness.running_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture
def guest(browser: playwright.Browser, lab: harness.Lab) -> Iterator[harness.Visit]:
    """A page in front of the lab. After each test: no console error, no request to another host."""
    with harness.visit(browser, lab) as visit:
        yield visit
        assert visit.complaints() == []
