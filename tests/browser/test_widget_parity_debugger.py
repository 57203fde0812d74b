"""ParityDebugger in JupyterLab, operated by mouse."""

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELL = """
from course_utils.widgets import ParityDebugger

def departures(fault, layer):
    if fault == "고장":
        raise RuntimeError("모양이 다릅니다")
    first = {"없음": 9, "ReLU": layer}.get(fault, 0)
    sizes = [0.25 if place >= first else 1.5e-7 for place in range(5)]
    return list(zip(["임베딩", "층 1", "층 2", "층 3", "풀러"], sizes))

ParityDebugger(departures, faults=["없음", "ReLU", "풀러", "고장"], layers=3, outside=["없음", "풀러"], fault="ReLU")
"""


def first_row(widget: Locator) -> Locator:
    return widget.locator("tr.pd-first")


def test_by_mouse(guest: Visit, widget: Locator) -> None:
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
