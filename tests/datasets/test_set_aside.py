"""What is set aside for testing: the parts of the films, and which sentences hold a test text."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter

import pytest

from course_utils.datasets.set_aside import HOLDS_FROM, SetAside, film_part, letters

TEST_TEXT = "어젯밤 비가 와서 강물이 불었다."


def test_the_parts_of_some_films_stay_as_they_are():
    """Written down once: whoever changes the hash would test on what was trained on."""
    films = {"10001": "pretraining", "100041": "pretraining", "10025": "train", "10028": "train"}
    films |= {"10056": "validation", "10085": "validation", "10047": "test", "10106": "test"}
    assert {film: film_part(film) for film in films} == films


def test_the_parts_are_those_of_the_hash():
    parts = Counter(film_part(str(film)) for film in range(20_000))
    shares = {part: round(times / 200) for part, times in parts.items()}
    assert shares == {"pretraining": 88, "train": 8, "validation": 2, "test": 2}
    by_hand = ["test"] * 2 + ["validation"] * 2 + ["train"] * 8 + ["pretraining"] * 88
    for film in map(str, range(300)):
        assert film_part(film) == by_hand[int(hashlib.sha256(film.encode()).hexdigest()[:16], 16) % 100]


@pytest.mark.parametrize(
    "sentence",
    [
        TEST_TEXT,
        f"  {TEST_TEXT.replace(' ', chr(9))} ",
        "어젯밤비가와서강물이불었다",
        "어젯밤, 비가 와서 … 강물이 불었다!!",
        unicodedata.normalize("NFD", TEST_TEXT),
        f"이웃이 말했다. {TEST_TEXT} 정말이다.",
    ],
)
def test_a_test_text_is_found_in_any_dress(sentence):
    assert SetAside([TEST_TEXT, "다른 글"]).holds(letters(sentence))


def test_what_only_comes_near_is_not_held():
    texts = SetAside([TEST_TEXT, "정말 좋다", "", "..."])
    assert len(texts) == 2
    for sentence in (
        "어젯밤 비가 와서 강물이 불어났다.",
        "비가 와서 강물이 불었다.",
        "정말 좋다고 한다",
        "…",
    ):
        assert not texts.holds(letters(sentence))
    assert texts.holds(letters("정말 좋다.")) and texts.holds("정말좋다")


def test_how_long_a_text_is_that_is_looked_for_inside_others():
    text = "가나다라마바사아자차카타파하"
    assert SetAside([text[:HOLDS_FROM]]).holds(f"머리{text[:HOLDS_FROM]}꼬리")
    assert not SetAside([text[: HOLDS_FROM - 1]]).holds(f"머리{text[:HOLDS_FROM]}꼬리")
    assert SetAside([text]).holds(f"{text[:HOLDS_FROM]}{text}")
    assert not SetAside([text]).holds(f"머리{text[:-1]}")


def test_letters_by_hand():
    assert letters("ＡB c, 1½! ㅋㅋ_") == "abc112" + "\u110f" * 2 == letters("abc112ᄏᄏ")
    assert letters(" .\t…_") == ""
