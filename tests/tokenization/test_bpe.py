"""BPE in three ways: plain (bpe.py), at work (bpe_tokenizer.py), and recounted here with scores and runners-up."""

import random
import time
import unicodedata
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets.corpus import read_documents
from course_utils.tokenization import (
    BPETokenizer,
    BPETrainer,
    ByteBPETrainer,
    PlainBPETrainer,
    WordPieceTrainer,
    fast,
)
from course_utils.tokenization.bpe import apply_merges, count_pairs, merge, split_punctuation, split_words
from course_utils.tokenization.bpe_tokenizer import replay_merges
from course_utils.tokenization.pairs import PairTable

examples = settings(derandomize=True, deadline=None, max_examples=100, database=None)
LINES = ["배를 타고 배에서 배를 먹었다.", "배가 아파서 배를 만졌다!", "사과를 먹고 배를 먹었다, 배가 불렀다."]


def recounted(trainer, texts, vocab_size, score):
    """Training as in the book: count everything again before each merge."""
    words = trainer.words(texts)
    vocab = list(dict.fromkeys([*trainer.special_tokens, *trainer.alphabet(words)]))
    spelled = [(trainer.spell(word), count) for word, count in words.items()]
    steps = []
    while len(vocab) < vocab_size:
        pairs, symbols = Counter(), Counter()
        for word, count in spelled:
            symbols.update({symbol: count * times for symbol, times in Counter(word).items()})
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        ranked = sorted(
            (-score(count, symbols[a], symbols[b]), -count, vocab.index(a), vocab.index(b), (a, b))
            for (a, b), count in pairs.items()
            if count >= trainer.min_count
        )
        if not ranked:
            break
        pair = ranked[0][-1]
        new = trainer.join(*pair)
        if new not in vocab:
            vocab.append(new)
        for word, _ in spelled:
            at = 0
            while at < len(word) - 1:
                if (word[at], word[at + 1]) == pair:
                    word[at : at + 2] = [new]
                at += 1
        steps.append((pair, -ranked[0][1], -ranked[0][0], new, [each[-1] for each in ranked[1:4]]))
    return steps


def by_count(pair, first, second):
    return pair


def by_score(pair, first, second):
    return pair / (first * second)


def incremental(trainer, texts, vocab_size):
    return [
        (step.pair, step.count, step.score, step.new_symbol, [each.pair for each in step.runners_up])
        for step in trainer.steps(texts, vocab_size)
    ]


# --- plain ---------------------------------------------------------------------------------------------------------


def test_pairs_and_merges_by_hand():
    words = {("▁", "배", "를"): 3, ("▁", "배", "가"): 2, ("▁", "배"): 1}
    assert count_pairs(words) == {("▁", "배"): 6, ("배", "를"): 3, ("배", "가"): 2}
    assert merge(("▁", "배", "를"), ("▁", "배"), "▁배") == ("▁배", "를")
    assert merge("하하하", ("하", "하"), "하하") == ("하하", "하") and merge("", ("a", "b"), "ab") == ()
    assert split_words("배(梨)를  탔다.") == ["▁배", "(", "梨", ")", "를", "▁탔다", "."]
    vocab, merges = PlainBPETrainer().train(["배를 배를 배를 배 먹 먹"], 8)
    assert merges == [("▁", "배"), ("▁배", "를"), ("▁", "먹")]
    assert list(vocab) == ["[UNK]", "▁", "를", "먹", "배", "▁배", "▁배를", "▁먹"]


@pytest.mark.parametrize("min_count", [1, 2, 3])
@examples
@given(
    texts=st.lists(st.text("ab가나. ", max_size=17), max_size=7).filter(
        lambda texts: any(map(str.split, texts))
    )
)
def test_plain_and_at_work_learn_the_same(min_count, texts):
    tokenizer = BPETrainer(min_count=min_count).train(texts, 40)
    assert PlainBPETrainer(min_count=min_count).train(texts, 40) == (tokenizer.vocab, tokenizer.merges)


