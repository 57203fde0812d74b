"""Tokens of the dates: what a learner reads, ids and back, and words that nobody knows."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets.date_pairs import draw_pairs
from course_utils.datasets.date_tokens import (
    BOS,
    ENGLISH,
    EOS,
    KOREAN,
    PAD,
    UNK,
    UnknownToken,
    english_tokens,
    korean_text,
    korean_tokens,
    source_ids,
    target_ids,
)
from course_utils.datasets.dates import english, korean
from tests.datasets.test_dates import MOMENTS

KOREAN_SENTENCE = "2026년 11월 22일 일요일 오후 3시 30분"


def test_by_hand() -> None:
    said = "At half past three on Sunday, the 22nd of November 2026"
    tokens = "at half past three on sunday , the 2 2 nd of november 2 0 2 6"
    assert english_tokens(said) == tokens.split()
    assert " ".join(english_tokens("3:05pm o’clock twenty-five")) == "3 : 0 5 pm o'clock twenty-five"
    tokens = "2 0 2 6 년 1 1 월 2 2 일 일요일 오후 3 시 3 0 분"
    assert korean_tokens(KOREAN_SENTENCE) == tokens.split()
    assert [PAD, BOS, EOS, UNK] == [ENGLISH.index[token] for token in ("<pad>", "<bos>", "<eos>", "<unk>")]
    assert [PAD, BOS, EOS, UNK] == [KOREAN.index[token] for token in ("<pad>", "<bos>", "<eos>", "<unk>")]
    assert (len(ENGLISH), len(KOREAN)) == (71, 30)


def test_batches_by_hand() -> None:
    ids = source_ids(["noon on 4 May 1953", "4 May 1953"])
    words = [[ENGLISH.tokens[place] for place in row] for row in ids.tolist()]
    assert words == [
        ["noon", "on", "4", "may", "1", "9", "5", "3"],
        ["4", "may", "1", "9", "5", "3", "<pad>", "<pad>"],
    ]
    ids = target_ids(["1953년 5월 4일 정오", "1953년 5월 4일"])
    words = [[KOREAN.tokens[place] for place in row] for row in ids.tolist()]
    assert words == [
        ["<bos>", "1", "9", "5", "3", "년", "5", "월", "4", "일", "정오", "<eos>"],
        ["<bos>", "1", "9", "5", "3", "년", "5", "월", "4", "일", "<eos>", "<pad>"],
    ]
    assert ids.dtype == torch.int64


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(moment=MOMENTS, weekday=st.booleans())
def test_every_sentence_has_ids_and_comes_back(moment, weekday) -> None:
    said = korean(moment, weekday=weekday)
    both = [said, KOREAN_SENTENCE]
    assert [korean_text(row) for row in target_ids(both).tolist()] == both
    ids = source_ids(english(moment, weekday=weekday))
    assert 6 <= int((ids != PAD).sum(-1).min()) and ids.shape[1] <= 19


def test_every_word_of_the_vocabularies_is_used() -> None:
    pairs = draw_pairs(3001, split="train", generator=torch.Generator().manual_seed(3))
    for vocabulary, ids in (
        (ENGLISH, source_ids([pair.english for pair in pairs])),
        (KOREAN, target_ids([pair.korean for pair in pairs])),
    ):
        unused = set(range(len(vocabulary))) - set(ids.unique().tolist())
        assert unused <= {BOS, EOS, UNK} and UNK in unused


def test_what_a_model_says_is_cut_at_the_end_and_nowhere_else() -> None:
    ids = [BOS, *KOREAN.ids(korean_tokens(KOREAN_SENTENCE)), EOS]
    assert korean_text(ids) == korean_text(ids[1:]) == korean_text([*ids, 5, PAD, PAD]) == KOREAN_SENTENCE
    assert korean_text([]) == korean_text([BOS, EOS]) == ""
    half = ids[:7]  # as a widget shows it while it is being said
    assert korean_text(half) == "2026년 1"
    assert korean_text([ids[1], BOS, UNK, PAD, ids[1]]) == "2<bos> <unk> <pad> 2"


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("half past three on the 22nd of Febuary 2026", "febuary"),
        ("next Sunday", "next"),
        ("오후 3시", "오후"),
        ("<pad> 4 May 1953", "<"),
    ],
)
def test_an_unknown_word_is_told_by_name(said, word) -> None:
    with pytest.raises(UnknownToken, match=f"^'{word}' is no word of the dates") as told:
        source_ids(["noon on 4 May 1953", said])
    assert told.value.word == word


def test_an_unknown_korean_word() -> None:
    with pytest.raises(UnknownToken, match="^'반' is no word") as told:
        target_ids(["1953년 5월 4일 오후 3시 반"])
    assert told.value.word == "반"
    with pytest.raises(UnknownToken, match="^'<eos>' is no word"):
        KOREAN.ids(["<eos>"])
