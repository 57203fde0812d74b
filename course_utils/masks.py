"""Attention masks: boolean, True = this query may attend to this key. Built by hand in notebook 03.

The polarity is that of torch's scaled_dot_product_attention. nn.MultiheadAttention means the opposite
(True = blocked); the additive masks of other code (0 and −inf) are not used in this course.
"""

from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(input_ids: Tensor, pad_token_id: int = 0) -> Tensor:
    """Mark the keys that are real tokens.

    Padding hides *keys*, for every head and every query, hence the two axes of size 1.

    Args:
        input_ids: integer (B, T_k). Not vectors: nothing in these says "padding", so floats are refused.
        pad_token_id: the id that stands for padding.

    Returns:
        bool (B, 1, 1, T_k), True where the key may be attended to.
    """
    if input_ids.is_floating_point():
        raise ValueError(f"input_ids must be integers, got {input_ids.dtype}")
    return (input_ids != pad_token_id)[:, None, None, :]  # (B, 1, 1, T_k)


def causal_mask(length: int, *, device: torch.device | str | None = None) -> Tensor:
    """Let position i attend to positions 0 … i only.

    Args:
        length: T, number of positions.
        device: where the mask lives.

    Returns:
        bool (1, 1, T, T), lower triangle with the diagonal True.
    """
    mask = torch.ones(length, length, dtype=torch.bool, device=device).tril()
    return mask[None, None]  # (1, 1, T, T)


def combine_masks(*masks: Tensor | None) -> Tensor | None:
    """Allow only what every mask allows (logical and, with broadcasting).

    Args:
        masks: bool tensors that broadcast against each other; None stands for "no restriction". Integers are refused:
            their ~ flips bits, so that 1 and 0 both become True.

    Returns:
        A new bool tensor of the broadcast shape, or None when every argument is None.
    """
    combined = None
    for mask in masks:
        if mask is None:
            continue
        if mask.dtype != torch.bool:
            raise ValueError(f"masks must be bool (True = may attend), got {mask.dtype}")
        combined = mask.clone() if combined is None else combined & mask
    return combined
