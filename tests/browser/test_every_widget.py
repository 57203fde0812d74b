"""What each widget must show of its own, in tables: names for a screen reader, text that is no markup, its height.

test_standard.py holds all widgets to what they have in common.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.harness import VIEWPORT, Lab, Visit, make_notebook
from tests.browser.test_standard import at_its_largest
from tests.browser.test_widget_activation_explorer import CELL as ACTIVATIONS

pytestmark = pytest.mark.rare

HOSTILE = "<img src=x onerror=window.hacked=1> <script>window.hacked=1</script> $& {word} 배를"
LAPTOP, TALLEST = {"width": 1366, "height": 768}, 600
# Controls and parts by role and name, as a screen reader finds them: what a sighted reader knows from its place.
NAMED = {
    "activation_explorer": "slider 움직이는 점 x, textbox x =, checkbox ReLU 보이기",
    "attention_explorer": "textbox 문장 1, textbox 문장 2, slider 문턱값",
    "bert_at_a_glance": "textbox 문장, table, link 12 사전 학습 과제",
    "claim_browser": "combobox 주장, button 앞 주장, button 다음 주장, checkbox 차이만, table 논문, table 뒤의 연구",
    "decoder_stepper": "textbox 영어 날짜와 시각, slider 토큰, slider 빔 너비, slider 길이 벌점 α, combobox 층, "
    "combobox 헤드, button 한 토큰 뒤로, button 다음 토큰, button 빔의 나무, list 키(열): 원문 토큰",
    "family_explorer": "combobox 왼쪽, combobox 오른쪽, checkbox 다른 것만",
    "head_grid": "textbox 문장, button 헤드 3, checkbox '헤드 3' 헤드 켜기",
    "layer_mixer": "slider 층 1의 무게, combobox 문장, group 볼 단어",
    "mask_painter": "textbox 문장, button 인과, button 모두 보기, slider 뒤에서 패딩, grid 마스크, table 어텐션 가중치",
    "mask_roller": "textbox 문장, textbox 둘째 문장, checkbox 단어 통째로, spinbutton 시드, button 다시 굴리기, "
    "button 처음부터",
    "merge_stepper": "textbox 말뭉치, combobox 방법, slider 합친 횟수, button 처음, button ◀ 뒤로, button 끝",
    "neighbour_explorer": "textbox 단어, slider 학습, img 단어 둘레의 지도",
    "optimizer_race": "slider 학습률, slider 웜업, slider 기울기 잡음, combobox 지형, checkbox Adam 보이기",
    "parameter_microscope": "combobox 크기, navigation 지금 보는 곳, columnheader 이름, columnheader 몫",
    "parity_debugger": "combobox 결함, slider 결함이 있는 층, rowheader 층 2",
    "positional_explorer": "slider 자리 A, slider 자리 B, slider 차원 수 C, slider 물결을 그릴 차원, "
    "img 거리에 따른 코사인 유사도, img 고른 차원의 물결",
    "reach_explorer": "textbox 문장, combobox 보기",
    "scaled_attention": "slider 차원 d_k, slider 온도, slider 쿼리, checkbox √d_k로 나누기",
    "sense_explorer": "textbox 문장, combobox 단어, img 지도 위의 내 문장",
    "sense_map": "combobox 단어, slider 층, slider 고른 문장",
    "task_heads": "textbox 문장, textbox 둘째 문장, textbox 질문, textbox 글, meter 문장 둘 → [CLS]: 얼마나 비슷한가",
    "token_inspector": "textbox 글, checkbox 소문자로, checkbox 악센트 떼기, region 친 글의 코드 포인트",
    "training_replay": "slider 되감기, textbox 문장, progressbar 진행",
}
# Whose first box may not be empty.
REFUSES_NOTHING_TYPED = (
    *("attention_explorer", "bert_at_a_glance", "decoder_stepper", "head_grid", "mask_painter"),
    *("mask_roller", "merge_stepper", "neighbour_explorer", "reach_explorer", "sense_explorer"),
    *("task_heads", "training_replay"),
)
# With an input of usual size: a cell, and where one looks at other pictures, by a list or by buttons.
SMALL = "from course_utils.widgets.{}.example import {}\n\n{}()"
VIEWS = {
    "activation_explorer": (ACTIVATIONS, ["view"]),
    "optimizer_race": (SMALL.format("optimizer_race", *["largest"] * 2), ["surface"]),
    "reach_explorer": (SMALL.format("reach_explorer", *["small"] * 2), ["view"]),
    "decoder_stepper": (SMALL.format("decoder_stepper", *["small"] * 2), ["view-step", "view-beam"]),
}


@pytest.mark.parametrize("name", NAMED)
def test_controls_have_names_and_what_is_typed_stays_text(guest: Visit, lab: Lab, name: str) -> None:
    card = at_its_largest(guest, lab, name)
    expect(card.get_by_test_id("summary")).to_have_attribute("aria-live", "polite")
    for part in NAMED[name].split(", "):
        role, called = part.split(" ", 1)
        expect(card.get_by_role(role, name=called, exact=True).first).to_be_visible()
    for box in card.locator("input[type=text]:visible, textarea:visible").all():
        box.fill(HOSTILE)
        box.press("Tab")
    guest.settle()
    assert card.locator("img, script").count() == 0
    assert guest.page.evaluate("window.hacked") is None


@pytest.mark.parametrize("name", REFUSES_NOTHING_TYPED)
def test_what_is_refused_is_told_in_place_and_what_is_typed_stays(guest: Visit, lab: Lab, name: str) -> None:
    card = at_its_largest(guest, lab, name)
    box = card.locator("input[type=text]:visible, textarea:visible").first
    error, summary = card.get_by_test_id("error"), card.get_by_test_id("summary")
    good, said = box.input_value(), summary.text_content()
    box.fill("  ")
    expect(error).not_to_be_empty()
    expect(summary).to_have_text(said)
    expect(box).to_have_value("  ")
    expect(box).to_be_focused()
    box.fill(good[:-1] or "배배")  # the same text as before is no change, of which Python would not hear
    expect(error).to_be_empty()


@pytest.mark.parametrize("name", VIEWS)
def test_each_view_fits_a_laptop(guest: Visit, lab: Lab, name: str) -> None:
    cell, controls = VIEWS[name]
    guest.open(make_notebook(lab.folder, [cell.strip()]))
    guest.run_all()
    card = guest.widget(name)
    guest.page.set_viewport_size(LAPTOP)
    heights = {view: height(guest, card) for view in each_view(card, controls)}
    guest.page.set_viewport_size(VIEWPORT)
    assert {view: tall for view, tall in heights.items() if tall > TALLEST} == {}


def height(guest: Visit, card: Locator) -> float:
    guest.settle()
    return card.bounding_box()["height"]


def each_view(card: Locator, controls: list[str]) -> Iterator[str]:
    """Show one view after the other, and say which."""
    for control in controls:
        node = card.get_by_test_id(control)
        if control.startswith("view-"):
            node.click()
            yield control
        else:
            for place in range(node.locator("option").count()):
                node.select_option(index=place)
                yield f"{control} {place}"
