"""LayerMixer in JupyterLab, operated by mouse; its vectors are made up."""

import pytest
from playwright.sync_api import Locator, expect

CELL = """
from course_utils.widgets.layer_mixer.example import small

widget = small()
widget
"""


def shares(widget: Locator) -> list[str]:
    return widget.locator(".lx-layer > :last-child").all_text_contents()


def test_by_mouse(widget: Locator) -> None:
    summary, now = widget.get_by_test_id("summary"), widget.get_by_test_id("now")
    near = widget.get_by_test_id("neighbours").locator("mark")
    expect(summary).to_contain_text("몫이 가장 큰 층: 임베딩(100 %). 정확도 58.7 %.")
    expect(near).to_have_text(["배를", "배를", "배를", "배를", "배를", "배가", "배가"])
    widget.get_by_test_id("mix-2").click()  # the last layer: the senses have parted
    expect(summary).to_contain_text("몫이 가장 큰 층: 층 4(100 %). 정확도 65.0 %.")
    expect(near.nth(0)).to_have_text("배가")
    expect(widget.get_by_test_id("mix-2")).to_have_attribute("aria-pressed", "true")
    expect(widget.get_by_test_id("mix-0")).to_have_attribute("aria-pressed", "false")
    widget.get_by_test_id("weight-3").fill("1")
    expect(now).to_contain_text("82.5 %")
    assert shares(widget) == ["0 %", "0 %", "0 %", "50 %", "50 %"]
    expect(widget.get_by_test_id("mix-2")).to_have_attribute("aria-pressed", "false")
    widget.get_by_test_id("sentence").select_option("5")
    expect(widget.get_by_test_id("words").locator("button")).to_have_text(
        ["달고", "시원한", "배를", "먹었다"]
    )
    widget.get_by_test_id("word-2").click()
    expect(summary).to_contain_text("이 문장의 '배를'에 가장 가까운 단어:")
    context = widget.get_by_test_id("neighbour-0").get_attribute("title")
    assert context in ("배를 깎아 접시에 담았다", "사과와 배를 한 상자 샀다", "시장에서 단감과 배를 골랐다")
    widget.get_by_test_id("neighbour-0").click()
    expect(widget.get_by_test_id("words").locator("button")).to_have_text(context.split())
    expect(widget.get_by_test_id("words").locator("[aria-pressed=true]")).to_have_text("배를")


def test_bars_are_as_long_as_their_numbers(widget: Locator) -> None:
    widget.get_by_test_id("mix-3").click()  # the last four
    expect(widget.get_by_test_id("now")).to_contain_text("83.5 %")
    for rows, expected in [(".lx-layer", [0, 0.25, 0.25, 0.25, 0.25]), (".lx-now", [0.835])]:
        tracks = widget.locator(f"{rows} .lx-track")
        found = [
            track.locator("i").bounding_box()["width"] / track.bounding_box()["width"]
            for track in tracks.all()
        ]
        assert found == pytest.approx(expected, abs=0.03)
