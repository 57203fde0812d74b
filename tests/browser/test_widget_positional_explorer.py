"""PositionalExplorer in JupyterLab, operated by mouse and by keyboard."""

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

HOSTILE = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
CELL = f"""
from course_utils.positional import sinusoidal_encoding
from course_utils.widgets import PositionalExplorer

def encoding(length, hidden_size):
    if hidden_size == 2:
        raise ValueError({HOSTILE!r})
    return sinusoidal_encoding(length, hidden_size)

widget = PositionalExplorer(encoding)
widget
"""


def test_by_mouse(guest: Visit, widget: Locator) -> None:
    summary, picture = widget.get_by_test_id("summary"), widget.locator("svg.course-surface")
    expect(summary).to_contain_text("A는 자리 10, B는 자리 15입니다(거리 5, B가 뒤)")
    heat = picture.locator("image").bounding_box()

    def point(position: int) -> tuple[float, float]:
        return heat["x"] + heat["width"] / 2, heat["y"] + heat["height"] * (position + 0.5) / 64

    guest.page.mouse.move(*point(15))
    guest.page.mouse.down()
    guest.page.mouse.move(*point(40), steps=5)
    guest.page.mouse.up()
    expect(summary).to_contain_text("A는 자리 10, B는 자리 40입니다(거리 30, B가 뒤)")
    guest.page.mouse.click(*point(60))  # the nearer one, B
    expect(summary).to_contain_text("A는 자리 10, B는 자리 60입니다")
    guest.page.mouse.move(*point(10))
    guest.page.mouse.down()
    guest.page.mouse.move(heat["x"] + 5, heat["y"] - 300, steps=3)
    guest.page.mouse.up()
    expect(summary).to_contain_text("A는 자리 0, B는 자리 60입니다(거리 60, B가 뒤)")
    guest.page.mouse.move(*point(30))  # nothing is held any more
    expect(summary).to_contain_text("A는 자리 0, B는 자리 60입니다")


def test_bad_input_is_told_in_place_and_markup_stays_text(guest: Visit, widget: Locator) -> None:
    size, error = widget.get_by_test_id("hidden_size"), widget.get_by_test_id("error")
    size.focus()
    guest.page.keyboard.press("Home")  # C = 2, which this encoding refuses
    expect(error).to_contain_text(HOSTILE)
    expect(size).to_have_value("6")
    expect(widget.get_by_test_id("summary")).to_contain_text("A는 자리 10")
    assert widget.locator("img, script").count() == 0
    assert guest.page.evaluate("window.hacked") is None
    guest.page.keyboard.press("ArrowRight")
    expect(error).to_be_empty()


def test_the_picture_has_the_encodings_colours(guest: Visit, widget: Locator) -> None:
    colours = guest.page.evaluate(
        """async (node) => {
          const picture = await createImageBitmap(await (await fetch(node.getAttribute("href"))).blob());
          const canvas = new OffscreenCanvas(picture.width, picture.height);
          canvas.getContext("2d").drawImage(picture, 0, 0);
          const at = (x, y) => [...canvas.getContext("2d").getImageData(x, y, 1, 1).data.slice(0, 3)];
          return [picture.width, picture.height, at(0, 0), at(1, 0), at(0, 11)];
        }""",
        widget.locator("svg.course-surface image").element_handle(),
    )
    assert colours == [64, 64, [255, 255, 255], [0, 57, 92], [140, 59, 0]]  # sin 0, cos 0, sin 11 ≈ −1
