"""ELMo's mix of layers: each task learns how much of every layer it wants (Peters et al. 2018, eq. 1)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from course_utils.shapes import check_same_dtype, check_tensors
from course_utils.support.given import several, whole_number

DEEPEST = 2**10  # layers: whoever asks for more has mistyped


class ScalarMix(nn.Module):
    """γ · Σ_j s_j h_j,  s = softmax(w), j = 0 … L (Peters et al. 2018, eq. 1).

    The shares s are above 0 and sum to 1; γ stretches the whole. All start alike: s_j = 1/(L + 1), γ = 1. So where all
    layers are one vector v, the mix is γ·v.

    Not here: the layer normalization before the mix, which the paper tries as well.

    Args:
        num_layers: L of the model; it gives L + 1 hidden states.

    Raises:
        ValueError: if num_layers is no whole number from 1 to 1024.
    """

    def __init__(self, num_layers: int) -> None:
        super().__init__()
        num_layers = whole_number("num_layers", num_layers, most=DEEPEST)
        self.weights = nn.Parameter(torch.zeros(num_layers + 1))  # w, before the softmax
        self.gamma = nn.Parameter(torch.ones(()))

    def shares(self) -> Tensor:
        """s, float (L + 1,)."""
        return self.weights.softmax(dim=0)

    def forward(self, hidden_states: Sequence[Tensor]) -> Tensor:
        """L + 1 float tensors of one shape, usually (B, T, C) -> one of it.

        Raises:
            ValueError: if their number is not L + 1, or they differ in shape or type.
        """
        states = several("hidden_states", hidden_states, "tensors, one a layer")
        if len(states) != len(self.weights):
            raise ValueError(
                f"hidden_states must be num_layers + 1 = {len(self.weights)} tensors, got {len(states)}"
            )
        named = {f"hidden_states[{number}]": state for number, state in enumerate(states)}
        check_tensors(**named)
        shapes = {tuple(state.shape) for state in states}
        if len(shapes) > 1:
            raise ValueError(f"hidden_states must have one shape, got {len(shapes)} different ones")
        if len({state.dtype for state in states}) > 1:
            raise ValueError("hidden_states must have one dtype, got several")
        check_same_dtype(**{"hidden_states[0]": states[0]})
        mixed = sum(share * state for share, state in zip(self.shares(), states, strict=True))
        return self.gamma * mixed
