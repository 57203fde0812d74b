"""ELMo's mix of layers: each task learns how much of every layer it wants (Peters et al. 2018, eq. 1)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class ScalarMix(nn.Module):
    """γ · Σ_j s_j h_j,  s = softmax(w), j = 0 … L (Peters et al. 2018, eq. 1).

    The shares s are above 0 and sum to 1; γ stretches the whole. All start alike: s_j = 1/(L + 1), γ = 1. So where all
    layers are one vector v, the mix is γ·v.

    Not here: the layer normalization before the mix, which the paper tries as well.

    Args:
        num_layers: L of the model; it gives L + 1 hidden states.
    """

    def __init__(self, num_layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(num_layers + 1))  # w, before the softmax
        self.gamma = nn.Parameter(torch.ones(()))

    def shares(self) -> Tensor:
        """s, float (L + 1,)."""
        return self.weights.softmax(dim=0)

    def forward(self, hidden_states: Sequence[Tensor]) -> Tensor:
        """L + 1 float tensors of one shape, usually (B, T, C) -> one of it."""
        mixed = sum(share * state for share, state in zip(self.shares(), hidden_states, strict=True))
        return self.gamma * mixed
