"""How long SpanBERT's spans are, in words: ℓ ~ Geo(0.2), at most 10 (Joshi et al. 2020, section 3.1)."""

from __future__ import annotations

import torch
from torch import Tensor

from course_utils.support.given import real_number, whole_number

SUCCESS, LONGEST = 0.2, 10  # p and ℓ_max, Joshi et al. 2020, section 3.1


def length_probabilities(*, p: float = SUCCESS, longest: int = LONGEST) -> Tensor:
    """The geometric distribution cut off at `longest` and divided by what is left.

        P(ℓ) = p(1 − p)^(ℓ−1) / (1 − (1 − p)^longest)        ℓ = 1 … longest

    The paper says "clipped", and gives the mean 3.8, which is that of this one (3.797). Were longer ones shortened to
    10, it would be 4.46.

    Args:
        p: above 0, at most 1.
        longest: 1 … 1000 words.

    Returns:
        float64 (longest,), sum 1.
    """
    p = real_number("p", p, most=1.0, open_at=("least",))
    longest = whole_number("longest", longest, most=1000)
    shares = (1.0 - p) ** torch.arange(longest, dtype=torch.float64)
    return shares / shares.sum()


def span_lengths(
    count: int, *, generator: torch.Generator, p: float = SUCCESS, longest: int = LONGEST
) -> Tensor:
    """Draw the lengths of spans, in words.

    Args:
        count: how many, 1 … 2²⁴.
        generator: source of the draws.
        p, longest: see length_probabilities.

    Returns:
        int64 (count,), each in 1 … longest.
    """
    count = whole_number("count", count, most=2**24)
    shares = length_probabilities(p=p, longest=longest)
    return 1 + torch.multinomial(shares, count, replacement=True, generator=generator)
