"""TaskHeads without a browser: what each head's answer becomes, its line, who is asked when, and what is refused."""

import json
import math

import numpy as np
import pytest
import torch

from course_utils.widgets import BadInput, TaskHeads
from course_utils.widgets.task_heads import example
from course_utils.widgets.task_heads.answers import MOST_PIECES, MOST_WORDS

CLASSES = {"영화평": {"부정": 0.2, "긍정": 0.8}, "방언": {"표준어": 0.3, "경상": 0.6, "제주": 0.1}}
WORDS = [
    ("어제", "O", 0.99),
    ("뉴욕", "B-LC", 0.9),
    ("시에서", "I-LC", 0.004),
    ("김", "B-PS", 0.7),
    ("왔다", "I-QT", 0.6),
]
FOUND = {
    "pieces": ["그", "배", "##는", "부산", "##에서"],
    "start": [0.01, 0.05, 0.0, 0.8, 0.02],
    "end": [0.0, 0.02, 0.04, 0.3, 0.6],
    "span": (3, 4),
    "answer": "부산에서",
    "margin": 3.25,
    "threshold": -0.5,
}
TEXTS = {"sentence": "가", "second": "나", "question": "다", "passage": "라"}


def make(*, classes=CLASSES, score=3.417, words=WORDS, found=FOUND, **texts) -> TaskHeads:
    return TaskHeads(
        **(TEXTS | texts),
        classify=lambda sentence: classes,
        compare=lambda sentence, second: score,
        tag=lambda sentence: words,
        answer=lambda question, passage: found,
    )


def test_a_bar_for_each_label_in_the_order_given_and_the_likeliest_marked():
    tasks = make().picture["tasks"]
    assert [task["name"] for task in tasks] == ["영화평", "방언"]
    assert tasks[0]["bars"] == [
        {"label": "부정", "share": 0.2, "shown": "20 %", "best": False},
        {"label": "긍정", "share": 0.8, "shown": "80 %", "best": True},
    ]
    assert [bar["best"] for bar in tasks[1]["bars"]] == [False, True, False]
    small = make(classes={"a": {"x": 0.001, "y": 0.999}}).picture["tasks"][0]["bars"]
    assert [bar["shown"] for bar in small] == ["<1 %", "100 %"]


@pytest.mark.parametrize(
    ("score", "share", "inside", "shown"),
    [(3.417, 0.6834, 3.42, "3.42"), (0, 0, 0, "0.00"), (5.6, 1, 5, "5.60"), (-0.25, 0, 0, "−0.25")],
)
def test_the_score_is_told_as_it_is_and_drawn_within_the_meter(score, share, inside, shown):
    assert make(score=score).picture["alike"] == {"share": share, "score": inside, "shown": shown}
    tensor = torch.tensor(float(score), requires_grad=True)
    assert make(score=tensor).picture["alike"]["shown"] == shown


def test_words_of_one_name_are_joined_and_broken_ones_are_not():
    words = make().picture["words"]
    assert [word["word"] for word in words] == ["어제", "뉴욕", "시에서", "김", "왔다"]
    assert [word["outside"] for word in words] == [True, False, False, False, False]
    assert [word["joined"] for word in words] == [
        False,
        False,
        True,
        False,
        False,
    ]  # I-QT behind B-PS begins anew
    assert [word["shown"] for word in words] == ["99 %", "90 %", "<1 %", "70 %", "60 %"]
    first = make(words=[("시에서", "I-LC", 1.0), ("서울", "I-LC", 1.0), ("서울", "B-LC", 1.0)]).picture[
        "words"
    ]
    assert [word["joined"] for word in first] == [False, True, False]


def test_the_span_is_marked_and_its_ends_have_their_bars():
    found = make().picture["found"]
    assert [piece["inside"] for piece in found["pieces"]] == [False, False, False, True, True]
    assert found["pieces"][3] == {"piece": "부산", "start": 0.8, "end": 0.3, "inside": True}
    assert found["answered"] and found["answer"] == "부산에서"
    assert found["rule"] == "여유 3.2 > 문턱값 −0.5"  # 3.25, and the half goes to the even one
    one = make(found=FOUND | {"span": (2, 2)}).picture["found"]["pieces"]
    assert [piece["inside"] for piece in one] == [False, False, True, False, False]


def test_there_is_no_answer_unless_the_margin_is_above_the_threshold():
    for margin, answered in ((-0.5, False), (-0.49, True), (-9.0, False)):
        found = make(found=FOUND | {"margin": margin}).picture["found"]
        assert found["answered"] is answered
    assert "여유 −9.0 ≤ 문턱값 −0.5" in found["rule"] and found["answer"] == "부산에서"


def test_arrays_may_be_tensors_of_half_precision():
    halves = {
        name: torch.tensor(FOUND[name], dtype=torch.float16, requires_grad=True) for name in ("start", "end")
    }
    assert make(found=FOUND | halves).picture["found"]["pieces"][3]["start"] == 0.7998
    classes = {"a": dict(zip("xy", torch.tensor([0.25, 0.75]), strict=True))}
    assert make(classes=classes).picture["tasks"][0]["bars"][1]["shown"] == "75 %"


