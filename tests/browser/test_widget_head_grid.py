"""HeadGrid as a person uses it: by mouse, by keyboard, with hostile words."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

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

widget = HeadGrid(SENTENCE, heads=NAMES, attention=look, loss=lose)
widget
"""
START = 'SENTENCE, NAMES = "나는 항구에 들러 배를 탔다", ["앞", "뒤", "고르게", "자기"]'


@pytest.fixture
def card(guest: Visit, lab: Lab) -> Locator:
    guest.open(make_notebook(lab.folder, [START + CELL]))
    guest.run_all()
    return guest.widget("head_grid")


def summary(card: Locator) -> Locator:
    return card.get_by_test_id("summary")


def test_by_mouse(guest: Visit, card: Locator) -> None:
    expect(summary(card)).to_contain_text("'앞' 헤드, 쿼리 '나는'")
    card.get_by_test_id("row-3").locator("td").nth(1).hover()
    expect(summary(card)).to_contain_text("쿼리 '배를': 가장 많이 보는 키는 '들러'")
    expect(card.get_by_test_id("word-3")).to_have_attribute("aria-pressed", "true")
    card.get_by_test_id("head-1").click()
    expect(summary(card)).to_contain_text("'뒤' 헤드, 쿼리 '배를': 가장 많이 보는 키는 '탔다'")
    card.get_by_test_id("on-0").uncheck()
    expect(summary(card)).to_contain_text(
        "꺼진 헤드: '앞'. '배를'의 출력에서 사라진 벡터는 온전한 출력의 25 % 크기"
    )
    expect(card.get_by_test_id("losses").locator("td").first).to_have_text("25 %")
    guest.screenshot("head_grid", of=card)
    card.get_by_test_id("on-0").check()
    expect(summary(card)).not_to_contain_text("꺼진")


def test_by_keyboard(guest: Visit, card: Locator) -> None:
    press = guest.page.keyboard.press
    card.get_by_test_id("head-0").focus()
    press("ArrowRight")
    expect(card.get_by_test_id("head-1")).to_be_focused()
    expect(summary(card)).to_contain_text("'뒤' 헤드")
    press("End")
    expect(summary(card)).to_contain_text("'자기' 헤드")
    press("ArrowRight")
    expect(card.get_by_test_id("head-3")).to_be_focused()
    press("Delete")
    expect(summary(card)).to_contain_text("꺼진 헤드: '자기'")
    expect(card.get_by_test_id("on-3")).not_to_be_checked()
    expect(card.get_by_test_id("head-3")).to_be_focused()
    press("Delete")
    expect(summary(card)).not_to_contain_text("꺼진")
    press("Home")
    card.get_by_test_id("word-0").focus()
    for _ in range(3):
        press("ArrowDown")
    expect(card.get_by_test_id("word-3")).to_be_focused()
    expect(summary(card)).to_contain_text("'앞' 헤드, 쿼리 '배를': 가장 많이 보는 키는 '들러'")
    press("ArrowUp")
    expect(summary(card)).to_contain_text("쿼리 '들러'")
    card.get_by_test_id("on-0").focus()
    press("Space")
    expect(summary(card)).to_contain_text("꺼진 헤드: '앞'")


def test_tab_passes_every_control_once(guest: Visit, card: Locator) -> None:
    card.get_by_test_id("sentence").focus()
    seen = []
    for _ in range(7):
        testid, ring = guest.page.evaluate(
            """() => {
              const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
              return [document.activeElement.dataset.testid, outlineStyle === 'none' ? 0 : parseFloat(outlineWidth)];
            }"""
        )
        seen.append(testid)
        assert ring >= 2, f"{testid} has the focus but does not show it"
        guest.page.keyboard.press("Tab")
    assert seen == ["sentence", "head-0", "on-0", "on-1", "on-2", "on-3", "word-0"]


def test_what_a_screen_reader_finds(card: Locator) -> None:
    expect(card.get_by_role("textbox", name="문장")).to_have_count(1)
    expect(card.get_by_role("button", name="고르게", exact=True)).to_have_count(1)
    expect(card.get_by_role("checkbox", name="'자기' 헤드 켜기")).to_be_checked()
    expect(card.get_by_test_id("map").get_by_role("columnheader")).to_have_text(
        ["나는", "항구에", "들러", "배를", "탔다"]
    )
    expect(card.get_by_test_id("map").get_by_role("rowheader")).to_have_count(5)
    expect(card).to_have_attribute("aria-label", "헤드 그리드")
    expect(summary(card)).to_have_attribute("aria-live", "polite")


