"""ParameterMicroscope as a person uses it: by mouse, by keyboard, with hostile names."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.browser.harness import Visit, summary

CELL = """
import torch
from course_utils.config import BertConfig
from course_utils.heads import BertForPreTraining
from course_utils.widgets import ParameterMicroscope

def tensors(config):
    with torch.device("meta"):
        model = BertForPreTraining(config)
    return [(name.removeprefix("bert."), tuple(p.shape)) for name, p in model.named_parameters()]

sizes = {name: getattr(BertConfig, name)() for name in ["tiny", "base", "large"]}
widget = ParameterMicroscope(sizes, tensors=tensors, published={"base": (109_482_240, 110_106_428)})
widget
"""


def test_by_mouse(guest: Visit, widget: Locator) -> None:
    expect(widget.get_by_test_id("total")).to_have_text("4,433,468")
    widget.get_by_test_id("size").select_option(label="base")
    expect(widget.get_by_test_id("total")).to_have_text("110,106,428")
    expect(summary(widget)).to_contain_text("공개된 수와 같습니다")
    widget.get_by_test_id("heads").uncheck()
    expect(widget.get_by_test_id("total")).to_have_text("109,482,240")
    widget.get_by_test_id("area-1").click()
    expect(summary(widget)).to_contain_text("'인코더'이고 85,054,464개")
    expect(widget.get_by_test_id("parts").get_by_role("rowheader")).to_have_count(12)
    widget.get_by_test_id("part-11").click()
    expect(summary(widget)).to_contain_text("'인코더 › 12층'이고 7,087,872개")
    # Wait for each picture: two clicks at once would both mean the part-0 of the old one.
    widget.get_by_test_id("part-2").click()
    expect(summary(widget)).to_contain_text("피드포워드'이고 4,722,432개")
    widget.get_by_test_id("part-0").click()
    expect(summary(widget)).to_contain_text("넓히기'이고 2,362,368개")
    widget.get_by_test_id("part-0").click()
    expect(summary(widget)).to_contain_text("3,072 × 768 = 2,359,296")
    widget.get_by_test_id("crumb-0").click()
    expect(summary(widget)).to_contain_text("공개된 수와 같습니다")


def test_by_keyboard(guest: Visit, widget: Locator) -> None:
    press = guest.page.keyboard.press
    widget.get_by_test_id("part-0").focus()
    press("ArrowDown")
    expect(widget.get_by_test_id("part-1")).to_be_focused()
    press("ArrowRight")
    expect(summary(widget)).to_contain_text("지금 보는 곳은 '인코더'")
    expect(widget.get_by_test_id("part-0")).to_be_focused()
    press("End")
    expect(widget.get_by_test_id("part-1")).to_be_focused()
    press("Enter")
    expect(summary(widget)).to_contain_text("'인코더 › 2층'")
    press("ArrowLeft")
    expect(summary(widget)).to_contain_text("지금 보는 곳은 '인코더'이고")
    expect(widget.get_by_test_id("part-1")).to_be_focused()  # where we came from
    press("Backspace")
    expect(summary(widget)).to_contain_text("가장 큰 묶음은 '임베딩'")
    expect(widget.get_by_test_id("part-1")).to_be_focused()
    press("Home")
    press("ArrowRight")
    expect(summary(widget)).to_contain_text("지금 보는 곳은 '임베딩'이고")
    press("ArrowRight")
    expect(summary(widget)).to_contain_text("30,522 × 128 = 3,906,816")
    press("ArrowRight")  # a tensor holds nothing more
    expect(summary(widget)).to_contain_text("30,522 × 128 = 3,906,816")
    widget.get_by_test_id("size").focus()
    press("ArrowDown")
    expect(summary(widget)).to_contain_text("30,522 × 768 = 23,440,896")
    widget.get_by_test_id("heads").focus()
    press("Space")
    expect(summary(widget)).to_contain_text("사전 학습 헤드 제외")
    widget.get_by_test_id("crumb-1").focus()
    press("Enter")
    expect(summary(widget)).to_contain_text("지금 보는 곳은 '임베딩'이고")
    expect(widget.get_by_test_id("crumb-1")).to_be_focused()


def test_a_click_that_began_before_the_picture_changed_still_counts(guest: Visit, widget: Locator) -> None:
    size, total = widget.get_by_test_id("size"), widget.get_by_test_id("total")
    # The areas of base lie much as those of large: the pointer stays over the same one.
    size.select_option(label="base")
    expect(total).to_have_text("110,106,428")
    widget.get_by_test_id("area-1").hover()
    guest.page.mouse.down()
    size.select_option(label="large")
    expect(total).to_have_text("336,226,108")
    guest.page.mouse.up()
    expect(widget.get_by_test_id("parts").get_by_role("rowheader")).to_have_count(24)
