"""A vocabulary that keeps a homonym apart from its particles."""

from __future__ import annotations

import pytest

from course_utils.datasets.corpus import HOMONYMS, read_documents
from course_utils.datasets.vocabulary import PARTICLES, is_glued, train_vocabulary
from course_utils.tokenization.fast import train_fast_wordpiece
from course_utils.tokenization.vocab import SPECIAL_TOKENS

SENTENCES = [sentence for document in read_documents() for sentence in document]
SIZE = 5003


@pytest.fixture(scope="module")
def tokenizer():
    return train_vocabulary(SENTENCES, SIZE)


def test_glued_by_hand():
    pieces = "배를 배 배우 배추 담배를 ##배를 은행에서 은행나무 눈이 눈물 사과와"  # 배우: actor; 눈물: tears
    assert [piece for piece in pieces.split() if is_glued(piece)] == ["배를", "은행에서", "눈이", "사과와"]


def test_the_special_tokens_come_first_and_the_size_is_kept(tokenizer):
    pieces = sorted(tokenizer.vocab, key=tokenizer.vocab.__getitem__)
    assert tuple(pieces[:5]) == tuple(SPECIAL_TOKENS) and len(pieces) == SIZE
    assert list(tokenizer.vocab.values()) == list(range(SIZE))
    assert (tokenizer.lowercase, tokenizer.strip_accents) == (False, False)


def test_no_homonym_is_glued_to_a_particle(tokenizer):
    assert [piece for piece in tokenizer.vocab if is_glued(piece)] == []
    plain = train_fast_wordpiece(SENTENCES, SIZE, lowercase=False, strip_accents=False)
    assert sum(map(is_glued, plain.vocab)) >= 5  # counts alone do glue them


@pytest.mark.parametrize("word", HOMONYMS)
def test_each_homonym_is_one_piece_with_any_particle(tokenizer, word):
    assert tokenizer.tokenize(word) == [word]
    for particle in ("에", "도", "만", "까지", "부터", "보다", "처럼"):
        assert particle in PARTICLES
        pieces = tokenizer.tokenize(word + particle)
        assert pieces[0] == word, pieces
        assert "".join(piece.removeprefix("##") for piece in pieces[1:]) == particle


def test_a_homonym_that_the_text_does_not_hold_is_there_all_the_same():
    tokenizer = train_vocabulary(["나무와 나무", "나무가 자란다", "나무 나무"] * 3, 101)
    assert all(tokenizer.tokenize(word) == [word] for word in HOMONYMS)
    assert len(tokenizer.vocab) <= 101 and "[UNK]" not in tokenizer.tokenize("나무")


@pytest.mark.parametrize("size", [7, 30])
def test_a_size_that_leaves_nearly_all_of_the_text_unknown(size):
    told = rf"vocab_size must be at least \d{{4}} for the \d+ different characters .* got {size}, .* [89]\d% of it"
    with pytest.raises(ValueError, match=told):
        train_vocabulary(SENTENCES[::20], size)


def test_hangul_stays_whole(tokenizer):
    assert tokenizer.tokenize("배를") == ["배", "##를"]
    pieces = [piece for line in SENTENCES[::97] for piece in tokenizer.tokenize(line)]
    assert len(pieces) > 1000 and pieces.count("[UNK]") < 0.002 * len(pieces)


@pytest.mark.rare
def test_the_same_text_gives_the_same_pieces(tokenizer):
    assert train_vocabulary(SENTENCES, SIZE).vocab == tokenizer.vocab
