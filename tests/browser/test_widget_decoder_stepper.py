"""DecoderStepper in JupyterLab, operated by mouse and by keyboard; a made-up decoder stands in for a trained one."""

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELL = """
from course_utils.widgets.decoder_stepper.example import small

widget = small(step=6)
widget
"""


def test_by_mouse(widget: Locator) -> None:
    names = ("summary", "said", "source", "bars", "query")
    summary, said, source, bars, query = (widget.get_by_test_id(name) for name in names)
    expect(summary).to_contain_text("6번째 토큰(모두 19개): '1', 확률 0.97")
    expect(said.locator("li")).to_have_text(["2", "0", "2", "6", "년", "1"])
    expect(source.locator("li")).to_have_count(18)
    november = source.locator("li").filter(has_text="november")
    shown = november.locator(".ds-weight").text_content()
    widget.get_by_test_id("layer").select_option("1")
    expect(summary).to_contain_text("층 1 헤드 0에서 가장 많이 본 낱말: 'november' 0.96")
    expect(november.locator(".ds-weight")).not_to_have_text(shown)
    expect(november.locator(".ds-weight")).to_have_class("ds-weight ds-dark")
    expect(bars.locator("li")).to_have_count(6)
    expect(bars.locator(".ds-chosen")).to_contain_text("골랐음")
    expect(bars.locator(".ds-chosen .ds-token")).to_have_text("1")
    assert "<0.01" in bars.text_content()
    lines = "(bars) => bars.map((bar) => bar.getBoundingClientRect().height)"
    assert max(bars.locator("li").evaluate_all(lines)) < 35  # no number is broken into two lines
    widget.get_by_test_id("next").click()
    widget.get_by_test_id("next").click()
    expect(query).to_have_text("월")
    expect(said.locator("li")).to_have_count(8)
    widget.get_by_test_id("back").click()
    expect(said.locator("li")).to_have_count(7)


def test_the_tree_grows_and_is_drawn_as_it_is(widget: Locator) -> None:
    tree, summary = widget.get_by_test_id("tree"), widget.get_by_test_id("summary")
    expect(tree).to_be_hidden()
    widget.get_by_test_id("view-beam").click()
    expect(summary).to_contain_text("고른 번역은 이 걸음에서 1위")
    expect(widget.get_by_test_id("said")).to_be_hidden()
    expect(tree.locator(".ds-best")).to_have_count(6)
    expect(tree.locator(".ds-best b")).to_have_text(["2", "0", "2", "6", "년", "1"])
    assert tree.locator("li").count() == widget.locator(".ds-board path").count()  # a line for each node
    expect(tree.locator("li").first).to_have_attribute(
        "title", "1걸음 1위: '2', 로그 확률 −0.16, 남긴 가지, 고른 번역"
    )
    widget.get_by_test_id("beam_size").focus()
    widget.get_by_test_id("beam_size").press("Home")  # greedy
    expect(tree.locator(".ds-kept")).to_have_count(6)
    widget.get_by_test_id("step").press("End")
    finished = widget.get_by_test_id("finished").locator("tbody tr")
    expect(finished).to_have_count(1)
    expect(finished.locator("th")).to_have_text("2026년 11월 22일 일요일 오후 3시 30분")
    before = finished.locator("td").last.text_content()
    widget.get_by_test_id("length_penalty").press("ArrowRight")
    expect(finished.locator("td").last).not_to_have_text(before)
    # the column of the step is in sight
    last = tree.locator("li").filter(has_text="<eos>").last.bounding_box()
    box = widget.locator(".ds-box").bounding_box()
    assert box["x"] <= last["x"] and last["x"] + last["width"] <= box["x"] + box["width"] + 1


def test_by_keyboard(guest: Visit, widget: Locator) -> None:
    summary, press = widget.get_by_test_id("summary"), guest.page.keyboard.press
    widget.get_by_test_id("step").focus()
    press("ArrowRight")
    expect(summary).to_contain_text("7번째 토큰")
    expect(widget.get_by_test_id("step")).to_have_attribute("aria-valuetext", "7 / 19")
    widget.get_by_test_id("next").focus()
    press("End")
    expect(summary).to_contain_text("19번째 토큰(모두 19개): '<eos>'")
    press("Enter")  # nothing beyond the end, and the focus stays
    expect(widget.get_by_test_id("next")).to_have_attribute("aria-disabled", "true")
    expect(widget.get_by_test_id("next")).to_be_focused()
    press("ArrowLeft")
    expect(summary).to_contain_text("18번째 토큰")
    press("Home")
    expect(summary).to_contain_text("1번째 토큰(모두 19개): '2'")
    widget.get_by_test_id("view-step").focus()
    press("ArrowRight")
    expect(widget.get_by_test_id("view-beam")).to_be_focused()
    expect(widget.get_by_test_id("tree")).to_be_visible()
    press("Home")
    expect(widget.get_by_test_id("source")).to_be_visible()


def test_the_learners_own_date_and_what_is_refused(guest: Visit, widget: Locator) -> None:
    sentence, error = widget.get_by_test_id("sentence"), widget.get_by_test_id("error")
    source = widget.get_by_test_id("source").locator("li")
    sentence.fill("half past three yesterday")
    expect(error).to_contain_text("'yesterday'은(는) 모르는 낱말입니다. 그림은 바로 앞의 문장 그대로입니다.")
    expect(source).to_have_count(18)
    sentence.fill("on Friday the 1st of May 2026")
    expect(error).to_be_empty()
    expect(source).to_have_count(11)
    widget.get_by_test_id("next").focus()
    guest.page.keyboard.press("End")
    expect(widget.get_by_test_id("said")).to_contain_text("금요일")
