"""SenseMap without a browser: what it shows, what it asks for, what it refuses."""

import numpy as np

from course_utils.widgets import SenseMap

EXAMPLES = {
    "배": [("배를 탔다.", 0, 1, "ship"), ("배를 먹었다.", 0, 1, "pear"), ("큰 배다.", 2, 3, "ship")],
    "눈": [("눈이 왔다.", 0, 1, "snow"), ("눈을 떴다.", 0, 1, "eye")],
}


def place(word: str, layer: int) -> np.ndarray:
    return np.array([[0.0, 0.0], [4.0, 1.0], [2.0, 2.0]][: len(EXAMPLES[word])]) * (layer + 1)


def make(**changes) -> SenseMap:
    return SenseMap(EXAMPLES, **({"place": place, "layers": 4} | changes))


def test_the_picture_has_every_example_at_its_place() -> None:
    picture = make().picture
    assert picture["kinds"] == [0, 1, 0]
    assert [sense["shown"] for sense in picture["senses"]] == ["타는 배", "먹는 배"]
    assert picture["texts"][2] == ["큰 ", "배", "다."]
    assert picture["points"] == [[-1.0, -0.5], [1.0, 0.0], [0.0, 0.5]]  # one scale for both axes


def test_summary_reads_out_the_chosen_sentence() -> None:
    widget = make()
    assert widget.layer == 4 and widget.word == "배"
    assert "문장 3개(타는 배 2, 먹는 배 1), 층 4" in widget.summary and "배를 탔다." in widget.summary
    widget.point = 1
    assert "먹는 배: 배를 먹었다." in widget.summary
    widget.point = 99
    assert widget.picture["chosen"] == 2
    widget.word = "눈"
    assert "내리는 눈" in widget.summary or "보는 눈" in widget.summary


def test_points_in_one_place() -> None:
    assert make(place=lambda word, layer: np.ones((3, 2))).picture["points"] == [[0.0, 0.0]] * 3
