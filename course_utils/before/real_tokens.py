"""Which tokens of a batch are real, the last of them in each row, and the mean loss over real targets.

Letters: B batch, T tokens, C hidden size, V vocabulary.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.shapes import check_ones_and_zeros, check_same_shape, readable

IGNORE = -100  # a label that means "nothing to predict here"; torch's cross_entropy has the same default


def real_tokens(input_ids: Tensor, attention_mask: Tensor | None) -> Tensor:
    """bool (B, T), True where a token is no padding; without a mask all are real."""
    if attention_mask is None:
        return torch.ones_like(input_ids, dtype=torch.bool)
    check_same_shape("attention_mask", attention_mask, input_ids)
    check_ones_and_zeros("attention_mask", attention_mask)
    return attention_mask.bool()


def check_some_real(real: Tensor, name: str = "attention_mask") -> None:
    """Refuse a row that is padding alone."""
    if readable(real) and not real.any(dim=-1).all():
        row = int(real.any(dim=-1).long().argmin())
        raise ValueError(f"each row of {name} must have a real token, got padding alone in row {row}")


def last_states(states: Tensor, real: Tensor) -> Tensor:
    """The vector of each row's last real token: float (B, T, C) and bool (B, T) -> (B, C)."""
    places = torch.arange(real.shape[1], device=real.device)
    last = (real * places).argmax(dim=-1)  # (B,)
    return states[torch.arange(len(states), device=states.device), last]  # (B, C)


def mean_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean of −log p(target): float (M, V) and int (M,), those of −100 left out; 0 where there is no target."""
    total = F.cross_entropy(logits, targets.long(), ignore_index=IGNORE, reduction="sum")
    return total / (targets != IGNORE).sum().clamp(min=1)


def check_right_padding(real: Tensor) -> Tensor:
    """Refuse padding that stands before a real token; returns the mask, bool (B, T)."""
    wrong = real[:, 1:] & ~real[:, :-1]
    if readable(real) and wrong.any():
        row = int(wrong.any(dim=-1).long().argmax())
        raise ValueError(
            f"padding must stand behind the real tokens of a row, got a real one behind it in row {row}"
        )
    return real