def test_small_maps_and_table_show_the_same_weights(card: Locator) -> None:
    for sentence in (
        "나는 항구에 들러 배를 탔다",
        "배에서 배를 깎아 배를 채웠다 그리고 또 배를 탔다 정말 먼 바다로",
    ):
        card.get_by_test_id("sentence").fill(sentence)
        count = len(sentence.split())
        expect(card.get_by_test_id("map").get_by_role("rowheader")).to_have_count(count)
        for head in range(4):
            card.get_by_test_id(f"head-{head}").click()
            expect(card.get_by_test_id(f"head-{head}")).to_have_attribute("aria-pressed", "true")
            small, large, said = card.evaluate(MAPS)
            assert small == large and len(said) == count**2
            # Also among many words, where the numbers are not seen, a screen reader finds them.
            assert abs(float(said[1]) - [0, 1, 1 / count, 0.3 / count][head]) <= 0.0051


# The chosen head's small map and the table: colours, and what the cells say or are called.
MAPS = """async (card) => {
  const image = new Image();
  image.src = card.querySelector('[aria-pressed=true] .hg-mini image').getAttribute('href');
  await image.decode();
  const { width, height } = image;
  const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, width, height).data;
  const cells = [...card.querySelectorAll('[data-testid=map] tbody td')];
  const small = cells.map((_, cell) => `rgb(${[...pixels.slice(4 * cell, 4 * cell + 3)].join(', ')})`);
  return [small, cells.map((cell) => getComputedStyle(cell).backgroundColor),
    cells.map((cell) => cell.ariaLabel ?? cell.textContent)];
}"""


def test_another_sentence_is_typed_and_what_is_refused_is_told(guest: Visit, card: Locator) -> None:
    box = card.get_by_test_id("sentence")
    box.fill("배에서 배를 깎아 배를 채웠다 그리고 또 배를 탔다 정말 먼 바다로")
    expect(card.get_by_test_id("map").get_by_role("rowheader")).to_have_count(12)
    guest.screenshot("head_grid-12", of=card)
    box.press("End")
    box.press_sequentially(" 열셋째")
    expect(card.get_by_test_id("error")).to_contain_text("받은 단어 수: 13")
    expect(card.get_by_test_id("map").get_by_role("rowheader")).to_have_count(12)
    box.fill("")
    expect(card.get_by_test_id("error")).to_contain_text("받은 단어 수: 0")
    box.fill("배를 탔다")
    expect(card.get_by_test_id("error")).to_be_hidden()
    expect(card.get_by_test_id("map").get_by_role("rowheader")).to_have_text(["배를", "탔다"])
    expect(box).to_be_focused()


def test_words_are_text_never_markup(guest: Visit, lab: Lab, card: Locator) -> None:
    hostile = ["<script>window.__pwned=1</script>", "<img/src=x/onerror=window.__pwned=1>", "$&$1", "{word}"]
    card.get_by_test_id("sentence").fill(" ".join(hostile))
    expect(card.get_by_test_id("map").get_by_role("rowheader")).to_have_text(hostile)
    for place, word in enumerate(hostile):
        card.get_by_test_id(f"word-{place}").focus()
        expect(summary(card)).to_contain_text(f"쿼리 '{word}'")
        expect(card.locator("figcaption").filter(has_text=f"쿼리 '{word}'의 눈길")).to_have_count(1)
    names = 'SENTENCE, NAMES = "배를 탔다", ["<img src=x onerror=\'window.__pwned = 1\'>", "<script>", "</svg>", "$&"]'
    guest.open(make_notebook(lab.folder, [names + CELL]))
    guest.run_all()
    named = guest.widget("head_grid")
    expect(named.get_by_test_id("head-0")).to_have_text("<img src=x onerror='window.__pwned = 1'>")
    assert named.locator("img, script").count() == 0
    assert guest.page.evaluate("() => window.__pwned === undefined")


@pytest.mark.rare
@pytest.mark.parametrize("width", [700, 1920])
def test_text_stays_large_enough_and_nothing_is_cut(guest: Visit, card: Locator, width: int) -> None:
    guest.page.set_viewport_size({"width": width, "height": 1600})
    guest.settle()
    sizes = card.evaluate(
        """card => [...card.querySelectorAll('svg text')].map((text) =>
          parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""
    )
    assert min(sizes) >= 14
    assert card.evaluate("card => card.scrollWidth <= card.clientWidth")
    guest.screenshot(f"head_grid-{width}", of=card)


@pytest.mark.rare
def test_dark_theme(guest: Visit, lab: Lab) -> None:
    guest.use_theme("Dark")
    try:
        guest.open(make_notebook(lab.folder, [START + CELL]))
        guest.run_all()
        card = guest.widget("head_grid")
        card.get_by_test_id("on-1").uncheck()
        ink, paper = card.evaluate(
            "card => [getComputedStyle(card).color, getComputedStyle(card).backgroundColor]"
        )
        assert _lightness(ink) - _lightness(paper) > 0.5
        guest.screenshot("head_grid-dark", of=card)
    finally:
        guest.use_theme("Light")


def _lightness(color: str) -> float:
    red, green, blue = (float(part) / 255 for part in re.findall(r"[\d.]+", color)[:3])
    return 0.21 * red + 0.72 * green + 0.07 * blue
