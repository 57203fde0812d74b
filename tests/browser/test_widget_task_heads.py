"""TaskHeads in JupyterLab, operated by mouse and by keyboard; rules of thumb stand in for trained heads."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import VIEWPORT, Lab, Visit, make_notebook

CELL = """
from course_utils.widgets.task_heads.example import small

widget = small()
widget
"""
HOSTILE = "<img src=x onerror=window.hacked=1>"


@pytest.fixture
def show(guest: Visit, lab: Lab) -> Callable[[], Locator]:
    def open_widget() -> Locator:
        guest.open(make_notebook(lab.folder, [CELL.strip()]))
        guest.run_all()
        assert guest.failures() == []
        return guest.widget("task_heads")

    return open_widget


def test_what_is_typed_is_answered_by_all_four(show: Callable[[], Locator]) -> None:
    widget = show()
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
    expect(pieces).to_have_class("th-pieces th-silent")
    widget.get_by_test_id("passage").fill("지금은 비가 온다.")
    expect(pieces.locator("li")).to_have_text(["지금", "은", "비가", "온다", "."])
    expect(pieces.locator(".th-inside")).to_have_text(["비가", "온다", "."])


def test_bars_are_as_long_as_their_numbers(show: Callable[[], Locator]) -> None:
    widget = show()
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


def test_by_keyboard(guest: Visit, show: Callable[[], Locator]) -> None:
    widget = show()
    press, summary = guest.page.keyboard.press, widget.get_by_test_id("summary")
    widget.get_by_test_id("lecture").focus()
    reached = []
    for _ in range(7):
        reached.append(guest.page.evaluate("document.activeElement.dataset.testid"))
        press("Tab")
    assert reached == ["lecture", "sentence", "second", "words", "question", "passage", "pieces"]
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


def test_controls_have_names(show: Callable[[], Locator]) -> None:
    widget = show()
    for name in ("문장", "둘째 문장", "질문", "글"):
        expect(widget.get_by_role("textbox", name=name, exact=True)).to_be_visible()
    expect(widget.get_by_role("meter", name="문장 둘 → [CLS]: 얼마나 비슷한가")).to_be_visible()
    for name in ("영화평: 라벨마다의 확률", "방언: 라벨마다의 확률", "낱말과 태그, 그 태그의 확률"):
        expect(widget.get_by_role("list", name=name)).to_be_visible()


def test_what_is_refused_is_told_in_place(guest: Visit, show: Callable[[], Locator]) -> None:
    widget = show()
    error, pieces = widget.get_by_test_id("error"), widget.get_by_test_id("pieces").locator("li")
    count = pieces.count()
    widget.get_by_test_id("passage").fill("")
    expect(error).to_have_text(
        "'글' 칸이 비었습니다. 한 낱말이라도 쓰세요. 그림은 바로 앞의 글 그대로입니다."
    )
    expect(pieces).to_have_count(count)
    widget.get_by_test_id("passage").fill("?!")
    expect(error).to_have_text("글에 읽을 낱말이 없습니다. 그림은 바로 앞의 글 그대로입니다.")
    widget.get_by_test_id("passage").fill("긴 글 " * 76)
    expect(error).to_contain_text("'글' 칸은 300자까지입니다. 지금은 304자입니다.")
    expect(pieces).to_have_count(count)
    widget.get_by_test_id("passage").fill(f"지금은 {HOSTILE}")
    expect(error).to_be_empty()
    expect(pieces.nth(2)).to_have_text("<")
    widget.get_by_test_id("sentence").fill(f"{HOSTILE} 좋다")
    expect(widget.get_by_test_id("words")).to_contain_text("onerror")
    assert widget.locator("img, script").count() == 0 and guest.page.evaluate("window.hacked") is None
    assert guest.complaints() == []


@pytest.mark.rare
def test_it_fits_a_laptop_and_a_projector(guest: Visit, show: Callable[[], Locator]) -> None:
    widget = show()
    guest.page.set_viewport_size({"width": 1366, "height": 768})
    guest.settle()
    guest.screenshot("task_heads-laptop", of=widget)
    assert widget.bounding_box()["height"] <= 600
    guest.show_files(False)
    guest.page.set_viewport_size({"width": 1280, "height": 720})
    widget.get_by_test_id("lecture").click()
    guest.settle()
    guest.screenshot("task_heads-lecture", of=widget)
    assert widget.bounding_box()["height"] <= 640
    widget.get_by_test_id("lecture").click()
    guest.page.set_viewport_size(VIEWPORT)
    guest.show_files(True)


@pytest.mark.rare
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_pictures_for_people(guest: Visit, show: Callable[[], Locator], theme: str) -> None:
    guest.use_theme(theme)
    try:
        widget = show()
        guest.screenshot(f"task_heads-{theme}", of=widget)
    finally:
        guest.use_theme("Light")
