"""HeadGrid without a browser: its numbers, its sentence and what it refuses."""

import numpy as np
import pytest
import torch

from course_utils.widgets import HeadGrid

NAMES = ["앞", "고르게", "자기"]


def look(words: list[str]) -> torch.Tensor:
    """Head 0 looks at the word before (the first at itself), head 1 at all alike, head 2 mostly at the word itself."""
    count = len(words)
    before = torch.zeros(count, count)
    before[range(count), [max(place - 1, 0) for place in range(count)]] = 1
    itself = 0.7 * torch.eye(count) + 0.3 / count
    return torch.stack([before, torch.full((count, count), 1 / count), itself])


def lose(words: list[str], off: list[int]) -> list[float]:
    """Each head is worth a quarter, and the last word loses a tenth more."""
    return [0.25 * len(off) + 0.1 * (place == len(words) - 1) for place in range(len(words))]


def make(**changes) -> HeadGrid:
    given = {"sentence": "나는 항구에 들러 배를 탔다", "heads": NAMES, "attention": look, "loss": lose}
    return HeadGrid(**given | changes)


def test_the_picture_holds_what_the_functions_say() -> None:
    widget = make()
    widget.off = [2, 0]
    words = ["나는", "항구에", "들러", "배를", "탔다"]
    assert widget.picture["words"] == words and widget.picture["heads"] == NAMES
    assert np.allclose(widget.picture["weights"], look(words))
    assert np.allclose(widget.picture["lost"], lose(words, [0, 2]))


def test_the_summary_says_where_the_word_looks() -> None:
    widget = make()
    widget.word = 3
    assert widget.summary == "'앞' 헤드, 쿼리 '배를': 가장 많이 보는 키는 '들러'입니다(가중치 1.00)."
    widget.head = 1
    assert widget.summary == "'고르게' 헤드, 쿼리 '배를': 모든 키를 똑같이 봅니다(가중치 0.20)."
    widget.head = 2
    assert "'배를'입니다(가중치 0.76)" in widget.summary


def test_the_summary_names_all_keys_that_share_the_first_place() -> None:
    widget = make(
        attention=lambda words: torch.tensor([[[0.5, 0.5, 0.0]] * 3] * 3), sentence="배를 배가 갔다"
    )
    assert "'배를', '배가'입니다(가중치 0.50)" in widget.summary


def test_the_summary_tells_what_is_lost() -> None:
    widget = make()
    assert "꺼진" not in widget.summary and widget.picture["lost"] == [0.0] * 5
    widget.off = [0, 2]
    assert (
        "꺼진 헤드: '앞', '자기'. '나는'의 출력에서 사라진 벡터는 온전한 출력의 50 % 크기입니다."
        in widget.summary
    )
    assert widget.summary.endswith("사라진 벡터의 몫이 가장 큰 단어는 '탔다'입니다(60 %).")
    widget.word = 4
    assert "온전한 출력의 60 % 크기입니다." in widget.summary and "몫이 가장 큰" not in widget.summary
    widget.off = []
    assert "꺼진" not in widget.summary


def test_without_a_loss_heads_stay_on() -> None:
    widget = make(loss=None)
    assert widget.picture["lost"] is None
    with pytest.raises(ValueError, match="loss"):
        widget.off = [0]
