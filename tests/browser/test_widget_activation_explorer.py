"""ActivationExplorer in JupyterLab, operated by mouse."""

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
