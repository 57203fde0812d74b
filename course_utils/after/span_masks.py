"""SpanBERT's masks: spans of whole words in place of single tokens (Joshi et al. 2020, section 3.1).

    length ~ Geo(0.2), at most 10 words; start uniform among the words; until 15 % of the tokens are chosen

What stands in place of a span is drawn once for all of its tokens.

Letters: B batch, T tokens, S spans, N tokens of all spans, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from course_utils.datasets.pretraining import IGNORE, MASK_RATE, MASKED, RANDOM

SUCCESS, LONGEST = 0.2, 10  # p and ℓ_max of a span, in words: Joshi et al. 2020, section 3.1


def length_probabilities() -> Tensor:
    """The geometric distribution cut off at LONGEST and divided by what is left.

        P(ℓ) = p(1 − p)^(ℓ−1) / (1 − (1 − p)^LONGEST)        ℓ = 1 … LONGEST, p = SUCCESS

    The paper says "clipped", and gives the mean 3.8, which is that of this one (3.797). Were longer ones shortened to
    10, it would be 4.46.

    Returns:
        float64 (LONGEST,), sum 1.
    """
    shares = (1.0 - SUCCESS) ** torch.arange(LONGEST, dtype=torch.float64)
    return shares / shares.sum()


def span_lengths(count: int, *, generator: torch.Generator) -> Tensor:
    """Draw the lengths of spans, in words.

    Args:
        count: how many.
        generator: source of the draws.

    Returns:
        int64 (count,), each in 1 … LONGEST.
    """
    return 1 + torch.multinomial(length_probabilities(), count, replacement=True, generator=generator)


class Spans(NamedTuple):
    """What mask_spans returns; S spans, row by row, in a row as they were drawn."""

    chosen: Tensor  # bool (B, T)
    places: Tensor  # int64 (S, 3): row, first token, last token (which is inside)
    drawn: (
        Tensor  # int64 (S,): words that were drawn, before the budget or the end of the sentence cut the span
    )


def mask_spans(
    can_choose: Tensor, continues: Tensor, *, generator: torch.Generator, rate: float = MASK_RATE
) -> Spans:
    """Choose spans of whole words until a share `rate` of each row's tokens is chosen.

    A span ends early where the sentence does, or when no more is to be chosen. No word is cut: one of w tokens, of
    which only r are still to be chosen, is taken with the probability r/w and ends the row. So the share is `rate` in
    the mean. Between two spans stands at least one word that is not chosen: each has boundaries that can be read.

    Args:
        can_choose: bool (B, T), False at special tokens and padding.
        continues: bool (B, T), True where a piece continues the word before it (##).
        generator: source of the draws.
        rate: expected share of the tokens.

    Returns:
        Spans.
    """
    if not 0.0 < rate < 1.0:
        raise ValueError(f"rate must be above 0 and below 1, got {rate}")
    if can_choose.shape != continues.shape:
        raise ValueError(
            f"both must have one shape, got {tuple(can_choose.shape)} and {tuple(continues.shape)}"
        )
    most = max(1, can_choose.numel())
    lengths = iter(span_lengths(most, generator=generator).tolist())
    draws = iter(torch.rand(2 * most, generator=generator).tolist())  # in [0, 1)
    chosen = torch.zeros_like(can_choose)
    found = []
    for row in range(len(can_choose)):
        words = _words(can_choose[row].tolist(), continues[row].tolist())
        for span, length in _spans_of_row(words, rate, lengths, draws):
            chosen[row, span] = True
            found.append((row, span[0], span[-1], length))
    numbers = torch.tensor(found, dtype=torch.int64).view(-1, 4)
    return Spans(chosen, numbers[:, :3].contiguous(), numbers[:, 3].contiguous())


def _words(can_choose: list[bool], continues: list[bool]) -> list[list[int]]:
    """The tokens of each word that may be chosen as a whole."""
    words: list[list[int]] = []
    for place, piece in enumerate(continues):
        if piece and words:
            words[-1].append(place)
        else:
            words.append([place])
    return [word for word in words if all(can_choose[place] for place in word)]


def _spans_of_row(
    words: list[list[int]], rate: float, lengths: Iterator[int], draws: Iterator[float]
) -> Iterator[tuple[list[int], int]]:
    """The tokens of each span, and the length that was drawn for it."""
    left = rate * sum(map(len, words))  # tokens still to be chosen
    free = list(range(len(words)))  # words in no span, nor beside one
    while free and left > 0.0:
        length, start = next(lengths), free[int(next(draws) * len(free))]
        span: list[int] = []
        for number in range(start, start + length):
            goes_on = number in free and (not span or words[number][0] == span[-1] + 1)
            if not goes_on or left <= 0.0:
                break
            word = words[number]
            if len(word) > left and next(draws) >= left / len(word):
                left = 0.0
                break
            span += word
            left -= len(word)
        if span:
            yield span, length
            free = [n for n in free if words[n][-1] < span[0] - 1 or words[n][0] > span[-1] + 1]


def tokens_of(places: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The N tokens of all spans, span by span.

    Args:
        places: int64 (S, 3): row, first token, last token.

    Returns:
        four of int64 (N,): row, column, number of the span, place in the span from 0.
    """
    lengths = places[:, 2] - places[:, 1] + 1
    span = torch.arange(len(places), device=places.device).repeat_interleave(lengths)  # (N,)
    inside = torch.arange(len(span), device=places.device) - (lengths.cumsum(0) - lengths)[span]
    return places[span, 0], places[span, 1] + inside, span, inside


def corrupt_spans(
    input_ids: Tensor,
    spans: Spans,
    *,
    mask_id: int,
    first_id: int,
    vocab_size: int,
    generator: torch.Generator,
) -> tuple[Tensor, Tensor]:
    """Replace spans by the 80-10-10 rule, where one draw decides for a whole span (Joshi et al. 2020, section 3.1).

    A span becomes [MASK] throughout, or random tokens, each its own, or stays as it is.

    Args:
        input_ids: int64 (B, T).
        spans: of mask_spans.
        mask_id, first_id, vocab_size, generator: see datasets.pretraining.corrupt.

    Returns:
        corrupted int64 (B, T) and labels int64 (B, T), −100 where nothing was chosen. The input is not changed.
    """
    rows, columns, span, _ = tokens_of(spans.places)
    original = input_ids[rows, columns]  # (N,)
    fate = torch.rand(len(spans.places), generator=generator)[span]  # (N,), the same for all tokens of a span
    random_ids = torch.randint(first_id, vocab_size, original.shape, generator=generator)
    new = torch.where(fate < MASKED, mask_id, torch.where(fate < MASKED + RANDOM, random_ids, original))
    labels = torch.full_like(input_ids, IGNORE)
    corrupted = input_ids.clone()
    corrupted[rows, columns], labels[rows, columns] = new, original
    return corrupted, labels
