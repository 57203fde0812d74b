"""Scaled dot-product attention and multi-head attention (Vaswani et al. 2017, section 3.2).

Two paths compute the same context: the open one, which also returns the attention weights, and the fused one
(torch's scaled_dot_product_attention), which never builds them. Tests hold them equal.

Letters: B batch, T_q and T_k tokens, H heads, D head size, C = H·D hidden size; "..." any leading axes.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.dropout import Dropout
from course_utils.linear import Linear


def attention_weights(query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
    """How much each query looks at each key: softmax(Q Kᵀ / √D), over the keys.

    Args:
        query: float (..., T_q, D).
        key: float (..., T_k, D).
        mask: bool, broadcastable to (..., T_q, T_k), True = may attend. Never changed.

    Returns:
        float (..., T_q, T_k). Each row sums to 1; masked entries are exactly 0; a row without any allowed key is
        all zeros (the formula would give 0/0; torch's SDPA has the same rule).

    Raises:
        ValueError: if shapes or types do not fit.
    """
    score_shape = _score_shape(query, key)
    scale = 1.0 / math.sqrt(query.shape[-1])
    # Scaled before the product, not after: float16 ends at 65504.
    scores = (query * scale) @ key.transpose(-2, -1)  # (..., T_q, T_k)
    if mask is None:
        return scores.softmax(dim=-1)
    allowed = _fit_mask(mask, score_shape)
    # The lowest finite number instead of −inf: a fully masked row then meets no NaN, not even in its gradient.
    scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1).masked_fill(~allowed, 0.0)  # (..., T_q, T_k)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Mix the values by how well their keys fit the query: softmax(Q Kᵀ / √D) V.

    Source: Vaswani et al. 2017, eq. 1. This is the open path: the weights can be looked at.

    Args:
        query: float (..., T_q, D).
        key: float (..., T_k, D).
        value: float (..., T_k, D_v).
        mask: bool, broadcastable to (..., T_q, T_k), True = may attend. Never changed.

    Returns:
        context (..., T_q, D_v) and attention_weights (..., T_q, T_k).

    Raises:
        ValueError: if shapes or types do not fit.
    """
    weights = attention_weights(query, key, mask)  # (..., T_q, T_k)
    _check_value(key, value)
    return weights @ value, weights  # (..., T_q, D_v)


def fused_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """The context of scaled_dot_product_attention from torch's fused kernel, which never builds the weights.

    Args:
        query, key, value, mask: as in scaled_dot_product_attention.

    Returns:
        context (..., T_q, D_v).

    Raises:
        ValueError: if shapes or types do not fit.
    """
    score_shape = _score_shape(query, key)
    _check_value(key, value)
    allowed = None if mask is None else _fit_mask(mask, score_shape)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)


