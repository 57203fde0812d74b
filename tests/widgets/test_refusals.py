"""Every widget refuses bad input in one sentence, from Python and from the browser, and shows what it showed before."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import torch

from course_utils import widgets
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.refusals import as_array, as_weights, refusals_told

# Of the example in each widget's folder: what its inputs cannot have.
REFUSED: dict[str, dict[str, list[Any]]] = {
    "activation_explorer": {
        "x": [4.5, math.nan, -math.inf],
        "shown": [["GELU", "없는 이름"]],
        "view": ["elsewhere"],
        "flips": [0, 1001],
        "mean": [4.1, math.nan],
        "spread": [0.0, 3.5],
        "step": [-1, 2001],
    },
    "attention_explorer": {
        "first": ["", " \t"],
        "layer": [12, -1],
        "head": [12, -1],
        "token": [64, -1],
        "side": ["third"],
        "threshold": [-0.01, 1.01, math.nan],
        "sort": ["next"],
    },
    "bert_at_a_glance": {"sentence": ["", " \n", "배" * 61], "piece": [-1, 63]},
    "claim_browser": {"claim": [-1, 24, "0"]},
    "decoder_stepper": {
        "sentence": ["", " \n", "a" * 201],
        "beam_size": [0, 6],
        "length_penalty": [-0.1, 2.1, math.nan],
        "step": [0, 65],
        "layer": [99, -1],
        "head": [99, -1],
        "view": ["table"],
    },
    "exercise_card": {"asked": ["hint 3", "answer"]},
    "family_explorer": {"left": ["모름"], "right": ["", "모름"]},
    "guess": {"guess": ["다른 답", "0.5"]},
    "head_grid": {
        "sentence": ["", " \t ", "배 " * 13],
        "head": [16, -1],
        "word": [12, -1],
        "off": [[16], [-1]],
    },
    "layer_mixer": {
        "weights": [[0] * 25, [1, 0], [1, -0.1] + [0] * 23, [1.1] * 25, [math.nan] * 25],
        "sentence": [10**6, -1],
        "word": [-1],
    },
    "mask_painter": {
        "sentence": ["", " \t\n ", "배 " * 13],
        "padding": [-1, 13],
        "row": [-1],
        "painted": [[[0, 0]]],
    },
    "mask_roller": {
        "sentence": ["배" * 61, " "],
        "pair": ["배" * 61],
        "seed": [-1, 10_000],
        "roll": [0, 100_001],
    },
    "merge_stepper": {"corpus": ["", " \n ", "배" * 401], "method": ["unigram"], "step": [-1, 81]},
    "neighbour_explorer": {"word": ["", "두 단어", "배" * 21], "moment": [-1, 100]},
    "optimizer_race": {
        "surface": ["hill"],
        "rate": [0.0009, 1.01, math.nan, math.inf],
        "warmup": [-1, 61],
        "noise": [-0.1, 3.1, math.nan],
        "seed": [-1],
        "step": [-1, 121],
        "shown": [["nobody"]],
    },
    "parameter_microscope": {"size": ["huge"], "path": ["encoder.layers.24", "enc", "."]},
    "parity_debugger": {"fault": ["모름"], "layer": [0, 49]},
    "positional_explorer": {
        "first": [-1, 512],
        "second": [-1, 512],
        "hidden_size": [1, 257, -5],
        "dimension": [-1, 256],
    },
    "reach_explorer": {
        "view": ["other"],
        "kind": ["right"],
        "sentence": ["  ", "a " * 11],
        "layers": [0, 5],
        "word": [-1],
        "update": [0],
        "updates": [9, 401],
        "cut": [0, 91],
        "ratio": [65],
        "epochs": [0],
    },
    "scaled_attention": {
        "temperature": [0, -1.0, math.nan, math.inf],
        "query": [[math.nan, 1.0], [1.0], [1.0, 2.0, 3.0], [0.0, -1_000_000.5]],
        "d_k": [1, 48, 2048, -2],
    },
    "sense_explorer": {
        "sentence": ["  ", "배" * 121, "오늘은 맑다.", "배우가 담배를 끊었다."],
        "occurrence": [-1],
    },
    "sense_map": {"word": ["없는말"], "layer": [25, -1], "point": [-1]},
    "task_heads": {
        "sentence": ["", " \n\t"],
        "second": [" "],
        "question": ["a" * 1000],
        "passage": ["", "a" * 1000],
    },
    "token_inspector": {"sentence": ["배" * 61], "piece": [-1]},
    "training_replay": {
        "sentence": ["", "  ", "[MASK]" + "가" * 55, "나는 배를 탔다.", "[MASK] [MASK]"],
        "snapshot": [-1, 101],
    },
}
# Beyond what there is just now, and taken: a choice waits until there is as much again.
WAITS = {
    "attention_explorer": {"token": 63, "first": "배"},
    "decoder_stepper": {"step": 64},
    "head_grid": {"word": 11, "sentence": "배를 탔다"},
    "layer_mixer": {"word": 999},
    "mask_painter": {"row": 11, "padding": 12, "painted": [[11, 11, 1]], "sentence": "배를 탔다"},
    "reach_explorer": {"word": 9, "update": 400, "updates": 10, "sentence": "배를 탔다"},
    "sense_explorer": {"occurrence": 9},
    "sense_map": {"point": 99},
    "token_inspector": {"piece": 60, "sentence": ""},
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
    for trait, values in REFUSED[name].items():
        for value in values:
            with pytest.raises(widgets.BadInput, match="[가-힣]"):
                setattr(widget, trait, value)
            widget.set_state({trait: value})
            assert widget.error and seen(widget) == before, (trait, value, widget.error)
            assert not re.search("(Key|Index)Error:", widget.error), (trait, value, widget.error)
        widget.set_state({trait: before[trait]})
        assert widget.error == ""


@pytest.mark.parametrize("name", WAITS)
def test_a_choice_beyond_the_end_waits(name: str) -> None:
    widget = example(name)
    before = seen(widget)
    for trait, value in WAITS[name].items():
        setattr(widget, trait, value)
    assert {trait: getattr(widget, trait) for trait in WAITS[name]} == WAITS[name]
    widget.set_state(before)
    assert widget.error == "" and seen(widget) == before


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


@pytest.mark.parametrize(
    "values", [[[1, 2]] * 3, [1, 2], [[[1, 2]] * 2], [[math.nan, 1]] * 2, [[math.inf, 1]] * 2, [[], []]]
)
def test_an_array_that_does_not_fit_is_refused(values: list) -> None:
    with pytest.raises(widgets.BadInput, match=r"'look'.*\(2, …\)"):
        as_array(values, 2, None, what="look")


@pytest.mark.parametrize("rows", [[[0.5, 0.6]], [[1.5, -0.5]], [[0.5, math.nan]]])
def test_weights_that_do_not_sum_to_one_are_refused(rows: list) -> None:
    with pytest.raises(widgets.BadInput, match="look"):
        as_weights(rows, 1, 2, what="look")


def test_weights_may_come_from_a_model_in_half_precision() -> None:
    weights = torch.full((2, 7), 1 / 7, requires_grad=True).half()
    assert as_weights(weights, None, 7, what="look").dtype == np.float64
    assert np.isnan(as_array([math.nan], 1, what="look", finite=False)).all()


def test_what_a_function_refuses_is_told_as_it_says_it() -> None:
    with pytest.raises(widgets.BadInput, match="이 단어는 모릅니다. 그림은 바로 앞의"), refusals_told():
        raise ValueError("이 단어는 모릅니다.")
