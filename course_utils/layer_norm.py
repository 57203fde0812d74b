"""Layer normalization, written out (Ba et al. 2016). Built by hand in notebook 06.

The encoder uses torch's nn.LayerNorm, one fused kernel; tests hold both equal.
"""

from __future__ import annotations

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, *, eps: float = 1e-12) -> Tensor:
    """Give every vector mean 0 and variance 1 over its own C coordinates, then stretch and shift.

        y = (x − μ) / √(σ² + ε) · weight + bias        σ² = 1/C·Σ(x − μ)², the *biased* variance; ε inside the root

    Args:
        x: float (..., C). In half precision it is computed in float32, as torch does, and only the result rounded:
            float16 ends at 65504, so the square of 500 is none, and ε = 1e-12 is 0.
        weight: float (C,), the gain γ.
        bias: float (C,), the shift β.
        eps: ε; 1e-12 in BERT.

    Returns:
        float (..., C), of the type of x.
    """
    if not x.is_floating_point():  # the result has the type of x, and integers would cut it off
        raise ValueError(f"x must be a float tensor, got {x.dtype}")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))  # at least float32
    centred = wide - wide.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return (centred / torch.sqrt(variance + eps) * weight + bias).to(x.dtype)
