"""Attention rollout: trace what stands at a position back through the layers to the tokens it came from."""

from __future__ import annotations

import torch
from torch import Tensor


def rollout(weights: Tensor) -> Tensor:
    """Multiply the layers' attention, half of it being the residual connection (Abnar & Zuidema 2020, section 3).

        A_l = ½ · (mean over heads of W_l) + ½ · I          R_l = A_l · A_{l−1} · … · A_1

    **What it leaves out.** It follows attention only: not what the values carry, not W^O, not the feed-forward network,
    not the normalisation. The residual always counts for half, and all heads count alike, even idle ones.
    It says how far a token could have travelled, not what it did there.

    Args:
        weights: float (L, H, T, T), rows = queries, each sums to 1.

    Returns:
        float (L, T, T): R_1 … R_L. Row t of R_l: how much of position t after layer l came from each token. Sums to 1.
    """
    if weights.dim() != 4 or weights.shape[-1] != weights.shape[-2]:
        raise ValueError(f"weights must be (L, H, T, T), got {tuple(weights.shape)}")
    identity = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    flows, reached = [], identity
    for layer in 0.5 * weights.mean(1) + 0.5 * identity:  # (T, T)
        reached = layer @ reached
        flows.append(reached)
    return torch.stack(flows)
