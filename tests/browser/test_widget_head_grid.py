"""HeadGrid as a person uses it: by mouse, by keyboard, with hostile words."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit, summary

CELL = """
import torch
from course_utils.widgets import HeadGrid

def look(words):
    count = len(words)
    before = torch.zeros(count, count)
    before[range(count), [max(place - 1, 0) for place in range(count)]] = 1
    itself = 0.7 * torch.eye(count) + 0.3 / count
    return torch.stack([before, before.flip(0, 1), torch.full((count, count), 1 / count), itself])

def lose(words, off):
    return [0.25 * len(off)] * len(words)

widget = HeadGrid("나는 항구에 들러 배를 탔다", heads=["앞", "뒤", "고르게", "자기"], attention=look, loss=lose)
widget
"""


def test_by_mouse(guest: Visit, widget: Locator) -> None:
    expect(summary(widget)).to_contain_text("'앞' 헤드, 쿼리 '나는'")
    widget.get_by_test_id("row-3").locator("td").nth(1).hover()
    expect(summary(widget)).to_contain_text("쿼리 '배를': 가장 많이 보는 키는 '들러'")
    expect(widget.get_by_test_id("word-3")).to_have_attribute("aria-pressed", "true")
    widget.get_by_test_id("head-1").click()
    expect(summary(widget)).to_contain_text("'뒤' 헤드, 쿼리 '배를': 가장 많이 보는 키는 '탔다'")
    widget.get_by_test_id("on-0").uncheck()
    expect(summary(widget)).to_contain_text(
        "꺼진 헤드: '앞'. '배를'의 출력에서 사라진 벡터는 온전한 출력의 25 % 크기"
    )
    expect(widget.get_by_test_id("losses").locator("td").first).to_have_text("25 %")
    widget.get_by_test_id("on-0").check()
    expect(summary(widget)).not_to_contain_text("꺼진")


def test_by_keyboard(guest: Visit, widget: Locator) -> None:
    press = guest.page.keyboard.press
    widget.get_by_test_id("head-0").focus()
    press("ArrowRight")
    expect(widget.get_by_test_id("head-1")).to_be_focused()
    expect(summary(widget)).to_contain_text("'뒤' 헤드")
    press("End")
    expect(summary(widget)).to_contain_text("'자기' 헤드")
    press("ArrowRight")
    expect(widget.get_by_test_id("head-3")).to_be_focused()
    press("Delete")
    expect(summary(widget)).to_contain_text("꺼진 헤드: '자기'")
    expect(widget.get_by_test_id("on-3")).not_to_be_checked()
    expect(widget.get_by_test_id("head-3")).to_be_focused()
    press("Delete")
    expect(summary(widget)).not_to_contain_text("꺼진")
    press("Home")
    widget.get_by_test_id("word-0").focus()
    for _ in range(3):
        press("ArrowDown")
    expect(widget.get_by_test_id("word-3")).to_be_focused()
    expect(summary(widget)).to_contain_text("'앞' 헤드, 쿼리 '배를': 가장 많이 보는 키는 '들러'")
    press("ArrowUp")
    expect(summary(widget)).to_contain_text("쿼리 '들러'")
    widget.get_by_test_id("on-0").focus()
    press("Space")
    expect(summary(widget)).to_contain_text("꺼진 헤드: '앞'")


def test_small_maps_and_table_show_the_same_weights(widget: Locator) -> None:
    for sentence in (
        "나는 항구에 들러 배를 탔다",
        "배에서 배를 깎아 배를 채웠다 그리고 또 배를 탔다 정말 먼 바다로",
    ):
        widget.get_by_test_id("sentence").fill(sentence)
        count = len(sentence.split())
        expect(widget.get_by_test_id("map").get_by_role("rowheader")).to_have_count(count)
        for head in range(4):
            widget.get_by_test_id(f"head-{head}").click()
            expect(widget.get_by_test_id(f"head-{head}")).to_have_attribute("aria-pressed", "true")
            small, large, said = widget.evaluate(MAPS)
            assert small == large and len(said) == count**2
            # Also among many words, where the numbers are not seen, a screen reader finds them.
            assert abs(float(said[1]) - [0, 1, 1 / count, 0.3 / count][head]) <= 0.0051


# The chosen head's small map and the table: colours, and what the cells say or are called.
MAPS = """async (widget) => {
  const image = new Image();
  image.src = widget.querySelector('[aria-pressed=true] .hg-mini image').getAttribute('href');
  await image.decode();
  const { width, height } = image;
  const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, width, height).data;
  const cells = [...widget.querySelectorAll('[data-testid=map] tbody td')];
  const small = cells.map((_, cell) => `rgb(${[...pixels.slice(4 * cell, 4 * cell + 3)].join(', ')})`);
  return [small, cells.map((cell) => getComputedStyle(cell).backgroundColor),
    cells.map((cell) => cell.ariaLabel ?? cell.textContent)];
}"""
