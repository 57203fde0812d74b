"""ActivationExplorer in JupyterLab, operated by mouse and by keyboard."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELL = """
from course_utils.activations import gelu, gelu_derivative, gelu_tanh, gelu_tanh_derivative, relu, relu_derivative
from course_utils.widgets import ActivationExplorer

widget = ActivationExplorer(
    {"GELU": (gelu, gelu_derivative), "ReLU": (relu, relu_derivative), "tanh 꼴": (gelu_tanh, gelu_tanh_derivative)},
    difference_of=("GELU", "tanh 꼴"),
    x=1.0,
    runs={"ReLU, 0.03": ([177 + 2 * n for n in range(101)], [1 / (1 + n) for n in range(101)]),
          "GELU, 0.03": ([0] * 101, [1 / (1 + n * n) for n in range(101)])},
    units=960,
)
widget
"""


def test_by_mouse(guest: Visit, widget: Locator) -> None:
    summary, handle = widget.get_by_test_id("summary"), widget.get_by_test_id("handle")
    expect(summary).to_contain_text("x = 1.00")
    picture = widget.locator("svg.course-surface")
    frame = picture.bounding_box()
    knob = handle.locator(".ae-knob").bounding_box()
    guest.page.mouse.move(knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2)
    guest.page.mouse.down()
    guest.page.mouse.move(frame["x"] + frame["width"] * 0.3, frame["y"] + 200, steps=5)
    guest.page.mouse.up()
    expect(summary).to_contain_text("x = −1.89")
    expect(summary).to_contain_text("ReLU의 기울기는 정확히 0")
    expect(widget.get_by_test_id("row-1")).to_contain_text("0.0000")
    guest.page.mouse.click(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] * 0.75)
    expect(summary).to_contain_text("x = 0.0")
    widget.get_by_test_id("difference").check()
    expect(summary).to_contain_text("× 0.0001")
    expect(widget.get_by_test_id("gap")).to_be_visible()
    widget.get_by_test_id("show-1").uncheck()
    expect(summary).not_to_contain_text("ReLU")
    expect(picture.locator("polyline.sense-1").first).to_be_hidden()
    widget.get_by_test_id("show-1").check()
    expect(summary).to_contain_text("ReLU")


def test_by_keyboard(guest: Visit, widget: Locator) -> None:
    summary, handle, box = (widget.get_by_test_id(name) for name in ("summary", "handle", "x"))
    handle.focus()
    guest.page.keyboard.press("ArrowRight")
    expect(summary).to_contain_text("x = 1.10")
    guest.page.keyboard.press("Shift+ArrowLeft")
    expect(summary).to_contain_text("x = 0.60")
    expect(handle).to_have_attribute("aria-valuetext", "x = 0.60")
    for _ in range(12):
        guest.page.keyboard.press("Shift+ArrowRight")
    expect(summary).to_contain_text("x = 4.00")
    widget.get_by_test_id("difference").press("Space")
    expect(summary).to_contain_text("× 0.0001")
    box.fill("-2.7")
    box.press("Enter")
    expect(summary).to_contain_text("GELU − tanh 꼴 = −4.73 × 0.0001")


@pytest.mark.rare
def test_the_other_views_by_keyboard_alone(guest: Visit, widget: Locator) -> None:
    summary, view, handle = (widget.get_by_test_id(name) for name in ("summary", "view", "handle"))
    view.press("ArrowDown")
    expect(summary).to_contain_text("1번 던져")
    expect(widget.get_by_test_id("difference")).to_be_hidden()
    coins = widget.locator(".ae-coin")
    expect(coins).to_have_count(81)
    widget.get_by_test_id("flips").press("End")
    expect(summary).to_contain_text("1000번 던져")
    expect(widget.get_by_test_id("gate")).to_contain_text("/ 1000")
    where = coins.nth(45).get_attribute("cy")
    widget.get_by_test_id("roll").press("Enter")
    expect(coins.nth(45)).not_to_have_attribute("cy", where)
    handle.press("ArrowLeft")
    expect(summary).to_contain_text("x = 0.90")

    view.press("ArrowDown")
    expect(summary).to_contain_text("ReLU 50.0 %")
    expect(widget.get_by_role("slider", name="입력의 평균").last).to_have_attribute("aria-valuetext", "0.00")
    for _ in range(4):
        handle.press("Shift+ArrowLeft")
    expect(summary).to_contain_text("평균 −2.00")
    expect(widget.get_by_test_id("row-1")).to_contain_text("97.7 %")
    expect(widget.get_by_test_id("row-0")).to_contain_text("0.0 %")
    widget.get_by_test_id("spread").press("ArrowLeft")
    expect(summary).to_contain_text("표준편차 0.90")

    view.press("ArrowDown")
    expect(summary).to_contain_text("배우기 전(0걸음), 유닛 960개 가운데 죽은 것: ReLU, 0.03 177개")
    widget.get_by_test_id("step").press("ArrowRight")
    expect(summary).to_contain_text("1걸음 뒤")
    handle.press("Shift+ArrowRight")
    expect(summary).to_contain_text("6걸음 뒤, 유닛 960개 가운데 죽은 것: ReLU, 0.03 189개")
    expect(widget.get_by_test_id("run-0")).to_contain_text("189")
    expect(handle).to_have_attribute("aria-valuetext", "6")
    view.press("Home")
    expect(summary).to_contain_text("x = 0.90에서 GELU")


def test_a_drag_scrubs_the_run(guest: Visit, widget: Locator) -> None:
    widget.get_by_test_id("view").select_option(index=3)
    expect(widget.get_by_test_id("summary")).to_contain_text("0걸음")
    frame = widget.locator("svg.course-surface").bounding_box()
    guest.page.mouse.click(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    expect(widget.get_by_test_id("summary")).to_contain_text("50걸음 뒤")


def test_bad_input_is_told_in_place(widget: Locator) -> None:
    box, error = widget.get_by_test_id("x"), widget.get_by_test_id("error")
    for typed in ("7", "배", ""):
        box.fill(typed)
        box.press("Enter")
        expect(error).not_to_be_empty()
        expect(widget.get_by_test_id("summary")).to_contain_text("x = 1.00")
        box.fill("1")
        box.press("Enter")
        expect(error).to_be_empty()
