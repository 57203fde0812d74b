"""Layer normalization, written out (Ba et al. 2016).

The encoder uses torch's nn.LayerNorm, one fused kernel; tests hold both equal.
"""

from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, *, eps: float = 1e-12) -> Tensor:
    """Give every vector mean 0 and variance 1 over its own C coordinates, then stretch and shift.

        y = (x − μ) / √(σ² + ε) · weight + bias        σ² = 1/C·Σ(x − μ)², the *biased* variance; ε inside the root

    Args:
        x: float (..., C).
        weight: float (C,), the gain γ.
        bias: float (C,), the shift β.
        eps: ε; 1e-12 in BERT.

    Returns:
        float (..., C).

    Raises:
        ValueError: if weight or bias is not of shape (C,).
    """
    if weight.shape != x.shape[-1:] or bias.shape != x.shape[-1:]:
        raise ValueError(
            f"weight and bias must have shape {tuple(x.shape[-1:])}, got {tuple(weight.shape)} and {tuple(bias.shape)}"
        )
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(variance + eps) * weight + bias
