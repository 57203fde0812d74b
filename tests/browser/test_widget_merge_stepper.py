"""MergeStepper in JupyterLab, operated by mouse."""

from playwright.sync_api import Locator, expect

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
