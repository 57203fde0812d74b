"""Words, the tags that names give them, and labels on first pieces and back: by hand and on random words."""

from __future__ import annotations

import random

import pytest

from course_utils.heads import IGNORE
from course_utils.tasks.words import (
    NAME_TAGS,
    Name,
    bio_tags,
    first_pieces,
    label_ids,
    piece_labels,
    word_labels,
    words_of,
)
from tests.small import tokenizer_of
from tests.tasks.korean import by_syllables, tokenizer

TEXT = "그 배는 부산에서 떠났다."
PLACES = [(0, 1), (2, 4), (5, 9), (10, 13), (13, 14)]


def test_the_first_piece_has_the_label_by_hand():
    places = PLACES
    row = tokenizer("부산에서").encode(TEXT)  # [CLS] 그 배 ##는 부산 ##에서 떠났다 . [SEP]
    assert piece_labels(row, places, [7, 2, 3, 0, 5]) == [-100, 7, 2, -100, 3, -100, 0, 5, -100]
    assert first_pieces(row, places) == [1, 2, 4, 6, 7]
    assert word_labels(row, places, [9, 7, 2, 1, 3, 1, 0, 5, 9]) == [7, 2, 3, 0, 5]
    assert word_labels(row, places, [9, 7, 2, 1, 3, 1, 0, 5, 9, 8, 8]) == [7, 2, 3, 0, 5]  # padding follows


def test_a_word_without_a_piece_of_its_own_has_no_label():
    row = tokenizer().encode("부산에서 \u200b 떠났다")  # [CLS] 부산에서 떠났다 [SEP]
    places = [(0, 2), (2, 4), (5, 6), (7, 10)]  # 부산 | 에서 | a sign that is dropped | 떠났다
    assert first_pieces(row, places) == [1, None, None, 2]
    assert piece_labels(row, places, [1, 2, 3, 4]) == [-100, 1, 4, -100]
    assert word_labels(row, places, [0, 1, 4, 0]) == [1, None, None, 4]


def test_what_is_cut_off_has_no_label():
    row = tokenizer("부산에서").encode(TEXT, max_length=5)  # [CLS] 그 배 ##는 [SEP]
    assert first_pieces(row, PLACES) == [1, 2, None, None, None]


def test_of_a_pair_only_the_first_text_is_looked_at():
    row = tokenizer().encode("그", "그 배")
    assert first_pieces(row, [(0, 1), (2, 3)]) == [1, None]


def test_there_and_back_on_random_words():
    words, drawn = by_syllables(), random.Random(2)
    for _ in range(100):
        given = ["".join(drawn.choices("가나배를에서울부산뷁", k=drawn.randrange(1, 5))) for _ in range(7)]
        text, places = " ".join(given), []
        for word in given:
            start = places[-1][1] + 1 if places else 0
            places.append((start, start + len(word)))
        row, labels = words.encode(text), [drawn.randrange(11) for _ in given]
        aligned = piece_labels(row, places, labels)
        assert word_labels(row, places, aligned) == labels
        begins = [i for i, token in enumerate(row.tokens) if i and token != "[SEP]" and token[:2] != "##"]
        assert [place for place, label in enumerate(aligned) if label != IGNORE] == begins


def test_names_to_numbers():
    assert label_ids(["강원", "경상", "강원"], ["경상", "강원"]) == [1, 0, 1]
    with pytest.raises(ValueError, match="each label must be one of 경상, 강원, got '부산'"):
        label_ids(["경상", "부산"], ["경상", "강원"])


# --- words and names --------------------------------------------------------------------------------------------------


def tags(text, *names):
    return list(bio_tags(text, [Name(*name) for name in names]).tags)


def test_words_are_split_at_blanks_and_marks():
    assert words_of("부산에서 왔다.") == [(0, "부산에서"), (5, "왔다"), (7, ".")]
    assert words_of(" 김(32)씨 Café ") == [(1, "김"), (2, "("), (3, "32"), (5, ")"), (6, "씨"), (8, "Café")]
    assert words_of("") == []


def test_the_words_are_those_that_a_tokenizer_makes_pieces_of():
    plain = tokenizer_of([])
    text = "박근혜·김(金哲)은 3.5％, a\u200bb…"
    assert [start for start, _ in words_of(text)] == [word.places[0] for word in plain.words(text)]


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
        ([(-1, ".", "LC")], "stands at character -1"),
        ([(0, "", "LC")], "must be a name"),
        ([(3, "서 ", "LC")], "without blanks at its ends"),
        ([(1, "부산", "LC")], "'부산' must be a name .* there stands '산에'"),
        ([(0, "부산", "B-LC")], "a name's kind must be one of PS, LC, OG, DT, TI, QT, got 'B-LC'"),
        ([(0, "부산", "LC"), (1, "산", "LC")], "'산' must be .* behind the name before it"),
    ],
)
def test_bad_names_are_refused(names, said):
    with pytest.raises(ValueError, match=said):
        bio_tags("부산에서 왔다.", names)
