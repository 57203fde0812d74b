"""TaskHeads in JupyterLab, operated by mouse and by keyboard; rules of thumb stand in for trained heads."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELL = """
from course_utils.widgets.task_heads.example import small

widget = small()
widget
"""


def test_what_is_typed_is_answered_by_all_four(widget: Locator) -> None:
    names = ("summary", "tasks", "meter", "words", "pieces", "answer")
    summary, tasks, meter, words, pieces, answer = (widget.get_by_test_id(name) for name in names)
    expect(summary).to_contain_text(
        "영화평: 긍정 93 %. 방언: 경상 63 %. 두 문장: 5점에 1.80점. 태그: 부산에서 (LC)."
    )
    expect(tasks.locator("ul")).to_have_count(2)
    expect(tasks.locator(".th-best")).to_have_text(["긍정93 %", "경상63 %"])
    expect(words.locator("li")).to_have_count(6)
    expect(words.locator("li").first).to_have_text("부산에서B-LC90 %")
    expect(pieces.locator(".th-inside")).to_have_text(["수도", "가", "들어", "와"])
    expect(answer).to_have_text("답: 수도가 들어와여유 4.0 > 문턱값 0.5")
    widget.get_by_test_id("sentence").fill("서울 제주에서 3시에 지루했우다.")
    expect(tasks.locator(".th-best")).to_have_text(["부정69 %", "제주30 %"])
    expect(words.locator(".th-joined")).to_have_text(["제주에서I-LC90 %"])
    expect(summary).to_contain_text("태그: 서울 제주에서 (LC), 3시에 (QT).")
    widget.get_by_test_id("second").fill("서울 제주에서 3시에 지루했우다.")
    expect(meter).to_have_attribute("aria-valuenow", "5")  # told as it is, drawn at the end
    expect(widget.get_by_test_id("alike")).to_have_text("5.20")
    widget.get_by_test_id("question").fill("가뭄은 몇 달 동안 이어졌는가?")
    expect(answer).to_have_text("답 없음 (고르면: 수도가 들어와)여유 −2.5 ≤ 문턱값 0.5")
    expect(summary).to_contain_text("글에 답이 없다고 합니다(여유 −2.5, 문턱값 0.5).")
    expect(pieces).to_contain_class("th-silent")
    widget.get_by_test_id("passage").fill("지금은 비가 온다.")
    expect(pieces.locator("li")).to_have_text(["지금", "은", "비가", "온다", "."])
    expect(pieces.locator(".th-inside")).to_have_text(["비가", "온다", "."])


def test_bars_are_as_long_as_their_numbers(widget: Locator) -> None:
    bars = widget.get_by_test_id("tasks").locator("ul").first.locator("i")
    small, large = (bar.bounding_box()["width"] for bar in bars.all())
    assert large / small == pytest.approx(0.93 / 0.07, rel=0.3)
    meter = widget.get_by_test_id("meter")
    share = meter.locator("i").bounding_box()["width"] / meter.bounding_box()["width"]
    assert share == pytest.approx(1.80 / 5, abs=0.02)
    first = widget.get_by_test_id("pieces").locator(".th-inside").first
    begins, ends = (bar.bounding_box()["height"] for bar in first.locator(".th-two i").all())
    assert begins > 10 > ends
    expect(first).to_have_attribute("title", "수도: 시작 0.77, 끝 0.00")


def test_by_keyboard(guest: Visit, widget: Locator) -> None:
    press, summary = guest.page.keyboard.press, widget.get_by_test_id("summary")
    widget.get_by_test_id("passage").focus()
    press("End")
    press("Control+End")
    press("Enter")  # the passage is one text: no new line, and JupyterLab does not take the key for itself
    guest.page.keyboard.type(" 끝")
    expect(widget.get_by_test_id("passage")).to_be_focused()
    expect(widget.get_by_test_id("pieces").locator("li").last).to_have_text("끝")
    assert "\n" not in widget.get_by_test_id("passage").input_value()
    widget.get_by_test_id("sentence").focus()
    press("End")
    guest.page.keyboard.type(" 잉 허벌 당께")
    expect(summary).to_contain_text("방언: 전라 63 %")
