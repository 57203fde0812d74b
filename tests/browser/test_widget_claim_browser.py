"""ClaimBrowser as a person uses it: by mouse, by keyboard, in a small window, with hostile words."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

CELL = "from course_utils.widgets.claim_browser.example import small\nwidget = small()\nwidget"


@pytest.fixture
def card(guest: Visit, lab: Lab) -> Locator:
    guest.open(make_notebook(lab.folder, [CELL]))
    guest.run_all()
    return guest.widget("claim_browser")


def summary(card: Locator) -> Locator:
    return card.get_by_test_id("summary")


def texts(card: Locator, side: str, row: int) -> list[str]:
    return (
        card.get_by_test_id(f"{side}-table").locator("tbody tr").nth(row).locator("th, td").all_inner_texts()
    )


def widths(card: Locator, side: str, row: int) -> list[float]:
    """Of the bars that are seen, as shares of their track."""
    track = card.get_by_test_id(f"{side}-table").locator("tbody tr").nth(row).locator(".cb-track")
    return track.evaluate(
        """track => [...track.children].filter(bar => !bar.hidden)
            .map(bar => bar.getBoundingClientRect().width / track.getBoundingClientRect().width)"""
    )


def test_differences_only_by_mouse(guest: Visit, card: Locator) -> None:
    card.get_by_test_id("differences").click()
    expect(card.locator(".cb-less").first).to_be_visible()
    (width,) = widths(card, "paper", 0)
    assert abs(width - 0.5) < 0.02  # the largest difference of its side: from the middle to the edge
    assert widths(card, "later", 1) == []
    guest.screenshot("claim_browser-differences", of=card)


def test_numbers_bars_and_sources(card: Locator) -> None:
    expect(card.get_by_test_id("says")).to_have_text("NSP를 빼면 나빠진다. 5.1절")
    assert [part.strip() for part in texts(card, "paper", 0)] == [
        "QNLI",
        "84.9",
        "88.4",
        "−3.5",
        "표 5, No NSP",
    ]
    value, reference = widths(card, "paper", 0)
    assert abs(value - 84.9 / 88.4) < 0.01 and abs(reference - 1) < 0.01
    assert [part.strip() for part in texts(card, "later", 1)] == ["사람", "91.0", "–", "–", "알려진 것"]
    assert len(widths(card, "later", 1)) == 1  # nothing to compare with


def test_by_keyboard_from_claim_to_claim(guest: Visit, card: Locator) -> None:
    press = guest.page.keyboard.press
    card.get_by_test_id("claim").focus()
    press("ArrowDown")
    expect(card.get_by_test_id("says")).to_contain_text("크면 좋아진다")
    expect(card.get_by_test_id("later")).to_contain_text("뒤의 연구가 없습니다")
    expect(card.get_by_test_id("ours")).to_contain_text("잰 것이 없습니다")
    expect(card.get_by_test_id("next")).to_have_attribute("aria-disabled", "true")
    press("Tab")  # previous
    press("Enter")
    expect(summary(card)).to_contain_text("다음 문장 예측")
    expect(card.get_by_test_id("previous")).to_be_focused()
    press("Enter")  # the first one stays
    expect(summary(card)).to_contain_text("다음 문장 예측")
    card.get_by_test_id("next").click()
    expect(summary(card)).to_contain_text("크기.")


def test_what_a_screen_reader_finds(card: Locator) -> None:
    for role, name in (
        ("combobox", "주장"),
        ("button", "앞 주장"),
        ("button", "다음 주장"),
        ("checkbox", "차이만"),
        ("table", "논문"),
        ("table", "뒤의 연구"),
        ("rowheader", "QNLI"),
    ):
        expect(card.get_by_role(role, name=name, exact=True)).to_have_count(1)
    expect(summary(card)).to_have_attribute("aria-live", "polite")


def test_words_are_text_never_markup(guest: Visit, lab: Lab) -> None:
    hostile = "<img src=x onerror='window.__pwned=1'>"
    code = f"""
from course_utils.widgets import ClaimBrowser
word = {hostile!r}
side = {{"names": (word[:20], "b"), "unit": word, "note": word, "rows": [(word, 1.0, 2.0, word)]}}
ClaimBrowser([{{"title": word, "says": word, "place": word, "paper": side}}])
"""
    guest.open(make_notebook(lab.folder, [code]))
    guest.run_all()
    card = guest.widget("claim_browser")
    expect(card.get_by_test_id("says")).to_contain_text(hostile)
    assert card.locator("img").count() == 0
    assert guest.page.evaluate("() => window.__pwned === undefined")


@pytest.mark.rare
def test_it_fits_a_laptop(guest: Visit, card: Locator) -> None:
    guest.page.set_viewport_size({"width": 1366, "height": 768})
    guest.settle()
    assert card.bounding_box()["height"] <= 600
    assert card.evaluate("card => card.scrollWidth <= card.clientWidth")
    guest.screenshot("claim_browser", of=card)
