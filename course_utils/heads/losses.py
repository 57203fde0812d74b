"""The losses of the heads: the mean cross-entropy over those labels that are not to be ignored; the squared error.

Built by hand in notebook 16.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.shapes import readable

IGNORE = -100  # a label that means "nothing to predict here"; torch's cross_entropy has the same default


def class_loss(logits: Tensor, labels: Tensor | None, name: str, *, ignore: bool = False) -> Tensor | None:
    """Mean of −log p(label), from logits (…, K) and labels (…); 0 where all are ignored, None without labels.

    Args:
        logits: float (…, K); with K = 1 there is nothing to learn, and the loss would be 0 whatever they are.
        labels: int64 (…), each in 0 … K−1, or −100 where `ignore` allows it; or None.
        name: of the labels, for the message.
        ignore: whether −100 may stand for "no label".
    """
    if labels is None:
        return None
    if logits.shape[-1] < 2:
        raise ValueError(f"a loss needs at least 2 labels to choose from, got {logits.shape[-1]}")
    check_labels(name, labels, logits.shape[:-1], logits.shape[-1], ignore=ignore)
    # The reference takes the mean and so gives NaN, 0/0, where all are ignored.
    total = F.cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=IGNORE, reduction="sum")
    return total / (labels != IGNORE).sum().clamp(min=1)


def number_loss(values: Tensor, labels: Tensor | None, name: str) -> Tensor | None:
    """Mean of (value − label)², the loss of a regression; None without labels.

    Args:
        values: float (B,).
        labels: float (B,), the numbers to be met, such as a similarity from 0 to 5; or None.
        name: of the labels, for the message.
    """
    if labels is None:
        return None
    if labels.shape != values.shape:  # (B, 1) would broadcast to all pairs
        raise ValueError(f"{name} must have shape {tuple(values.shape)}, got {tuple(labels.shape)}")
    return (values - labels).square().mean()


def check_labels(name: str, labels: Tensor, shape: torch.Size, count: int, *, ignore: bool) -> None:
    """Refuse labels of another shape, or beyond 0 … count−1 (−100 apart, where `ignore` allows it)."""
    if labels.shape != shape:
        raise ValueError(f"{name} must have shape {tuple(shape)}, got {tuple(labels.shape)}")
    if not readable(labels):
        return
    wrong = (labels < 0) | (labels >= count)
    if ignore:
        wrong &= labels != IGNORE
    if wrong.any():
        also = f" or be {IGNORE} (ignored)" if ignore else ""
        raise ValueError(f"{name} must lie in 0 … {count - 1}{also}, got {int(labels[wrong][0])}")
