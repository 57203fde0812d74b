"""ScaledAttention as a person uses it: by mouse, twice on one page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit, summary

CELL = """
from course_utils.attention import scaled_dot_product_attention
from course_utils.widgets import ScaledAttention
widget = ScaledAttention(
    [[1, 0], [0, 1], [-1, 0], [0, -1]], [[0, 0], [2, 0.1], [2.2, 2], [0.3, 1.6]],
    labels=["항구", "사과", "배", "바다"], attention=scaled_dot_product_attention)
widget
"""


def test_the_query_is_dragged_by_mouse(guest: Visit, widget: Locator) -> None:
    expect(summary(widget)).to_contain_text("'항구'")
    knob = widget.get_by_test_id("query").locator("circle").first.bounding_box()
    plane = widget.locator(".course-surface").bounding_box()
    mouse = guest.page.mouse
    mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    mouse.down()
    for share in (0.4, 0.3, 0.2):  # up the middle of the plane, towards the northern key
        mouse.move(plane["x"] + plane["width"] / 2, plane["y"] + plane["height"] * share)
    mouse.up()
    expect(summary(widget)).to_contain_text("'사과'")
    mouse.move(plane["x"] + 20, plane["y"] + plane["height"] / 2)  # released: moving on changes nothing
    expect(widget.get_by_test_id("query")).to_have_attribute("aria-valuetext", re.compile("가로 −?0.0"))


def test_all_that_hangs_on_the_query_is_drawn_anew(show: Callable[..., Locator]) -> None:
    widget = show(CELL, "widget.query = [0.0, 11.0]")
    expect(widget.locator("tr.sa-best")).to_have_count(1)
    expect(widget.locator("tr.sa-best")).to_contain_text("사과")
    pulls = widget.locator(".sa-pull").evaluate_all(
        "(lines) => lines.map((line) => line.getAttribute('stroke-width'))"
    )
    # Nearly all of the weight is on the second.
    assert [float(width) for width in pulls] == pytest.approx([1, 8, 1, 1], abs=0.05)
    value, context = widget.locator(".sa-value").nth(1), widget.locator(".sa-context")
    assert float(context.get_attribute("cx")) == pytest.approx(float(value.get_attribute("x")) + 5, abs=0.1)
    # The plane reaches as far as the query, so the eastern key has become short: 98 units for 11.
    tip = widget.locator(".sa-key polygon").first.get_attribute("points").split(",")[0]
    assert float(tip) == pytest.approx(128 + 98 / 11, abs=0.1)


@pytest.mark.each_time
def test_what_python_refuses_is_told_in_place_and_the_picture_stays(guest: Visit, widget: Locator) -> None:
    before = widget.locator("tbody").inner_text()
    # A slider beyond its own limits, as a tampered page would send it.
    widget.get_by_test_id("d_k").evaluate(
        "node => { node.max = 12; node.value = 12; node.dispatchEvent(new Event('input')); }"
    )
    expect(widget.get_by_test_id("error")).to_contain_text("d_k는 2부터 1024까지")
    expect(widget.get_by_test_id("d_k")).to_have_attribute("aria-valuetext", "64")
    assert widget.locator("tbody").inner_text() == before
    widget.get_by_test_id("d_k").focus()
    guest.page.keyboard.press("Home")
    expect(widget.get_by_test_id("error")).to_be_hidden()
    expect(summary(widget)).to_contain_text("d_k = 2,")


@pytest.mark.each_time
def test_two_views_of_one_widget_stay_in_step_and_python_sees_it(
    guest: Visit, show: Callable[..., Locator]
) -> None:
    show(CELL, "widget", "widget.scaled = False\nwidget")
    views = guest.page.get_by_test_id("scaled_attention")
    expect(views).to_have_count(3)
    expect(views.nth(0).get_by_test_id("scaled")).not_to_be_checked()
    views.nth(1).get_by_test_id("scaled").check()
    for index in range(3):
        expect(summary(views.nth(index))).to_contain_text("√d_k로 나눔")
        expect(views.nth(index).get_by_test_id("scaled")).to_be_checked()