def test_summary():
    assert make().summary == (
        "영화평: 긍정 80 %. 방언: 경상 60 %. 두 문장: 5점에 3.42점. "
        "태그: 뉴욕 시에서 (LC), 김 (PS), 왔다 (QT). 답: '부산에서'(여유 3.2, 문턱값 −0.5)."
    )
    few = make(words=[("가", "O", 1.0)], found=FOUND | {"margin": -1})
    assert few.summary.endswith(
        "태그가 붙은 낱말이 없습니다. 글에 답이 없다고 합니다(여유 −1.0, 문턱값 −0.5)."
    )
    many = make(words=[(f"w{place}", "NOUN", 1.0) for place in range(7)])
    assert "태그: w0 (NOUN), w1 (NOUN), w2 (NOUN) 외 4개." in many.summary


def test_a_key_in_one_box_asks_only_the_heads_that_read_it():
    asked = []

    def note(name, found):
        return lambda *texts: asked.append((name, *texts)) or found

    heads = TaskHeads(
        **TEXTS,
        classify=note("classify", CLASSES),
        compare=note("compare", 1.0),
        tag=note("tag", WORDS),
        answer=note("answer", FOUND),
    )
    assert asked == [("classify", "가"), ("compare", "가", "나"), ("tag", "가"), ("answer", "다", "라")]
    for trait, value, names in [
        ("second", "바", ["compare"]),
        ("question", "사", ["answer"]),
        ("passage", "아", ["answer"]),
        ("sentence", "자", ["classify", "compare", "tag"]),
        ("sentence", "가", []),  # as before
        ("second", "차", ["compare"]),
    ]:
        asked.clear()
        setattr(heads, trait, value)
        assert [name for name, *_ in asked] == names, trait


def test_what_a_head_refuses_is_told_in_place_and_the_picture_stays():
    heads = example.small()
    picture, passage = heads.picture, heads.passage
    with pytest.raises(BadInput, match="글에 읽을 낱말이 없습니다. 그림은 바로 앞의 글 그대로"):
        heads.passage = "?!"
    heads.set_state({"passage": "?!"})
    assert heads.error.startswith("글에 읽을 낱말이 없습니다.") and heads.passage == passage
    assert heads.picture == picture
    heads.set_state({"question": "이 우물을 만든 사람은 누구인가?"})
    assert heads.error == "" and "답이 없다고" in heads.summary


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"classes": {}}, "과제 1개부터 3개까지"),
        ({"classes": {"a": {"x": 1.0}}}, "'a'의 라벨은 2개부터 8개까지입니다. 지금은 1개"),
        ({"classes": {"a": {"x": 0.5, "y": 0.6}}}, "'a'의 확률은 음수가 아니고 합이 1"),
        ({"classes": {"a": {"x": math.nan, "y": 1}}}, "합이 1"),
        ({"score": math.nan}, "유한한 수 하나"),
        ({"words": []}, "낱말은 1개부터"),
        ({"words": [("a", "O", 1.0)] * (MOST_WORDS + 1)}, f"지금은 {MOST_WORDS + 1}개"),
        ({"words": [("a", "O", 1.5)]}, "'a'의 확률은 0과 1 사이"),
        ({"found": None}, "pieces, start, end, span, answer, margin, threshold"),
        ({"found": FOUND | {"pieces": ["a"] * (MOST_PIECES + 1)}}, f"지금은 {MOST_PIECES + 1}개"),
        ({"found": FOUND | {"start": [0.1] * 4}}, r"조각 5개마다 .* 받은 모양: \(4,\)"),
        ({"found": FOUND | {"start": [0.3] * 5}}, "합이 1을 넘지"),
        ({"found": FOUND | {"end": [-0.1, 0, 0, 0, 0]}}, "음수가 아니며"),
        ({"found": FOUND | {"span": (4, 3)}}, r"끝이 시작보다 앞설 수 없습니다. 받은 값: \(4, 3\)"),
        ({"found": FOUND | {"span": (3, 5)}}, "0부터 4까지"),
        ({"found": FOUND | {"margin": math.inf}}, "유한한 수여야"),
    ],
)
def test_an_answer_that_does_not_fit_makes_no_widget(given, told):
    with pytest.raises(BadInput, match=told):
        make(**given)


def test_what_is_typed_and_said_stays_text():
    hostile = "<img src=x onerror=alert(1)> {word} " + "\u202e" + "long " * 9
    heads = make(
        sentence=hostile,
        classes={hostile: {hostile: 0.5, "y": 0.5}},
        words=[(hostile, hostile, 0.5)],
        found=FOUND | {"pieces": [hostile] * 5, "answer": hostile},
    )
    shown = json.dumps([heads.picture, heads.summary], ensure_ascii=False)
    assert "\u202e" not in shown and hostile[:23] + "…" in shown


def test_the_rules_of_thumb_give_what_the_contract_says():
    heads = example.small()
    assert heads.summary.startswith("영화평: 긍정 93 %. 방언: 경상 63 %. 두 문장: 5점에 1.80점.")
    for sentence in ("서울 부산 7시", "제주우다!", "ㅋ", "😀"):
        heads.sentence = heads.second = sentence
    for passage in ("지금", "가", "지금은 비", "a. b, c"):
        heads.passage = passage
    assert json.dumps(heads.picture) and np.isfinite(heads.picture["alike"]["score"])
