"""Sizes, rates and texts, checked where they come in: what is taken, what is refused, and in what words."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch

from course_utils.support.given import (
    LONGEST,
    int64,
    list_of_texts,
    mapping,
    one_text,
    path_of,
    real_number,
    several,
    shown,
    whole_number,
)


@pytest.mark.parametrize("value", [1, 7, np.int64(7)])
def test_whole_numbers(value):
    taken = whole_number("size", value, most=7)
    assert taken == value and type(taken) is int


@pytest.mark.parametrize("value", [0, -1, 8, True, 3.0, "3", None, float("nan"), [3]])
def test_what_is_no_whole_number_in_the_bounds(value):
    with pytest.raises(ValueError, match=r"^size must be a whole number from 1 to 7, got ") as caught:
        whole_number("size", value, most=7)
    assert len(str(caught.value)) < 120


def test_without_an_upper_bound():
    assert whole_number("size", 10**9) == 10**9
    with pytest.raises(ValueError, match=r"^size must be a whole number of at least 2, got 1$"):
        whole_number("size", 1, least=2)


@pytest.mark.parametrize("value", [0, 0.25, 1, np.float32(0.5), Fraction(1, 3)])
def test_real_numbers(value):
    taken = real_number("rate", value, most=1.0)
    assert taken == float(value) and type(taken) is float


@pytest.mark.parametrize("value", [-0.1, 1.1, True, "0.5", None, float("nan"), float("inf"), 1j])
def test_what_is_no_real_number_in_the_bounds(value):
    with pytest.raises(ValueError, match=r"^rate must be a finite number, at least 0 and at most 1, got "):
        real_number("rate", value, most=1.0)


def test_bounds_that_are_not_reached():
    for edge in (0, 1):
        with pytest.raises(
            ValueError, match=rf"^rate must be a finite number, above 0 and below 1, got {edge}$"
        ):
            real_number("rate", edge, most=1.0, open_at=("least", "most"))
    with pytest.raises(ValueError, match=r"^rate must be a finite number, at least 0, got inf$"):
        real_number("rate", float("inf"))


def test_texts():
    assert list_of_texts("sentences", (text for text in ("배", ""))) == ["배", ""]


@pytest.mark.parametrize(
    "value, words",
    [
        ("배를 탔다", "must be a list of texts, got one text, '배를 탔다': put it in a list"),
        (b"ab", "must be a list of texts, got one text, b'ab': put it in a list"),
        (None, "must be a list of texts, got NoneType"),
        (["a", 3], "must hold texts and nothing else, got 3 among them"),
        ([["a"]], "must hold texts and nothing else, got list among them"),
        ([], "must hold at least 1 text, got 0"),
    ],
)
def test_what_is_no_list_of_texts(value, words):
    with pytest.raises(ValueError) as caught:
        list_of_texts("sentences", value)
    assert str(caught.value) == f"sentences {words}"


def test_a_long_value_is_cut():
    assert shown("가" * 1000) == "'" + "가" * (LONGEST - 2) + "…"


def test_an_integer_that_python_does_not_write():
    huge = 10**5000
    assert shown(huge) == "an integer of 16610 bits"
    with pytest.raises(ValueError, match="got an integer of 16610 bits$"):
        whole_number("size", huge, most=7)
    with pytest.raises(ValueError, match="got an integer of 16610 bits$"):
        real_number("rate", huge)


@pytest.mark.parametrize("value", [-(2**63), -1, 0, 2**63 - 1])
def test_what_an_int64_holds(value):
    assert int64("label", value) == int(torch.tensor(value)) == value


@pytest.mark.parametrize("value", [-(2**63) - 1, 2**63, True, 1.0])
def test_what_it_does_not_hold(value):
    with pytest.raises(ValueError, match="^label must be a whole number from -9223372036854775808 to"):
        int64("label", value)


def test_texts_rows_and_paths_are_given_back(tmp_path):
    assert one_text("word", "배") == "배"
    assert several("rows", ([1], [2, 3]), "rows of ids") == [[1], [2, 3]]
    assert mapping("stems", {"배를": "배"}, "word -> stem") == {"배를": "배"}
    assert path_of("path", str(tmp_path / "absent")) == tmp_path / "absent"


@pytest.mark.parametrize(
    ("check", "value", "told"),
    [
        (lambda value: one_text("word", value), None, "word must be a text, got NoneType"),
        (
            lambda value: several("rows", value, "rows of ids"),
            "배",
            "rows must be a list of rows of ids, got '배'",
        ),
        (
            lambda value: several("rows", value, "rows of ids"),
            {1: 2},
            "rows must be a list of rows of ids, got dict",
        ),
        (lambda value: mapping("stems", value, "a -> b"), [1], "stems must be a dict, a -> b, got list"),
        (lambda value: path_of("path", value), 3, "path must be a path, got 3"),
        (
            lambda value: path_of("path", value),
            "가" * 999,
            "path must be a path of names that are not too long, got",
        ),
        (
            lambda value: path_of("path", value),
            "\0",
            "path must be a path, got '.x00', which the system cannot write",
        ),
    ],
)
def test_what_is_no_text_row_or_path(check, value, told):
    with pytest.raises(ValueError, match=f"^{told}") as caught:
        check(value)
    assert len(str(caught.value)) < 200