class MultiHeadAttention(nn.Module):
    """Several attentions side by side, each on its own D = C/H coordinates (Vaswani et al. 2017, section 3.2.2).

        head_h = attention(Q W_h^Q, K W_h^K, V W_h^V)        MultiHead = concat(head_1 … head_H) W^O

    The H projections W_h^Q are kept as one (C, C) matrix, `query`; likewise `key`, `value` and, for W^O, `output`.
    All four have a bias, as in BERT. The number of parameters, 4·C·(C + 1), does not depend on H.

    Args:
        hidden_size: C.
        num_heads: H; must divide C.
        dropout: probability with which an attention weight is dropped in training.

    Raises:
        ValueError: if num_heads does not divide hidden_size.
    """

    def __init__(self, hidden_size: int, num_heads: int, *, dropout: float = 0.0) -> None:
        super().__init__()
        if num_heads < 1 or hidden_size % num_heads:
            raise ValueError(
                f"num_heads must divide hidden_size, got {num_heads} heads for size {hidden_size}"
            )
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.query = Linear(hidden_size, hidden_size)
        self.key = Linear(hidden_size, hidden_size)
        self.value = Linear(hidden_size, hidden_size)
        self.output = Linear(hidden_size, hidden_size)
        self.dropout = Dropout(dropout)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        *,
        need_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        """Let every position of `query` gather from the positions of `key` and `value`.

        Args:
            query: float (B, T_q, C). In self-attention all three are the same tensor.
            key: float (B, T_k, C).
            value: float (B, T_k, C).
            mask: bool, broadcastable to (B, H, T_q, T_k), True = may attend.
            need_weights: False returns None for the weights, and takes the faster fused path where nothing is to be
                dropped.

        Returns:
            context (B, T_q, C) and attention_weights (B, H, T_q, T_k), before dropout: rows sum to 1.

        Raises:
            ValueError: if shapes or types do not fit.
        """
        for name, tensor in (("query", query), ("key", key), ("value", value)):
            if tensor.dim() != 3 or tensor.shape[-1] != self.hidden_size:
                raise ValueError(
                    f"{name} must have shape (B, T, {self.hidden_size}), got {tuple(tensor.shape)}"
                )
        _score_shape(query, key)  # here too, so that a message names the shapes that the caller gave
        _check_value(key, value)
        q = self.split_heads(self.query(query))  # (B, H, T_q, D)
        k = self.split_heads(self.key(key))  # (B, H, T_k, D)
        v = self.split_heads(self.value(value))  # (B, H, T_k, D)
        drops = self.training and self.dropout.p > 0.0  # the fused kernel cannot, on a processor
        if need_weights or drops:
            weights = attention_weights(q, k, mask)  # (B, H, T_q, T_k)
            context = self.dropout(weights) @ v  # (B, H, T_q, D)
        else:
            context = fused_attention(q, k, v, mask)
        return self.output(self.merge_heads(context)), weights if need_weights else None  # (B, T_q, C)

    def split_heads(self, hidden: Tensor) -> Tensor:
        """(B, T, C) -> (B, H, T, D): cut the last axis into H pieces, then bring the heads to the front."""
        return hidden.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def merge_heads(self, context: Tensor) -> Tensor:
        """(B, H, T, D) -> (B, T, C): the way back; the transpose must come before the heads are joined."""
        return context.transpose(1, 2).flatten(-2)


def _score_shape(query: Tensor, key: Tensor) -> tuple[int, ...]:
    """Check query (..., T_q, D) against key (..., T_k, D) and return (..., T_q, T_k)."""
    for name, tensor in (("query", query), ("key", key)):
        if tensor.dim() < 2 or not tensor.is_floating_point():
            raise ValueError(
                f"{name} must be a float tensor of shape (..., T, D), got {tensor.dtype} {tuple(tensor.shape)}"
            )
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query and key must have the same last axis D, got {tuple(query.shape)} and {tuple(key.shape)}"
        )
    if query.dtype != key.dtype:
        raise ValueError(f"query and key must have the same dtype, got {query.dtype} and {key.dtype}")
    leading = query.shape[:-2]
    try:
        # Most often they are equal; broadcast_shapes takes as long as a small product.
        if leading != key.shape[:-2]:
            leading = torch.broadcast_shapes(leading, key.shape[:-2])
    except RuntimeError:
        raise ValueError(
            f"the leading axes of query and key must broadcast, got {tuple(query.shape)} and {tuple(key.shape)}"
        ) from None
    return (*leading, query.shape[-2], key.shape[-2])


def _check_value(key: Tensor, value: Tensor) -> None:
    """Check value (..., T_k, D_v) against key (..., T_k, D)."""
    if value.dim() < 2 or key.dim() < 2 or value.shape[:-1] != key.shape[:-1]:
        raise ValueError(
            f"key and value must agree in all axes but the last, got {tuple(key.shape)} and {tuple(value.shape)}"
        )
    if value.dtype != key.dtype:
        raise ValueError(f"key and value must have the same dtype, got {key.dtype} and {value.dtype}")


def _fit_mask(mask: Tensor, score_shape: tuple[int, ...]) -> Tensor:
    """Check that mask is bool and broadcasts to score_shape; drop leading 1-axes that the scores lack."""
    if mask.dtype != torch.bool:
        raise ValueError(f"mask must be bool (True = may attend), got {mask.dtype}")
    fitted = mask
    while fitted.dim() > len(score_shape) and fitted.shape[0] == 1:
        fitted = fitted[0]
    sizes = zip(reversed(fitted.shape), reversed(score_shape), strict=False)
    if fitted.dim() > len(score_shape) or any(size not in (1, wanted) for size, wanted in sizes):
        raise ValueError(f"mask must broadcast to (..., T_q, T_k) = {score_shape}, got {tuple(mask.shape)}")
    return torch.atleast_2d(fitted)  # torch's fused kernel takes no mask of fewer axes