def test_plain_and_at_work_are_the_same_on_the_corpus():
    lines = [line for document in read_documents()[:60] for line in document]
    vocab, merges = PlainBPETrainer().train(lines, 900)
    tokenizer = BPETrainer().train(lines, 900)
    assert len(vocab) == 900 and (vocab, merges) == (tokenizer.vocab, tokenizer.merges)
    for word in split_words(" ".join(lines[:50])):
        assert replay_merges(word, tokenizer.ranks) == apply_merges(word, tokenizer.ranks)


# --- training ------------------------------------------------------------------------------------------------------


def test_by_hand():
    # ▁배 4 times, then ▁배를 3 times; both merges of 3 (를 after ▁배, 먹 after ▁) fight: smaller ids win.
    trainer = BPETrainer()
    steps = list(trainer.steps(["배를 배를 배를 배 먹 먹"], 8))
    assert [(step.pair, step.count, step.new_symbol) for step in steps] == [
        (("▁", "배"), 4, "▁배"),
        (("▁배", "를"), 3, "▁배를"),
        (("▁", "먹"), 2, "▁먹"),
    ]
    assert [each.pair for each in steps[0].runners_up] == [("배", "를"), ("▁", "먹")]
    assert [step.vocab_size for step in steps] == [6, 7, 8] and [step.number for step in steps] == [1, 2, 3]
    assert all(step.score == step.count for step in steps)


def test_of_equal_counts_the_smallest_ids_win():
    # Ids by code point: ▁ (U+2581) stands before the syllables.
    step = next(BPETrainer().steps(["나다 나다 가라 가라"], 99))
    assert step.count == 2 and step.pair == ("▁", "가")
    assert [each.pair for each in step.runners_up] == [("▁", "나"), ("가", "라"), ("나", "다")]


# Without a word nothing is learned.
letters = st.lists(st.text("ab가나.", max_size=9), max_size=7).filter(any)


@pytest.mark.parametrize(
    ("trainer", "score"),
    [
        (BPETrainer(), by_count),
        (ByteBPETrainer(), by_count),
        (WordPieceTrainer(min_count=1, strip_accents=False), by_score),
        (WordPieceTrainer(), by_score),
    ],
    ids=["bpe", "byte", "wordpiece-1", "wordpiece"],
)
@examples
@given(texts=letters)
def test_keeping_the_counts_is_the_same_as_recounting(trainer, score, texts):
    size = 290 if isinstance(trainer, ByteBPETrainer) else 40
    assert incremental(trainer, texts, size) == recounted(trainer, texts, size, score)


@pytest.mark.rare
@pytest.mark.parametrize("trainer", [BPETrainer(), ByteBPETrainer(), WordPieceTrainer(strip_accents=False)])
def test_a_text_without_a_blank_is_trained_on_and_encoded(trainer):
    # What looks through the whole word again for each merge takes hours here, not seconds.
    word = "".join(random.Random(11).choices("가나다라마바사아자차카타파하", k=300_007))
    start = time.process_time()
    tokenizer = trainer.train([f"{word} 가나 가나 가나"], 600)
    assert "".join(tokenizer.tokenize("가나")).replace("##", "").endswith(("가나", "ê°ĢëĤĺ"))
    if isinstance(trainer, WordPieceTrainer):
        assert tokenizer.tokenize(word) == ["[UNK]"]
    else:
        assert len(tokenizer.vocab) == 600 and tokenizer.decode(tokenizer.encode(word)) == word
    assert time.process_time() - start < 30


def test_overlapping_pairs_are_merged_from_the_left():
    table = PairTable([([0, 0, 0, 0, 0], 3)])
    assert table.counts == {(0, 0): 12}
    assert table.merge((0, 0), 1) == 6
    assert table.counts == {(1, 1): 3, (1, 0): 3}


def test_the_order_of_the_texts_does_not_matter():
    assert incremental(BPETrainer(), LINES, 60) == incremental(BPETrainer(), LINES[::-1], 60)


