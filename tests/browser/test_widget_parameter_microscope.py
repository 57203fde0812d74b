"""ParameterMicroscope as a person uses it: by mouse, by keyboard, with hostile names."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import Lab, Visit, make_notebook

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


@pytest.fixture
def card(guest: Visit, lab: Lab) -> Locator:
    guest.open(make_notebook(lab.folder, [CELL]))
    guest.run_all()
    return guest.widget("parameter_microscope")


def summary(card: Locator) -> Locator:
    return card.get_by_test_id("summary")


def test_by_mouse(guest: Visit, card: Locator) -> None:
    expect(card.get_by_test_id("total")).to_have_text("4,433,468")
    card.get_by_test_id("size").select_option(label="base")
    expect(card.get_by_test_id("total")).to_have_text("110,106,428")
    expect(summary(card)).to_contain_text("공개된 수와 같습니다")
    guest.screenshot("parameter_microscope", of=card)
    card.get_by_test_id("heads").uncheck()
    expect(card.get_by_test_id("total")).to_have_text("109,482,240")
    card.get_by_test_id("area-1").click()
    expect(summary(card)).to_contain_text("'인코더'이고 85,054,464개")
    expect(card.get_by_test_id("parts").get_by_role("rowheader")).to_have_count(12)
    card.get_by_test_id("part-11").click()
    expect(summary(card)).to_contain_text("'인코더 › 12층'이고 7,087,872개")
    guest.screenshot("parameter_microscope-layer", of=card)
    # Wait for each picture: two clicks at once would both mean the part-0 of the old one.
    card.get_by_test_id("part-2").click()
    expect(summary(card)).to_contain_text("피드포워드'이고 4,722,432개")
    card.get_by_test_id("part-0").click()
    expect(summary(card)).to_contain_text("넓히기'이고 2,362,368개")
    card.get_by_test_id("part-0").click()
    expect(summary(card)).to_contain_text("3,072 × 768 = 2,359,296")
    card.get_by_test_id("crumb-0").click()
    expect(summary(card)).to_contain_text("공개된 수와 같습니다")


def test_by_keyboard(guest: Visit, card: Locator) -> None:
    press = guest.page.keyboard.press
    card.get_by_test_id("part-0").focus()
    press("ArrowDown")
    expect(card.get_by_test_id("part-1")).to_be_focused()
    press("ArrowRight")
    expect(summary(card)).to_contain_text("지금 보는 곳은 '인코더'")
    expect(card.get_by_test_id("part-0")).to_be_focused()
    press("End")
    expect(card.get_by_test_id("part-1")).to_be_focused()
    press("Enter")
    expect(summary(card)).to_contain_text("'인코더 › 2층'")
    press("ArrowLeft")
    expect(summary(card)).to_contain_text("지금 보는 곳은 '인코더'이고")
    expect(card.get_by_test_id("part-1")).to_be_focused()  # where we came from
    press("Backspace")
    expect(summary(card)).to_contain_text("가장 큰 묶음은 '임베딩'")
    expect(card.get_by_test_id("part-1")).to_be_focused()
    press("Home")
    press("ArrowRight")
    expect(summary(card)).to_contain_text("지금 보는 곳은 '임베딩'이고")
    press("ArrowRight")
    expect(summary(card)).to_contain_text("30,522 × 128 = 3,906,816")
    press("ArrowRight")  # a tensor holds nothing more
    expect(summary(card)).to_contain_text("30,522 × 128 = 3,906,816")
    card.get_by_test_id("size").focus()
    press("ArrowDown")
    expect(summary(card)).to_contain_text("30,522 × 768 = 23,440,896")
    card.get_by_test_id("heads").focus()
    press("Space")
    expect(summary(card)).to_contain_text("사전 학습 헤드 제외")
    card.get_by_test_id("crumb-1").focus()
    press("Enter")
    expect(summary(card)).to_contain_text("지금 보는 곳은 '임베딩'이고")
    expect(card.get_by_test_id("crumb-1")).to_be_focused()


def test_tab_passes_every_control_once(guest: Visit, card: Locator) -> None:
    card.get_by_test_id("part-1").click()
    expect(summary(card)).to_contain_text("'인코더'")
    card.get_by_test_id("size").focus()
    seen = []
    for _ in range(5):
        testid, ring = guest.page.evaluate(
            """() => {
              const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
              return [document.activeElement.dataset.testid, outlineStyle === 'none' ? 0 : parseFloat(outlineWidth)];
            }"""
        )
        seen.append(testid)
        assert ring >= 2, f"{testid} has the focus but does not show it"
        guest.page.keyboard.press("Tab")
    assert seen == ["size", "heads", "crumb-0", "crumb-1", "part-0"]


def test_what_a_screen_reader_finds(card: Locator) -> None:
    expect(card.get_by_role("combobox", name="크기")).to_have_count(1)
    expect(card.get_by_role("checkbox", name="사전 학습 헤드(MLM, NSP) 포함")).to_be_checked()
    expect(card.get_by_role("navigation", name="지금 보는 곳")).to_have_count(1)
    expect(card.get_by_role("columnheader")).to_have_text(["이름", "모양", "개수", "몫"])
    expect(card.get_by_role("img", name="tiny, 사전 학습 헤드 포함")).to_have_count(1)
    expect(card).to_have_attribute("aria-label", "파라미터 현미경")
    expect(summary(card)).to_have_attribute("aria-live", "polite")


def test_names_are_text_never_markup(guest: Visit, lab: Lab) -> None:
    names = ["<img src=x onerror='window.__pwned=1'>", "<script>window.__pwned=1</script>", "$&", "{name}"]
    source = f"""
