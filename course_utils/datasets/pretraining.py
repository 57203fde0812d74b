"""The two tasks of pre-training as data (Devlin et al. 2019, section 3.1 and appendix A).

Masked language model: choose 15 % of the tokens; of these 80 % become [MASK], 10 % a random token, 10 % stay; the
label is the true token there, −100 elsewhere. Next sentence prediction: B is the sentence after A, or one from
another document.

Letters: B batch, T tokens, V vocabulary. Every draw comes from the given generator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

IGNORE = -100  # label of a position where nothing is predicted
MASK_RATE = 0.15
MASKED, RANDOM = 0.8, 0.1  # of the chosen ones; the rest stays as it is
NEXT, NOT_NEXT = 0, 1  # as in the paper's code

Ids = list[int]  # one sentence


def choose_tokens(can_choose: Tensor, *, generator: torch.Generator, rate: float = MASK_RATE) -> Tensor:
    """Choose every token by itself with probability `rate`.

    Args:
        can_choose: bool (B, T), False at special tokens and padding.
        generator: source of the draws.
        rate: expected share of the tokens that may be chosen.

    Returns:
        bool (B, T).
    """
    _check(rate, can_choose)
    return (torch.rand(can_choose.shape, generator=generator) < rate) & can_choose


def choose_words(
    can_choose: Tensor, continues: Tensor, *, generator: torch.Generator, rate: float = MASK_RATE
) -> Tensor:
    """Choose whole words: all pieces of a word share the draw of its first piece.

    Every word has the same probability, so the expected share of tokens is `rate`, too.

    Args:
        can_choose: bool (B, T), False at special tokens and padding.
        continues: bool (B, T), True where a piece continues the word before it (##).
        generator: source of the draws.
        rate: expected share of the words.

    Returns:
        bool (B, T).
    """
    _check(rate, can_choose, continues)
    draws = torch.rand(can_choose.shape, generator=generator)  # (B, T)
    places = torch.arange(can_choose.shape[1]).expand_as(can_choose)
    first = places.masked_fill(continues, 0).cummax(dim=1).values  # (B, T): where each piece's word begins
    return (draws.gather(1, first) < rate) & can_choose


def corrupt(
    input_ids: Tensor,
    chosen: Tensor,
    *,
    mask_id: int,
    first_id: int,
    vocab_size: int,
    generator: torch.Generator,
) -> tuple[Tensor, Tensor]:
    """Replace the chosen tokens by the 80-10-10 rule.

    One draw u decides for each: u < 0.8 [MASK], u < 0.9 a random token, else as it was. Two separate draws of 80 %
    and 10 % would overlap.

    Args:
        input_ids: int64 (B, T).
        chosen: bool (B, T).
        mask_id: id of [MASK].
        first_id: lowest id that a random token may have: the special tokens stand before it.
        vocab_size: V; a random token is drawn from first_id … V−1.
        generator: source of the draws.

    Returns:
        corrupted int64 (B, T) and labels int64 (B, T), −100 where nothing was chosen. The input is not changed.
    """
    if input_ids.shape != chosen.shape or chosen.dtype != torch.bool:
        raise ValueError(
            f"chosen must be bool, of the shape of input_ids, got {chosen.dtype} {tuple(chosen.shape)}"
        )
    fate = torch.rand(input_ids.shape, generator=generator)  # (B, T)
    random_ids = torch.randint(first_id, vocab_size, input_ids.shape, generator=generator)
    corrupted = torch.where(chosen & (fate < MASKED), mask_id, input_ids)
    corrupted = torch.where(chosen & (fate >= MASKED) & (fate < MASKED + RANDOM), random_ids, corrupted)
    return corrupted, input_ids.masked_fill(~chosen, IGNORE)


class Pair(NamedTuple):
    """What goes into one row."""

    first: Ids
    second: Ids | None  # None: a sentence that has no neighbour
    label: int | None  # NEXT or NOT_NEXT; None without a second sentence


def sentence_pairs(
    documents: Sequence[Sequence[Ids]],
    *,
    generator: torch.Generator,
    homonyms: Collection[int] = (),
    same_homonym: float = 0.0,
) -> list[Pair]:
    """Pair each sentence with the one after it or, as often, with one from another document.

    A wrong next sentence is drawn from the documents that have neighbours to show: one that stands alone would give
    itself away by its kind.

    Args:
        documents: encoded sentences. A document of one sentence gives a row of its own, without a label.
        generator: source of the draws.
        homonyms: ids of words with several senses.
        same_homonym: where the true next sentence, or else the first, holds one of these, so often the wrong next one
            is drawn among the sentences that hold it, too. 0 is BERT's way. With more, the word in common no longer
            tells: its sense does.

    Returns:
        one pair for each pair of neighbours, and one row for each document of a single sentence, in order.
    """
    with_neighbours = [document for document in documents if len(document) > 1]
    sentences = [sentence for document in with_neighbours for sentence in document]
    homonyms = frozenset(homonyms) if same_homonym else frozenset()
    holding: dict[int, list[int]] = defaultdict(list)  # homonym -> numbers of the sentences that hold it
    for number, sentence in enumerate(sentences):
        for piece in homonyms.intersection(sentence):
            holding[piece].append(number)
    pairs: list[Pair] = []
    start = 0  # of the document, among the sentences
    for document in documents:
        if len(document) == 1:
            pairs.append(Pair(document[0], None, None))
            continue
        end = start + len(document)
        follows = torch.rand(max(len(document) - 1, 0), generator=generator) < 0.5
        for place, (first, following) in enumerate(zip(document, document[1:])):
            if follows[place]:
                pairs.append(Pair(first, following, NEXT))
                continue
            other = None
            shared = next((piece for piece in (*following, *first) if piece in homonyms), None)
            if shared is not None and torch.rand((), generator=generator) < same_homonym:
                place_of_other = holding[shared][
                    int(torch.randint(len(holding[shared]), (), generator=generator))
                ]
                if not start <= place_of_other < end and sentences[place_of_other] != following:
                    other = sentences[place_of_other]
            if other is None:
                other = _from_elsewhere(sentences, start, end, following, generator)
            pairs.append(Pair(first, other, NOT_NEXT))
        start = end
    return pairs


def _from_elsewhere(
    sentences: list[Ids], start: int, end: int, following: Ids, generator: torch.Generator
) -> Ids:
    """A sentence from outside start … end−1 that does not equal the true next one; it may equal the first."""
    outside = len(sentences) - (end - start)
    for _ in range(100):
        if outside == 0:
            break
        place = int(torch.randint(outside, (), generator=generator))
        other = sentences[place if place < start else place + end - start]
        if other != following:
            return other
    raise ValueError("negatives are drawn from other documents: give more text")


def _check(rate: float, *masks: Tensor) -> None:
    """15 for 0.15 would choose everything; an integer mask would be read bit by bit, one of another shape repeated."""
    if not 0.0 < rate < 1.0:
        raise ValueError(f"rate must lie between 0 and 1, got {rate}")
    for mask in masks:
        if mask.dtype != torch.bool or mask.shape != masks[0].shape:
            raise ValueError(f"masks must be bool tensors of one shape, got {mask.dtype} {tuple(mask.shape)}")
