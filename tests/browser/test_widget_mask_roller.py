"""MaskRoller in JupyterLab, operated by mouse and by keyboard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

HOSTILE = "<img src=x onerror=window.hacked=1><script>hacked=1</script>"
CELL = """
from course_utils.datasets.pretraining import choose_tokens, choose_words, corrupt
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.widgets import MaskRoller

pieces = ["나는", "항구", "##에", "들러", "배", "##를", "탔다", ".", "달다", "<", ">", "=", "img", "/", "사과", "##와"]
vocab = {piece: number for number, piece in enumerate([*SPECIAL_TOKENS, *pieces])}
widget = MaskRoller(
    "나는 항구에 들러 배를 탔다.", tokenizer=WordPieceTokenizer(vocab, lowercase=False, strip_accents=False),
    special=SPECIAL_TOKENS, choose_tokens=choose_tokens, choose_words=choose_words, corrupt=corrupt, seed=7, roll=3,
)
widget
"""


@pytest.fixture
def show(guest: Visit, lab: Lab) -> Callable[[], Locator]:
    def open_widget() -> Locator:
        guest.open(make_notebook(lab.folder, [CELL.strip()]))
        guest.run_all()
        assert guest.failures() == []
        return guest.widget("mask_roller")

    return open_widget


def test_by_mouse(show: Callable[[], Locator]) -> None:
    widget = show()
    summary, cards = widget.get_by_test_id("summary"), widget.get_by_test_id("tokens").get_by_role("listitem")
    expect(cards).to_have_count(10)  # [CLS] 나는 항구 ##에 들러 배 ##를 탔다 . [SEP]
    expect(summary).to_contain_text("3번째 굴림")
    widget.get_by_test_id("roll").click()
    expect(summary).to_contain_text("4번째 굴림")
    widget.get_by_test_id("many").click()
    expect(summary).to_contain_text("1,004번째 굴림")
    expect(widget.get_by_test_id("tally").locator("tbody tr").first).to_contain_text("/ 8,032")
    expect(widget.locator("figcaption").nth(1)).to_contain_text("1,004번")
    widget.get_by_test_id("again").click()
    expect(summary).to_contain_text("1번째 굴림")
    for _ in range(8):
        widget.get_by_test_id("many").click()
    expect(summary).to_contain_text("8,001번째 굴림")
    widget.get_by_test_id("whole_words").check()
    widget.get_by_test_id("roll").click()
    expect(summary).to_contain_text("8,002번째 굴림")  # by now the picture is that of whole words
    fates = cards.evaluate_all("cards => cards.map(card => card.dataset.fate)")
    chosen = [fate in ("masked", "random", "kept") for fate in fates]
    assert chosen[2] == chosen[3] and chosen[5] == chosen[6]  # 항구 ##에, 배 ##를
    widget.get_by_test_id("pair").fill("배 달다.")
    expect(cards).to_have_count(14)
    expect(cards.nth(10)).to_contain_text("B")


def test_by_keyboard(guest: Visit, show: Callable[[], Locator]) -> None:
    widget = show()
    summary = widget.get_by_test_id("summary")
    widget.get_by_test_id("sentence").focus()
    for name in ("pair", "whole_words", "roll"):
        guest.page.keyboard.press("Tab")
        expect(widget.get_by_test_id(name)).to_be_focused()
    guest.page.keyboard.press("Enter")
    expect(summary).to_contain_text("4번째 굴림")
    guest.page.keyboard.press("Tab")
    guest.page.keyboard.press("Space")
    expect(summary).to_contain_text("1,004번째 굴림")
    expect(widget.get_by_test_id("many")).to_be_focused()
    guest.page.keyboard.press("Tab")
    guest.page.keyboard.press("Space")
    expect(summary).to_contain_text("1번째 굴림")
    guest.page.keyboard.press("Tab")
    expect(widget.get_by_test_id("seed")).to_be_focused()
    guest.page.keyboard.press("ArrowUp")
    expect(widget.get_by_test_id("seed")).to_have_value("8")
    widget.get_by_test_id("sentence").focus()
    guest.page.keyboard.press("End")
    guest.page.keyboard.type(" 달다")
    expect(widget.get_by_test_id("tokens").get_by_role("listitem")).to_have_count(11)
    expect(widget.get_by_test_id("sentence")).to_be_focused()


def test_controls_have_names(show: Callable[[], Locator]) -> None:
    widget = show()
    for name in ("문장", "둘째 문장"):
        expect(widget.get_by_role("textbox", name=name, exact=True)).to_be_visible()
    expect(widget.get_by_role("checkbox", name="단어 통째로")).to_be_visible()
    expect(widget.get_by_role("spinbutton", name="시드")).to_be_visible()
    for name in ("다시 굴리기", "1,000번 굴리기", "처음부터"):
        expect(widget.get_by_role("button", name=name)).to_be_visible()
    expect(widget.get_by_role("list", name="모델이 받는 토큰, 그 아래 맞힐 정답")).to_be_visible()


# Of each token: its fate, and the line around it with its sign.
_LOOKS = """row => [...row.children].map((card) => {
  const token = card.querySelector(".mr-token");
  return [card.dataset.fate, getComputedStyle(token).borderTopStyle + token.querySelector("i").textContent];
})"""


@pytest.mark.rare
def test_fates_do_not_hang_on_colour(show: Callable[[], Locator]) -> None:
    widget = show()
    seen: dict[str, str] = {}
    for _ in range(60):
        seen |= dict(widget.get_by_test_id("tokens").evaluate(_LOOKS))
        if len(seen) == 5:
            break
        roll = widget.get_by_test_id("summary").text_content()
        widget.get_by_test_id("roll").click()
        expect(widget.get_by_test_id("summary")).not_to_have_text(roll)
    assert len(set(seen.values())) == 5, seen


def test_bad_input_is_told_in_place_and_markup_stays_text(guest: Visit, show: Callable[[], Locator]) -> None:
    widget = show()
    sentence, error = widget.get_by_test_id("sentence"), widget.get_by_test_id("error")
    cards = widget.get_by_test_id("tokens").get_by_role("listitem")
    sentence.fill("배" * 61)
    expect(error).to_contain_text("60자까지입니다. 지금은 61자")
    sentence.fill("")
    expect(error).to_contain_text("비었습니다")
    sentence.fill("梨")
    expect(error).to_contain_text("고를 수 있는 토큰이 없습니다")
    expect(cards).to_have_count(10)
    sentence.fill(HOSTILE)
    expect(error).to_be_empty()
    expect(cards.first).to_be_visible()
    assert widget.locator("img, script").count() == 0
    assert guest.page.evaluate("window.hacked") is None
    widget.get_by_test_id("seed").fill("10000")
    expect(error).to_contain_text("0부터 9999까지")


@pytest.mark.rare
@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_pictures_for_people(guest: Visit, lab: Lab, show: Callable[[], Locator], theme: str) -> None:
    guest.use_theme(theme)
    try:
        widget = show()
        widget.get_by_test_id("pair").fill("배 달다.")
        widget.get_by_test_id("many").click()
        expect(widget.get_by_test_id("summary")).to_contain_text("1,003번째 굴림")
        guest.screenshot(f"mask_roller-{theme}", of=widget)
    finally:
        guest.use_theme("Light")