from course_utils.widgets import ParameterMicroscope
names = {names!r}
tensors = [(name, (2 + place, 3)) for place, name in enumerate(names)]
ParameterMicroscope({{names[0]: 0, names[1]: 1}}, tensors=lambda _: tensors)
"""
    guest.open(make_notebook(lab.folder, [source]))
    guest.run_all()
    card = guest.widget("parameter_microscope")
    expect(card.get_by_test_id("parts").get_by_role("rowheader")).to_have_text(names)
    expect(card.get_by_test_id("size").locator("option")).to_have_text(names[:2])
    card.get_by_test_id("part-0").click()
    expect(summary(card)).to_contain_text(f"지금 보는 곳은 '{names[0]}'")
    assert card.locator("img, script").count() == 0
    assert guest.page.evaluate("() => window.__pwned === undefined")


def test_what_is_refused_is_told_and_the_picture_stays(guest: Visit, lab: Lab) -> None:
    source = """
from course_utils.widgets import ParameterMicroscope
ParameterMicroscope({"모형": 0}, tensors=lambda _: [("mlm.bias", (4,)), ("nsp.bias", (2,))])
"""
    guest.open(make_notebook(lab.folder, [source]))
    guest.run_all()
    card = guest.widget("parameter_microscope")
    card.get_by_test_id("heads").click()
    expect(card.get_by_test_id("error")).to_contain_text("텐서가 남지 않습니다")
    expect(card.get_by_test_id("heads")).to_be_checked()
    expect(card.get_by_test_id("total")).to_have_text("6")
    card.get_by_test_id("part-0").click()
    expect(card.get_by_test_id("error")).to_be_hidden()


def test_a_click_that_began_before_the_picture_changed_still_counts(guest: Visit, card: Locator) -> None:
    size, total = card.get_by_test_id("size"), card.get_by_test_id("total")
    # The areas of base lie much as those of large: the pointer stays over the same one.
    size.select_option(label="base")
    expect(total).to_have_text("110,106,428")
    card.get_by_test_id("area-1").hover()
    guest.page.mouse.down()
    size.select_option(label="large")
    expect(total).to_have_text("336,226,108")
    guest.page.mouse.up()
    expect(card.get_by_test_id("parts").get_by_role("rowheader")).to_have_count(24)


@pytest.mark.rare
@pytest.mark.parametrize("width", [700, 1920])
def test_text_stays_large_enough_and_nothing_is_cut(guest: Visit, card: Locator, width: int) -> None:
    guest.page.set_viewport_size({"width": width, "height": 1600})
    card.get_by_test_id("size").select_option(label="large")
    # Until it is drawn, the areas of another size are there, elsewhere.
    expect(card.get_by_test_id("total")).to_have_text("336,226,108")
    card.get_by_test_id("area-1").click()
    expect(card.get_by_test_id("parts").get_by_role("rowheader")).to_have_count(24)
    guest.settle()
    sizes = card.evaluate(
        """card => [...card.querySelectorAll('*')].filter((node) => [...node.childNodes].some(
          (child) => child.nodeType === 3 && child.textContent.trim()))
          .map((node) => parseFloat(getComputedStyle(node).fontSize))"""
    )
    assert min(sizes) >= 14
    assert card.evaluate("card => card.scrollWidth <= card.clientWidth")
    guest.screenshot(f"parameter_microscope-{width}", of=card)


@pytest.mark.rare
def test_dark_theme(guest: Visit, lab: Lab) -> None:
    guest.use_theme("Dark")
    try:
        guest.open(make_notebook(lab.folder, [CELL]))
        guest.run_all()
        card = guest.widget("parameter_microscope")
        card.get_by_test_id("size").select_option(label="large")
        expect(card.get_by_test_id("total")).to_have_text("336,226,108")
        ink, paper = card.evaluate(
            "card => [getComputedStyle(card).color, getComputedStyle(card).backgroundColor]"
        )
        assert _lightness(ink) - _lightness(paper) > 0.5
        guest.screenshot("parameter_microscope-dark", of=card)
    finally:
        guest.use_theme("Light")


def _lightness(color: str) -> float:
    red, green, blue = (float(part) / 255 for part in re.findall(r"[\d.]+", color)[:3])
    return 0.21 * red + 0.72 * green + 0.07 * blue
