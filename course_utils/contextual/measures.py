"""How well vectors of known sense lie apart."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def similarities(vectors: Tensor) -> Tensor:
    """The cosine of every pair of vectors: float (N, C) -> (N, N)."""
    unit = nn.functional.normalize(vectors, dim=-1)
    return unit @ unit.T


def separation(vectors: Tensor, senses: Sequence[str]) -> float:
    """Mean cosine of two sentences of the same sense, minus that of two sentences of different senses.

    0: the senses are not told apart. The largest possible value is 2.

    Args:
        vectors: float (N, C).
        senses: the sense of each; at least two different ones, one of them at least twice.
    """
    same, other = _pairs(vectors, senses)
    cosines = similarities(vectors.detach())
    if not same.any() or not other.any():
        raise ValueError("senses must hold at least two different ones, and one of them at least twice")
    return float(cosines[same].mean() - cosines[other].mean())


def neighbour_accuracy(vectors: Tensor, senses: Sequence[str]) -> float:
    """Leave one out: the share of sentences whose nearest other sentence (by cosine) has the same sense.

    Args:
        vectors: float (N, C), N at least 2.
        senses: the sense of each.
    """
    _pairs(vectors, senses)
    cosines = similarities(vectors).fill_diagonal_(-torch.inf)
    nearest = cosines.argmax(dim=1).tolist()
    return sum(senses[n] == senses[m] for n, m in enumerate(nearest)) / len(senses)


def _pairs(vectors: Tensor, senses: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Which pairs have the same sense (no vector with itself), and which have different ones: bool (N, N)."""
    if vectors.dim() != 2 or len(vectors) != len(senses) or len(senses) < 2:
        raise ValueError(
            f"vectors must be (N, C) with N senses, N at least 2, got {tuple(vectors.shape)} and {len(senses)} senses"
        )
    names = sorted(set(senses))
    numbers = torch.tensor([names.index(sense) for sense in senses])
    same = numbers[:, None] == numbers[None, :]
    return same & ~torch.eye(len(senses), dtype=torch.bool), ~same
