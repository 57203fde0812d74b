"""MergeStepper in JupyterLab, operated by mouse and by keyboard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

HOSTILE = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script> " * 2
CELL = """
from course_utils.tokenization import BPETrainer, WordPieceTrainer
from course_utils.widgets import MergeStepper

trainers = {"BPE": BPETrainer(), "WordPiece": WordPieceTrainer(lowercase=False, strip_accents=False)}
widget = MergeStepper("배를 배를 배를 배가 배가 나를 나를 내가 꽃게 꽃게", trainers=trainers)
widget
"""


@pytest.fixture
def show(guest: Visit, lab: Lab) -> Callable[[], Locator]:
    def open_widget() -> Locator:
        guest.open(make_notebook(lab.folder, [CELL.strip()]))
        guest.run_all()
        assert guest.failures() == []
        return guest.widget("merge_stepper")

    return open_widget


def test_by_mouse(show: Callable[[], Locator]) -> None:
    widget = show()
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


def test_by_keyboard(guest: Visit, show: Callable[[], Locator]) -> None:
    widget = show()
    summary, step = widget.get_by_test_id("summary"), widget.get_by_test_id("step")
    widget.get_by_test_id("corpus").focus()
    reached = []
    for _ in range(7):
        reached.append(guest.page.evaluate("document.activeElement.dataset.testid"))
        guest.page.keyboard.press("Tab")
    assert reached == ["corpus", "method", "first", "back", "next", "last", "step"]
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


def test_controls_have_names(show: Callable[[], Locator]) -> None:
    widget = show()
    expect(widget.get_by_role("textbox", name="말뭉치")).to_be_visible()
    expect(widget.get_by_role("combobox", name="방법")).to_be_visible()
    expect(widget.get_by_role("slider", name="합친 횟수")).to_be_visible()
    for name in ("처음", "◀ 뒤로", "앞으로 ▶", "끝"):
        expect(widget.get_by_role("button", name=name, exact=True)).to_be_visible()


def test_bad_input_is_told_in_place_and_markup_stays_text(guest: Visit, show: Callable[[], Locator]) -> None:
    widget = show()
    corpus, error = widget.get_by_test_id("corpus"), widget.get_by_test_id("error")
    corpus.fill("  ")
    expect(error).to_contain_text("말뭉치가 비었습니다")
    expect(widget.get_by_test_id("words").locator("li").first).to_contain_text("배")
    corpus.fill(HOSTILE)
    expect(error).to_be_empty()
    widget.get_by_test_id("last").click()
    expect(widget.get_by_test_id("made")).to_contain_text("script")
    assert widget.locator("img, script").count() == 0
    assert guest.page.evaluate("window.hacked") is None


def test_a_shorter_corpus_takes_the_step_along(show: Callable[[], Locator]) -> None:
    widget = show()
    widget.get_by_test_id("last").click()
    expect(widget.get_by_test_id("summary")).to_contain_text("7번 가운데 7번")
    widget.get_by_test_id("corpus").fill("하하하 하하하")
    expect(widget.get_by_test_id("summary")).to_contain_text("더 합칠 쌍이 없습니다")
    step = widget.get_by_test_id("step")
    expect(step).not_to_have_attribute("max", "7")
    expect(step).to_have_value(step.get_attribute("max"))
    expect(widget.get_by_test_id("error")).to_be_empty()


@pytest.mark.rare
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_pictures_for_people(guest: Visit, lab: Lab, show: Callable[[], Locator], theme: str) -> None:
    guest.use_theme(theme)
    try:
        widget = show()
        widget.get_by_test_id("method").select_option(label="WordPiece")
        widget.get_by_test_id("next").click()
        expect(widget.get_by_test_id("summary")).to_contain_text("방금 만든 기호는 '꽃게'")
        guest.screenshot(f"merge_stepper-{theme}", of=widget)
    finally:
        guest.use_theme("Light")
