"""DecoderStepper without a browser: bars, the row of attention, the tree of beams, its line, and what it refuses."""

import copy
import json
import math

import numpy as np
import pytest

from course_utils.widgets import DecoderStepper
from course_utils.widgets.decoder_stepper import example
from course_utils.widgets.decoder_stepper.translation import MOST_DROPPED, score, told

LN = math.log
# 0.6 A, 0.4 B; after A 0.5 end, 0.3 x, 0.2 y; after B 0.9 x, then 1.0 end: greedy says "A end", the best is "B x end".
FOUND = {
    "source": ["one", "two", "three", "four", "five"],
    "steps": [
        {"chosen": "B", "probability": 0.4, "candidates": [("A", 0.6), ("B", 0.4)]},
        {"chosen": "x", "probability": 0.9, "candidates": [("x", 0.9), ("y", 0.06), ("end", 0.03)]},
        {"chosen": "end", "probability": 1.0, "candidates": [("end", 1.0)]},
    ],
    "attention": np.arange(2 * 7 * 3 * 5, dtype=float).reshape(2, 7, 3, 5) ** 3,
    "tree": [
        {"parent": -1, "token": "A", "log_probability": LN(0.6), "state": "kept"},
        {"parent": -1, "token": "B", "log_probability": LN(0.4), "state": "kept"},
        {"parent": 0, "token": "y", "log_probability": LN(0.12), "state": "dropped"},
        {"parent": 1, "token": "x", "log_probability": LN(0.36), "state": "kept"},
        {"parent": 0, "token": "end", "log_probability": LN(0.3), "state": "finished"},
        {"parent": 0, "token": "x", "log_probability": LN(0.18), "state": "dropped"},
        {"parent": 1, "token": "y", "log_probability": LN(0.024), "state": "dropped"},
        {"parent": 3, "token": "end", "log_probability": LN(0.359), "state": "finished"},
    ],
    "best": 7,
}
FOUND["attention"] /= FOUND["attention"].sum(-1, keepdims=True)
STEPS, TREE = FOUND["steps"], FOUND["tree"]


def make(found=FOUND, *, view: str = "step", **start) -> DecoderStepper:
    stepper = DecoderStepper("go", translate=lambda *asked: found, write="/".join, **start)
    stepper.view = view
    return stepper


def spoilt(**parts) -> dict:
    return copy.deepcopy(FOUND) | parts


def test_the_bars_are_the_next_tokens_with_the_chosen_one_marked():
    stepper = make(step=2)
    assert stepper.picture["bars"] == [
        {"token": "x", "share": 0.9, "shown": "0.90", "chosen": True},
        {"token": "y", "share": 0.06, "shown": "0.06", "chosen": False},
        {"token": "end", "share": 0.03, "shown": "0.03", "chosen": False},
    ]
    assert stepper.picture["rest"] == "0.01" and stepper.picture["said"] == ["B", "x"]


def test_a_small_probability_is_not_told_as_none():
    assert [told(share) for share in (0.0, 1e-9, 0.0049, 0.005, 0.996, 1.0)] == [
        *("0.00", "<0.01", "<0.01", "0.01", "1.00", "1.00")
    ]
    steps = [STEPS[0], STEPS[1] | {"candidates": [("x", 0.9), ("y", 0.099), ("z", 0.001)]}, STEPS[2]]
    stepper = make(spoilt(steps=steps), step=2)
    assert [bar["shown"] for bar in stepper.picture["bars"]] == ["0.90", "0.10", "<0.01"]


def test_a_chosen_token_far_down_takes_the_last_bar():
    names = [f"t{rank}" for rank in range(9)]
    shares = [0.3, 0.2, 0.15, 0.1, 0.08, 0.07, 0.05, 0.03, 0.02]
    steps = [{"chosen": "t7", "probability": 0.03, "candidates": list(zip(names, shares, strict=True))}]
    tree = [{"parent": -1, "token": "t7", "log_probability": LN(0.03), "state": "finished"}]
    attention = np.full((1, 1, 1, 5), 0.2)
    stepper = make(spoilt(steps=steps, tree=tree, attention=attention, best=0))
    assert [bar["token"] for bar in stepper.picture["bars"]] == ["t0", "t1", "t2", "t3", "t4", "t7"]
    assert [bar["chosen"] for bar in stepper.picture["bars"]] == [False] * 5 + [True]
    assert stepper.picture["rest"] == "0.14"  # 1 − 0.83 − 0.03
    assert "가장 그럴듯한 토큰은 't0'(0.30)" in stepper.summary and "똑같이 봅니다(0.20)" in stepper.summary


def test_the_row_is_that_of_the_step_the_layer_and_the_head():
    stepper = make(step=2)
    stepper.layer, stepper.head = 1, 5
    row = FOUND["attention"][1, 5, 1]
    assert [key["share"] for key in stepper.picture["source"]] == [round(share, 4) for share in row]
    assert [key["token"] for key in stepper.picture["source"]] == FOUND["source"]
    assert stepper.picture["layers"] == 2 and stepper.picture["heads"] == 7
    assert f"층 1 헤드 5에서 가장 많이 본 단어: 'five' {row[4]:.2f}, 'four' {row[3]:.2f}." in stepper.summary


def test_a_word_that_comes_twice_is_told_with_its_place():
    stepper = make(spoilt(source=["two", "of", "two", "a", "two"]), step=2)
    row = FOUND["attention"][0, 0, 1]
    assert f"단어: 'two'(5번째 단어) {row[4]:.2f}, 'a' {row[3]:.2f}." in stepper.summary


