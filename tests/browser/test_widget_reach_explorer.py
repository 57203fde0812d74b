"""ReachExplorer in JupyterLab, operated by mouse; its models are small and untrained."""

from playwright.sync_api import Locator, expect

CELL = """
from course_utils.widgets.reach_explorer.example import small

widget = small()
widget
"""
LEFT = "왼쪽에서 오른쪽, 층 1개: '나는'의 벡터에 닿는 단어는 5개 가운데 1개입니다."


def zeros(widget: Locator, table: str) -> list[list[int]]:
    """Where each row of a table says 0."""
    rows = widget.get_by_test_id(table).locator("tbody tr").all()
    return [
        [n for n, cell in enumerate(row.locator("td").all_text_contents()) if cell == "0"] for row in rows
    ]


def test_reach_by_mouse(widget: Locator) -> None:
    summary = widget.get_by_test_id("summary")
    expect(summary).to_contain_text(LEFT)
    assert zeros(widget, "whole") == [[1, 2, 3, 4], [2, 3, 4], [3, 4], [4], []]
    widget.get_by_test_id("word-3").click()
    expect(summary).to_contain_text(
        "'배를'의 벡터에 닿는 단어는 5개 가운데 4개입니다. 기울기가 꼭 0인 단어: '탔다'."
    )
    assert zeros(widget, "parts") == [[4]] * 3
    widget.get_by_test_id("kind").select_option(label="얕은 양방향")
    expect(summary).to_contain_text(
        "5개 가운데 5개입니다. 벡터의 앞 절반에는 4개, 뒤 절반에는 2개가 닿습니다."
    )
    assert zeros(widget, "parts") == [[], [4], [0, 1, 2]]
    widget.get_by_test_id("layers").fill("3")  # no depth brings the other side in
    expect(summary).to_contain_text(
        "층 3개: '배를'의 벡터에 닿는 단어는 5개 가운데 5개입니다. 벡터의 앞 절반에는 4개"
    )
    widget.get_by_test_id("kind").select_option(label="깊은 양방향")
    expect(summary).to_contain_text("벡터의 앞 절반에는 5개, 뒤 절반에는 5개가 닿습니다.")
    assert zeros(widget, "parts") == [[], [], []]
    widget.get_by_test_id("sentence").fill("배를 깎아 먹었다")
    expect(widget.get_by_test_id("whole").locator("tbody tr")).to_have_count(3)
    expect(widget.get_by_test_id("whole").locator("thead th")).to_have_count(4)
    expect(widget.get_by_test_id("word-2")).to_have_attribute("aria-pressed", "true")


def test_rates_by_mouse(widget: Locator) -> None:
    widget.get_by_test_id("view").select_option(label="학습률과 녹이기")
    summary, rows = widget.get_by_test_id("summary"), widget.get_by_test_id("now").locator("li")
    expect(summary).to_contain_text("갱신 100번 가운데 1번째: 층 7개 가운데 1개가 배웁니다(헤드).")
    expect(widget.get_by_test_id("whole")).to_be_hidden()
    expect(widget.get_by_test_id("sentence")).to_be_hidden()
    expect(rows.first).to_contain_text("헤드")  # the top layer on top
    expect(rows.last).to_have_text("임베딩얼림")
    widget.get_by_test_id("update").fill("60")
    expect(summary).to_contain_text("60번째: 층 7개 가운데 3개가 배웁니다(4층, 5층, 헤드).")
    curves = widget.get_by_test_id("chart").locator("path.rx-curve")
    assert [bool(curve.get_attribute("d")) for curve in curves.all()] == [False] * 3 + [True] * 4
    widget.get_by_test_id("gradual").click()
    expect(summary).to_contain_text("층 7개 가운데 7개가 배웁니다")
    assert all(curve.get_attribute("d") for curve in curves.all())
    widget.get_by_test_id("layered").click()
    expect(rows.last).to_contain_text(rows.first.locator("b").text_content())
    widget.get_by_test_id("view").select_option(label="닿는 범위")
    expect(widget.get_by_test_id("whole")).to_be_visible()
    expect(widget.get_by_test_id("chart")).to_be_hidden()
