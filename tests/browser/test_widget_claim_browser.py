"""ClaimBrowser as a person uses it: by mouse."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELL = "from course_utils.widgets.claim_browser.example import small\nwidget = small()\nwidget"


def texts(widget: Locator, side: str, row: int) -> list[str]:
    return (
        widget.get_by_test_id(f"{side}-table")
        .locator("tbody tr")
        .nth(row)
        .locator("th, td")
        .all_inner_texts()
    )


def widths(widget: Locator, side: str, row: int) -> list[float]:
    """Of the bars that are seen, as shares of their track."""
    track = widget.get_by_test_id(f"{side}-table").locator("tbody tr").nth(row).locator(".cb-track")
    return track.evaluate(
        """track => [...track.children].filter(bar => !bar.hidden)
            .map(bar => bar.getBoundingClientRect().width / track.getBoundingClientRect().width)"""
    )


def test_differences_only_by_mouse(guest: Visit, widget: Locator) -> None:
    widget.get_by_test_id("differences").click()
    expect(widget.locator(".cb-less").first).to_be_visible()
    (width,) = widths(widget, "paper", 0)
    assert abs(width - 0.5) < 0.02  # the largest difference of its side: from the middle to the edge
    assert widths(widget, "later", 1) == []


def test_numbers_bars_and_sources(widget: Locator) -> None:
    expect(widget.get_by_test_id("says")).to_have_text("NSP를 빼면 나빠진다. 5.1절")
    assert [part.strip() for part in texts(widget, "paper", 0)] == [
        "QNLI",
        "84.9",
        "88.4",
        "−3.5",
        "표 5, No NSP",
    ]
    value, reference = widths(widget, "paper", 0)
    assert abs(value - 84.9 / 88.4) < 0.01 and abs(reference - 1) < 0.01
    assert [part.strip() for part in texts(widget, "later", 1)] == ["사람", "91.0", "–", "–", "알려진 것"]
    assert len(widths(widget, "later", 1)) == 1  # nothing to compare with
