"""Windows: every piece is in one, offsets count in the whole passage, and what does not fit is refused."""

from __future__ import annotations

import pytest

from course_utils.tasks.windows import passage_windows
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


@pytest.mark.parametrize("stride", [1, 2, 3, 5])
def test_together_they_hold_each_piece_and_no_more_windows_than_needed(stride):
    words = by_syllables()
    for text in random_texts(60, seed=stride):
        pieces = words.pieces(text)
        windows = passage_windows(words, "배?", text, max_length=10, stride=stride)  # room for 5
        seen = [list(zip(window.tokens, window.offsets))[4:-1] for window in windows]
        begins = [number * stride for number in range(len(windows))]
        assert seen == [pieces[begin : begin + 5] for begin in begins]
        assert begins[-1] + 5 >= len(pieces) and (len(windows) == 1 or begins[-2] + 5 < len(pieces))


def test_offsets_are_those_of_the_fast_twin():
    words = by_syllables()
    fast = fast_wordpiece(words)
    for text in random_texts(200, seed=3):
        (window,) = passage_windows(words, "부산?", text)
        twin = fast.encode("부산?", text)
        assert window.offsets == twin.offsets and window.input_ids == twin.ids


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
        ({"max_length": 9}, "passage must fit into the 4 pieces .* got 7; a stride cuts it into windows"),
        ({"max_length": 9, "stride": 5}, "stride must be a whole number from 1 to 4, got 5"),
        ({"max_length": 5, "stride": 1}, "question must leave room .* 5 pieces, 3 .*, got 2 pieces"),
        ({"max_length": 4}, "max_length must be a whole number from 5 to 65536, got 4"),
        ({"passage": " \t"}, r"passage must hold at least one word, got ' \\t'"),
        ({"question": ""}, "question must hold at least one word, got ''"),
        ({"passage": None}, "passage must be a text, got NoneType"),
        ({"tokenizer": "배"}, "tokenizer must be a WordPieceTokenizer, got '배'"),
    ],
)
def test_what_does_not_fit_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        passage_windows(
            **{"tokenizer": tokenizer("부산에서"), "question": "어디?", "passage": PASSAGE} | given
        )
