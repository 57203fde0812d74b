"""Label smoothing: no target is wholly certain (Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4).

Built by hand in notebook 07.
"""

from __future__ import annotations

import torch
from torch import Tensor


def smoothed_cross_entropy(
    logits: Tensor, targets: Tensor, *, smoothing: float = 0.1, ignore_index: int = -100
) -> Tensor:
    """Mean cross-entropy against targets that give a share ε of their mass to all classes alike.

        q(v) = (1 − ε)·[v = y] + ε/V        loss = −Σ_v q(v) log p(v) = (1 − ε)·(−log p(y)) + ε·mean_v(−log p(v))

    ε is spread over all V classes, the right one included, which so has 1 − ε + ε/V: as Szegedy et al. and
    torch.nn.functional.cross_entropy have it. (Other code spreads it over the V − 1 wrong ones, or leaves padding out.)
    A class whose logit is −inf is impossible: it gets no share, and V counts the others. The mean is over the positions
    that are not ignored; those have neither a loss nor a gradient, whatever their logits are.

    Args:
        logits: float (…, V).
        targets: int64 (…), y, each in 0 … V−1 and possible, or ignore_index.
        smoothing: ε, 0 … 1; 0 is the plain cross-entropy, 0.1 is the paper's.
        ignore_index: the target that stands for "no loss here", such as the id of padding.

    Returns:
        float (), in nats a position; 0, with zero gradients, where all are ignored.
    """
    if not 0 <= smoothing <= 1:
        raise ValueError(f"smoothing must lie in 0 … 1, got {smoothing}")
    counted = targets != ignore_index
    logits, targets = logits[counted], targets[counted]  # (N, V), (N,): no ignored NaN is multiplied by 0
    log_probabilities = logits.log_softmax(dim=-1)
    possible = logits > -torch.inf
    of_target = log_probabilities.gather(-1, targets[:, None])[:, 0]  # (N,)
    # 0 in place of −inf, and before the product with ε/V: 0·(−inf) is NaN.
    of_all = log_probabilities.masked_fill(~possible, 0.0).sum(dim=-1) / possible.sum(dim=-1)  # (N,)
    loss = -(1.0 - smoothing) * of_target - smoothing * of_all
    return loss.sum() / max(len(loss), 1)
