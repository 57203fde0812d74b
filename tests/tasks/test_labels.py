"""Labels on first pieces and back: by hand, on random words, and where a word has no piece of its own."""

from __future__ import annotations

import random

import pytest

from course_utils.heads import IGNORE
from course_utils.tasks.labels import first_pieces, joined, label_ids, piece_labels, word_labels
from course_utils.tokenization import Encoding
from tests.tasks.korean import by_syllables, tokenizer

WORDS = ["그", "배는", "부산에서", "떠났다", "."]


def test_the_first_piece_has_the_label_by_hand():
    text, places = joined(WORDS)
    assert text == "그 배는 부산에서 떠났다 ." and places == [(0, 1), (2, 4), (5, 9), (10, 13), (14, 15)]
    row = tokenizer("부산에서").encode(text)  # [CLS] 그 배 ##는 부산 ##에서 떠났다 . [SEP]
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
    text, places = joined(WORDS)
    row = tokenizer("부산에서").encode(text, max_length=5)  # [CLS] 그 배 ##는 [SEP]
    assert first_pieces(row, places) == [1, 2, None, None, None]


def test_of_a_pair_only_the_first_text_is_looked_at():
    row = tokenizer().encode("그", "그 배")
    assert first_pieces(row, [(0, 1), (2, 3)]) == [1, None]


def test_there_and_back_on_random_words():
    words, drawn = by_syllables(), random.Random(2)
    for _ in range(100):
        given = ["".join(drawn.choices("가나배를에서울부산뷁", k=drawn.randrange(1, 5))) for _ in range(7)]
        text, places = joined(given)
        assert [text[start:end] for start, end in places] == given
        row, labels = words.encode(text), [drawn.randrange(11) for _ in given]
        aligned = piece_labels(row, places, labels)
        assert word_labels(row, places, aligned) == labels
        begins = [i for i, token in enumerate(row.tokens) if i and token != "[SEP]" and token[:2] != "##"]
        assert [place for place, label in enumerate(aligned) if label != IGNORE] == begins


def test_names_to_numbers():
    assert label_ids(["강원", "경상", "강원"], ["경상", "강원"]) == [1, 0, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: label_ids(["경상", "부산"], ["경상", "강원"]),
            "the label of row 1 must be one of these .경상, 강원., got '부산'",
        ),
        (lambda: label_ids([], ["경상", "경상"]), "names must be different from each other"),
        (lambda: label_ids([3], ["경상"]), "labels must hold texts and nothing else, got 3 among them"),
        (lambda: joined([]), "words must hold at least 1 text, got 0"),
        (lambda: piece_labels(Encoding(), [(0, 1)], []), "labels must be one for each of 1 words, got 0"),
        (
            lambda: word_labels(Encoding([5], [0], [1], ["배"], [(0, 1)]), [(0, 1)], []),
            "a label for each of 1 tokens, got 0",
        ),
        (lambda: first_pieces(None, []), "encoding must be an Encoding, .* got NoneType"),
        (
            lambda: first_pieces(Encoding(), [(3, 5), (4, 6)]),
            "words must stand one behind the other, .* got 4, 6 where 5 characters are taken",
        ),
        (lambda: first_pieces(Encoding(), [(3,)]), "each of words must be two numbers, start and end, got 1"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
