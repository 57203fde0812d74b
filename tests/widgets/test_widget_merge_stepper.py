"""MergeStepper without a browser: candidates, cut words, sentence, and what it refuses."""

import json

import pytest

from course_utils.tokenization import BPETrainer, ByteBPETrainer, WordPieceTrainer
from course_utils.tokenization.bpe import apply_merges
from course_utils.widgets import MergeStepper
from course_utils.widgets.merge_stepper.widget import LONGEST_CORPUS, MOST_STEPS

CORPUS = "배를 배를 배를 배가 배가 나를 나를 내가 꽃게 꽃게"


def make(corpus: str = CORPUS, **changes) -> MergeStepper:
    trainers = {
        "BPE": BPETrainer(),
        "WordPiece": WordPieceTrainer(lowercase=False, strip_accents=False),
        "bytes": ByteBPETrainer(),
    }
    return MergeStepper(corpus, **({"trainers": trainers} | changes))


def pieces(stepper: MergeStepper) -> dict[str, list[str]]:
    words = [[piece["text"] for piece in word["pieces"]] for word in stepper.picture["words"]]
    return {"".join(word).replace("##", ""): word for word in words}


@pytest.mark.parametrize("step", range(8))
def test_words_are_cut_as_by_the_first_merges(step: int) -> None:
    stepper = make(step=step)
    merges = [each.pair for each in BPETrainer().steps([CORPUS], 100)][:step]
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    assert pieces(stepper) == {
        word: apply_merges(word, ranks) for word in ("▁배를", "▁배가", "▁나를", "▁꽃게", "▁내가")
    }
    assert stepper.picture["made"] == [a + b for a, b in merges]


def test_candidates_are_those_of_the_trainer_best_first() -> None:
    stepper = make()
    first = next(BPETrainer().steps([CORPUS], 100, runners_up=4))
    shown = [(tuple(each["pair"]), each["count"]) for each in stepper.picture["candidates"]]
    assert shown == [(first.pair, first.count), *((other.pair, other.count) for other in first.runners_up)]
    assert shown[0] == (("▁", "배"), 5) and stepper.picture["candidates"][0]["share"] == 1
    assert [word["count"] for word in stepper.picture["words"]] == [3, 2, 2, 2, 1]
    assert not stepper.picture["scored"] and stepper.picture["total"] == 7


def test_wordpiece_disagrees_and_shows_its_score() -> None:
    stepper = make(method="WordPiece")
    best = stepper.picture["candidates"][0]
    assert best == {"pair": ["꽃", "##게"], "count": 2, "score": "0.500", "share": 1.0}
    assert stepper.picture["scored"]
    assert "다음 쌍은 '꽃' + '##게'입니다(횟수 2, 점수 0.500)" in stepper.summary
    assert "그다음은 '나' + '##를'입니다(횟수 2, 점수 0.200)" in stepper.summary
    stepper.step = 1
    assert "방금 만든 기호는 '꽃게'입니다" in stepper.summary
    assert pieces(stepper)["꽃게"] == ["꽃게"]


def test_only_the_symbol_of_the_last_merge_is_fresh_and_runs_merge_from_the_left() -> None:
    stepper = make("하하하 하하하 하하하하하", step=1)
    first = stepper.picture["made"][0]
    for word in stepper.picture["words"]:
        assert all(piece["fresh"] == (piece["text"] == first) for piece in word["pieces"])
    assert "".join(piece["text"] for piece in stepper.picture["words"][0]["pieces"]) == "▁하하하"


def test_the_end_is_told() -> None:
    stepper = make(step=7)
    assert stepper.picture["candidates"] == [] and "더 합칠 쌍이 없습니다" in stepper.summary
    assert "말뭉치는 기호 12개" in stepper.summary  # ten words, and 내가 is three symbols still


def test_step_follows_when_there_are_fewer_merges() -> None:
    stepper = make(step=7)
    stepper.method = "WordPiece"
    assert stepper.step == stepper.picture["total"] == 4
    stepper.corpus = "배 배"
    assert stepper.step == 0 and stepper.picture["total"] == 0
    stepper.corpus = CORPUS
    stepper.method = "bytes"
    assert stepper.picture["total"] > 7 and stepper.error == ""


def test_odd_and_long_corpora() -> None:
    hostile = "<script>alert(1)</script> {symbol} <img src=x onerror=y> 배"
    for method in ("BPE", "WordPiece", "bytes"):
        assert json.dumps(make(hostile, method=method).picture)
    long = " ".join(chr(0xAC00 + n) + chr(0xB000 + n) for n in range(66)) + " "
    stepper = make(2 * long, method="BPE")
    assert len(2 * long) <= LONGEST_CORPUS and stepper.picture["total"] == MOST_STEPS
