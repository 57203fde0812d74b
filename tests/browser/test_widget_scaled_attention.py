"""ScaledAttention as a person uses it: by mouse, by keyboard, with hostile words, twice on one page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

CELL = """
from course_utils.attention import scaled_dot_product_attention
from course_utils.widgets import ScaledAttention
widget = ScaledAttention(
    [[1, 0], [0, 1], [-1, 0], [0, -1]], [[0, 0], [2, 0.1], [2.2, 2], [0.3, 1.6]],
    labels=WORDS, attention=scaled_dot_product_attention)
widget
"""
WORDS = 'WORDS = ["항구", "사과", "배", "바다"]'


@pytest.fixture
def card(guest: Visit, lab: Lab) -> Locator:
    """The widget in a small notebook; keys point east, north, west and south."""
    guest.open(make_notebook(lab.folder, [WORDS + CELL]))
    guest.run_all()
    return guest.widget("scaled_attention")


def summary(card: Locator) -> Locator:
    return card.get_by_test_id("summary")


def slider_value(card: Locator, testid: str) -> str | None:
    return card.get_by_test_id(testid).get_attribute("aria-valuetext")


def test_the_query_is_dragged_by_mouse(guest: Visit, card: Locator) -> None:
    expect(summary(card)).to_contain_text("'항구'")
    knob = card.get_by_test_id("query").locator("circle").first.bounding_box()
    plane = card.locator(".course-surface").bounding_box()
    mouse = guest.page.mouse
    mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    mouse.down()
    for share in (0.4, 0.3, 0.2):  # up the middle of the plane, towards the northern key
        mouse.move(plane["x"] + plane["width"] / 2, plane["y"] + plane["height"] * share)
    mouse.up()
    expect(summary(card)).to_contain_text("'사과'")
    mouse.move(plane["x"] + 20, plane["y"] + plane["height"] / 2)  # released: moving on changes nothing
    expect(card.get_by_test_id("query")).to_have_attribute("aria-valuetext", re.compile("가로 −?0.0"))
    guest.screenshot("scaled_attention", of=card)


def test_the_query_is_moved_by_arrow_keys(guest: Visit, card: Locator) -> None:
    handle = card.get_by_test_id("query")
    handle.focus()
    guest.page.keyboard.press("ArrowLeft")
    expect(handle).to_have_attribute("aria-valuetext", "가로 0.90, 세로 0.00")
    for _ in range(3):
        guest.page.keyboard.press("Shift+ArrowLeft")
    expect(handle).to_have_attribute("aria-valuetext", "가로 −0.60, 세로 0.00")
    expect(summary(card)).to_contain_text("'배'")
    guest.page.keyboard.press("Shift+ArrowDown")
    guest.page.keyboard.press("Shift+ArrowDown")
    expect(summary(card)).to_contain_text("'바다'")
    expect(handle).to_be_focused()


def test_all_that_hangs_on_the_query_is_drawn_anew(guest: Visit, lab: Lab) -> None:
    guest.open(make_notebook(lab.folder, [WORDS + CELL, "widget.query = [0.0, 11.0]"]))
    guest.run_all()
    card = guest.widget("scaled_attention")
    expect(card.locator("tr.sa-best")).to_have_count(1)
    expect(card.locator("tr.sa-best")).to_contain_text("사과")
    pulls = card.locator(".sa-pull").evaluate_all(
        "(lines) => lines.map((line) => line.getAttribute('stroke-width'))"
    )
    # Nearly all of the weight is on the second.
    assert [float(width) for width in pulls] == pytest.approx([1, 8, 1, 1], abs=0.05)
    value, context = card.locator(".sa-value").nth(1), card.locator(".sa-context")
    assert float(context.get_attribute("cx")) == pytest.approx(float(value.get_attribute("x")) + 5, abs=0.1)
    # The plane reaches as far as the query, so the eastern key has become short: 98 units for 11.
    tip = card.locator(".sa-key polygon").first.get_attribute("points").split(",")[0]
    assert float(tip) == pytest.approx(128 + 98 / 11, abs=0.1)


def test_sliders_and_checkbox_by_keyboard(guest: Visit, card: Locator) -> None:
    press = guest.page.keyboard.press
    card.get_by_test_id("d_k").focus()
    press("End")
    expect(summary(card)).to_contain_text("d_k = 1024, √d_k로 나눔")
    expect(summary(card)).not_to_contain_text("포화")
    assert slider_value(card, "d_k") == "1024"
    card.get_by_test_id("scaled").focus()
    press("Space")
    expect(summary(card)).to_contain_text("나누지 않음")
    expect(summary(card)).to_contain_text("포화")
    card.get_by_test_id("d_k").focus()
    press("Home")
    expect(summary(card)).to_contain_text("d_k = 2,")
    expect(summary(card)).not_to_contain_text("포화")
    card.get_by_test_id("temperature").focus()
    press("ArrowRight")
    expect(summary(card)).to_contain_text("온도 1.12")
    press("End")
    expect(summary(card)).to_contain_text("온도 10.00")
    assert slider_value(card, "temperature") == "10.00"


def test_tab_reaches_every_control_and_shows_where_it_is(guest: Visit, card: Locator) -> None:
    card.get_by_test_id("d_k").focus()
    seen = []
    for _ in range(4):
        testid, ring = guest.page.evaluate(
            """() => {
              const node = document.activeElement;
              const halo = node.querySelector?.('.course-halo');
              const outline = getComputedStyle(node);
              const ring = halo ? getComputedStyle(halo).strokeWidth : outline.outlineWidth;
              const style = halo ? getComputedStyle(halo).stroke : outline.outlineStyle;
              return [node.dataset.testid, style === 'none' ? 0 : parseFloat(ring)];
            }"""
        )
        seen.append(testid)
        assert ring >= 2, f"{testid} has the focus but does not show it"
        guest.page.keyboard.press("Tab")
    assert seen == ["d_k", "scaled", "temperature", "query"]


def test_what_a_screen_reader_finds(card: Locator) -> None:
    for role, name in (
        ("slider", "차원 d_k"),
        ("slider", "온도"),
        ("checkbox", "√d_k로 나누기"),
        ("slider", "쿼리"),
    ):
        expect(card.get_by_role(role, name=name, exact=True)).to_have_count(1)
    expect(card).to_have_attribute("aria-label", "스케일드 어텐션")
    expect(summary(card)).to_have_attribute("aria-live", "polite")


def test_words_are_text_never_markup(guest: Visit, lab: Lab) -> None:
    hostile = [
        "<script>window.__pwned = 1</script>",
        "<img src=x onerror='window.__pwned = 1'>",
        "배</text>",
        "{word}",
    ]
    guest.open(make_notebook(lab.folder, [f"WORDS = {hostile!r}" + CELL]))
    guest.run_all()
    card = guest.widget("scaled_attention")
    expect(card.get_by_role("rowheader")).to_have_text(hostile)
    expect(summary(card)).to_contain_text("'<script>window.__pwned = 1</script>'")
    assert card.locator("img, script").count() == 0
    assert guest.page.evaluate("() => window.__pwned === undefined")


@pytest.mark.each_time
def test_what_python_refuses_is_told_in_place_and_the_picture_stays(guest: Visit, card: Locator) -> None:
    before = card.locator("tbody").inner_text()
    # A slider beyond its own limits, as a tampered page would send it.
    card.get_by_test_id("d_k").evaluate(
        "node => { node.max = 12; node.value = 12; node.dispatchEvent(new Event('input')); }"
    )
    expect(card.get_by_test_id("error")).to_contain_text("d_k는 2부터 1024까지")
    expect(card.get_by_test_id("d_k")).to_have_attribute("aria-valuetext", "64")
    assert card.locator("tbody").inner_text() == before
    card.get_by_test_id("d_k").focus()
    guest.page.keyboard.press("Home")
    expect(card.get_by_test_id("error")).to_be_hidden()
    expect(summary(card)).to_contain_text("d_k = 2,")


@pytest.mark.each_time
def test_two_views_of_one_widget_stay_in_step_and_python_sees_it(guest: Visit, lab: Lab) -> None:
    guest.open(make_notebook(lab.folder, [WORDS + CELL, "widget", "widget.scaled = False\nwidget"]))
    guest.run_all()
    views = guest.page.get_by_test_id("scaled_attention")
    expect(views).to_have_count(3)
    expect(views.nth(0).get_by_test_id("scaled")).not_to_be_checked()
    views.nth(1).get_by_test_id("scaled").check()
    for index in range(3):
        expect(summary(views.nth(index))).to_contain_text("√d_k로 나눔")
        expect(views.nth(index).get_by_test_id("scaled")).to_be_checked()


@pytest.mark.rare
@pytest.mark.parametrize("width", [700, 1920])
def test_text_stays_large_enough_and_nothing_is_cut(guest: Visit, card: Locator, width: int) -> None:
    guest.page.set_viewport_size({"width": width, "height": 1400})
    guest.settle()
    sizes = card.evaluate(
        """card => [...card.querySelectorAll('svg text')].map((text) =>
          parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""
    )
    assert min(sizes) >= 14
    assert card.evaluate("card => card.scrollWidth <= card.clientWidth")
    guest.screenshot(f"scaled_attention-{width}", of=card)


@pytest.mark.rare
def test_dark_theme(guest: Visit, lab: Lab) -> None:
    guest.use_theme("Dark")
    try:
        guest.open(make_notebook(lab.folder, [WORDS + CELL]))
        guest.run_all()
        card = guest.widget("scaled_attention")
        ink, paper = card.evaluate(
            "card => [getComputedStyle(card).color, getComputedStyle(card).backgroundColor]"
        )
        assert _lightness(ink) - _lightness(paper) > 0.5
        guest.screenshot("scaled_attention-dark", of=card)
    finally:
        guest.use_theme("Light")


def _lightness(color: str) -> float:
    red, green, blue = (float(part) / 255 for part in re.findall(r"[\d.]+", color)[:3])
    return 0.21 * red + 0.72 * green + 0.07 * blue
