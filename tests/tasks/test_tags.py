"""Words of a sentence, and the tags that names give them."""

from __future__ import annotations

import random

import pytest

from course_utils.tasks.tags import NAME_TAGS, Name, bio_tags, words_of
from course_utils.tokenization.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer


def tags(text, *names):
    return list(bio_tags(text, [Name(*name) for name in names]).tags)


def test_words_are_split_at_blanks_and_marks():
    assert words_of("부산에서 왔다.") == [(0, "부산에서"), (5, "왔다"), (7, ".")]
    assert words_of(" 김(32)씨 Café ") == [(1, "김"), (2, "("), (3, "32"), (5, ")"), (6, "씨"), (8, "Café")]
    assert words_of("") == []


def test_the_words_are_those_that_a_tokenizer_makes_pieces_of():
    vocab = {piece: number for number, piece in enumerate(SPECIAL_TOKENS)}
    tokenizer = WordPieceTokenizer(vocab, lowercase=False, strip_accents=False)
    text = "박근혜·김(金哲)은 3.5％, a\u200bb…"
    assert [start for start, _ in words_of(text)] == [word.places[0] for word in tokenizer.words(text)]


def test_tags_by_hand():
    text = "김 철수씨는 부산에서 왔다."
    assert tags(text, (0, "김 철수", "PS"), (7, "부산", "LC")) == ["B-PS", "I-PS", "B-LC", "O", "O"]
    assert tags(text) == ["O"] * 5
    assert tags("경찰(서울)은", (0, "경찰", "OG"), (3, "서울", "LC")) == ["B-OG", "O", "B-LC", "O", "O"]
    assert tags("지난 19일", (0, "지난 19일", "DT")) == ["B-DT", "I-DT"]
    assert tags("전남 부산", (1, "남 부", "LC")) == ["B-LC", "I-LC"]  # begins and ends inside words


def test_of_two_names_that_share_a_word_the_first_is_told():
    assert tags("남북 회담", (0, "남", "OG"), (1, "북", "OG")) == ["B-OG", "O"]
    assert tags("24일오후 11시", (0, "24일", "DT"), (3, "오후 11시", "TI")) == ["B-DT", "O"]
    assert tags("지난 24일오후 11시", (0, "지난 24일", "DT"), (6, "오후 11시", "TI")) == ["B-DT", "I-DT", "O"]


def test_neighbours_of_one_kind_stay_apart():
    assert tags("서울 부산", (0, "서울", "LC"), (3, "부산", "LC")) == ["B-LC", "B-LC"]


def test_any_tags_are_well_formed_and_say_where_names_are():
    drawn = random.Random(5)
    for _ in range(200):
        text = "".join(drawn.choice("가나 다.라 ") for _ in range(23))
        cuts = sorted(drawn.sample(range(24), 6))
        names = [
            Name(start, text[start:end], "LC")
            for start, end in zip(cuts[::2], cuts[1::2])
            if text[start:end] == text[start:end].strip()
        ]
        found = bio_tags(text, names)
        assert set(found.tags) <= set(NAME_TAGS)
        for before, tag in zip(("O", *found.tags), found.tags):
            assert tag != "I-LC" or before != "O"
        for start, word, tag in zip(found.starts, found.words, found.tags):
            covered = any(
                name.start < start + len(word) and start < name.start + len(name.text) for name in names
            )
            assert text.startswith(word, start) and (tag == "O" or covered)
        assert sum(tag[0] == "B" for tag in found.tags) <= len(names)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("부산", "names must be a list of Name"),
        ([3], "names must hold Name"),
        ([("부산", 4, "LC")], "names must hold Name"),
        ([(-1, ".", "LC")], "a name's start must be a whole number from 0 to 8, got -1"),
        ([(True, "산", "LC")], "a name's start must be a whole number from 0 to 8, got True"),
        ([(0, "", "LC")], "a name must have letters, and no blank at its ends, got ''"),
        ([(0, "부산", "B-LC")], "a name's kind must be one of PS, LC, OG, DT, TI, QT, got 'B-LC'"),
        (
            [(0, "부산", "LC"), (1, "산", "LC")],
            "'산' must begin where the name before it has ended, at 2 or later",
        ),
    ],
)
def test_bad_names_are_refused(names, said):
    with pytest.raises(ValueError) as caught:
        bio_tags("부산에서 왔다.", names)
    assert said in str(caught.value)
