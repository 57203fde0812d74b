"""What BERT is trained with: AdamW on two groups of parameters; its learning rate stands in schedules.py.

The optimisers written out stand in sgd.py, adam.py and radam.py.
"""

from __future__ import annotations

from torch import nn
from torch.optim import AdamW, Optimizer

from course_utils.schedules import linear_rate as linear_rate  # fixed names
from course_utils.schedules import noam_rate as noam_rate
from course_utils.support.given import real_number, shown
from course_utils.training.radam import RAdam as RAdam  # others import it from here


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


def check_model_and_optimizer(model: nn.Module, optimizer: Optimizer) -> None:
    """Refuse what cannot be trained, and what cannot train it."""
    if not isinstance(model, nn.Module):
        raise ValueError(f"model must be a torch.nn.Module, got {shown(model)}")
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f"optimizer must be a torch.optim.Optimizer, got {shown(optimizer)}")


def set_learning_rate(optimizer: Optimizer, rate: float) -> None:
    """Give every group of an optimiser this rate, or its `share` of it where it has one."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group.get("share", 1.0)
