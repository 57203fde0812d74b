"""BertAtAGlance in JupyterLab, operated by mouse and by keyboard, and its doors."""

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELL = """
from course_utils.widgets import BertAtAGlance

def read(sentence, piece):
    tokens = ["[CLS]", *sentence.split(), "[SEP]"]
    piece = piece if 0 < piece < len(tokens) - 1 else 0
    tokens[piece] = "[MASK]" if piece else tokens[piece]
    fills = [("밥을", 0.6), ("물을", 0.25)] if piece else []
    return tokens, range(len(tokens)), [[1.0] * len(tokens), [0.25] * len(tokens)], piece, fills

BertAtAGlance("나는 밥을 먹었다", read=read)
"""


def test_hide_and_go_through_a_door(guest: Visit, widget: Locator) -> None:
    pieces, fills = widget.get_by_test_id("grid").get_by_role("button"), widget.get_by_test_id("fills")
    expect(pieces).to_have_count(3)
    expect(fills.locator("li")).to_have_count(0)
    pieces.nth(1).click()
    expect(pieces.nth(1)).to_contain_text("[MASK]")
    expect(fills.locator("li").first).to_have_text("밥을60 %")
    pieces.nth(1).click()
    expect(pieces.nth(1)).to_contain_text("밥을")
    expect(fills.locator("li")).to_have_count(0)
    guest.page.keyboard.press("ArrowRight")
    expect(pieces.nth(2)).to_be_focused()
    expect(widget.get_by_test_id("summary")).to_contain_text("3번째 조각이 [MASK]")
    widget.get_by_test_id("sentence").fill("나는 오늘도 밥을 또 먹었다")
    expect(pieces).to_have_count(5)
    expect(pieces.nth(2)).to_contain_text("[MASK]")
    door = widget.get_by_role("link", name="09 하위 단어", exact=True)
    door.focus()
    guest.page.keyboard.press("Enter")
    expect(guest.page.locator(".lm-TabBar-tab.lm-mod-current", has_text="09_subword")).to_be_visible()
    assert (
        guest.page.evaluate("window.jupyterapp.shell.currentWidget.context.path")
        == "09_subword_tokenization.ipynb"
    )
    guest.page.evaluate("() => window.jupyterapp.shell.currentWidget.dispose()")
    expect(widget).to_be_visible()  # the page was not left
