"""OptimizerRace in JupyterLab, operated by mouse and by keyboard."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit

CELL = """
from torch.optim import SGD, Adam, RAdam

from course_utils.widgets import OptimizerRace
from course_utils.widgets.optimizer_race.racing import race_of

widget = OptimizerRace(race_of({
    "SGD": lambda weights, rate: SGD(weights, lr=rate),
    "모멘텀": lambda weights, rate: SGD(weights, lr=rate, momentum=0.9),
    "Adam": lambda weights, rate: Adam(weights, lr=rate),
    "RAdam": lambda weights, rate: RAdam(weights, lr=rate),
}))
widget
"""


def head(widget: Locator, racer: int) -> Locator:
    """The mark of an optimiser on the map."""
    return widget.get_by_test_id("map").locator(".or-head").nth(racer)


def points(widget: Locator, racer: int) -> list[str]:
    """The corners of its path there."""
    way = widget.get_by_test_id("map").locator(f".or-line.sense-{racer}")
    return way.get_attribute("points").split()


def test_by_mouse(guest: Visit, widget: Locator) -> None:
    summary, step = widget.get_by_test_id("summary"), widget.get_by_test_id("step")
    expect(summary).to_contain_text("학습률 0.08, 120걸음 뒤")
    assert len(points(widget, 0)) == 121 and points(widget, 0)[0] == "-170,-60"  # up is up
    step.click(position={"x": 3, "y": step.bounding_box()["height"] / 2})
    expect(summary).to_contain_text("모두 높이 4.3에서 출발합니다")
    assert points(widget, 3) == ["-170,-60"]
    expect(head(widget, 3)).to_have_attribute("transform", "translate(-170.0 -60.0)")
    widget.get_by_test_id("surface").select_option(label="말안장")
    expect(summary).to_contain_text("말안장")
    expect(head(widget, 0)).to_have_attribute("transform", "translate(-160.0 -0.1)")
    widget.get_by_test_id("show-1").uncheck()
    step.fill("60")
    expect(summary).to_contain_text("60걸음 뒤")
    expect(summary).not_to_contain_text("모멘텀")
    expect(head(widget, 1)).to_be_hidden()
    expect(head(widget, 2)).to_be_visible()


@pytest.mark.rare
def test_it_plays_to_the_end_and_from_the_start_again(guest: Visit, widget: Locator) -> None:
    play, step, summary = (widget.get_by_test_id(name) for name in ("play", "step", "summary"))
    play.press("Enter")
    expect(play).to_have_text("❚❚ 멈춤")
    expect(summary).to_have_attribute("aria-live", "off")
    guest.page.wait_for_function(_STEP_IS, arg=[5, 100], polling=50)
    play.press("Enter")
    expect(play).to_have_text("▶ 재생")
    guest.page.wait_for_timeout(300)  # what is under way arrives
    stood = step.input_value()
    guest.page.wait_for_timeout(300)
    assert step.input_value() == stood and 5 <= int(stood) < 120
    expect(summary).to_contain_text(f"{stood}걸음 뒤")
    step.fill("110")
    play.press("Enter")
    expect(summary).to_contain_text("120걸음 뒤")
    expect(play).to_have_text("▶ 재생")
    expect(summary).to_have_attribute("aria-live", "polite")


_STEP_IS = """([low, high]) => {
  const step = Number(document.querySelector('[data-testid=optimizer_race] [data-testid=step]').value);
  return low <= step && step <= high;
}"""
