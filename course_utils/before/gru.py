"""The gated recurrent unit, written out (Cho et al. 2014).

Letters: B batch, T tokens, C_in size of the inputs, C hidden size.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class GRU(nn.Module):
    """Gated recurrent unit (Cho et al. 2014, section 2.3): a state that is partly kept, partly written anew.

        r = σ(W_r x + b_r + U_r h + c_r)                 reset: how much of the old state the candidate sees
        z = σ(W_z x + b_z + U_z h + c_z)                 update: how much of the old state stays
        n = tanh(W_n x + b_n + r ⊙ (U_n h + c_n))        candidate
        h ← (1 − z) ⊙ n + z ⊙ h

    This is the form of torch.nn.GRU, whose order of rows (r, z, n) the two matrices have as well. The paper resets
    before the product, U_n (r ⊙ h); torch after it, so that all of U h is one product. Parameters: 3·C·(C_in + C + 2).

    Args:
        input_size: C_in.
        hidden_size: C.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.input = nn.Linear(input_size, 3 * hidden_size)  # W and b
        self.hidden = nn.Linear(hidden_size, 3 * hidden_size)  # U and c
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)  # as nn.GRU

    def forward(self, inputs: Tensor, state: Tensor | None = None, real: Tensor | None = None) -> Tensor:
        """Read a batch from left to right.

        Args:
            inputs: float (B, T, C_in).
            state: float (B, C), before the first token; None is zeros.
            real: bool (B, T), False at padding, where the state stays as it is; None: all are real.

        Returns:
            states (B, T, C), after each token. So the last one, [:, -1], is that after the last real token.
        """
        if state is None:
            state = inputs.new_zeros(len(inputs), self.hidden_size)
        from_inputs = self.input(inputs)  # (B, T, 3·C): waits for nothing, so all at once
        states = []
        for place in range(inputs.shape[1]):
            following = self.step(from_inputs[:, place], state)
            state = following if real is None else torch.where(real[:, place, None], following, state)
            states.append(state)
        return torch.stack(states, dim=1)  # (B, T, C)

    def step(self, from_input: Tensor, state: Tensor) -> Tensor:
        """One token: W x + b, float (B, 3·C), and the state (B, C) -> the next state (B, C)."""
        gates_x, candidate_x = from_input.split([2 * self.hidden_size, self.hidden_size], dim=-1)
        gates_h, candidate_h = self.hidden(state).split([2 * self.hidden_size, self.hidden_size], dim=-1)
        reset, update = torch.sigmoid(gates_x + gates_h).chunk(2, dim=-1)  # (B, C) each
        candidate = torch.tanh(candidate_x + reset * candidate_h)
        return (1.0 - update) * candidate + update * state
