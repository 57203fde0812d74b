"""A widget that no kernel answers: after a restart, and in a notebook that was saved and is opened again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Shared
from tests.browser.harness import AXE, SMALL, Lab, Visit, make_notebook
from tests.browser.largest import largest

NAME = "scaled_attention"
SESSION = "window.jupyterapp.shell.currentWidget.context.sessionContext"
ENDS = {
    "started anew": f"() => {SESSION}.restartKernel()",
    "died": f"() => void {SESSION}.session.kernel.requestExecute({{ code: 'import os; os._exit(1)' }})",
    "shut down": f"() => {SESSION}.shutdown()",
}
SAVE = "() => window.jupyterapp.commands.execute('docmanager:save')"
FORSAKEN = "Canceled future"  # JupyterLab's own complaint when a kernel is shut down


@contextmanager
def own_page(shared: Shared) -> Iterator[Visit]:
    """A page whose kernel may end: the one that other tests share would suffer."""
    shared.discard()
    with shared.open() as guest:
        yield guest
        assert [complaint for complaint in guest.complaints() if FORSAKEN not in complaint] == []


@pytest.fixture
def notebook(lab: Lab) -> str:
    return make_notebook(lab.folder, [largest(NAME).code])


def stopped(widget: Locator) -> Locator:
    return widget.get_by_test_id("stopped")


@pytest.mark.parametrize(
    "end", [pytest.param(end, marks=pytest.mark.rare if end != "started anew" else []) for end in ENDS]
)
def test_a_widget_that_lost_its_kernel_says_so_and_cannot_be_moved(
    shared: Shared, notebook: str, end: str
) -> None:
    with own_page(shared) as guest:
        guest.open(notebook)
        guest.run_all()
        widget = guest.widget(NAME)
        expect(stopped(widget)).to_be_empty()
        guest.page.evaluate(ENDS[end])
        expect(stopped(widget)).to_contain_text("이 셀까지 다시 실행하면")
        guest.screenshot(f"stopped-{end}", of=widget)
        assert not AXE.exists() or guest.barriers(widget) == []
        for control in ("temperature", "query"):
            before = widget.inner_html()
            widget.get_by_test_id(control).focus()
            guest.page.keyboard.press("ArrowLeft")
            assert widget.inner_html() == before


def test_the_next_days_a_saved_notebook_shows_its_widgets(shared: Shared, lab: Lab, notebook: str) -> None:
    with own_page(shared) as guest:
        guest.open(notebook)
        guest.run_all()
        guest.run_all()  # makes another widget, and leaves the first to the kernel
        guest.widget(NAME).get_by_test_id("temperature").press("ArrowLeft")
        summary = guest.widget(NAME).get_by_test_id("summary")
        expect(summary).to_contain_text("온도 0.")
        said = summary.text_content()
        guest.page.evaluate(SAVE)
    for _ in range(2):  # the second time after it was saved without having been run
        state = json.loads((lab.folder / notebook).read_text("utf-8"))["metadata"]["widgets"]
        [models] = [kind["state"] for kind in state.values()]
        assert sorted(model["model_name"] for model in models.values()) == ["AnyModel", "LayoutModel"]
        with own_page(shared) as guest:
            guest.open(SMALL)
            widget = guest.widget(NAME)
            expect(widget.get_by_test_id("summary")).to_have_text(said)
            expect(stopped(widget)).not_to_be_empty()
            assert widget.locator("svg").first.bounding_box()["height"] > 100
            guest.screenshot("second-day", of=widget)
            guest.page.evaluate(SAVE)
