"""Masked words and sentence pairs: shares within sampling error, and what may never happen."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
import torch

from course_utils.datasets.pretraining import (
    IGNORE,
    NEXT,
    NOT_NEXT,
    choose_tokens,
    choose_words,
    corrupt,
    sentence_pairs,
)

MASK, FIRST, VOCAB = 4, 5, 1009
SIGMAS = 4.5  # of the binomial: a right code fails once in 150,000 seeds, and the seeds are fixed


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def near(count: int, draws: int, rate: float) -> bool:
    """Whether a count lies within sampling error of its expectation; σ = √(n p (1 − p))."""
    return abs(count - draws * rate) < SIGMAS * (draws * rate * (1 - rate)) ** 0.5


def ids(*shape: int) -> torch.Tensor:
    return torch.randint(FIRST, VOCAB, shape, generator=generator(7))


def documents(lengths: list[int]) -> list[list[list[int]]]:
    """Sentences of one piece each; every one its own number."""
    count = iter(range(FIRST, 10**6))
    return [[[next(count)] for _ in range(length)] for length in lengths]


# --- which tokens -----------------------------------------------------------------------------------------------------


def test_fifteen_in_a_hundred_of_two_million_tokens_are_chosen_and_none_that_may_not_be():
    can_choose = torch.rand(1009, 1999, generator=generator(1)) < 0.7
    chosen = choose_tokens(can_choose, generator=generator())
    assert chosen.dtype == torch.bool and not (chosen & ~can_choose).any()
    assert near(int(chosen.sum()), int(can_choose.sum()), 0.15)  # σ = 0.03 % of the tokens


def test_each_place_is_as_likely():
    chosen = choose_tokens(torch.ones(50021, 13, dtype=torch.bool), generator=generator(2))
    assert all(near(int(count), 50021, 0.15) for count in chosen.sum(0))


def test_whole_words_by_hand():
    continues = torch.tensor(
        [[False, True, True, False, False, True], [False, False, True, False, True, True]]
    )
    can_choose = torch.ones(2, 6, dtype=torch.bool)
    seen = set()
    for seed in range(200):
        chosen = choose_words(can_choose, continues, generator=generator(seed), rate=0.5)
        for row, words in ((0, [(0, 3), (3, 4), (4, 6)]), (1, [(0, 1), (1, 3), (3, 6)])):
            assert all(len(set(chosen[row, start:end].tolist())) == 1 for start, end in words)
        seen.add(tuple(chosen[:, [0, 1, 3, 4]].flatten().tolist()))
    assert len(seen) > 30  # the words of a row, and the rows, are drawn one by one


def test_whole_words_are_fifteen_in_a_hundred_of_the_tokens_too():
    continues = torch.rand(4001, 499, generator=generator(3)) < 0.4
    continues[:, 0] = False
    chosen = choose_words(torch.ones_like(continues), continues, generator=generator(4))
    first = ~continues
    assert near(int(chosen[first].sum()), int(first.sum()), 0.15)  # σ = 0.03 % of the words
    # Pieces of a word share one draw: the variance of their sum is p (1 − p) Σ (length of the word)².
    word = first.flatten().cumsum(0)
    spread = (0.15 * 0.85 * (torch.bincount(word).double() ** 2).sum()) ** 0.5
    assert abs(chosen.sum() - 0.15 * chosen.numel()) < SIGMAS * spread
    assert not (chosen[:, 1:] != chosen[:, :-1])[continues[:, 1:]].any()


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, 15.0])
def test_a_rate_must_be_a_share(rate):
    with pytest.raises(ValueError, match=re.escape(f"rate must lie between 0 and 1, got {rate}")):
        choose_tokens(torch.ones(2, 3, dtype=torch.bool), generator=generator(), rate=rate)


# --- what becomes of them ---------------------------------------------------------------------------------------------


def corrupted(rows: int = 1009, length: int = 1009, seed: int = 0):
    before = ids(rows, length)
    chosen = torch.ones(rows, length, dtype=torch.bool)
    after, labels = corrupt(
        before, chosen, mask_id=MASK, first_id=FIRST, vocab_size=VOCAB, generator=generator(seed)
    )
    return before, after, labels


def test_eighty_ten_ten_over_a_million_draws():
    before, after, _ = corrupted()
    draws, kinds = before.numel(), VOCAB - FIRST
    assert draws > 1_000_000
    masked, kept = int((after == MASK).sum()), int((after == before).sum())
    assert near(masked, draws, 0.8)  # σ = 0.04 %
    assert near(kept, draws, 0.1 + 0.1 / kinds)  # σ = 0.03 %; a random token is the true one once in `kinds`
    assert near(draws - masked - kept, draws, 0.1 - 0.1 / kinds)


def test_random_tokens_are_spread_over_the_vocabulary_and_never_special():
    before, after, _ = corrupted(seed=1)
    drawn = after[(after != MASK) & (after != before)]
    counts = torch.bincount(drawn, minlength=VOCAB)
    assert len(counts) == VOCAB and not counts[:FIRST].any() and counts[FIRST:].all()
    expected = len(drawn) / (VOCAB - FIRST)
    chi_squared, freedom = float(((counts[FIRST:] - expected) ** 2 / expected).sum()), VOCAB - FIRST - 1
    assert abs(chi_squared - freedom) < SIGMAS * (2 * freedom) ** 0.5


def test_labels_are_the_true_tokens_where_something_was_chosen_and_ignored_elsewhere():
    before = ids(13, 37)
    untouched = before.clone()
    chosen = choose_tokens(torch.ones(13, 37, dtype=torch.bool), generator=generator(), rate=0.4)
    after, labels = corrupt(
        before, chosen, mask_id=MASK, first_id=FIRST, vocab_size=VOCAB, generator=generator(1)
    )
    assert torch.equal(labels[chosen], before[chosen]) and bool((labels[~chosen] == IGNORE).all())
    assert torch.equal(after[~chosen], before[~chosen])
    assert IGNORE == -100 == torch.nn.CrossEntropyLoss().ignore_index
    assert torch.equal(before, untouched) and after.dtype == labels.dtype == torch.int64


def test_corrupt_says_what_does_not_fit():
    numbers = dict(mask_id=MASK, first_id=FIRST, vocab_size=VOCAB, generator=generator())
    with pytest.raises(ValueError, match=r"shape of input_ids, got torch.bool \(3, 2\)"):
        corrupt(ids(2, 3), torch.ones(3, 2, dtype=torch.bool), **numbers)
    with pytest.raises(ValueError, match=r"chosen must be bool.* got torch.int64 \(2, 3\)"):
        corrupt(ids(2, 3), torch.ones(2, 3, dtype=torch.int64), **numbers)
    for other in (torch.ones(2, 3, dtype=torch.int64), torch.ones(1, 3, dtype=torch.bool)):
        with pytest.raises(ValueError, match="masks must be bool tensors of one shape"):
            choose_words(torch.ones(2, 3, dtype=torch.bool), other, generator=generator())


# --- sentence pairs ---------------------------------------------------------------------------------------------------


def test_every_neighbour_is_used_once_and_a_sentence_alone_has_no_label():
    text = documents([3, 1, 2, 7, 1, 5])
    pairs = sentence_pairs(text, generator=generator())
    firsts = [first for document in text for first, _ in pairwise(document)]
    assert [pair.first for pair in pairs if pair.second is not None] == firsts
    alone = [pair for pair in pairs if pair.second is None]
    assert [pair.first for pair in alone] == [text[1][0], text[4][0]]
    assert all(pair.label is None for pair in alone)


def test_labels_say_what_the_second_sentence_is():
    text = documents([2, 5, 11, 3] * 50)
    home = {sentence[0]: number for number, document in enumerate(text) for sentence in document}
    for pair in sentence_pairs(text, generator=generator(1)):
        following = pair.second[0] == pair.first[0] + 1 and home[pair.second[0]] == home[pair.first[0]]
        assert pair.label == (NEXT if following else NOT_NEXT)
        assert following or home[pair.second[0]] != home[pair.first[0]]
    assert (NEXT, NOT_NEXT) == (0, 1)


def test_labels_are_balanced():
    pairs = sentence_pairs(documents([11] * 1009), generator=generator(2))
    assert near(sum(pair.label == NEXT for pair in pairs), len(pairs), 0.5)  # σ = 0.5 % of 10,090
    assert near(sum(pair.label == NEXT for pair in pairs[::10]), 1009, 0.5)  # the first of a document, too


def test_negatives_come_from_every_other_place_alike():
    text = documents([2, 3, 5, 7])
    drawn: Counter[int] = Counter()
    for seed in range(4001):
        pair = sentence_pairs(text, generator=generator(seed))[1]  # the first of the second document
        if pair.label == NOT_NEXT:
            drawn[pair.second[0] - FIRST] += 1
    assert set(drawn) == {0, 1, *range(5, 17)}
    assert all(near(count, sum(drawn.values()), 1 / 14) for count in drawn.values())


def test_a_negative_is_not_the_true_next_sentence_by_its_words_either():
    text = [[[5], [6, 7]], [[6, 7], [10], [6, 7]], [[11], [8, 9], [6, 7]]]  # equal, but not the same lists
    for seed in range(97):
        for pair in sentence_pairs(text, generator=generator(seed)):
            following = next(b for document in text for a, b in pairwise(document) if a is pair.first)
            assert (pair.second == following) == (pair.label == NEXT)


def test_a_sentence_that_stands_alone_is_no_negative():
    text = documents([2, 1, 3, 1])
    alone = {text[1][0][0], text[3][0][0]}
    pairs = [pair for seed in range(200) for pair in sentence_pairs(text, generator=generator(seed))]
    seconds = {pair.second[0] for pair in pairs if pair.second}
    assert seconds == {sentence[0] for document in text for sentence in document} - alone


def test_a_wrong_next_sentence_shares_the_homonym_as_often_as_is_asked():
    # 5 is a homonym. It stands in every second sentence of each document.
    text = [[[5, number], [number + 1], [5, number + 2], [number + 3]] for number in range(100, 500, 4)]
    for share in (0.0, 0.5, 1.0):
        pairs = sentence_pairs(text, generator=generator(3), homonyms=[5, 6], same_homonym=share)
        wrong = [pair for pair in pairs if pair.label == NOT_NEXT]
        holding = sum(5 in pair.second for pair in wrong)
        # each pair has it in its first or in its true next sentence; else half of all sentences hold it
        # (one in a hundred is drawn in its own document, and then anew from anywhere)
        assert near(holding, len(wrong), min(share + (1 - share) / 2, 0.99))
        home = {tuple(sentence): number for number, document in enumerate(text) for sentence in document}
        assert all(home[tuple(pair.first)] != home[tuple(pair.second)] for pair in wrong)
    assert len({tuple(pair.second) for pair in wrong}) > 50


def test_without_a_homonym_it_is_drawn_as_ever():
    text = documents([2, 5, 11, 3] * 5)
    plain = sentence_pairs(text, generator=generator(4))
    assert sentence_pairs(text, generator=generator(4), homonyms=[9999], same_homonym=1.0) == plain
    assert sentence_pairs(text, generator=generator(4), homonyms=[FIRST], same_homonym=0.0) == plain


def test_the_homonym_of_the_true_next_sentence_comes_first():
    text = [[[5, 1], [6, 2]], *[[[5, number], [7, number]] for number in range(20, 40)]]
    text += [[[6, number], [7, number]] for number in range(40, 60)]
    seconds = [
        pair.second[0]
        for seed in range(100)
        for pair in sentence_pairs(text, generator=generator(seed), homonyms=[5, 6], same_homonym=1.0)[:1]
        if pair.label == NOT_NEXT
    ]
    assert seconds.count(6) > 0.9 * len(seconds) > 30


def test_too_little_text_for_negatives_is_said():
    for text in ([[[5], [6], [7], [8], [9], [10], [11]]], [[[5], [6]], [[6], [6], [6]]]):
        with pytest.raises(ValueError, match="from other documents: give more text"):
            for seed in range(40):
                sentence_pairs(text, generator=generator(seed))
