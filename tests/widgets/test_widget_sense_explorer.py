"""SenseExplorer without a browser: readings, the words it follows, and what it refuses."""

import asyncio
import unicodedata

import numpy as np
import pytest

from course_utils.contextual.words import WordNotFound, find_word, occurrences
from course_utils.widgets import SenseExplorer
from course_utils.widgets.sense_explorer.widget import PAUSE

EXAMPLES = {
    "배": [("배를 탔다.", 0, 1, "ship"), ("배를 먹었다.", 0, 1, "pear")],
    "눈": [("눈이 왔다.", 0, 1, "snow"), ("눈을 떴다.", 0, 1, "eye")],
}


def read(sentence: str, word: str, occurrence: int):
    start, _ = find_word(sentence, word, occurrence=occurrence)
    names = [sense for *_, sense in EXAMPLES[word]]
    if start:  # a word further back has the other sense
        names.reverse()
    moved = [(k, k + 2, 1.5 - k) for k in (sentence.find("항구"), sentence.find("탔다")) if k >= 0]
    return [(names[0], 0.8), (names[1], 0.2)], (float(start), 0.5), moved


def make(sentence: str = "배에서 항구를 보고 탔다.", **changes) -> SenseExplorer:
    given = dict(examples=EXAMPLES, place=lambda word: np.eye(2), read=read, occurrences=occurrences)
    return SenseExplorer(sentence, **(given | changes))


def test_what_is_read_is_shown() -> None:
    widget = make()
    picture = widget.picture
    assert [bar["shown"] for bar in picture["bars"]] == ["타는 배", "먹는 배"]
    assert "".join(part["text"] for part in picture["parts"]) == widget.sentence
    roles = {part["text"]: part["role"] for part in picture["parts"]}
    assert roles["배"] == "word" and roles["항구"] == roles["탔다"] == "context"
    assert "'배'의 뜻은 타는 배에 가장 가깝습니다(80 %)." in widget.summary
    assert "먹는 배입니다(20 %)" in widget.summary
    # In one frame: (1, 0), (0, 1) and the sentence's own (0, ½), of which the farthest lie at ±1.
    assert widget.background == {"points": [[1, -1], [-1, 1]], "kinds": [0, 1]} and picture["own"] == [-1, 0]


def test_the_points_are_sent_only_when_they_move(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = make()
    sent = []
    monkeypatch.setattr(
        SenseExplorer, "_send", lambda self, message, buffers=None: sent.append(set(message["state"]))
    )
    widget.set_state({"sentence": "배에서 항구를 보고 탔다!"})
    assert sent == [{"picture"}]
    sent.clear()
    widget.set_state({"sentence": "어제는 배에서 항구를 보고 탔다."})  # read() places it further out
    assert sent == [{"background", "picture", "summary"}]


def test_of_two_the_chosen_one_is_read() -> None:
    widget = make("배를 타고 배를 먹었다.")
    assert widget.picture["count"] == 2 and "2번 나옵니다. 지금은 1번째" in widget.summary
    widget.occurrence = 1
    assert widget.picture["chosen"] == 1 and "먹는 배에 가장" in widget.summary
    widget.sentence = "배를 탔다."
    assert widget.picture["chosen"] == 0 and "번 나옵니다" not in widget.summary


def test_unsure_and_unmoved_are_said() -> None:
    widget = make(read=lambda *_: ([("ship", 0.51), ("pear", 0.49)], (0, 0), []))
    assert "자신이 없습니다" in widget.summary and "찾지 못했습니다" in widget.summary


def test_the_word_follows_the_sentence_and_the_sentence_the_word() -> None:
    widget = make()
    widget.sentence = "눈이 펑펑 온다."
    assert widget.word == "눈" and "내리는 눈" in widget.summary
    widget.word = "배"
    assert widget.sentence == "배를 탔다."
    assert make("눈이 온다.").word == "눈"


def test_what_the_reader_refuses_is_told() -> None:
    def picky(sentence: str, word: str, occurrence: int):
        if "너무" in sentence:
            raise ValueError("model reads 4 tokens")
        return read(sentence, word, occurrence)

    widget = make(read=picky)
    widget.set_state({"sentence": "배가 너무 길다."})
    assert "reads 4 tokens" in widget.error and widget.sentence == "배에서 항구를 보고 탔다."


def test_a_word_that_the_model_cannot_read_is_told_and_not_answered() -> None:
    def reads_no_emoji(sentence: str, word: str, occurrence: int):
        if "🍐" in sentence:
            raise WordNotFound("unread", word=word, sentence=sentence, inside="배🍐를")
        return read(sentence, word, occurrence)

    widget = make(read=reads_no_emoji)
    before = widget.picture
    widget.set_state({"sentence": "배🍐를 먹었다."})
    assert "'배🍐를' 전체가 모르는 토큰 [UNK]" in widget.error and widget.error.endswith("문장 그대로입니다.")
    assert widget.picture == before


def test_hangul_in_parts_is_read_as_it_looks() -> None:
    sentence = "먼 항구에서 배를 탔다."
    widget = make()
    widget.set_state({"sentence": unicodedata.normalize("NFD", sentence)})
    assert widget.error == "" and widget.picture == make(sentence).picture


def test_what_takes_time_comes_in_the_pause_and_only_for_the_last_key() -> None:
    asked: list[str] = []

    def slow(sentence: str, word: str, occurrence: int):
        scores, place, moved = read(sentence, word, occurrence)

        def find():
            asked.append(sentence)
            return moved

        return scores, place, find

    widget = make(read=slow)
    assert asked == [widget.sentence] and not widget.picture["weighing"]

    async def type_two_keys() -> None:
        widget.set_state({"sentence": "항구의 배"})
        assert widget.picture["weighing"] and "배에 가장" in widget.summary
        assert "항구" not in widget.summary
        widget.set_state({"sentence": "항구의 배를"})
        await asyncio.sleep(3 * PAUSE)

    asyncio.run(type_two_keys())
    assert asked[1:] == ["항구의 배를"]
    assert not widget.picture["weighing"] and "항구" in widget.summary
    widget.set_state({"sentence": "배에서 탔다."})  # without a loop nothing could come later
    assert asked[2:] == ["배에서 탔다."] and not widget.picture["weighing"]


def test_a_refused_key_does_not_stop_the_weighing() -> None:
    def slow(sentence: str, word: str, occurrence: int):
        scores, place, moved = read(sentence, word, occurrence)
        return scores, place, lambda: moved

    widget = make(read=slow)

    async def type_a_good_and_a_bad_key() -> None:
        widget.set_state({"sentence": "항구의 배를"})
        widget.set_state({"sentence": "항구의"})
        assert widget.error and widget.sentence == "항구의 배를" and widget.picture["weighing"]
        await asyncio.sleep(3 * PAUSE)

    asyncio.run(type_a_good_and_a_bad_key())
    assert not widget.picture["weighing"] and "항구" in widget.summary


def test_what_of_the_context_the_model_could_not_read_is_told_beside_the_sense() -> None:
    def pieces(text: str):
        return [("[UNK]", (text.find("항구"), text.find("항구") + 3))] if "항구🍐" in text else []

    widget = make(pieces=pieces)
    assert "[UNK]" not in widget.summary
    widget.sentence = "배에서 항구🍐를 보고 탔다."
    assert "먹는 배입니다(20 %). 모델은 '항구🍐'에서 [UNK]만 봅니다." in widget.summary
