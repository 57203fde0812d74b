"""MaskPainter as a person uses it: by mouse, by keyboard, with hostile words and sentences that are refused."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

CELL = """
import torch
from course_utils.attention import attention_weights
from course_utils.widgets import MaskPainter
widget = MaskPainter(
    SENTENCE, vectors=lambda words: (torch.eye(len(words)), torch.eye(len(words))), attention_weights=attention_weights)
widget
"""
SENTENCE = "나는 항구에서 배를 탔다"


def open_card(guest: Visit, lab: Lab, sentence: str = SENTENCE) -> Locator:
    guest.open(make_notebook(lab.folder, [f"SENTENCE = {sentence!r}" + CELL]))
    guest.run_all()
    return guest.widget("mask_painter")


@pytest.fixture
def card(guest: Visit, lab: Lab) -> Locator:
    return open_card(guest, lab)


def summary(card: Locator) -> Locator:
    return card.get_by_test_id("summary")


def cell(card: Locator, query: int, key: int) -> Locator:
    return card.get_by_test_id("mask").locator("tbody tr").nth(query).locator("td").nth(key)


def weights(card: Locator, query: int) -> list[str]:
    return card.get_by_test_id("weights").locator("tbody tr").nth(query).locator("td").all_inner_texts()


def middle(box: dict[str, float]) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_click_masks_one_cell_and_the_row_shares_out_anew(card: Locator) -> None:
    expect(summary(card)).to_contain_text("16칸 가운데 16칸")
    cell(card, 1, 1).click()
    expect(summary(card)).to_contain_text("16칸 가운데 15칸")
    expect(cell(card, 1, 1)).to_have_attribute("aria-selected", "false")
    expect(summary(card)).to_contain_text("'항구에서'의 행은 키 3개를 봅니다")
    assert weights(card, 1) == ["0.33", "0", "0.33", "0.33"]
    cell(card, 1, 1).click()
    expect(summary(card)).to_contain_text("16칸 가운데 16칸")


def test_a_drag_paints_every_cell_on_its_way(guest: Visit, card: Locator) -> None:
    mouse = guest.page.mouse
    mouse.move(*middle(cell(card, 2, 0).bounding_box()))
    mouse.down()
    mouse.move(*middle(cell(card, 2, 3).bounding_box()))  # one jump, as a quick hand makes it
    expect(summary(card)).to_contain_text("16칸 가운데 12칸")
    expect(summary(card)).to_contain_text("모두 가린 행 1개('배를')의 가중치는 모두 0입니다.")
    assert weights(card, 2) == ["0", "0", "0", "0"]
    mouse.up()
    mouse.move(*middle(cell(card, 0, 0).bounding_box()))  # released: moving on changes nothing
    expect(summary(card)).to_contain_text("16칸 가운데 12칸")
    guest.screenshot("mask_painter", of=card)
    mouse.move(*middle(cell(card, 2, 3).bounding_box()))  # a drag that starts on a masked cell opens
    mouse.down()
    mouse.move(*middle(cell(card, 2, 2).bounding_box()))
    mouse.up()
    expect(summary(card)).to_contain_text("16칸 가운데 14칸")


def test_the_grid_by_keyboard(guest: Visit, card: Locator) -> None:
    press = guest.page.keyboard.press
    cell(card, 0, 0).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Space"):
        press(key)
    expect(cell(card, 2, 1)).to_be_focused()
    expect(cell(card, 2, 1)).to_have_attribute("aria-label", "쿼리 배를, 키 항구에서: 가림")
    expect(summary(card)).to_contain_text("16칸 가운데 15칸")
    expect(summary(card)).to_contain_text("'배를'의 행은 키 3개를 봅니다")
    press("End")
    expect(cell(card, 2, 3)).to_be_focused()
    press("ArrowRight")  # stays at the edge
    expect(cell(card, 2, 3)).to_be_focused()
    press("Control+Home")
    expect(cell(card, 0, 0)).to_be_focused()
    expect(summary(card)).to_contain_text("'나는'의 행은")
    press("Control+End")
    # Faster than the kernel's pictures come: an old one must not undo what was painted since.
    for _ in range(15):
        press("Enter")
        expect(cell(card, 3, 3)).to_have_attribute("aria-selected", "false")
        press("Space")
        expect(cell(card, 3, 3)).to_have_attribute("aria-selected", "true")
    ring = cell(card, 3, 3).evaluate("node => parseFloat(getComputedStyle(node).outlineWidth)")
    assert ring >= 2


def test_buttons_and_slider_by_keyboard(guest: Visit, card: Locator) -> None:
    press = guest.page.keyboard.press
    card.get_by_test_id("causal").focus()
    press("Enter")
    expect(card.get_by_test_id("causal")).to_have_attribute("aria-pressed", "true")
    expect(summary(card)).to_contain_text("16칸 가운데 10칸")
    assert weights(card, 0) == ["1.00", "0", "0", "0"]
    card.get_by_test_id("padding").focus()
    press("ArrowRight")
    expect(summary(card)).to_contain_text("16칸 가운데 9칸")
    press("End")  # as many as there are tokens
    expect(summary(card)).to_contain_text("16칸 가운데 0칸")
    expect(summary(card)).to_contain_text("모두 가린 행 4개")
    cell(card, 0, 3).click()
    expect(summary(card)).to_contain_text("16칸 가운데 1칸")
    card.get_by_test_id("causal").click()  # a rule wipes what was painted by hand
    expect(summary(card)).to_contain_text("16칸 가운데 0칸")
    card.get_by_test_id("open").focus()
    press("Space")
    expect(summary(card)).to_contain_text("16칸 가운데 16칸")


def test_tab_goes_through_the_controls_and_into_the_grid_once(guest: Visit, card: Locator) -> None:
    cell(card, 1, 2).click()
    card.get_by_test_id("sentence").focus()
    seen = []
    for _ in range(5):
        reached = guest.page.locator(":focus")
        seen.append(reached.get_attribute("data-testid") or reached.get_attribute("aria-label"))
        guest.page.keyboard.press("Tab")
    assert seen == ["sentence", "causal", "padding", "open", "쿼리 항구에서, 키 배를: 가림"]
    assert card.locator("td[tabindex='0']").count() == 1


def test_another_sentence_and_those_that_are_refused(guest: Visit, card: Locator) -> None:
    box = card.get_by_test_id("sentence")
    box.fill("배가 고프다")
    expect(summary(card)).to_contain_text("4칸 가운데 4칸")
    expect(card.get_by_test_id("mask").get_by_role("rowheader")).to_have_text(["배가", "고프다"])
    box.fill("   ")
    expect(card.get_by_test_id("error")).to_contain_text("문장이 비었습니다")
    expect(card.get_by_test_id("mask").get_by_role("rowheader")).to_have_text(["배가", "고프다"])
    box.fill(" ".join("배" * 13))
    expect(card.get_by_test_id("error")).to_contain_text("12개까지 그릴 수 있습니다. 지금은 13개입니다")
    box.fill(" ".join("배" * 12))
    expect(card.get_by_test_id("error")).to_be_hidden()
    expect(summary(card)).to_contain_text("144칸 가운데 144칸")
    cell(card, 11, 11).focus()
    guest.page.keyboard.press("Space")
    expect(summary(card)).to_contain_text("143칸")
    box.fill("배")  # the cursor's cell is gone
    expect(summary(card)).to_contain_text("1칸 가운데 1칸")
    expect(card.locator("td[tabindex='0']")).to_have_count(1)


def test_what_a_screen_reader_finds(card: Locator) -> None:
    for role, name in (
        ("textbox", "문장"),
        ("button", "인과"),
        ("slider", "뒤에서 패딩"),
        ("button", "모두 보기"),
        ("grid", "마스크"),
        ("table", "어텐션 가중치"),
        ("gridcell", "쿼리 나는, 키 탔다: 봄"),
    ):
        expect(card.get_by_role(role, name=name, exact=True)).to_have_count(1)
    expect(card).to_have_attribute("aria-label", "마스크 칠하기")
    expect(summary(card)).to_have_attribute("aria-live", "polite")


def test_words_are_text_never_markup(guest: Visit, card: Locator) -> None:
    hostile = "<script>window.__pwned=1</script> <img/src=x/onerror='window.__pwned=1'> {key} $&"
    card.get_by_test_id("sentence").fill(hostile)
    expect(card.get_by_test_id("mask").get_by_role("rowheader")).to_have_text(hostile.split())
    expect(cell(card, 2, 3)).to_have_attribute("aria-label", "쿼리 {key}, 키 $&: 봄")
    cell(card, 0, 0).click()
    expect(summary(card)).to_contain_text("'<script>window.__pwned=1</script>'")
    card.get_by_test_id("sentence").fill("<img src=x onerror=window.__pwned=1>")
    expect(summary(card)).to_contain_text("'<img'")
    assert card.locator("img, script").count() == 0
    assert guest.page.evaluate("() => window.__pwned === undefined")


def test_two_views_of_one_widget_stay_in_step(guest: Visit, lab: Lab) -> None:
    guest.open(make_notebook(lab.folder, [f"SENTENCE = {SENTENCE!r}" + CELL, "widget.causal = True\nwidget"]))
    guest.run_all()
    views = guest.page.get_by_test_id("mask_painter")
    expect(views).to_have_count(2)
    cell(views.nth(1), 3, 0).click()
    for index in range(2):
        expect(summary(views.nth(index))).to_contain_text("16칸 가운데 9칸")
        expect(cell(views.nth(index), 3, 0)).to_have_attribute("aria-selected", "false")


@pytest.mark.rare
@pytest.mark.parametrize("width", [700, 1280])
def test_twelve_tokens_are_readable_and_nothing_is_cut(guest: Visit, lab: Lab, width: int) -> None:
    sentence = "나는 어제 항구에서 친구와 함께 커다란 배를 타고 멀리 섬으로 떠났다 [PAD]"
    card = open_card(guest, lab, sentence)
    card.get_by_test_id("causal").click()
    guest.page.set_viewport_size({"width": width, "height": 1500})
    guest.settle()
    assert card.evaluate("card => card.scrollWidth <= card.clientWidth")
    cut = card.evaluate(
        "card => [...card.querySelectorAll('td')].filter(c => c.scrollWidth > c.clientWidth + 1).length"
    )
    low = max(box["height"] for box in (cell(card, query, 0).bounding_box() for query in range(12)))
    sizes = card.evaluate(
        "card => [...card.querySelectorAll('td, th')].map(c => parseFloat(getComputedStyle(c).fontSize))"
    )
    assert cut == 0 and min(sizes) >= 14 and low < 40
    guest.screenshot(f"mask_painter-{width}", of=card)


@pytest.mark.rare
def test_dark_theme(guest: Visit, lab: Lab) -> None:
    guest.use_theme("Dark")
    try:
        card = open_card(guest, lab, SENTENCE + " [PAD] [PAD]")
        card.get_by_test_id("causal").click()
        cell(card, 2, 0).click()
        ink, paper = card.evaluate(
            "card => [getComputedStyle(card).color, getComputedStyle(card).backgroundColor]"
        )
        assert _lightness(ink) - _lightness(paper) > 0.5
        guest.screenshot("mask_painter-dark", of=card)
    finally:
        guest.use_theme("Light")


def _lightness(color: str) -> float:
    red, green, blue = (float(part) / 255 for part in re.findall(r"[\d.]+", color)[:3])
    return 0.21 * red + 0.72 * green + 0.07 * blue
