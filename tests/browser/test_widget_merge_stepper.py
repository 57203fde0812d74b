"""MergeStepper in JupyterLab, operated by mouse and by keyboard."""

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELL = """
from course_utils.tokenization import BPETrainer, WordPieceTrainer
from course_utils.widgets import MergeStepper

trainers = {"BPE": BPETrainer(), "WordPiece": WordPieceTrainer(lowercase=False, strip_accents=False)}
widget = MergeStepper("배를 배를 배를 배가 배가 나를 나를 내가 꽃게 꽃게", trainers=trainers)
widget
"""


def test_by_mouse(widget: Locator) -> None:
    names = ("summary", "candidates", "words", "made")
    summary, candidates, words, made = (widget.get_by_test_id(name) for name in names)
    rows = candidates.locator("tbody tr")
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("▁ + 배")
    expect(rows.first.locator("td")).to_have_text(["5"])
    expect(words.locator("li").first.locator(".ms-chip")).to_have_text(["▁", "배", "를"])
    widget.get_by_test_id("next").click()
    expect(summary).to_contain_text("7번 가운데 1번 합쳤고")
    expect(words.locator("li").first.locator(".ms-chip")).to_have_text(["▁배", "를"])
    expect(words.locator(".ms-fresh")).to_have_text(["▁배", "▁배"])
    expect(made.locator("li")).to_have_text(["▁배"])
    widget.get_by_test_id("last").click()
    expect(summary).to_contain_text("더 합칠 쌍이 없습니다")
    expect(candidates).to_be_hidden()
    widget.get_by_test_id("back").click()
    expect(summary).to_contain_text("7번 가운데 6번")
    widget.get_by_test_id("first").click()
    widget.get_by_test_id("method").select_option(label="WordPiece")
    expect(summary).to_contain_text("다음 쌍은 '꽃' + '##게'입니다(횟수 2, 점수 0.500)")
    expect(rows.first.locator("td")).to_have_text(["2", "0.500"])


def test_by_keyboard(guest: Visit, widget: Locator) -> None:
    summary, step = widget.get_by_test_id("summary"), widget.get_by_test_id("step")
    step.focus()
    guest.page.keyboard.press("ArrowRight")
    guest.page.keyboard.press("ArrowRight")
    expect(summary).to_contain_text("7번 가운데 2번")
    expect(step).to_have_attribute("aria-valuetext", "2 / 7")
    guest.page.keyboard.press("End")
    expect(summary).to_contain_text("7번 가운데 7번")
    widget.get_by_test_id("next").focus()
    guest.page.keyboard.press("Enter")  # nothing beyond the end, and the focus stays
    expect(summary).to_contain_text("7번 가운데 7번")
    expect(widget.get_by_test_id("next")).to_have_attribute("aria-disabled", "true")
    guest.page.keyboard.press("ArrowLeft")
    expect(summary).to_contain_text("7번 가운데 6번")
    guest.page.keyboard.press("Home")
    expect(summary).to_contain_text("7번 가운데 0번")
    guest.page.keyboard.press("Space")
    expect(summary).to_contain_text("7번 가운데 1번")
    expect(widget.get_by_test_id("next")).to_be_focused()


def test_a_shorter_corpus_takes_the_step_along(widget: Locator) -> None:
    widget.get_by_test_id("last").click()
    expect(widget.get_by_test_id("summary")).to_contain_text("7번 가운데 7번")
    widget.get_by_test_id("corpus").fill("하하하 하하하")
    expect(widget.get_by_test_id("summary")).to_contain_text("더 합칠 쌍이 없습니다")
    step = widget.get_by_test_id("step")
    expect(step).not_to_have_attribute("max", "7")
    expect(step).to_have_value(step.get_attribute("max"))
    expect(widget.get_by_test_id("error")).to_be_empty()
