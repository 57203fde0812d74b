"""From characters to pieces and back: by hand, there and back on random strings, and where a particle hangs on."""

from __future__ import annotations

import random

import pytest

from course_utils.tasks.spans import NO_ANSWER, answer_span, characters_of, passage_pieces, pieces_of
from course_utils.tasks.windows import passage_windows
from tests.tasks.korean import by_syllables, random_texts, tokenizer

PASSAGE = "그 배는 부산에서 떠났다."


def window(*left_out, passage=PASSAGE):
    (found,) = passage_windows(tokenizer(*left_out), "어디?", passage)
    return found


def test_an_answer_of_whole_pieces_comes_back_as_it_is():
    row = window("부산에서")  # [CLS] 어디 ? [SEP] 그 배 ##는 부산 ##에서 떠났다 . [SEP]
    assert pieces_of(row, (5, 7)) == (7, 7) and characters_of(row, 7, 7) == (5, 7)
    assert pieces_of(row, (2, 7)) == (5, 7) and characters_of(row, 5, 7) == (2, 7)
    assert pieces_of(row, (0, 14)) == (4, 10) and characters_of(row, 4, 10) == (0, 14)


def test_an_answer_that_ends_inside_a_piece_comes_back_with_its_particle():
    row = window()  # … 배 ##는 부산에서 …
    assert pieces_of(row, (5, 7)) == (7, 7) and characters_of(row, 7, 7) == (5, 9)
    assert pieces_of(row, (8, 11)) == (7, 8) and characters_of(row, 7, 8) == (5, 13)  # begins inside one


def test_blanks_at_its_ends_change_nothing():
    assert pieces_of(window(), (4, 10)) == pieces_of(window(), (5, 9)) == (7, 7)


def test_what_an_answer_may_begin_with():
    row = window(passage="배 [MASK] 뷁 [SEP].")
    assert row.tokens == ["[CLS]", "어디", "?", "[SEP]", "배", "[MASK]", "[UNK]", "[SEP]", ".", "[SEP]"]
    assert [place for place, allowed in enumerate(passage_pieces(row)) if allowed] == [4, 6, 8]
    assert pieces_of(row, (2, 10)) == (6, 6)  # the mask that was typed in is none of the answer


def test_there_and_back_on_random_strings():
    words, drawn = by_syllables(), random.Random(5)
    for text in random_texts(200, seed=7):
        (row,) = passage_windows(words, "부산?", text)
        allowed = [place for place, one in enumerate(passage_pieces(row)) if one]
        first, last = sorted(drawn.choices(allowed, k=2))
        assert pieces_of(row, characters_of(row, first, last)) == (first, last)
        start, end = sorted(drawn.sample(range(len(text) + 1), 2))
        inside = [p for p in allowed if row.offsets[p][0] < end and start < row.offsets[p][1]]
        if not inside:
            continue
        first, last = pieces_of(row, (start, end))
        begin, stop = characters_of(row, first, last)
        kept = {p for p in inside if start <= row.offsets[p][0] and row.offsets[p][1] <= end}
        assert {first, last} <= set(inside) and kept <= set(range(first, last + 1))
        assert all(begin <= row.offsets[p][0] and row.offsets[p][1] <= stop for p in inside)


def test_a_syllable_that_decomposes_comes_back_whole():
    words = by_syllables()
    words.strip_accents = True  # 배 -> ᄇ ##ᅢ, both at its place
    (row,) = passage_windows(words, "배?", "배")
    assert row.tokens[-3:-1] == ["\u1107", "##\u1162"]
    first, last = pieces_of(row, (0, 1))
    assert last == first + 1 and characters_of(row, first, last) == characters_of(row, last, last) == (0, 1)


def test_in_a_window_that_does_not_hold_it_wholly_there_is_no_answer():
    words = tokenizer("부산에서")
    rows = passage_windows(
        words, "어디?", PASSAGE, max_length=9, stride=2
    )  # 그배는부산|는부산에서떠났다|에서떠났다.
    assert [pieces_of(row, (5, 7)) for row in rows] == [(7, 7), (5, 5), NO_ANSWER]
    assert [pieces_of(row, (5, 9)) for row in rows] == [NO_ANSWER, (5, 6), NO_ANSWER]
    assert [pieces_of(row, (2, 9)) for row in rows] == [NO_ANSWER] * 3
    assert [pieces_of(row, None) for row in rows] == [NO_ANSWER] * 3
    assert characters_of(rows[0], *NO_ANSWER) == (0, 0)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_windows_that_share_as_many_pieces_as_it_has_hold_each_answer(length):
    words = by_syllables()
    for text in random_texts(40, seed=length):
        (whole,) = passage_windows(words, "배?", text)
        rows = passage_windows(words, "배?", text, max_length=10, stride=5 - length)
        for place in range(4, len(whole) - length):
            if passage_pieces(whole)[place] and passage_pieces(whole)[place + length - 1]:
                span = characters_of(whole, place, place + length - 1)
                found = [pieces_of(row, span) for row in rows]
                assert any(pair != NO_ANSWER for pair in found)
                for row, pair in zip(rows, found):
                    assert pair == NO_ANSWER or characters_of(row, *pair) == span


# --- where an answer stands -------------------------------------------------------------------------------------------


def test_an_answer_is_found_where_it_stands():
    assert answer_span(PASSAGE, "부산") == (5, 7)
    assert answer_span("배와 배", "배", start=3) == (3, 4)
    assert answer_span("배와 배", "배", start=0) == (0, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"answer": "서울"}, "answer must stand in its passage, and '서울' does not$"),
        ({"answer": "부산", "start": 4}, "'부산' does not stand at character 4, where there is '부'"),
        ({"answer": "부산", "start": 99}, "does not stand at character 99, where there is ''"),
        ({"answer": "부산", "start": -9}, "start must be a whole number of at least 0, got -9"),
        ({"answer": "다", "passage": "온다, 간다"}, "once, and '다' stands there again; start says which"),
        ({"answer": " "}, "answer must hold at least one word, got ' '"),
        ({"answer": 3}, "answer must be a text, got 3"),
    ],
)
def test_an_answer_that_is_not_there(given, message):
    with pytest.raises(ValueError, match=message):
        answer_span(**{"passage": PASSAGE} | given)


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ((1, 2), "span must hold at least one piece of the passage, got characters 1 … 1"),
        ((5, 15), "the end of span must be a whole number from 6 to 14, got 15"),
        ((7, 7), "the end of span must be a whole number from 8 to 14, got 7"),
        ((-1, 7), "the start of span must be a whole number from 0 to 13, got -1"),
        ((5,), "span must be two numbers, start and end, got 1"),
        ("부산", "span must be a list of two numbers, start and end, got '부산'"),
    ],
)
def test_a_span_that_is_none(span, message):
    with pytest.raises(ValueError, match=message):
        pieces_of(window(), span)


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        (8, 7, "first and last must be pieces of the passage in their order, got 8 and 7"),
        (1, 7, "got 1 and 7"),
        (7, 10, "got 7 and 10"),
        (0, 7, "got 0 and 7"),
        (7, 11, "last must be a whole number from 0 to 10, got 11"),
    ],
)
def test_tokens_that_are_no_part_of_the_passage(first, last, message):
    with pytest.raises(ValueError, match=message):
        characters_of(window(), first, last)


def test_what_is_no_row():
    for call in (passage_pieces, lambda row: characters_of(row, 1, 2), lambda row: pieces_of(row, (1, 2))):
        with pytest.raises(ValueError, match=r"must be (an Encoding|a Window), .* got '배'"):
            call("배")
