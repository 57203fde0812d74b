"""What BERT is trained with: AdamW on two groups of parameters, and a learning rate that rises and falls.

A schedule is a plain function of the step, so it has no state that a checkpoint could lose.
"""

from __future__ import annotations

from torch import nn
from torch.optim import AdamW, Optimizer


def parameter_groups(model: nn.Module, *, weight_decay: float = 0.01) -> list[dict]:
    """Two groups: matrices, which decay, and biases and LayerNorm gains, which do not.

    (google-research/bert, optimization.py: exclude_from_weight_decay.) Those that decay are exactly the parameters
    with two axes or more. A tied parameter is listed once.

    Args:
        model: its parameters that need a gradient.
        weight_decay: λ of the first group.

    Returns:
        two dictionaries, as torch's optimisers take them.
    """
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return [
        {
            "params": [parameter for parameter in trained if parameter.dim() >= 2],
            "weight_decay": weight_decay,
        },
        {"params": [parameter for parameter in trained if parameter.dim() < 2], "weight_decay": 0.0},
    ]


def adamw(model: nn.Module, *, learning_rate: float = 1e-4, weight_decay: float = 0.01) -> AdamW:
    """AdamW with BERT's β₁ = 0.9, β₂ = 0.999, ε = 1e-6, and the two groups of `parameter_groups`.

    It corrects the bias of its averages, as Adam does (Loshchilov and Hutter 2019); the optimiser in BERT's own code
    leaves that out.
    """
    groups = parameter_groups(model, weight_decay=weight_decay)
    return AdamW(groups, lr=learning_rate, betas=(0.9, 0.999), eps=1e-6, fused=True)


def warmup_then_linear(step: int, *, peak: float, warmup: int, total: int) -> float:
    """BERT's learning rate: up to `peak` in a straight line, then down to 0 in another (Devlin et al. 2019, A.2).

        peak · (step + 1) / warmup              while step < warmup
        peak · (total − step) / (total − warmup)    from then on

    Args:
        step: number of the update, from 0: the first one has a rate above 0 already.
        peak: highest rate.
        warmup: number of updates that rise.
        total: number of updates in all; the rate is 0 at `total` and after it.

    Raises:
        ValueError: unless 0 ≤ warmup ≤ total and total is at least 1.
    """
    if not 0 <= warmup <= total or total < 1:
        raise ValueError(f"warmup must lie in 0 … total, total at least 1; got {warmup} and {total}")
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * max(total - step, 0) / max(total - warmup, 1)


def noam(step: int, *, hidden_size: int, warmup: int, factor: float = 1.0) -> float:
    """The Transformer's learning rate (Vaswani et al. 2017, eq. 3).

        factor · hidden_size^−0.5 · min(n^−0.5, n · warmup^−1.5)        n = step + 1

    Args:
        step: number of the update, from 0.
        hidden_size: C.
        warmup: number of updates that rise, at least 1.
        factor: 1 in the paper.

    Raises:
        ValueError: if warmup is smaller than 1.
    """
    if warmup < 1:
        raise ValueError(f"warmup must be at least 1, got {warmup}")
    count = step + 1
    return factor * hidden_size**-0.5 * min(count**-0.5, count * warmup**-1.5)


def set_learning_rate(optimizer: Optimizer, rate: float) -> None:
    """Give every group of an optimiser this rate."""
    for group in optimizer.param_groups:
        group["lr"] = rate
