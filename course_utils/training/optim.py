"""What BERT is trained with: AdamW on two groups of parameters, and a learning rate that rises and falls.

A schedule is a plain function of the step, so it has no state that a checkpoint could lose. The optimisers written out
stand in sgd.py, adam.py and radam.py.
"""

from __future__ import annotations

import math
import numbers

from torch import nn
from torch.optim import AdamW, Optimizer

from course_utils.support.given import real_number, shown
from course_utils.training.radam import RAdam as RAdam  # others import it from here

LARGEST = 1e308  # of a step: Python computes with larger integers, but not in floats


def parameter_groups(model: nn.Module, *, weight_decay: float = 0.01) -> list[dict]:
    """Two groups: matrices, which decay, and biases and LayerNorm gains, which do not.

    (google-research/bert, optimization.py: exclude_from_weight_decay.) Those that decay are exactly the parameters
    with two axes or more. A tied parameter is listed once.

    Args:
        model: its parameters that need a gradient.
        weight_decay: λ of the first group.

    Returns:
        two dictionaries, as torch's optimisers take them.

    Raises:
        ValueError: if λ is negative or not finite, or model is none.
    """
    if not isinstance(model, nn.Module):
        raise ValueError(f"model must be a torch.nn.Module, got {shown(model)}")
    weight_decay = real_number("weight_decay", weight_decay)
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

    Raises:
        ValueError: if a rate is negative or not finite.
    """
    learning_rate = real_number("learning_rate", learning_rate)
    groups = parameter_groups(model, weight_decay=weight_decay)
    return AdamW(groups, lr=learning_rate, betas=(0.9, 0.999), eps=1e-6, fused=True)


def linear_rate(step: int, peak: float, warmup: int, total: int) -> float:
    """BERT's learning rate: up to `peak` in a straight line, then down to 0 in another (Devlin et al. 2019, A.2).

        peak · step / warmup                        up to step = warmup
        peak · (total − step) / (total − warmup)    from then on

    An update at step `total` would change nothing, so a run of N updates passes total = N + 1: its rate reaches 0 one
    step after the last of them. (BERT's own code counts from 0, which wastes the first update, not the last.)

    Args:
        step: number of the update, from 1.
        peak: highest rate.
        warmup: number of updates that rise; with 0 the rate falls from the first on.
        total: the step from which on the rate is 0.

    Raises:
        ValueError: unless step ≥ 1, total ≥ 1, 0 ≤ warmup ≤ total, and peak is a finite number of at least 0.
    """
    peak = real_number("peak", peak)
    known = all(map(_is_number, (step, warmup, total)))
    if not (known and step >= 1 and total >= 1 and 0 <= warmup <= total <= LARGEST):
        raise ValueError(
            "step and total must be at least 1 and warmup lie in 0 … total; "
            f"got step {shown(step)}, warmup {shown(warmup)}, total {shown(total)}"
        )
    if step <= warmup:
        return peak * step / warmup
    if step >= total:
        return 0.0
    return peak * (total - step) / (total - warmup)


def noam_rate(step: int, hidden_size: int, warmup: int) -> float:
    """The Transformer's learning rate (Vaswani et al. 2017, eq. 3).

        hidden_size^−0.5 · min(step^−0.5, step · warmup^−1.5)

    Args:
        step: number of the update, from 1.
        hidden_size: C.
        warmup: number of updates that rise.

    Raises:
        ValueError: if one of the three is smaller than 1.
    """
    if not all(_is_number(number) and 1 <= number <= LARGEST for number in (step, hidden_size, warmup)):
        raise ValueError(
            "step, hidden_size and warmup must be at least 1; "
            f"got step {shown(step)}, hidden_size {shown(hidden_size)}, warmup {shown(warmup)}"
        )
    return hidden_size**-0.5 * min(step**-0.5, step * warmup**-1.5)


def slanted_triangle(
    step: int, peak: float, total: int, *, cut_fraction: float = 0.1, ratio: float = 32.0
) -> float:
    """ULMFiT's learning rate: up in a short straight line, then down in a long one (Howard and Ruder 2018, eq. 3).

        cut = ⌊total · cut_fraction⌋, at least 1
        p = step / cut                                                up to step = cut
        p = 1 − (step − cut) / (cut · (1/cut_fraction − 1)) ≥ 0       from then on
        rate = peak · (1 + p · (ratio − 1)) / ratio

    It begins near peak/ratio and ends there, not at 0. The paper has no "at least 1" and no "≥ 0": they count where
    total · cut_fraction is no whole number, and its formula would divide by 0 or give a rate below peak/ratio. With
    fewer than 1/cut_fraction updates in all, it begins at its peak and ends above peak/ratio.

    Args:
        step: number of the update, from 1.
        peak: highest rate.
        total: number of updates.
        cut_fraction: share of the updates that rise, between 0 and 1.
        ratio: how many times the lowest rate the highest is, at least 1.

    Raises:
        ValueError: unless step ≥ 1, total ≥ 1, and the three others are finite numbers within their bounds.
    """
    peak = real_number("peak", peak)
    cut_fraction = real_number("cut_fraction", cut_fraction, most=1.0, open_at=("least", "most"))
    ratio = real_number("ratio", ratio, least=1.0)
    if not all(_is_number(number) and 1 <= number <= LARGEST for number in (step, total)):
        raise ValueError(f"step and total must be at least 1; got step {shown(step)}, total {shown(total)}")
    cut = max(1, math.floor(total * cut_fraction))
    if step <= cut:
        share = step / cut
    else:
        share = max(0.0, 1 - (step - cut) / (cut * (1 / cut_fraction - 1)))
    return peak * ((1 + share * (ratio - 1)) / ratio)


def check_model_and_optimizer(model: nn.Module, optimizer: Optimizer) -> None:
    """Refuse what cannot be trained, and what cannot train it."""
    if not isinstance(model, nn.Module):
        raise ValueError(f"model must be a torch.nn.Module, got {shown(model)}")
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f"optimizer must be a torch.optim.Optimizer, got {shown(optimizer)}")


def _is_number(value: float) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def set_learning_rate(optimizer: Optimizer, rate: float) -> None:
    """Give every group of an optimiser this rate, or its `share` of it where it has one."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group.get("share", 1.0)
