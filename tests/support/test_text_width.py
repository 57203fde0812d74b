"""Columns of a fixed-width font, and the width of drawn labels."""

from __future__ import annotations

import unicodedata

import pytest

from course_utils.support.text_width import aligned, columns, drawn_width, padded


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("배 a", 4),
        ("ｆｆ", 4),  # full-width Latin letters
        ("ﾊ", 1),  # a half-width letter
        ("漢字", 4),
        ("café", 4),
        (unicodedata.normalize("NFD", "café"), 4),
        ("…", 1),
    ],
)
def test_columns(text: str, width: int):
    assert columns(text) == width


def test_columns_are_straight():
    assert [padded(text, 6) for text in ("배를", "cafe\u0301")] == ["배를  ", "cafe\u0301  "]
    assert padded("여덟 글자나", 6) == "여덟 글자나"
    assert aligned([["배", "1"], ["word", "22"], ["", "3"]]) == "배    1\nword  22\n      3"


def test_drawn_letters():
    assert drawn_width("배a") == pytest.approx(2.95)
    assert drawn_width("\u1107\u1162") == pytest.approx(3.8)  # two single jamo, drawn side by side
