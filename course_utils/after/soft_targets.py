"""What a student learns from a teacher: its softened probabilities, and the direction of its hidden states.

Letters: B batch, T tokens, C hidden_size, V vocabulary, N rows, τ temperature.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.shapes import check_ones_and_zeros, check_same_shape


def soft_target_loss(student_logits: Tensor, teacher_logits: Tensor, *, temperature: float = 2.0) -> Tensor:
    """How far the student's softened probabilities are from the teacher's, times τ².

        p = softmax(teacher / τ)    q = softmax(student / τ)    loss = τ² · mean over rows of Σ_v p_v·(ln p_v − ln q_v)

    The papers write −Σ p_v·ln q_v: that is more by the entropy of p, which no student changes, so the gradient is the
    same, and here a perfect student has 0. The gradient of a logit is τ·(q_v − p_v)/N, and q − p shrinks about as 1/τ:
    without τ² it would fall as 1/τ² and vanish beside that of the masked words (Hinton et al. 2015, section 2).

    Args:
        student_logits, teacher_logits: float (…, V); the teacher's get no gradient.
        temperature: τ above 0; more than 1 makes what is improbable count.

    Source: Hinton et al. 2015, eq. 1 to 4; Sanh et al. 2019, section 2.
    """
    temperature = checked_temperature(temperature)
    check_one_shape(student_logits=student_logits, teacher_logits=teacher_logits)
    log_p = (teacher_logits.detach() / temperature).log_softmax(dim=-1)  # (…, V)
    log_q = (student_logits / temperature).log_softmax(dim=-1)
    return temperature**2 * (log_p.exp() * (log_p - log_q)).sum(dim=-1).mean()


def cosine_loss(
    student_hidden: Tensor, teacher_hidden: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Mean over the real tokens of 1 − cos(student, teacher): directions are compared, lengths are not.

    Args:
        student_hidden, teacher_hidden: float (B, T, C); the teacher's get no gradient.
        attention_mask: integer or bool (B, T), 1 = real; None means all.

    Source: Sanh et al. 2019, section 3: "cosine embedding loss".
    """
    check_one_shape(student_hidden=student_hidden, teacher_hidden=teacher_hidden)
    real = real_places(attention_mask, student_hidden[..., 0])  # (B, T)
    cosine = F.cosine_similarity(student_hidden[real], teacher_hidden[real].detach(), dim=-1)
    return (1.0 - cosine).mean()


def checked_temperature(temperature: float) -> float:
    """τ, if it is above 0: below, the improbable would be made probable."""
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, got {temperature}")
    return temperature


@torch.no_grad()
def ask_teacher(teacher: nn.Module, *inputs: Any, **options: Any) -> Any:
    """What a teacher says, in eval mode and without gradients; its mode is as before afterwards."""
    was_training = teacher.training
    teacher.eval()
    try:
        return teacher(*inputs, **options)
    finally:
        teacher.train(was_training)


def real_places(attention_mask: Tensor | None, input_ids: Tensor) -> Tensor:
    """The mask as bool (B, T), all True for None; refuses one of another shape, and one that leaves no token."""
    if attention_mask is None:
        return torch.ones(input_ids.shape[:2], dtype=torch.bool, device=input_ids.device)
    check_same_shape("attention_mask", attention_mask, input_ids)
    check_ones_and_zeros("attention_mask", attention_mask)
    if not attention_mask.any():
        raise ValueError("attention_mask must leave at least one real token, and leaves none")
    return attention_mask.bool()


def check_one_shape(**given: Tensor) -> None:
    """Refuse two tensors of different shapes, of which one would be spread over the other."""
    (first, one), (second, other) = given.items()
    if one.shape != other.shape:
        raise ValueError(
            f"{first} and {second} must have one shape, got {tuple(one.shape)} and {tuple(other.shape)}"
        )
