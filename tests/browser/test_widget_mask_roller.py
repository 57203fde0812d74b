"""MaskRoller in JupyterLab, operated by mouse."""

import pytest
from playwright.sync_api import Locator, expect

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


def test_by_mouse(widget: Locator) -> None:
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


# Of each token: its fate, and the line around it with its sign.
_LOOKS = """row => [...row.children].map((card) => {
  const token = card.querySelector(".mr-token");
  return [card.dataset.fate, getComputedStyle(token).borderTopStyle + token.querySelector("i").textContent];
})"""


@pytest.mark.rare
def test_fates_do_not_hang_on_colour(widget: Locator) -> None:
    seen: dict[str, str] = {}
    for _ in range(60):
        seen |= dict(widget.get_by_test_id("tokens").evaluate(_LOOKS))
        if len(seen) == 5:
            break
        roll = widget.get_by_test_id("summary").text_content()
        widget.get_by_test_id("roll").click()
        expect(widget.get_by_test_id("summary")).not_to_have_text(roll)
    assert len(set(seen.values())) == 5, seen
