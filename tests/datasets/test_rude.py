"""Rude stems: found in disguise, not found in harmless words, and the list is in order."""

from __future__ import annotations

import re

import pytest

from course_utils.datasets.rude import STEMS, read_stems, rude_stem

LIST = STEMS.read_text(encoding="utf-8")
FOUND, HARMLESS = read_stems(LIST)


@pytest.mark.parametrize(
    ("text", "stem"),
    [
        ("이 새끼가", "새끼"),
        ("이 18새★1끼야", "새끼"),
        ("FuCk", "fuc"),
        ("곱씹어 봐도 씹노잼", "씹"),
        ("전염병 염병", "염병"),
        ("너무 야하다", "야하"),
        ("정사 장면", "정사 장면"),
        ("ㅋㅋ ㅅㅂ", "ㅅㅂ"),
    ],
)
def test_what_is_found(text, stem):
    assert rude_stem(text) == stem


HARMLESS_TEXTS = """다시 발견했다, 혁신의 시발점, 곱씹을수록 좋다, 전염병 영화, 화염병과 전염병, 꼭 봐야한다
에밀 졸라의 책, 피에로가 웃는다, 삼시세끼, 새끼손가락을 걸다, 청소년들과 소년들, 멜랑꼴리, 국민배우 안성기
여자지만 울었다, 추억에 젖어, 쓰레기 영화, 게이 친구, """


@pytest.mark.parametrize("text", re.split(", |\n", HARMLESS_TEXTS))
def test_what_is_harmless(text):
    assert rude_stem(text) is None


def test_reading_the_list():
    stems, harmless = read_stems("# said\n\na _b c_d -abc -x y -_b\ne\n")
    assert stems == ["a", " b", "c d", "e"] and harmless == ["abc", "x y", " b"]


def test_every_stem_is_found_and_every_harmless_word_is_needed():
    for stem in FOUND:
        assert rude_stem(f"가{stem}가"), stem
    for word in HARMLESS:
        assert rude_stem(word) is None, word
        assert any(stem in f" {word}" for stem in FOUND), word


def test_the_list_is_short_and_says_nothing_twice():
    lines = LIST.splitlines()
    assert len(lines) <= 80 and all(line == line.strip() for line in lines)
    assert [(stem, other) for stem in FOUND for other in FOUND if stem != other and stem in other] == []
    assert len(set(FOUND)) == len(FOUND) and len(set(HARMLESS)) == len(HARMLESS)
