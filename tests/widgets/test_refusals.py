"""Every widget refuses bad input in one sentence, from Python and from the browser, and shows what it showed before."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from course_utils import widgets
from course_utils.widgets.base import CourseWidget

# Of the example in each widget's folder: an input, values that it cannot have, and what is said of them.
REFUSED: dict[str, list[tuple[str, list[Any], str]]] = {
    "activation_explorer": [
        ("x", [4.5, math.nan, -math.inf], "x는 −4부터 4까지"),
        ("shown", [["GELU", "없는 이름"]], "없는 이름"),
        ("view", ["elsewhere"], "그런 보기가 없습니다"),
        ("flips", [0, 1001], "1부터 1000까지"),
        ("mean", [4.1, math.nan], "−4부터 4까지"),
        ("spread", [0.0, 3.5], "0.1부터 3까지"),
        ("step", [-1, 2001], "0부터 2000까지"),
    ],
    "attention_explorer": [
        ("first", ["", " \t"], "문장 1이 비었습니다"),
        ("layer", [12, -1], "층 번호는 0부터 11"),
        ("head", [12, -1], "헤드 번호는 0부터 11"),
        ("token", [64, -1], "토큰 번호는 0부터 63"),
        ("side", ["third"], '"first"나 "second"'),
        ("threshold", [-0.01, 1.01, math.nan], "문턱값은 0부터 1"),
        ("sort", ["next"], "previous, entropy"),
    ],
    "claim_browser": [("claim", [-1, 24, "0"], "0부터 23까지|숫자")],
    "decoder_stepper": [
        ("sentence", ["", " \n"], "비었습니다"),
        ("sentence", ["a" * 201], "200자까지입니다. 지금은 201자"),
        ("beam_size", [0, 6], "1부터 5까지"),
        ("length_penalty", [-0.1, 2.1, math.nan], "0부터 2.0까지"),
        ("step", [0, 65], "1부터 64까지"),
        ("layer", [99, -1], "층 번호는 0부터"),
        ("head", [99, -1], "헤드 번호는 0부터"),
        ("view", ["table"], "step, beam"),
    ],
    "family_explorer": [
        ("left", ["모름"], "'모름'은"),
        ("right", ["", "모름"], "고를 수 있는 모델이 아닙니다"),
    ],
    "guess": [("guess", ["다른 답", "0.5"], "보기 가운데 하나")],
    "head_grid": [
        ("sentence", ["", " \t "], "단어 1개부터 12개"),
        ("sentence", ["배 " * 13], "받은 단어 수: 13"),
        ("head", [16, -1], "헤드 번호는 0부터 15"),
        ("word", [12, -1], "단어 번호는 0부터 11"),
        ("off", [[16], [-1]], "끌 수 있는 헤드는 0부터 15"),
    ],
    "layer_mixer": [
        ("weights", [[0] * 25], "섞을 것이 없습니다"),
        ("weights", [[1, 0], [1, -0.1] + [0] * 23, [1.1] * 25, [math.nan] * 25], "0부터 1까지의 수 25개"),
        ("sentence", [10**6, -1], "문장 번호는 0부터"),
        ("word", [-1], "0 이상"),
    ],
    "mask_painter": [
        ("sentence", ["", " \t\n "], "비었습니다"),
        ("sentence", ["배 " * 13], "12개까지 그릴 수 있습니다. 지금은 13개"),
        ("padding", [-1, 13], "패딩은 0개부터 12개"),
        ("row", [-1], "행 번호"),
        ("painted", [[[0, 0]], [[0, 12, 1]], [[-1, 0, 1]], [[0, 0, 2]]], "칠한 칸"),
    ],
    "mask_roller": [
        ("sentence", ["배" * 61], "60자까지입니다. 지금은 61자"),
        ("pair", ["배" * 61], "지금은 61자"),
        ("sentence", [" "], "비었습니다"),
        ("seed", [-1, 10_000], "0부터 9999까지"),
        ("roll", [0, 100_001], "1번째부터 100,000번째까지"),
    ],
    "merge_stepper": [
        ("corpus", ["", " \n "], "비었습니다"),
        ("corpus", ["배" * 401], "400자까지"),
        ("method", ["unigram"], "BPE, WordPiece"),
        ("step", [-1, 81], "0부터 32까지"),
    ],
    "neighbour_explorer": [
        ("word", ["", "두 단어", "배" * 21], "20자까지의 단어 하나"),
        ("moment", [-1, 100], "0부터 99까지"),
    ],
    "optimizer_race": [
        ("surface", ["hill"], "valley"),
        ("rate", [0.0009, 1.01, math.nan, math.inf], "0.001부터 1까지"),
        ("warmup", [-1, 61], "0부터 60까지"),
        ("noise", [-0.1, 3.1, math.nan], "0부터 3까지"),
        ("seed", [-1], "0부터"),
        ("step", [-1, 121], "0부터 120까지"),
        ("shown", [["nobody"]], "nobody"),
    ],
    "parameter_microscope": [
        ("size", ["huge"], "large, base, tiny 가운데"),
        ("path", ["encoder.layers.24", "enc", "."], "시작하는 텐서가 없습니다"),
    ],
    "parity_debugger": [("fault", ["모름"], "'모름'은"), ("layer", [0, 49], "1부터 48까지")],
    "positional_explorer": [
        ("first", [-1, 512], "자리는 0부터 511"),
        ("second", [-1, 512], "자리는 0부터 511"),
        ("hidden_size", [1, 257, -5], "차원 수는 2부터 256"),
        ("dimension", [-1, 256], "차원은 0부터 255"),
    ],
    "reach_explorer": [
        ("view", ["other"], "'reach'나 'rates'"),
        ("kind", ["right"], "모르는 모델입니다: right"),
        ("sentence", ["  "], "문장이 비었습니다"),
        ("sentence", ["a " * 11], "낱말은 10개까지"),
        ("layers", [0, 5], "층의 수: 1부터"),
        ("word", [-1], "낱말: 0부터"),
        ("update", [0], "갱신: 1부터 400까지"),
        ("updates", [9, 401], "갱신의 수: 10부터"),
        ("cut", [0, 91], "1부터 90까지"),
        ("ratio", [65], "1부터 64까지"),
        ("epochs", [0], "에폭: 1부터 8까지"),
    ],
    "scaled_attention": [
        ("temperature", [0, -1.0, math.nan, math.inf], "온도"),
        ("query", [[math.nan, 1.0], [1.0], [1.0, 2.0, 3.0], [0.0, -1_000_000.5]], "쿼리"),
        ("d_k", [1, 48, 2048, -2], "d_k는 2부터 1024"),
    ],
    "sense_explorer": [
        ("sentence", ["  "], "비었습니다"),
        ("sentence", ["배" * 121], "지금은 121자"),
        ("sentence", ["오늘은 맑다."], "'배' 단어가 없습니다"),
        ("sentence", ["배우가 담배를 끊었다."], "배우가, 담배를"),
        ("occurrence", [-1], "0 이상"),
    ],
    "sense_map": [
        ("word", ["없는말"], "가운데 하나"),
        ("layer", [25, -1], "24까지"),
        ("point", [-1], "0 이상"),
    ],
    "task_heads": [
        ("sentence", ["", " \n\t"], "'문장' 칸이 비었습니다"),
        ("second", [" "], "'둘째 문장' 칸이 비었습니다"),
        ("question", ["a" * 1000], "'질문' 칸은 .*지금은 1000자"),
        ("passage", ["", "a" * 1000], "'글' 칸"),
    ],
    "token_inspector": [("sentence", ["배" * 61], "60개까지입니다. 지금은 61개"), ("piece", [-1], "0 이상")],
    "training_replay": [
        ("sentence", ["", "  "], "비었습니다"),
        ("sentence", ["[MASK]" + "가" * 55], "60자까지입니다. 지금은 61자"),
        ("sentence", ["나는 배를 탔다.", "[MASK] [MASK]"], "꼭 한 번"),
        ("snapshot", [-1, 101], "0부터 100까지"),
    ],
}


@cache
def example(name: str) -> CourseWidget:
    """Whoever moves it puts it back."""
    return import_module(f"course_utils.widgets.{name}.example").largest()


def seen(widget: CourseWidget) -> dict[str, Any]:
    return {name: getattr(widget, name) for name in (*widget.inputs, "picture", "summary")}


def test_every_widget_is_asked() -> None:
    assert list(REFUSED) == widgets.NAMES


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_in_words_and_the_picture_stays(name: str) -> None:
    widget = example(name)
    before = seen(widget)
    for trait, values, told in REFUSED[name]:
        for value in values:
            with pytest.raises(widgets.BadInput, match=told):
                setattr(widget, trait, value)
            widget.set_state({trait: value})
            assert re.search(told, widget.error) and seen(widget) == before, (trait, value, widget.error)
        widget.set_state({trait: before[trait]})
        assert widget.error == ""


@pytest.mark.parametrize("name", widgets.NAMES)
@pytest.mark.parametrize(
    "value", ["\ud800", [["\udfff"]], None, object(), True, 10**30, math.nan, {}, [[True]]]
)
def test_what_is_of_another_kind_is_taken_or_refused_in_words(name: str, value: Any) -> None:
    widget = example(name)
    before = seen(widget)
    for trait in widget.inputs:
        widget.set_state({trait: value})
        assert not re.search(r"\w+(Error|Exception):", widget.error), (trait, widget.error)
        if widget.error:
            assert seen(widget) == before, trait
        else:
            assert isinstance(getattr(widget, trait), bool) == isinstance(value, bool)
            widget.set_state(before)


@pytest.mark.parametrize("name", widgets.NAMES)
def test_the_example_is_the_widget_of_its_folder(name: str) -> None:
    widget, own = example(name), getattr(widgets, name.title().replace("_", ""))
    assert isinstance(widget, own) and issubclass(own, CourseWidget) and own.name == name
    assert len(import_module(f"course_utils.widgets.{name}.example").MOVES) >= 2


@pytest.mark.parametrize("name", widgets.NAMES)
def test_what_the_browser_gets_is_plain_json_and_the_repr_is_fixed(name: str) -> None:
    widget = example(name)
    own = {trait: getattr(widget, trait) for trait in widget.class_own_traits(sync=True)}
    texts = {trait: value for trait, value in own.items() if not isinstance(value, bytes)}
    json.dumps([widget.picture, widget.summary, widget.labels, widget.constants, texts], allow_nan=False)
    said, *_ = repr(widget).splitlines()
    assert said == f"[위젯] {widget.labels['title']}: 셀을 실행하면 여기에서 움직입니다"
