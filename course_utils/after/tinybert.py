"""TinyBERT: a thinner and shallower student copies its teacher layer by layer (Jiao et al. 2020, section 3.1).

    m = 0          embedding layer     ‖E_s W_e − E_t‖², the mean over real tokens and coordinates            (eq. 9)
    m = 1 … M      hidden states       ‖H_s W_h − H_t‖², the same                                             (eq. 8)
                   attention           the mean of (A_s − A_t)², A = Q Kᵀ/√D, the scores before the softmax   (eq. 7)
    m = M + 1      prediction layer    −Σ softmax(z_t/τ)·log_softmax(z_s/τ)                                   (eq. 10)

Student layer m copies teacher layer g(m). The paper's means run over padding, too; here over real tokens alone.

Letters: B batch, T tokens, C hidden_size, H heads, D head size, V vocabulary or labels; M and N layers of student and
teacher.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Tensor, nn

from course_utils.after.soft_targets import check_one_shape, checked_temperature, real_places
from course_utils.bert import BertModel


def layer_map(student_layers: int, teacher_layers: int) -> tuple[int, ...]:
    """The uniform map g: g(0) = 0, the embedding layer; g(m) = m·N/M; g(M + 1) = N + 1, the prediction layer.

    For 4 layers of 12: 0, 3, 6, 9, 12, 13, that is g(m) = 3m for m = 0 … 4.

    Args:
        student_layers, teacher_layers: M and N; M divides N.

    Source: Jiao et al. 2020, sections 3.1 and 4.2.
    """
    if teacher_layers % student_layers:
        raise ValueError(
            f"student_layers must divide teacher_layers, got {student_layers} and {teacher_layers}"
        )
    return (*range(0, teacher_layers + 1, teacher_layers // student_layers), teacher_layers + 1)


def attention_scores(bert: BertModel, hidden_states: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The scores of every layer before the softmax: A = Q Kᵀ/√D, from what the layer read and its own projections.

    BertModel gives only the weights, after the softmax; softmax(A) over the keys that are not masked is equal to them.

    Args:
        bert: the model.
        hidden_states: L + 1 of (B, T, C), as it returned them: layer m reads the m-th.

    Returns:
        L of float (B, H, T, T), masked keys not yet shut out.
    """
    scores = []
    for layer, hidden in zip(bert.encoder.layers, hidden_states[:-1], strict=True):
        attention = layer.attention
        query = attention.split_heads(attention.query(hidden))  # (B, H, T, D)
        key = attention.split_heads(attention.key(hidden))  # (B, H, T, D)
        scores.append((query / math.sqrt(query.shape[-1])) @ key.transpose(-2, -1))  # (B, H, T, T)
    return tuple(scores)


def attention_score_loss(
    student_scores: Tensor, teacher_scores: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Mean of (A_s − A_t)² over heads and pairs of real tokens.

    Before the softmax: a number that is the same for all keys changes no weight, and here it counts.

    Args:
        student_scores, teacher_scores: float (B, H, T, T), as attention_scores gives them; of as many heads.
        attention_mask: integer or bool (B, T), 1 = real; None means all.

    Source: Jiao et al. 2020, eq. 7.
    """
    check_one_shape(student_scores=student_scores, teacher_scores=teacher_scores)
    real = real_places(attention_mask, student_scores[:, 0, :, 0])  # (B, T)
    pairs = real[:, None, :] & real[:, :, None]  # (B, T, T)
    difference = (student_scores - teacher_scores.detach()).transpose(0, 1)  # (H, B, T, T)
    return difference[:, pairs].square().mean()


def hidden_loss(
    student_hidden: Tensor,
    teacher_hidden: Tensor,
    projection: nn.Linear,
    attention_mask: Tensor | None = None,
) -> Tensor:
    """Mean of (H_s W − H_t)² over real tokens and the teacher's coordinates; also for the embedding layer.

    Args:
        student_hidden: float (B, T, C_s).
        teacher_hidden: float (B, T, C_t).
        projection: W, C_s -> C_t, learned together with the student and thrown away afterwards.
        attention_mask: integer or bool (B, T), 1 = real; None means all.

    Source: Jiao et al. 2020, eq. 8 and 9.
    """
    projected = projection(student_hidden)  # (B, T, C_t)
    check_one_shape(projected=projected, teacher_hidden=teacher_hidden)
    real = real_places(attention_mask, projected[..., 0])
    return (projected[real] - teacher_hidden[real].detach()).square().mean()


def prediction_loss(student_logits: Tensor, teacher_logits: Tensor, *, temperature: float = 1.0) -> Tensor:
    """Soft cross-entropy, the mean over rows of −Σ_v softmax(z_t/τ)_v·log_softmax(z_s/τ)_v.

    Without τ²: the paper found τ = 1 to do well. A perfect student has the entropy of its teacher, not 0.

    Args:
        student_logits, teacher_logits: float (…, V).
        temperature: τ above 0.

    Source: Jiao et al. 2020, eq. 10.
    """
    temperature = checked_temperature(temperature)
    check_one_shape(student_logits=student_logits, teacher_logits=teacher_logits)
    wanted = (teacher_logits.detach() / temperature).softmax(dim=-1)  # (…, V)
    return -(wanted * (student_logits / temperature).log_softmax(dim=-1)).sum(dim=-1).mean()