def test_training_ends_when_no_pair_is_frequent_enough():
    tokenizer = BPETrainer(min_count=3).train(["배 배 밤"], 1000)
    assert len(tokenizer.vocab) == 1 + 3 and tokenizer.merges == []


TRAINERS = [BPETrainer(), ByteBPETrainer(), WordPieceTrainer(strip_accents=False)]
FAST = [fast.train_fast_bpe, fast.train_fast_byte_bpe, fast.train_fast_wordpiece]


@pytest.mark.parametrize("train", [*(each.train for each in TRAINERS), *FAST])
def test_one_text_is_no_list_of_texts(train):
    with pytest.raises(ValueError, match="^texts must be a list of texts, got one text, '배를 타고': put it"):
        train("배를 타고", 300)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_texts_without_a_word(trainer):
    with pytest.raises(ValueError, match="^texts must hold at least one word to learn from, and hold none$"):
        trainer.train(["", ""], 300)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_texts_may_come_one_by_one(trainer):
    assert trainer.train((line for line in LINES), 300).vocab == trainer.train(LINES, 300).vocab


def test_too_small_a_vocabulary():
    with pytest.raises(ValueError, match="at least 4, an alphabet of 3, got 3"):
        BPETrainer().train(["배 밤"], 3)


# --- encoding -----------------------------------------------------------------------------------------------------


def test_punctuation_stands_alone():
    assert split_punctuation("▁(배),") == ["▁", "(", "배", ")", ","]
    assert split_punctuation("") == [] and split_punctuation("배") == ["배"]


@pytest.mark.parametrize("replay", [apply_merges, replay_merges])
def test_merges_are_replayed_in_the_order_they_were_learned(replay):
    ranks = {("b", "c"): 0, ("a", "b"): 1, ("a", "bc"): 2}
    assert replay("abcab", ranks) == ["abc", "ab"]
    assert replay("aaaaa", {("a", "a"): 0}) == ["aa", "aa", "a"]
    assert replay("", ranks) == []


@examples
@given(word=st.text("abc", max_size=40), data=st.data())
def test_merging_by_places_is_the_same_as_looking_again(word, data):
    symbols, pairs = list("abc"), []
    for _ in range(data.draw(st.integers(0, 9))):
        pairs.append((data.draw(st.sampled_from(symbols)), data.draw(st.sampled_from(symbols))))
        symbols.append("".join(pairs[-1]))
    # In any order, so that a merge may make room for one learned before it.
    ranks = {pair: rank for rank, pair in enumerate(data.draw(st.permutations(sorted(set(pairs)))))}
    assert replay_merges(word, ranks) == apply_merges(word, ranks)


def test_encoding_by_hand():
    tokenizer = BPETrainer().train(["배를 배를 배를 배 먹 먹"], 8)
    assert tokenizer.tokenize("배를  먹\n배") == ["▁배를", "▁먹", "▁배"]
    assert tokenizer.tokenize("밤를") == ["▁", "[UNK]", "를"]
    assert tokenizer.tokenize(unicodedata.normalize("NFD", "배를")) == ["▁배를"]
    assert tokenizer.tokenize("") == [] == tokenizer.encode(" ")


@examples
@given(words=st.lists(st.text("배를타고먹었다.!", min_size=1, max_size=7), max_size=5))
def test_known_characters_come_back(words):
    tokenizer = BPETrainer().train([*LINES, "배를타고먹었다.!"], 60)
    assert tokenizer.decode(tokenizer.encode(" ".join(words))) == " ".join(words)


def test_ids_may_be_a_tensor():
    tokenizer = BPETrainer().train(LINES, 300)
    ids = tokenizer.encode("배를 탔다")
    assert tokenizer.decode(torch.tensor(ids)) == tokenizer.decode(ids)


def test_unknown_must_be_in_the_vocabulary():
    with pytest.raises(ValueError, match=r"\[UNK\] missing"):
        BPETokenizer({"a": 0}, [])
