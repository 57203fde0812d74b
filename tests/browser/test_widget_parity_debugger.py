"""ParityDebugger in JupyterLab, operated by mouse and by keyboard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

CELL = """
from course_utils.widgets import ParityDebugger

def departures(fault, layer):
    if fault == "고장":
        raise RuntimeError("모양이 다릅니다")
    first = {"없음": 9, "ReLU": layer}.get(fault, 0)
    sizes = [0.25 if place >= first else 1.5e-7 for place in range(5)]
    return list(zip(["임베딩", "층 1", "층 2", "층 3", NAME], sizes))

ParityDebugger(departures, faults=["없음", "ReLU", NAME, "고장"], layers=3, outside=["없음", NAME], fault="ReLU")
"""
HOSTILE = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"


@pytest.fixture
def show(guest: Visit, lab: Lab) -> Callable[..., Locator]:
    def open_widget(name: str = "풀러") -> Locator:
        guest.open(make_notebook(lab.folder, [f"NAME = {name!r}\n" + CELL.strip()]))
        guest.run_all()
        assert guest.failures() == []
        return guest.widget("parity_debugger")

    return open_widget


def first_row(widget: Locator) -> Locator:
    return widget.locator("tr.pd-first")


def test_by_mouse(guest: Visit, show: Callable[..., Locator]) -> None:
    widget = show()
    summary = widget.get_by_test_id("summary")
    expect(summary).to_contain_text("첫째로 벗어나는 곳은 '층 1'입니다")
    expect(first_row(widget)).to_contain_text("층 1")
    track = widget.get_by_test_id("layer").bounding_box()
    guest.page.mouse.click(track["x"] + track["width"] - 3, track["y"] + track["height"] / 2)
    expect(summary).to_contain_text("'층 3'")
    expect(first_row(widget)).to_contain_text("◀ 첫째로 벗어남")
    short, long = (
        widget.get_by_test_id(f"stage-{place}").locator(".pd-bar").bounding_box()["width"] for place in (2, 3)
    )
    assert 0 < short < long
    widget.get_by_test_id("fault").select_option(label="없음")
    expect(summary).to_contain_text("첫째로 벗어나는 곳은 없습니다")
    expect(first_row(widget)).to_have_count(0)
    expect(widget.get_by_test_id("layer")).to_be_disabled()


def test_by_keyboard(guest: Visit, show: Callable[..., Locator]) -> None:
    widget = show()
    summary, fault, layer = (widget.get_by_test_id(name) for name in ("summary", "fault", "layer"))
    fault.focus()
    guest.page.keyboard.press("Tab")
    expect(layer).to_be_focused()
    guest.page.keyboard.press("ArrowRight")
    expect(summary).to_contain_text("'층 2'")
    expect(layer).to_have_attribute("aria-valuetext", "층 2")
    guest.page.keyboard.press("End")
    expect(summary).to_contain_text("'층 3'")
    guest.page.keyboard.press("Shift+Tab")
    guest.page.keyboard.press("ArrowDown")
    expect(summary).to_contain_text("결함 '풀러' (층과 무관). 첫째로 벗어나는 곳은 '임베딩'입니다")


def test_what_fails_is_told_in_place(show: Callable[..., Locator]) -> None:
    widget = show()
    widget.get_by_test_id("fault").select_option(label="고장")
    expect(widget.get_by_test_id("error")).to_contain_text("모양이 다릅니다")
    expect(widget.get_by_test_id("summary")).to_contain_text("결함 'ReLU', 층 1.")
    expect(widget.get_by_test_id("fault")).to_have_value("1")
    widget.get_by_test_id("fault").select_option(label="없음")
    expect(widget.get_by_test_id("error")).to_be_empty()


def test_controls_have_names_and_markup_stays_text(guest: Visit, show: Callable[..., Locator]) -> None:
    widget = show(HOSTILE)
    expect(widget.get_by_role("combobox", name="결함")).to_be_visible()
    expect(widget.get_by_role("slider", name="결함이 있는 층")).to_be_visible()
    expect(widget.get_by_role("rowheader", name="층 2")).to_be_visible()
    expect(widget.get_by_test_id("stage-4")).to_contain_text(HOSTILE)
    widget.get_by_test_id("fault").select_option(index=2)
    expect(widget.get_by_test_id("summary")).to_contain_text(HOSTILE)
    assert widget.locator("img, script").count() == 0
    assert guest.page.evaluate("window.hacked") is None


@pytest.mark.rare
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_pictures_for_people(guest: Visit, lab: Lab, show: Callable[..., Locator], theme: str) -> None:
    guest.use_theme(theme)
    try:
        widget = show()
        widget.get_by_test_id("layer").focus()
        guest.page.keyboard.press("ArrowRight")
        expect(widget.get_by_test_id("summary")).to_contain_text("'층 2'")
        guest.screenshot(f"parity_debugger-{theme}", of=widget)
    finally:
        guest.use_theme("Light")
