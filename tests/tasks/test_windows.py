"""Windows: every piece is in one, offsets count in the whole passage; from characters to pieces and back."""

from __future__ import annotations

import random

import pytest

from course_utils.tasks.windows import NO_ANSWER, characters_of, passage_pieces, passage_windows, pieces_of
from course_utils.tokenization.fast import fast_wordpiece
from tests.tasks.korean import by_syllables, random_texts, tokenizer

PASSAGE = "그 배는 부산에서 떠났다."
TOKENS = ["그", "배", "##는", "부산", "##에서", "떠났다", "."]


def test_a_short_passage_is_one_row_as_the_tokenizer_makes_it():
    words = tokenizer("부산에서")
    (window,) = passage_windows(words, "어디?", PASSAGE)
    encoding = words.encode("어디?", PASSAGE)
    for name in ("input_ids", "token_type_ids", "attention_mask", "tokens", "offsets"):
        assert getattr(window, name) == getattr(encoding, name), name
    assert window.passage == PASSAGE and window.reach == (0, len(PASSAGE))
    assert passage_windows(words, "어디?", PASSAGE, stride=3) == [window]


def test_windows_by_hand():
    words = tokenizer("부산에서")
    windows = passage_windows(words, "어디?", PASSAGE, max_length=9, stride=2)  # room for 4 of 7 pieces
    assert [window.tokens[4:-1] for window in windows] == [TOKENS[0:4], TOKENS[2:6], TOKENS[4:8]]
    assert [window.reach for window in windows] == [(0, 7), (3, 13), (7, 14)]
    assert all(window.tokens[:4] == ["[CLS]", "어디", "?", "[SEP]"] for window in windows)
    assert [window.offsets[4] for window in windows] == [(0, 1), (3, 4), (7, 9)]
    assert windows[0].token_type_ids == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert all(window.offsets[-1] == (0, 0) and window.tokens[-1] == "[SEP]" for window in windows)


def test_windows_equal_those_of_the_tokenizers_library():
    words = by_syllables()
    fast = fast_wordpiece(words)
    for shared in (1, 2, 4):  # the library's "stride" is what two windows share
        fast.enable_truncation(11, stride=shared, strategy="only_second")  # room for 6
        for text in random_texts(30, seed=shared):
            first = fast.encode("배?", text)
            rows = passage_windows(words, "배?", text, max_length=11, stride=6 - shared)
            theirs = [first, *first.overflowing]
            assert [row.input_ids for row in rows] == [one.ids for one in theirs]
            assert [row.offsets for row in rows] == [one.offsets for one in theirs]
            assert [row.token_type_ids for row in rows] == [one.type_ids for one in theirs]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_length": 9}, "passage must fit into 4 pieces, got 7: give a stride"),
        ({"max_length": 9, "stride": 5}, r"stride must lie in 1 … 4, .* got 5"),
        ({"max_length": 5, "stride": 1}, "a question and a word of its passage must fit into 5 pieces"),
        ({"passage": " \t"}, "a word of its passage must fit"),
    ],
)
def test_what_does_not_fit_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        passage_windows(
            **{"tokenizer": tokenizer("부산에서"), "question": "어디?", "passage": PASSAGE} | given
        )


# --- characters and pieces --------------------------------------------------------------------------------------------


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
    # 그배는부산|는부산에서떠났다|에서떠났다.
    rows = passage_windows(words, "어디?", PASSAGE, max_length=9, stride=2)
    assert [pieces_of(row, (5, 7)) for row in rows] == [(7, 7), (5, 5), NO_ANSWER]
    assert [pieces_of(row, (5, 9)) for row in rows] == [NO_ANSWER, (5, 6), NO_ANSWER]
    assert [pieces_of(row, (2, 9)) for row in rows] == [NO_ANSWER] * 3
    assert [pieces_of(row, None) for row in rows] == [NO_ANSWER] * 3
    assert characters_of(rows[0], *NO_ANSWER) == (0, 0)


@pytest.mark.parametrize("span", [(5, 15), (7, 7), (-1, 7)])
def test_a_span_outside_of_the_passage_is_not_taken_for_no_answer(span):
    with pytest.raises(ValueError, match="span must lie in the 14 characters"):
        pieces_of(window(), span)


@pytest.mark.parametrize(("first", "last"), [(8, 7), (1, 7), (7, 10), (0, 7), (7, 11), (-3, 7)])
def test_tokens_that_are_no_part_of_the_passage(first, last):
    with pytest.raises(ValueError, match=f"pieces of the passage in order, got {first} and {last}"):
        characters_of(window(), first, last)