def test_the_tree_grows_with_the_step_and_says_where_each_node_stands():
    assert make().picture["tree"] is None  # is not seen
    stepper = make(view="beam")
    assert [node["token"] for node in stepper.picture["tree"]["nodes"]] == ["A", "B"]
    stepper.step = 2
    nodes = stepper.picture["tree"]["nodes"]
    assert [(node["token"], node["step"], node["rank"], node["parent"]) for node in nodes] == [
        ("A", 1, 1, -1),
        ("B", 1, 2, -1),
        ("x", 2, 1, 1),
        ("end", 2, 2, 0),
        ("x", 2, 3, 0),
        ("y", 2, 4, 0),
    ]
    assert [node["state"] for node in nodes[2:]] == ["kept", "finished", "dropped", "dropped"]
    assert [node["best"] for node in nodes] == [False, True, True, False, False, False]
    assert nodes[2]["shown"] == "−1.02"
    assert len([1 for node in nodes if node["state"] == "dropped"]) == MOST_DROPPED
    # the size of the board is that of the whole tree
    assert [stepper.picture["tree"][name] for name in ("rows",)] == [4]
    assert len(stepper.picture["tree"]["widths"]) == 3


def test_at_the_last_token_all_of_the_search_is_shown():
    tree = [*FOUND["tree"], {"parent": 5, "token": "late", "log_probability": -9.0, "state": "dropped"}]
    tree[5] = tree[5] | {"state": "kept"}
    tree.append({"parent": 8, "token": "later", "log_probability": -9.5, "state": "dropped"})
    tree[8] = tree[8] | {"state": "kept"}
    stepper = make(spoilt(tree=tree), view="beam", step=2)
    assert max(node["step"] for node in stepper.picture["tree"]["nodes"]) == 2
    stepper.step = 3
    assert max(node["step"] for node in stepper.picture["tree"]["nodes"]) == 4


@pytest.mark.parametrize("penalty", [0.0, 1.0, 2.0])
def test_finished_sentences_stand_by_their_scores(penalty):
    stepper = make(view="beam", step=2, length_penalty=penalty)
    (only,) = stepper.picture["tree"]["finished"]
    assert only["text"] == "A/end" and not only["best"] and only["length"] == 2
    stepper.step = 3
    found = stepper.picture["tree"]["finished"]
    assert [one["text"] for one in found] == ["B/x/end", "A/end"] and found[0]["best"]
    assert found[0]["score"] == f"{LN(0.359) / (8 / 6) ** penalty:.3f}".replace("-", "−")


def test_the_penalty_turns_the_order_round():
    tree = [
        one | {"log_probability": LN(0.28)} if place == 7 else one for place, one in enumerate(FOUND["tree"])
    ]
    stepper = make(spoilt(tree=tree), view="beam", step=3, length_penalty=0.0)
    assert [one["length"] for one in stepper.picture["tree"]["finished"]] == [2, 3]
    stepper.length_penalty = 1.0
    assert [one["length"] for one in stepper.picture["tree"]["finished"]] == [3, 2]


def test_a_score_by_hand():
    assert score(-3.0, 7, 0.0) == -3 and score(-3.0, 7, 1.0) == -1.5 and score(-3.0, 1, 2.0) == -3
    assert score(-4.0, 19, 0.5) == -2


def test_summary():
    stepper = make(step=1)
    assert stepper.summary.startswith(
        "1번째 토큰(모두 3개): 'B', 확률 0.40. 이 자리에서 가장 그럴듯한 토큰은 'A'(0.60)"
    )
    stepper.view, stepper.step = "beam", 2
    assert stepper.summary == (
        "2번째 토큰(모두 3개): 'x', 확률 0.90. 고른 번역은 이 걸음에서 1위(로그 확률 −1.02). 이 걸음에 남긴 가지 1개, "
        "버린 가지 3개, 지금까지 끝난 문장 1개. 점수 1위: 'A/end'(−1.098)."
    )


def test_whatever_a_slider_moves_over_is_asked_for_once():
    asked = []

    def translate(*given):
        asked.append(given)
        return FOUND

    stepper = DecoderStepper("go", translate=translate)
    for step in (1, 2, 3, 2):
        stepper.step = step
    stepper.layer, stepper.head, stepper.view = 1, 3, "beam"
    for size in (4, 5, 3):
        stepper.beam_size = size
    assert asked == [("go", 3, 0.6), ("go", 4, 0.6), ("go", 5, 0.6)]


@pytest.mark.parametrize(("beam_size", "length_penalty"), [(1, 0.6), (2, 0.0), (5, 0.0), (5, 2.0)])
def test_every_step_of_a_search_is_ranked_and_holds_the_best(beam_size, length_penalty):
    stepper = example.small(beam_size=beam_size, length_penalty=length_penalty)
    stepper.view, total = "beam", stepper.picture["total"]
    for step in range(1, total + 1):
        stepper.step = step
        tree = stepper.picture["tree"]
        ranks = [node["rank"] for node in tree["nodes"] if node["step"] == step]
        assert ranks == list(range(1, len(ranks) + 1)) and len(ranks) <= beam_size + MOST_DROPPED
        assert sum(node["best"] for node in tree["nodes"]) == step
    assert tree["finished"][0]["best"] and json.dumps(stepper.picture)
    # Without a penalty a sentence that ends at once wins, where the beam is wide enough to keep it.
    short = length_penalty == 0 and beam_size >= 3
    assert tree["finished"][0]["text"] == ("2" if short else "2026년 11월 22일 일요일 오후 3시 30분")
