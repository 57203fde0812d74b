"""FamilyExplorer in JupyterLab, operated by mouse."""

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELL = """
from course_utils.widgets import FamilyExplorer

parts = {"임베딩": 23_837_184, "층": 85_054_464, "풀러": 590_592}
small = {"임베딩": 3_906_304, "사영": 99_072, "층": 7_087_872, "풀러": 590_592}
FamilyExplorer({
    "BERT": {"parts": parts, "facts": {"목표": "가린 조각", "층": "저마다"}},
    "ALBERT": {"parts": small, "facts": {"목표": "가린 조각", "층": "하나를 함께"}},
    "RoBERTa": {"parts": parts, "facts": {"목표": "가린 조각", "층": "저마다"}},
})
"""


def test_by_mouse(guest: Visit, widget: Locator) -> None:
    summary = widget.get_by_test_id("summary")
    expect(summary).to_contain_text("BERT | ALBERT: 6가지 가운데 4가지가 다릅니다")
    expect(widget.get_by_test_id("parts-0")).to_have_class("fe-differs")
    expect(widget.get_by_test_id("parts-2")).to_have_class("fe-same")
    expect(widget.get_by_test_id("facts-1")).to_contain_text("하나를 함께")
    expect(widget.get_by_test_id("total")).to_contain_text("109,482,240")
    bars = widget.get_by_test_id("parts-1").locator(".fe-track i")
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
