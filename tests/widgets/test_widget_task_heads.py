"""TaskHeads without a browser: what each head's answer becomes, its line, who is asked when, and what is refused."""

import json

import pytest
import torch

from course_utils.widgets import TaskHeads

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
    # I-QT behind B-PS begins anew
    assert [word["joined"] for word in words] == [False, False, True, False, False]
    assert [word["shown"] for word in words] == ["99 %", "90 %", "<1 %", "70 %", "60 %"]
    first = make(words=[("시에서", "I-LC", 1.0), ("서울", "I-LC", 1.0), ("서울", "B-LC", 1.0)])
    assert [word["joined"] for word in first.picture["words"]] == [False, True, False]


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


def test_summary():
    assert make().summary == (
        "영화평: 긍정 80 %. 방언: 경상 60 %. 두 문장: 5점에 3.42점. "
        "태그: 뉴욕 시에서 (LC), 김 (PS), 왔다 (QT). 답: '부산에서'(여유 3.2, 문턱값 −0.5)."
    )
    few = make(words=[("가", "O", 1.0)], found=FOUND | {"margin": -1})
    assert few.summary.endswith(
        "태그가 붙은 단어가 없습니다. 글에 답이 없다고 합니다(여유 −1.0, 문턱값 −0.5)."
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


def test_what_the_model_could_not_read_is_told_beside_the_answers() -> None:
    def pieces(text: str):
        return [("[UNK]", (0, 3))] if text.startswith("배🍐를") else []

    widget = make(pieces=pieces)
    assert "[UNK]" not in widget.summary
    widget.sentence = "배🍐를 먹었다."
    assert "모델은 '배🍐를'에서 [UNK]만 봅니다." in widget.summary
