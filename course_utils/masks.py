"""Attention masks: boolean, True = this query may attend to this key.

The polarity is that of torch's scaled_dot_product_attention. nn.MultiheadAttention means the opposite
(True = blocked); the additive masks of other code (0 and −inf) are not used in this course.
"""

from __future__ import annotations

import torch
from torch import Tensor

from course_utils.shapes import check_tensors
from course_utils.support.given import int64, whole_number


def padding_mask(input_ids: Tensor, pad_token_id: int = 0) -> Tensor:
    """Mark the keys that are real tokens.

    Padding hides *keys*, for every head and every query, hence the two axes of size 1.

    Args:
        input_ids: integer (B, T_k).
        pad_token_id: the id that stands for padding.

    Returns:
        bool (B, 1, 1, T_k), True where the key may be attended to.

    Raises:
        ValueError: if input_ids is not of shape (B, T_k) or not of an integer type, or pad_token_id is no whole number.
    """
    check_tensors(input_ids=input_ids)
    if input_ids.dim() != 2:
        raise ValueError(f"input_ids must have shape (B, T_k), got {tuple(input_ids.shape)}")
    if input_ids.is_floating_point() or input_ids.is_complex() or input_ids.dtype == torch.bool:
        raise ValueError(f"input_ids must be integers, got {input_ids.dtype}")
    pad_token_id = int64("pad_token_id", pad_token_id)
    return (input_ids != pad_token_id)[:, None, None, :]  # (B, 1, 1, T_k)


def causal_mask(length: int, *, device: torch.device | str | None = None) -> Tensor:
    """Let position i attend to positions 0 … i only.

    Args:
        length: T, number of positions, 1 … 65536: the mask of so many has 4 GiB.
        device: where the mask lives.

    Returns:
        bool (1, 1, T, T), lower triangle with the diagonal True.

    Raises:
        ValueError: if length is no such number.
    """
    length = whole_number("length", length, most=2**16)
    mask = torch.ones(length, length, dtype=torch.bool, device=device).tril()
    return mask[None, None]  # (1, 1, T, T)


def combine_masks(*masks: Tensor | None) -> Tensor | None:
    """Allow only what every mask allows (logical and, with broadcasting).

    Args:
        masks: bool tensors that broadcast against each other; None stands for "no restriction".

    Returns:
        A new bool tensor of the broadcast shape, or None when every argument is None.

    Raises:
        ValueError: if a mask is not boolean or the shapes do not broadcast.
    """
    combined = None
    for mask in masks:
        if mask is None:
            continue
        check_tensors(mask=mask)
        if mask.dtype != torch.bool:
            raise ValueError(f"masks must be bool (True = may attend), got {mask.dtype}")
        try:
            combined = mask.clone() if combined is None else combined & mask
        except RuntimeError:
            raise ValueError(
                f"masks must broadcast against each other, got {tuple(combined.shape)} and {tuple(mask.shape)}"
            ) from None
    return combined
