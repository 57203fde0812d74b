"""TokenInspector in JupyterLab, operated by mouse."""

from playwright.sync_api import Locator, expect

CELL = """
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.widgets import TokenInspector

pieces = ["배", "##를", "탔", "##다", ".", "\\u1107", "##\\u1162", "cafe", "🍐"]
vocab = {piece: number for number, piece in enumerate([*SPECIAL_TOKENS, *pieces])}

def tokenizer(lowercase, strip_accents):
    return WordPieceTokenizer(vocab, lowercase=lowercase, strip_accents=strip_accents)

widget = TokenInspector("배 Café 탔다.", tokenizer=tokenizer)
widget
"""


def test_by_mouse(widget: Locator) -> None:
    pieces, marked = widget.get_by_test_id("pieces").get_by_role("button"), widget.get_by_test_id("marked")
    expect(pieces).to_have_count(5)  # ᄇ ##ᅢ cafe [UNK] .
    expect(marked).to_have_text("배")
    pieces.nth(2).click()
    expect(marked).to_have_text("Café")
    expect(widget.get_by_test_id("summary")).to_contain_text("[2, 6), 곧 'Café'")
    pieces.nth(2).press("End")
    expect(pieces.last).to_be_focused()
    expect(marked).to_have_text(".")
    expect(pieces.nth(3)).to_contain_text("[UNK]")
    first = widget.get_by_test_id("characters").locator("tbody tr").first
    expect(first.locator("td")).to_have_text(
        ["U+BC30", "U+1107 U+1162", "U+1107 U+1162", "HANGUL SYLLABLE BAE"]
    )
    widget.get_by_test_id("strip_accents").uncheck()
    expect(first.locator("td").nth(2)).to_have_text("U+BC30")
    expect(pieces).to_have_count(5)  # 배 [UNK] 탔 ##다 .
    expect(pieces.first.locator("b")).to_have_text("배")
    expect(widget.get_by_test_id("words").locator("span")).to_have_text(["배", "café", "탔다", "."])


def test_offsets_of_what_comes_after_an_emoji(widget: Locator) -> None:
    widget.get_by_test_id("strip_accents").uncheck()
    widget.get_by_test_id("sentence").fill("🍐 배를")
    pieces = widget.get_by_test_id("pieces").get_by_role("button")
    expect(pieces).to_have_count(3)
    pieces.nth(2).click()
    expect(widget.get_by_test_id("marked")).to_have_text("를")
