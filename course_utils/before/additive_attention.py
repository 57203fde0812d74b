"""Attention whose scores a small network computes, and the softmax over those keys that may be seen.

Letters: B batch, T_q and T_k tokens, C hidden size.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from course_utils.shapes import fit_mask


class AdditiveAttention(nn.Module):
    """Attention whose scores a small network computes: vᵀ tanh(W q + U k) (Bahdanau et al. 2015, A.1.2).

    Query and key are added, not multiplied, hence the name. Behind T_q·T_k scores stand as many vectors of C numbers,
    where a dot product needs none: one reason for the Transformer to take that (Vaswani et al. 2017, section 3.2.1).

    Args:
        hidden_size: C, of query, key and value, and of the layer under the tanh. No biases, as in the paper.
    """

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.query = nn.Linear(hidden_size, hidden_size, bias=False)  # W
        self.key = nn.Linear(hidden_size, hidden_size, bias=False)  # U
        self.score = nn.Linear(hidden_size, 1, bias=False)  # v

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Let every position of `query` (B, T_q, C) gather from those of `key` and `value`, both (B, T_k, C).

        `mask`: bool, broadcastable to (B, T_q, T_k), True = may attend. Returns context (B, T_q, C) and
        attention_weights (B, T_q, T_k): rows sum to 1; without any allowed key they are zeros.
        """
        return self.attend(query, self.key(key), value, mask)

    def attend(
        self, query: Tensor, projected_key: Tensor, value: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """The same with U k, which a decoder computes once for all its steps."""
        together = self.query(query)[:, :, None] + projected_key[:, None]  # (B, T_q, T_k, C)
        scores = self.score(torch.tanh(together)).squeeze(-1)  # (B, T_q, T_k)
        weights = masked_softmax(scores, mask)
        return weights @ value, weights  # (B, T_q, C)


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last axis, 0 where mask is False; a row without any True is zeros (as in attention.py)."""
    if mask is None:
        return scores.softmax(dim=-1)
    blocked = ~fit_mask(mask, scores.shape)
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(blocked, lowest).softmax(dim=-1).masked_fill(blocked, 0.0)
