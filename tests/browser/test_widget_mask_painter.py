"""MaskPainter as a person uses it: by mouse and by keyboard."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit, summary

CELL = """
import torch
from course_utils.attention import attention_weights
from course_utils.widgets import MaskPainter
widget = MaskPainter(
    "나는 항구에서 배를 탔다", vectors=lambda words: torch.eye(len(words)).expand(2, -1, -1),
    attention_weights=attention_weights)
widget
"""


def cell(widget: Locator, query: int, key: int) -> Locator:
    return widget.get_by_test_id("mask").locator("tbody tr").nth(query).locator("td").nth(key)


def weights(widget: Locator, query: int) -> list[str]:
    return widget.get_by_test_id("weights").locator("tbody tr").nth(query).locator("td").all_inner_texts()


def middle(box: dict[str, float]) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_click_masks_one_cell_and_the_row_shares_out_anew(widget: Locator) -> None:
    expect(summary(widget)).to_contain_text("16칸 가운데 16칸")
    cell(widget, 1, 1).click()
    expect(summary(widget)).to_contain_text("16칸 가운데 15칸")
    expect(cell(widget, 1, 1)).to_have_attribute("aria-selected", "false")
    expect(summary(widget)).to_contain_text("'항구에서'의 행은 키 3개를 봅니다")
    assert weights(widget, 1) == ["0.33", "0", "0.33", "0.33"]
    cell(widget, 1, 1).click()
    expect(summary(widget)).to_contain_text("16칸 가운데 16칸")


def test_a_drag_paints_every_cell_on_its_way(guest: Visit, widget: Locator) -> None:
    mouse = guest.page.mouse
    mouse.move(*middle(cell(widget, 2, 0).bounding_box()))
    mouse.down()
    mouse.move(*middle(cell(widget, 2, 3).bounding_box()))  # one jump, as a quick hand makes it
    expect(summary(widget)).to_contain_text("16칸 가운데 12칸")
    expect(summary(widget)).to_contain_text("모두 가린 행 1개('배를')의 가중치는 모두 0입니다.")
    assert weights(widget, 2) == ["0", "0", "0", "0"]
    mouse.up()
    mouse.move(*middle(cell(widget, 0, 0).bounding_box()))  # released: moving on changes nothing
    expect(summary(widget)).to_contain_text("16칸 가운데 12칸")
    mouse.move(*middle(cell(widget, 2, 3).bounding_box()))  # a drag that starts on a masked cell opens
    mouse.down()
    mouse.move(*middle(cell(widget, 2, 2).bounding_box()))
    mouse.up()
    expect(summary(widget)).to_contain_text("16칸 가운데 14칸")


def test_the_grid_by_keyboard(guest: Visit, widget: Locator) -> None:
    press = guest.page.keyboard.press
    cell(widget, 0, 0).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Space"):
        press(key)
    expect(cell(widget, 2, 1)).to_be_focused()
    expect(cell(widget, 2, 1)).to_have_attribute("aria-label", "쿼리 배를, 키 항구에서: 가림")
    expect(summary(widget)).to_contain_text("16칸 가운데 15칸")
    expect(summary(widget)).to_contain_text("'배를'의 행은 키 3개를 봅니다")
    press("End")
    expect(cell(widget, 2, 3)).to_be_focused()
    press("ArrowRight")  # stays at the edge
    expect(cell(widget, 2, 3)).to_be_focused()
    press("Control+Home")
    expect(cell(widget, 0, 0)).to_be_focused()
    expect(summary(widget)).to_contain_text("'나는'의 행은")
    press("Control+End")
    # Faster than the kernel's pictures come: an old one must not undo what was painted since.
    for _ in range(15):
        press("Enter")
        expect(cell(widget, 3, 3)).to_have_attribute("aria-selected", "false")
        press("Space")
        expect(cell(widget, 3, 3)).to_have_attribute("aria-selected", "true")
    ring = cell(widget, 3, 3).evaluate("node => parseFloat(getComputedStyle(node).outlineWidth)")
    assert ring >= 2
