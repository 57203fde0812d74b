"""NeighbourExplorer in JupyterLab, operated by mouse."""

from playwright.sync_api import Locator, expect

CELL = """
import numpy as np
from course_utils.widgets import NeighbourExplorer

words = ["배", "항구", "사과", "밤", "<b>굵게</b>"]
end = np.array([[1, 0, 0], [1, 0.1, 0], [1, 0, 0.3], [0.4, 1, 0], [0.2, 0, 1]])
moments = {"처음": np.eye(5, 3) + 0.1, "끝": end}

widget = NeighbourExplorer("배", words=words, moments=moments)
widget
"""


def test_by_mouse(widget: Locator) -> None:
    summary, neighbours = (
        widget.get_by_test_id("summary"),
        widget.get_by_test_id("neighbours").get_by_role("button"),
    )
    expect(summary).to_contain_text("끝: '배'에 가장 가까운 단어는 항구")
    expect(neighbours).to_have_count(4)
    neighbours.first.click()
    expect(summary).to_contain_text("'항구'에 가장 가까운 단어는 배")
    expect(widget.get_by_test_id("word")).to_have_value("항구")
    widget.get_by_test_id("moment").fill("0")
    expect(summary).to_contain_text("처음: '항구'")
