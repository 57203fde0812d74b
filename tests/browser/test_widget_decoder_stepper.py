"""DecoderStepper in JupyterLab, operated by mouse and by keyboard; a made-up decoder stands in for a trained one."""

from playwright.sync_api import Locator, expect

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
    expect(summary).to_contain_text("층 1 헤드 0에서 가장 많이 본 단어: 'november' 0.96")
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
