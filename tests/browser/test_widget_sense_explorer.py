"""SenseExplorer in JupyterLab, operated by mouse."""

from playwright.sync_api import Locator, expect

CELL = """
import numpy as np
from course_utils.contextual.words import find_word, occurrences
from course_utils.widgets import SenseExplorer

rows = [("배를 탔다.", 0, 1, "ship"), ("배를 먹었다.", 0, 1, "pear"),
        ("배가 아프다.", 0, 1, "belly"), ("두 배다.", 2, 3, "times")] * 12
examples = {"배": rows, "눈": [("눈이 왔다.", 0, 1, "snow"), ("눈을 떴다.", 0, 1, "eye")]}
corners = {"배": np.array([[-3, 2], [3, 2], [-3, -2], [3, -2]] * 12), "눈": np.array([[-1.0, 0], [1, 0]])}

def place(word):
    spread = np.random.default_rng(0).normal(size=(len(examples[word]), 2))
    return corners[word] + 0.6 * spread

def read(sentence, word, occurrence):
    start, _ = find_word(sentence, word, occurrence=occurrence)
    names = list(dict.fromkeys(sense for *_, sense in examples[word]))
    first = names.index("pear") if "먹" in sentence[start:] and "pear" in names else 0
    names.insert(0, names.pop(first))
    scores = [(name, share) for name, share in zip(names, [0.84, 0.1, 0.04, 0.02])]
    known = {"항구에": 2.4, "나는": -0.6, "탔다": 1.7, "먹었다": 2.1, "들러": 0.3}
    moved = [(sentence.find(w), sentence.find(w) + len(w), by) for w, by in known.items() if w in sentence]
    return scores, (corners[word][first] * 0.8), moved

given = dict(examples=examples, place=place, read=read, occurrences=occurrences)
widget = SenseExplorer("나는 항구에 들러 배를 탔다.", **given)
widget
"""


def test_by_mouse(widget: Locator) -> None:
    summary, bars = widget.get_by_test_id("summary"), widget.get_by_test_id("bars")
    expect(summary).to_contain_text("타는 배에 가장 가깝습니다(84 %)")
    expect(summary).to_contain_text("가장 크게 민 말은 '항구에'")
    expect(bars.get_by_role("listitem")).to_have_text(["타는 배", "먹는 배", "몸의 배", "곱절의 배"])
    points = widget.locator(".se-marks > *")
    expect(points).to_have_count(48)
    parts = widget.get_by_test_id("parts").get_by_role("listitem")
    expect(parts).to_have_text(["나는−0.6", "항구에+2.4", "들러+0.3", "배", "탔다+1.7"])
    expect(widget.get_by_test_id("occurrence")).to_be_hidden()
    widget.get_by_test_id("sentence").fill("배를 타고 배를 먹었다.")
    expect(summary).to_contain_text("2번 나옵니다. 지금은 1번째")
    widget.get_by_test_id("occurrence").select_option("1")
    expect(summary).to_contain_text("지금은 2번째")
    # As a click does; select_option alone leaves the focus in the sentence, which then is not overwritten.
    widget.get_by_test_id("word").focus()
    widget.get_by_test_id("word").select_option("1")
    expect(widget.get_by_test_id("sentence")).to_have_value("눈이 왔다.")
    expect(summary).to_contain_text("내리는 눈")
    expect(points).to_have_count(2)
