"""ELECTRA's task as data: tokens drawn from a generator, and which of them differ from the original.

Letters: B batch, T tokens, M masked positions, V vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor

from course_utils.datasets.pretraining import IGNORE
from course_utils.shapes import check_ones_and_zeros, check_same_shape


def replaced(input_ids: Tensor, corrupted: Tensor, attention_mask: Tensor | None = None) -> Tensor:
    """The discriminator's labels: 1 where a token differs from the original, so a generator that guesses right counts
    as original (Clark et al. 2020, section 2).

    Args:
        input_ids: int32 or int64 (B, T), the original.
        corrupted: the same shape, with the generator's tokens.
        attention_mask: integer or bool (B, T), 1 = a real token; None means that all are.

    Returns:
        int64 (B, T): 1, 0, and −100 at padding.
    """
    check_same_shape("corrupted", corrupted, input_ids)
    labels = (corrupted != input_ids).long()
    if attention_mask is None:
        return labels
    check_same_shape("attention_mask", attention_mask, input_ids)
    check_ones_and_zeros("attention_mask", attention_mask)
    return labels.masked_fill(~attention_mask.bool(), IGNORE)


def sample_tokens(logits: Tensor, *, generator: torch.Generator) -> Tensor:
    """Draw one token for each row from softmax(logits): the first whose cumulated probability exceeds a uniform draw.

    Args:
        logits: float (M, V).
        generator: source of the draws, one a row; it may live on another device.

    Returns:
        int64 (M,), without gradient.
    """
    if not torch.isfinite(logits).all():  # the last token would be drawn each time
        raise ValueError("logits must be finite, and some are not")
    cumulated = logits.detach().double().softmax(-1).cumsum(-1)  # (M, V)
    draws = torch.rand(len(logits), 1, generator=generator, dtype=torch.float64, device=generator.device)
    tokens = torch.searchsorted(cumulated, draws.to(logits.device) * cumulated[:, -1:], right=True)  # (M, 1)
    return tokens[:, 0].clamp(max=logits.shape[1] - 1)
