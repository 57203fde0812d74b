"""SenseMap in JupyterLab, operated by mouse and by keyboard."""

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELL = """
import numpy as np
from course_utils.widgets import SenseMap

senses = ["ship"] * 9 + ["pear"] * 8 + ["belly"] * 7 + ["times"] * 6
rows = [(f"큰 배{number} 문장", 2, 3, sense) for number, sense in enumerate(senses)]
turn = np.linspace(0, 6, 30)
examples = {"배": rows, "눈": [("눈이 왔다.", 0, 1, "snow"), ("눈을 떴다.", 0, 1, "eye")]}

def place(word, layer):
    points = np.stack([np.cos(turn), np.sin(turn)], axis=1) * (1 + layer)
    return points[: len(examples[word])]

widget = SenseMap(examples, place, layers=4)
widget
"""


def test_by_mouse(guest: Visit, widget: Locator) -> None:
    sentence, marks = widget.get_by_test_id("sentence"), widget.locator("[data-testid=map] .course-mark")
    expect(marks).to_have_count(30)
    expect(sentence).to_contain_text("타는 배 · 큰 배0 문장")
    marks.nth(12).hover()
    expect(sentence).to_contain_text("먹는 배 · 큰 배12 문장")
    expect(widget.get_by_test_id("summary")).to_contain_text("고른 점은 1번")  # only hovered
    marks.nth(20).click()
    expect(widget.get_by_test_id("summary")).to_contain_text("고른 점은 21번, 몸의 배")
    guest.page.mouse.move(0, 0)
    expect(sentence).to_contain_text("큰 배20 문장")
    expect(sentence.locator("mark")).to_have_text("배")
    widget.get_by_test_id("word").select_option("1")
    expect(marks).to_have_count(2)
    expect(widget.get_by_test_id("legend").locator("li")).to_have_text(["내리는 눈", "보는 눈"])


def test_by_keyboard(guest: Visit, widget: Locator) -> None:
    cursor, sentence = widget.get_by_test_id("cursor"), widget.get_by_test_id("sentence")
    widget.get_by_test_id("word").focus()
    guest.page.keyboard.press("Tab")
    expect(widget.get_by_test_id("layer")).to_be_focused()
    guest.page.keyboard.press("Home")
    expect(widget.get_by_test_id("summary")).to_contain_text("층 0")
    guest.page.keyboard.press("Tab")
    expect(widget.get_by_test_id("play")).to_be_focused()
    guest.page.keyboard.press("Tab")
    expect(cursor).to_be_focused()
    guest.page.keyboard.press("ArrowDown")
    expect(sentence).to_contain_text("먹는 배 · 큰 배9 문장")
    guest.page.keyboard.press("ArrowRight")
    expect(sentence).to_contain_text("큰 배10 문장")
    expect(cursor).to_have_attribute("aria-valuetext", "먹는 배: 큰 배10 문장")
    guest.page.keyboard.press("End")
    expect(sentence).to_contain_text("곱절의 배 · 큰 배29 문장")
    guest.page.keyboard.press("ArrowDown")
    expect(sentence).to_contain_text("큰 배0 문장")
    guest.page.keyboard.press("ArrowUp")
    expect(sentence).to_contain_text("큰 배24 문장")
    guest.page.keyboard.press("Home")
    guest.page.keyboard.press("ArrowLeft")
    expect(sentence).to_contain_text("큰 배0 문장")


def test_points_glide_and_play_leads_through_the_layers(guest: Visit, widget: Locator) -> None:
    mark, play = widget.locator("[data-testid=map] g.course-glide").first, widget.get_by_test_id("play")
    before = mark.evaluate("node => (node.kept = true, node.style.transform)")
    widget.get_by_test_id("layer").press("Home")
    expect(widget.get_by_test_id("summary")).to_contain_text("층 0")
    play.click()
    expect(widget.get_by_test_id("summary")).to_contain_text("층 4")
    expect(play).to_have_text("▶ 층마다")
    # the same mark, back in its place
    assert mark.evaluate("node => node.kept && node.style.transform") == before
    for wish, seconds in (("no-preference", "0.6s"), ("reduce", "0s")):  # the page's own is the last
        guest.page.emulate_media(reduced_motion=wish)
        assert mark.evaluate("node => getComputedStyle(node).transitionDuration") == seconds
