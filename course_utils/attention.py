"""Scaled dot-product attention and multi-head attention (Vaswani et al. 2017, section 3.2).

Built by hand in notebooks 02 (one attention), 03 (its mask) and 04 (several heads).
Letters: B batch, T_q and T_k tokens, H heads, D head size, C = H·D hidden size; "..." any leading axes.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from course_utils.shapes import fit_mask


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, dropout: nn.Module | None = None
) -> tuple[Tensor, Tensor]:
    """Mix the values by how well their keys fit the query: softmax(Q Kᵀ / √D) V (Vaswani et al. 2017, eq. 1).

    Args:
        query: float (..., T_q, D).
        key: float (..., T_k, D).
        value: float (..., T_k, D_v).
        mask: bool, broadcastable to (..., T_q, T_k), True = may attend. Never changed. Two axes are (T_q, T_k), the
            same for all; which tokens of each text are padding, masks.padding_mask says with (B, 1, 1, T_k).
        dropout: applied to the weights before they mix, as in training.

    Returns:
        context (..., T_q, D_v) and attention_weights (..., T_q, T_k), those before dropout.
    """
    weights = attention_weights(query, key, mask)  # (..., T_q, T_k)
    mixing = weights if dropout is None else dropout(weights)
    return mixing @ value, weights  # (..., T_q, D_v)


def attention_weights(query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
    """How much each query looks at each key: softmax(Q Kᵀ / √D), over the keys.

    Takes the same as scaled_dot_product_attention. Returns float (..., T_q, T_k): each row sums to 1, masked
    entries are exactly 0; a row without any allowed key is all zeros (the formula would give 0/0; torch's SDPA has the
    same rule). A mask of another type or shape than it takes is refused: it would hide the wrong keys.
    """
    scale = 1.0 / math.sqrt(query.shape[-1])
    # Scaled before the product, not after: float16 ends at 65504.
    scores = (query * scale) @ key.transpose(-2, -1)  # (..., T_q, T_k)
    if mask is None:
        return scores.softmax(dim=-1)
    blocked = ~fit_mask(mask, scores.shape)
    # The lowest finite number instead of −inf: a fully masked row then meets no NaN, not even in its gradient.
    scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1).masked_fill(blocked, 0.0)


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each on its own D = C/H coordinates (Vaswani et al. 2017, section 3.2.2).

        head_h = attention(Q W_h^Q, K W_h^K, V W_h^V)        MultiHead = concat(head_1 … head_H) W^O

    The H projections W_h^Q are kept as one (C, C) matrix, `query`; likewise `key`, `value` and, for W^O, `output`.
    All four have a bias, as in BERT. The number of parameters, 4·C·(C + 1), does not depend on H.

    Args:
        hidden_size: C.
        num_heads: H; must divide C.
        dropout: probability with which an attention weight is dropped in training.
    """

    def __init__(self, hidden_size: int, num_heads: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        if hidden_size % num_heads:
            raise ValueError(
                f"num_heads must divide hidden_size, got {num_heads} heads for size {hidden_size}"
            )
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Let every position of `query` (B, T_q, C) gather from the positions of `key` and `value`, both (B, T_k, C).

        In self-attention the three are one tensor. `mask`: bool, broadcastable to (B, H, T_q, T_k), True = may attend.
        Returns context (B, T_q, C) and attention_weights (B, H, T_q, T_k), before dropout: rows sum to 1.
        """
        q = self.split_heads(self.query(query))  # (B, H, T_q, D)
        k = self.split_heads(self.key(key))  # (B, H, T_k, D)
        v = self.split_heads(self.value(value))  # (B, H, T_k, D)
        context, weights = scaled_dot_product_attention(q, k, v, mask, dropout=self.dropout)
        return self.output(self.merge_heads(context)), weights  # (B, T_q, C), (B, H, T_q, T_k)

    def split_heads(self, hidden: Tensor) -> Tensor:
        """(B, T, C) -> (B, H, T, D): cut the last axis into H pieces, then bring the heads before the tokens."""
        return hidden.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

    def merge_heads(self, context: Tensor) -> Tensor:
        """(B, H, T, D) -> (B, T, C): the way back; the transpose must come before the heads are joined."""
        return context.transpose(-3, -2).flatten(-2)
