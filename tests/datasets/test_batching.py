"""Batches: rows of similar length, padding masked, number n from the seed and n alone."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
import torch

from course_utils.datasets.batching import (
    Batch,
    PretrainingBatches,
    batches_by_length,
    encode_documents,
    pad,
    seeded,
)
from course_utils.datasets.pretraining import IGNORE, NEXT
from tests.small import tokenizer_of

PIECES = [*(f"w{number}" for number in range(300)), *(f"##p{number}" for number in range(100))]
TOKENIZER = tokenizer_of(PIECES)
PAD, CLS, SEP, MASK = (TOKENIZER.vocab[token] for token in ("[PAD]", "[CLS]", "[SEP]", "[MASK]"))
FIRST_ID, CONTINUES_FROM = 5, 305


def some_documents(number: int = 211, seed: int = 0) -> list[list[list[int]]]:
    """1 to 7 sentences of 2 to 23 pieces. The first two pieces of a sentence are its number, and stand only there."""
    generator = torch.Generator().manual_seed(seed)
    draw = lambda low, high: int(torch.randint(low, high, (), generator=generator))  # noqa: E731
    count = iter(range(10**6))

    def sentence() -> list[int]:
        name = next(count)
        rest = [
            draw(CONTINUES_FROM if draw(0, 3) == 0 else FIRST_ID, len(TOKENIZER.vocab))
            for _ in range(draw(0, 22))
        ]
        return [FIRST_ID + name // 300, FIRST_ID + name % 300, *rest]

    return [[sentence() for _ in range(draw(1, 8))] for _ in range(number)]


DOCUMENTS = some_documents()


def stream(**changes) -> PretrainingBatches:
    return PretrainingBatches(DOCUMENTS, TOKENIZER, **{"batch_size": 7, "max_length": 31} | changes)


def same(one: Batch, other: Batch) -> bool:
    fields = zip(one.inputs().values(), other.inputs().values())
    return all(a is b is None if a is None or b is None else torch.equal(a, b) for a, b in fields)


def true_ids(batch: Batch) -> torch.Tensor:
    """The rows before anything was masked."""
    return torch.where(batch.labels == IGNORE, batch.input_ids, batch.labels)


# --- batches by length ------------------------------------------------------------------------------------------------


def test_each_row_stands_in_one_batch_and_batches_are_full():
    lengths = torch.randint(2, 61, (1009,), generator=seeded(1)).tolist()
    batches = batches_by_length(lengths, 13, generator=seeded(2))
    assert sorted(row for batch in batches for row in batch) == list(range(1009))
    assert Counter(map(len, batches)) == {13: 77, 8: 1}


def test_rows_of_similar_length_lie_together_and_batches_are_shuffled():
    lengths = torch.randint(2, 61, (10007,), generator=seeded(3)).tolist()
    batches = batches_by_length(lengths, 13, generator=seeded(4))
    spread = [max(lengths[row] for row in batch) - min(lengths[row] for row in batch) for batch in batches]
    assert sum(spread) / len(spread) < 5  # unsorted, the mean would be about 50
    longest = [max(lengths[row] for row in batch) for batch in batches]
    rising = sum(a < b for a, b in pairwise(longest)) / len(longest)
    assert 0.4 < rising < 0.6
    assert batches != batches_by_length(lengths, 13, generator=seeded(5))


def test_pad_by_hand():
    assert pad([[1, 2, 3], [4], []], 9).tolist() == [[1, 2, 3], [4, 9, 9], [9, 9, 9]]


def test_seeded_draws_have_nothing_to_do_with_each_other():
    first = [float(torch.rand((), generator=seeded(*numbers))) for numbers in ((1, 2), (2, 1), (12,), (1, 2))]
    assert first[0] == first[3] and len(set(first)) == 3


# --- the stream -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole_words", [True, False])
def test_rows_are_as_bert_wants_them(whole_words):
    batches = stream(whole_words=whole_words)
    for number in range(batches.batches_per_epoch):
        batch = batches(number)
        rows = true_ids(batch)
        real = batch.attention_mask.bool()
        lengths = real.sum(1)
        assert rows.shape[1] == int(lengths.max()) <= 31
        assert torch.equal(real, torch.arange(rows.shape[1]) < lengths[:, None])  # padding stands behind
        assert bool((rows[~real] == PAD).all()) and bool((rows[real] != PAD).all())
        assert bool((rows[:, 0] == CLS).all()) and bool((rows.gather(1, lengths[:, None] - 1) == SEP).all())
        pairs = batch.next_sentence_label is not None
        assert bool(((rows == SEP).sum(1) == (2 if pairs else 1)).all())
        # Segment 1 begins behind the first [SEP] and ends with the last; padding is 0.
        behind = ((rows == SEP).cumsum(1) - (rows == SEP).long()) == 1
        assert torch.equal(batch.token_type_ids, (behind & real).long())
        assert {tensor.dtype for tensor in batch.inputs().values() if tensor is not None} == {torch.int64}


def test_special_tokens_and_padding_are_never_chosen_nor_drawn():
    batches = stream(mask_rate=0.9)
    for number in range(batches.batches_per_epoch):
        batch = batches(number)
        special = true_ids(batch) < FIRST_ID
        assert bool((batch.labels[special] == IGNORE).all())
        assert bool(((batch.input_ids >= FIRST_ID) | (batch.input_ids == MASK))[~special].all())


def test_whole_words_are_masked_whole_in_batches():
    batches = stream(mask_rate=0.5)
    for number in range(0, batches.batches_per_epoch, 3):
        batch = batches(number)
        rows, chosen = true_ids(batch), batch.labels != IGNORE
        continues = (rows >= CONTINUES_FROM)[:, 1:] & (rows >= FIRST_ID)[:, :-1]
        assert not (chosen[:, 1:] != chosen[:, :-1])[continues].any()


def test_an_epoch_shows_every_neighbour_once_and_single_sentences_without_label():
    batches = stream(max_length=101)  # nothing is cut
    follows = {(*a[:2], *b[:2]) for document in DOCUMENTS for a, b in pairwise(document)}
    for epoch in range(2):
        firsts, alone = Counter(), Counter()
        for place in range(batches.batches_per_epoch):
            batch = batches(epoch * batches.batches_per_epoch + place)
            rows = true_ids(batch).tolist()
            if batch.next_sentence_label is None:
                alone.update(tuple(row[1:3]) for row in rows)
                continue
            for row, label in zip(rows, batch.next_sentence_label.tolist()):
                second = row[row.index(SEP) + 1 :]
                assert ((*row[1:3], *second[:2]) in follows) == (label == NEXT)
                firsts[tuple(row[1:3])] += 1
        assert firsts == Counter(tuple(a[:2]) for document in DOCUMENTS for a in document[:-1])
        assert alone == Counter(tuple(d[0][:2]) for d in DOCUMENTS if len(d) == 1)


def test_the_longer_sentence_is_cut_first():
    long, short = [FIRST_ID] * 29, [FIRST_ID + 1] * 4
    batches = PretrainingBatches(
        [[long, short], [short, long], [[FIRST_ID + 2]], [[FIRST_ID + 3] * 50]],
        TOKENIZER,
        batch_size=2,
        max_length=17,
    )
    seen = set()
    for number in range(40 * batches.batches_per_epoch):
        batch = batches(number)
        for row in true_ids(batch).tolist():
            row = [token for token in row if token != PAD]
            assert len(row) <= 17
            if row.count(SEP) == 2:
                seen.add((row.index(SEP) - 1, len(row) - row.index(SEP) - 2))
            else:
                assert len(row) in (3, 17)
    assert {(10, 4), (4, 10)} <= seen


def test_a_batch_depends_on_seed_and_number_only():
    wanted = [stream(seed=3)(number) for number in range(5)]
    batches = stream(seed=3)
    far = 2 * batches.batches_per_epoch + 1
    later = batches(far)
    for number in (4, 0, 2, 1, 3):
        assert same(batches(number), wanted[number])
    torch.manual_seed(11)  # what others draw does not matter
    assert same(batches(far), later) and same(stream(seed=3)(far), later)
    assert not same(stream(seed=4)(0), wanted[0]) and not same(wanted[0], wanted[1])


def test_parts_of_the_ranks_add_up_to_the_whole():
    batches = stream(batch_size=11)
    for number in range(5):
        batch = batches(number)
        for world in (1, 2, 3):
            parts = [batch.part(rank, world) for rank in range(world)]
            for name, whole in batch.inputs().items():
                if whole is None:
                    assert all(getattr(part, name) is None for part in parts)
                    continue
                again = torch.empty_like(whole)
                for rank, part in enumerate(parts):
                    again[rank::world] = getattr(part, name)
                assert torch.equal(again, whole) and sum(len(getattr(p, name)) for p in parts) == len(whole)


@pytest.mark.parametrize("documents", [[], [[]], [[[5, 6]], []]])
def test_no_text_is_refused(documents):
    with pytest.raises(ValueError, match="at least one document, each with at least one sentence"):
        PretrainingBatches(documents, TOKENIZER)


def test_documents_are_encoded_as_the_tokenizer_does_and_empty_sentences_go():
    text = [["w1 w2w3", "w7p1 w20", ""], [" "], ["w5"]]
    ids = lambda line: [TOKENIZER.vocab[token] for token in TOKENIZER.tokenize(line)]  # noqa: E731
    assert encode_documents(text, TOKENIZER) == [[ids("w1 w2w3"), ids("w7p1 w20")], [ids("w5")]]
