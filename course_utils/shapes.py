"""What is looked at where otherwise a wrong number would come out: masks, ids, types that torch would take silently.

A check raises a ValueError that says what was expected and what came. What torch refuses by itself stands nowhere here.
Letters: B batch, T_q and T_k tokens; "..." any leading axes.
"""

from __future__ import annotations

import torch
from torch import Tensor


def readable(tensor: Tensor) -> bool:
    """Whether its values can be looked at: not on the meta device, and not while torch traces the model."""
    return not (tensor.is_meta or torch.compiler.is_compiling())


def fit_mask(mask: Tensor, score_shape: tuple[int, ...]) -> Tensor:
    """Refuse a mask that is not bool or does not broadcast to score_shape; drop leading 1-axes that the scores lack.

    Two axes are (T_q, T_k), as they broadcast. Where B = T_q a padding mask (B, T_k) looks the same and cannot be told
    apart; elsewhere the message says what it should be.
    """
    if mask.dtype != torch.bool:
        raise ValueError(f"mask must be bool (True = may attend), got {mask.dtype}")
    fitted = mask
    while fitted.dim() > len(score_shape) and fitted.shape[0] == 1:
        fitted = fitted[0]
    sizes = zip(reversed(fitted.shape), reversed(score_shape), strict=False)
    if fitted.dim() > len(score_shape) or any(size not in (1, wanted) for size, wanted in sizes):
        per_text = len(score_shape) == 4 and mask.shape == (score_shape[0], score_shape[-1])
        raise ValueError(
            f"mask must broadcast to (..., T_q, T_k) = {tuple(score_shape)}, got {tuple(mask.shape)}"
            + ("; a mask of padding must be (B, 1, 1, T_k), as padding_mask makes it" if per_text else "")
        )
    return torch.atleast_2d(fitted)  # torch's fused kernel takes no mask of fewer axes


def check_ones_and_zeros(name: str, mask: Tensor) -> None:
    """Refuse what is neither bool nor an integer tensor of 1 (token) and 0 (padding)."""
    if mask.is_floating_point() or mask.is_complex():
        raise ValueError(f"{name} must be integers (1 = token, 0 = padding) or bool, got {mask.dtype}")
    if mask.dtype != torch.bool and readable(mask) and not torch.equal(mask.bool().to(mask.dtype), mask):
        raise ValueError(f"{name} must hold only 1 (token) and 0 (padding)")


def check_ids(name: str, ids: Tensor, count: int) -> None:
    """Refuse what is not an integer tensor (B, T) with every entry in 0 … count−1."""
    if ids.dim() != 2 or ids.numel() == 0:
        raise ValueError(f"{name} must have shape (B, T), both at least 1, got {tuple(ids.shape)}")
    if ids.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{name} must be int32 or int64, got {ids.dtype}")
    if readable(ids):
        lowest, highest = (int(end) for end in ids.aminmax())
        if lowest < 0 or highest >= count:
            wrong = lowest if lowest < 0 else highest
            raise ValueError(f"{name} must lie in 0 … {count - 1}, got {wrong}")


def check_same_shape(name: str, tensor: Tensor, input_ids: Tensor) -> None:
    """Refuse what does not have one entry for each token."""
    if tensor.shape != input_ids.shape:
        raise ValueError(
            f"{name} must have the shape of input_ids, {tuple(input_ids.shape)}, got {tuple(tensor.shape)}"
        )
