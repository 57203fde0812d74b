"""Sizes, rates and texts at a door: what is taken, what is refused, and in what words."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from course_utils.support.given import (
    LONGEST,
    list_of_texts,
    listed,
    one_line,
    real_number,
    shown,
    whole_number,
)


def test_numbers_of_any_kind_come_back_plain():
    for value in (1, 7, np.int64(7)):
        assert (taken := whole_number("size", value, most=7)) == value and type(taken) is int
    for value in (0, 0.25, 1, np.float32(0.5), Fraction(1, 3)):
        assert (taken := real_number("rate", value, most=1.0)) == float(value) and type(taken) is float


@pytest.mark.parametrize("value", [0, 8, True, 3.0, "3", None])
def test_what_is_no_whole_number_in_the_bounds(value):
    with pytest.raises(ValueError, match=r"^size must be a whole number from 1 to 7, got "):
        whole_number("size", value, most=7)


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.1, True, "0.5", None, float("nan"), float("inf"), 1j])
def test_what_is_no_real_number_in_the_bounds(value):
    with pytest.raises(ValueError, match=r"^rate must be a finite number, above 0 and below 1, got "):
        real_number("rate", value, most=1.0, open_at=("least", "most"))


def test_texts():
    assert list_of_texts("sentences", (text for text in ("배", ""))) == ["배", ""]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("배를 탔다", "must be a list of texts, got one text, '배를 탔다': put it in a list"),
        (["a", 3], "must hold texts and nothing else, got 3 among them"),
        ([["a"]], "must hold texts and nothing else, got list among them"),
        ([], "must hold at least 1 text, got 0"),
    ],
)
def test_what_is_no_list_of_texts(value, words):
    with pytest.raises(ValueError) as caught:
        list_of_texts("sentences", value)
    assert str(caught.value) == f"sentences {words}"


def test_a_value_in_a_message_is_short_and_on_one_line():
    assert shown("가" * 1000) == "'" + "가" * (LONGEST - 2) + "…" and shown([1]) == "list"
    assert one_line("a\n b\x1b[31m", 5) == "a b�…" and one_line(" a ") == "a"


def test_names_in_a_message_are_as_many_as_it_has_room_for():
    assert listed(["c", "a\x7f", "b"]) == "a�, b, c" and listed(iter(["배"])) == "배" and listed([]) == ""
    assert listed("cab", 2) == "a, b and 1 more" and listed("cab", letters=6) == "a, b and 1 more"
    assert listed("cab", letters=7) == "a, b, c"
    assert listed(["b" * 99, "a" * 99], letters=9) == "a" * (LONGEST - 1) + "… and 1 more"
