import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.tokenization import BPETrainer, ByteBPETrainer, WordPieceTokenizer, WordPieceTrainer
from course_utils.tokenization.fast import (
    fast_bpe,
    fast_byte_bpe,
    fast_wordpiece,
    train_fast_bpe,
    train_fast_byte_bpe,
    train_fast_wordpiece,
)
from course_utils.tokenization.merging import MergeTrainer
from course_utils.tokenization.vocab import SPECIAL_TOKENS

examples = settings(derandomize=True, deadline=None, max_examples=150, database=None)


def lines(seed=0, number=300):
    """Sentences of made-up Korean words with particles and punctuation."""
    random_ = random.Random(seed)
    syllables = "배눈밤다리차사과말은행가나하기도서울강물"
    stems = ["".join(random_.choices(syllables, k=random_.randint(1, 3))) for _ in range(97)]
    endings = ["", "를", "을", "가", "에서", "는", "했습니다.", "였다!", ", ", "(the)", "'s"]
    return [
        " ".join(random_.choice(stems[: random_.randint(1, 97)]) + random_.choice(endings) for _ in range(7))
        for _ in range(number)
    ]


LINES = lines()
ODD = ["", " ", "처음 보는 낱말 zebra 🍐", "  두 칸\t탭\n줄 ", "[MASK] 배", "a\x1cb\x85c\u3000d"]
TEXTS = [*lines(seed=1, number=53), *ODD]
texts = st.text(
    st.one_of(st.sampled_from("배를가다 ,.\t\n [MASK]ÉéZ"), st.characters(max_codepoint=0x2FF)), max_size=30
)
BPE = BPETrainer().train(LINES, 250)
BYTES = ByteBPETrainer().train(LINES, 450)


@pytest.mark.parametrize("size", [60, 250, 900])
def test_bpe_learns_what_tokenizers_learns(size):
    ours, theirs = BPETrainer().train(LINES, size), train_fast_bpe(LINES, size)
    assert ours.merges == theirs.merges and ours.vocab == theirs.vocab and ours.merges


@pytest.mark.parametrize("size", [256, 450, 900])
def test_byte_level_bpe_learns_what_tokenizers_learns(size):
    ours, theirs = ByteBPETrainer().train(LINES, size), train_fast_byte_bpe(LINES, size)
    assert ours.merges == theirs.merges and ours.vocab == theirs.vocab


class WordPieceByCounts(WordPieceTrainer):
    """BPE on symbols spelled with ##."""

    table = MergeTrainer.table


def test_the_librarys_wordpiece_trainer_goes_by_counts():
    size = 160
    theirs = train_fast_wordpiece(LINES, size, strip_accents=False).vocab
    by_counts = WordPieceByCounts(strip_accents=False).train(LINES, size).vocab
    by_score = WordPieceTrainer(strip_accents=False).train(LINES, size).vocab
    assert theirs == by_counts and len(theirs) == size  # ids, too: the same vocabulary every time
    assert len(theirs.keys() - by_score.keys()) > 15


def test_a_limited_alphabet():
    tokenizer = train_fast_wordpiece(LINES, 60, strip_accents=False, limit_alphabet=9)
    assert len(tokenizer.vocab) == 60 and list(tokenizer.vocab)[:5] == list(SPECIAL_TOKENS)
    assert sum(len(token) == 1 for token in tokenizer.vocab) == 9


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("strip", [True, False])
def test_wordpiece_twin(lower, strip):
    vocab = train_fast_wordpiece(LINES, 200, lowercase=lower, strip_accents=strip).vocab
    ours = WordPieceTokenizer(vocab, lowercase=lower, strip_accents=strip)
    twin = fast_wordpiece(ours)
    twin.enable_truncation(13)
    for text, pair in zip(TEXTS, TEXTS[1:]):
        for second in (None, pair):
            encoding, reference = ours.encode(text, second, max_length=13), twin.encode(text, second)
            assert encoding.tokens == reference.tokens and encoding.offsets == reference.offsets
            assert encoding.input_ids == reference.ids and encoding.token_type_ids == reference.type_ids
        assert ours.decode(ours.encode(text).input_ids) == twin.decode(ours.encode(text).input_ids)


@pytest.mark.parametrize("text", TEXTS)
def test_bpe_twins(text):
    for ours, twin in ((BPE, fast_bpe(BPE)), (BYTES, fast_byte_bpe(BYTES))):
        reference = twin.encode(text)
        assert ours.tokenize(text) == reference.tokens and ours.encode(text) == reference.ids
        assert ours.decode(ours.encode(text)) == twin.decode(reference.ids, skip_special_tokens=False)


@examples
@given(text=texts)
def test_bpe_twins_on_any_text(text):
    for ours, twin in ((BPE, fast_bpe(BPE)), (BYTES, fast_byte_bpe(BYTES))):
        assert ours.tokenize(text) == twin.encode(text).tokens
