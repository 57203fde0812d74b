"""What a head's attention looks like, as numbers (the heads of Clark et al. 2019, section 3).

Every number is a mean over queries (rows) of one sentence. Which rows count:

    previous   the weight on the token before;                    queries 1 … T−1 (the first has none before it)
    next       the weight on the token after;                     queries 0 … T−2
    itself     the weight on the own place;                       all
    same       the weight on other places with the same piece;    queries whose piece stands elsewhere, too
    separator  the weight on all [SEP] together;                  all
    first      the weight on the first token, [CLS];              all
    entropy    −Σ w log₂ w, in bits: 0 looks at one place, log₂ T at all equally;           all

Where no row counts (no piece stands twice), the number is 0. A special token is no word: two [SEP] are not "same".
A high number alone says little: uniform attention has some weight everywhere, so hold it against that (1/T a place).

Letters: T tokens, H heads, L layers; "..." any leading axes, (L, H) as a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

PATTERNS = ("previous", "next", "itself", "same", "separator", "first", "entropy")
SEPARATOR = "[SEP]"
NO_WORDS = ("[PAD]", "[UNK]", "[CLS]", SEPARATOR, "[MASK]")


def head_patterns(tokens: Sequence[str], weights: Tensor | ArrayLike) -> dict[str, Tensor | np.ndarray]:
    """The patterns of every head on one sentence.

    Args:
        tokens: T of them, special ones included.
        weights: float (..., T, T), rows = queries, each sums to 1.

    Returns:
        name -> float (...), the names being PATTERNS; tensors for a tensor, arrays for anything else.
    """
    return mean_patterns([(tokens, weights)])


def mean_patterns(
    sentences: Iterable[tuple[Sequence[str], Tensor | ArrayLike]],
) -> dict[str, Tensor | np.ndarray]:
    """The same over many sentences: means over all rows that count, so that long sentences weigh more than short ones.

    Args:
        sentences: (tokens, weights) of each, as in head_patterns; at least one.
    """
    sums: dict[str, Tensor] = {}
    counts = dict.fromkeys(PATTERNS, 0)
    arrays = False
    for tokens, weights in sentences:
        arrays |= not isinstance(weights, Tensor)
        for name, rows in _rows(tokens, torch.as_tensor(weights)).items():
            sums[name] = sums.get(name, 0.0) + rows.sum(-1)
            counts[name] += rows.shape[-1]
    if not sums:
        raise ValueError("at least one sentence is needed, got none")
    means = {name: sums[name] / max(counts[name], 1) for name in PATTERNS}
    return {name: mean.detach().numpy() for name, mean in means.items()} if arrays else means


def _rows(tokens: Sequence[str], weights: Tensor) -> dict[str, Tensor]:
    """The number of each row that counts: name -> float (..., rows)."""
    length = len(tokens)
    if not length or weights.shape[-2:] != (length, length) or not weights.is_floating_point():
        raise ValueError(
            f"weights must be float (..., T, T) for T = {length} tokens, at least 1; "
            f"got {weights.dtype} {tuple(weights.shape)}"
        )
    alike = torch.tensor(
        [
            [one == other and place != at and one not in NO_WORDS for at, other in enumerate(tokens)]
            for place, one in enumerate(tokens)
        ]
    ).to(weights.device)  # bool (T, T)
    separators = [place for place, token in enumerate(tokens) if token == SEPARATOR]
    return {
        "previous": weights.diagonal(-1, dim1=-2, dim2=-1),
        "next": weights.diagonal(1, dim1=-2, dim2=-1),
        "itself": weights.diagonal(dim1=-2, dim2=-1),
        "same": (weights * alike).sum(-1)[..., alike.any(-1)],
        "separator": weights[..., separators].sum(-1),
        "first": weights[..., 0],
        "entropy": torch.special.entr(weights).sum(-1) / np.log(2),
    }
