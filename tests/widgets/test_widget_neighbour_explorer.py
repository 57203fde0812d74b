"""NeighbourExplorer without a browser: its neighbours, its map, its sentence and what it refuses."""

import numpy as np
import pytest

from course_utils.widgets import NeighbourExplorer

WORDS = ["배", "항구", "사과", "밤", "봄"]
START = np.eye(5, 7)
END = np.array([[1, 0, 0], [1, 0.1, 0], [1, 0, 0.3], [0, 1, 0], [-1, 0, 0.0]]) @ np.eye(3, 7)


def make(word="배", **changes) -> NeighbourExplorer:
    return NeighbourExplorer(word, **({"words": WORDS, "moments": {"처음": START, "끝": END}} | changes))


def listed(widget: NeighbourExplorer) -> list[str]:
    return [one["word"] for one in widget.picture["neighbours"]]


def test_neighbours_by_cosine() -> None:
    widget = make()
    assert widget.moment == 1 and listed(widget) == ["항구", "사과", "밤", "봄"]
    cosines = [one["cosine"] for one in widget.picture["neighbours"]]
    assert cosines == pytest.approx([1 / 1.01**0.5, 1 / 1.09**0.5, 0.0, -1.0])


def test_the_moment_changes_the_map_but_not_its_axes() -> None:
    widget = make()
    end = places(widget)
    widget.moment = 0
    start = places(widget)
    assert start.keys() == end.keys() and start != end
    widget.moment = 1
    assert places(widget) == end
    assert np.hypot(*end["항구"]) < np.hypot(*end["밤"]) < np.hypot(*end["봄"])


def places(widget: NeighbourExplorer) -> dict[str, tuple[float, float]]:
    return {point["word"]: (point["x"], point["y"]) for point in widget.picture["points"]}


def test_the_moments_between_do_not_move_the_last_map() -> None:
    middle = np.roll(END, 1, axis=1) + np.roll(END, 1, axis=0)
    between = make(moments={"처음": START, "사이": middle, "끝": END})
    assert between.picture == make().picture
    between.moment = 1
    assert between.picture != make().picture


def test_a_word_never_seen_is_answered_in_words() -> None:
    widget = make()
    widget.word = "배편"
    assert "배운 단어 5개에 없어 벡터가 없습니다" in widget.summary
    assert widget.picture["known"] is False and listed(widget) == widget.picture["points"] == []


def test_two_words_in_one_dimension_have_a_map() -> None:
    widget = make("배", words=["배", "봄"], moments={"끝": [[1.0], [2.0]]})
    assert listed(widget) == ["봄"] and widget.picture["points"][0]["y"] == 0.0
