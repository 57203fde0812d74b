"""FamilyExplorer in JupyterLab, operated by mouse and by keyboard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

CELL = """
from course_utils.widgets import FamilyExplorer

parts = {"임베딩": 23_837_184, "층": 85_054_464, "풀러": 590_592}
small = {"임베딩": 3_906_304, "사영": 99_072, "층": 7_087_872, "풀러": 590_592}
FamilyExplorer({
    "BERT": {"parts": parts, "facts": {"목표": "가린 조각", "층": "저마다"}},
    "ALBERT": {"parts": small, "facts": {"목표": "가린 조각", "층": "하나를 함께"}},
    NAME: {"parts": parts, "facts": {"목표": "가린 조각", "층": "저마다"}},
})
"""
HOSTILE = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"


@pytest.fixture
def show(guest: Visit, lab: Lab) -> Callable[..., Locator]:
    def open_widget(name: str = "RoBERTa") -> Locator:
        guest.open(make_notebook(lab.folder, [f"NAME = {name!r}\n" + CELL.strip()]))
        guest.run_all()
        assert guest.failures() == []
        return guest.widget("family_explorer")

    return open_widget


def test_by_mouse(guest: Visit, show: Callable[..., Locator]) -> None:
    widget = show()
    summary = widget.get_by_test_id("summary")
    expect(summary).to_contain_text("BERT | ALBERT: 6가지 가운데 4가지가 다릅니다")
    expect(widget.get_by_test_id("parts-0")).to_have_class("fe-differs")
    expect(widget.get_by_test_id("parts-2")).to_have_class("fe-same")
    expect(widget.get_by_test_id("facts-1")).to_contain_text("하나를 함께")
    expect(widget.get_by_test_id("total")).to_contain_text("109,482,240")
    bars = widget.get_by_test_id("parts-1").locator(".fe-track span")
    wide, narrow = (bars.nth(side).bounding_box()["width"] for side in (0, 1))
    assert 11.5 < wide / narrow < 12.5  # twelve layers against one
    widget.get_by_test_id("swap").click()
    expect(summary).to_contain_text("ALBERT | BERT")
    expect(widget.get_by_test_id("name-left")).to_have_text("ALBERT")
    widget.get_by_test_id("differing").check()
    expect(widget.get_by_test_id("rows").locator("tr.fe-same")).to_have_count(0)
    widget.get_by_test_id("left").select_option(label="RoBERTa")
    expect(summary).to_contain_text("RoBERTa | BERT: 5가지가 모두 같습니다")
    expect(widget.get_by_test_id("parts-0")).to_contain_text("다른 것이 없습니다.")
    assert widget.bounding_box()["height"] <= 600


def test_by_keyboard(guest: Visit, show: Callable[..., Locator]) -> None:
    widget = show()
    summary, left, right = (widget.get_by_test_id(name) for name in ("summary", "left", "right"))
    left.focus()
    guest.page.keyboard.press("Tab")
    expect(right).to_be_focused()
    guest.page.keyboard.press("ArrowDown")
    expect(summary).to_contain_text(
        "BERT | RoBERTa: 5가지가 모두 같습니다. 파라미터는 둘 다 109,482,240개입니다."
    )
    guest.page.keyboard.press("ArrowUp")
    expect(summary).to_contain_text("BERT | ALBERT")
    guest.page.keyboard.press("Tab")
    guest.page.keyboard.press("Enter")
    expect(summary).to_contain_text("ALBERT | BERT")
    guest.page.keyboard.press("Tab")
    guest.page.keyboard.press("Space")
    expect(widget.get_by_test_id("differing")).to_be_checked()
    expect(widget.get_by_test_id("facts-0")).to_contain_text("층")
    guest.page.keyboard.press("Tab")
    expect(widget.get_by_role("region", name="부품, 파라미터, 목표")).to_be_focused()


def test_controls_have_names_and_markup_stays_text(guest: Visit, show: Callable[..., Locator]) -> None:
    widget = show(HOSTILE)
    expect(widget.get_by_role("combobox", name="왼쪽")).to_be_visible()
    expect(widget.get_by_role("checkbox", name="다른 것만")).to_be_visible()
    expect(widget.get_by_role("rowheader", name="임베딩")).to_be_visible()
    widget.get_by_test_id("right").select_option(index=2)
    expect(widget.get_by_test_id("summary")).to_contain_text(HOSTILE)
    expect(widget.get_by_test_id("name-right")).to_have_text(HOSTILE)
    assert widget.locator("img, script").count() == 0
    assert guest.page.evaluate("window.hacked") is None


@pytest.mark.rare
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_pictures_for_people(guest: Visit, show: Callable[..., Locator], theme: str) -> None:
    guest.use_theme(theme)
    try:
        widget = show()
        guest.screenshot(f"family_explorer-{theme}", of=widget)
    finally:
        guest.use_theme("Light")
