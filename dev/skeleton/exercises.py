"""Exercises of notebook NN. A skeleton: replace the three, their texts and their right answers."""

from __future__ import annotations

import torch
from torch import Tensor

from course_utils.exercises.core import Exercise

# ---- NN.1


def rectify(x: Tensor) -> Tensor:
    return torch.where(x > 0, x, 0.0)


RECTIFY = Exercise(
    "NN.1",
    level="warm-up",
    reference=rectify,
    gradients=False,  # at the corner, x = 0, honest forms differ
    cases={
        "by_hand": lambda: (torch.tensor([[-2.0, -0.5, 3.0], [1.0, 0.0, -1.0]]),),
        # What holds on the example shown must hold on others.
        "value": lambda: [(10 * torch.randn(7, 13),), (torch.randn(1, 1, 5).double(),)],
    },
    mistakes={
        "absolute": torch.abs,
        "negative": lambda x: torch.nn.functional.leaky_relu(x),
        "shape": lambda x: x[x > 0],
        "dtype": lambda x: rectify(x.double()),
        "mutates_input": lambda x: x.mul_(x > 0),
        "value": lambda x: x.clamp(min=0, max=6),  # right on the example shown
    },
    signs={"negative": lambda found: bool((found.yours < 0).any())},
    facts={"negative": lambda found: {"lowest": round(float(found.yours.min()), 4)}},
    forbids=("relu", "ReLU", "course_utils.activations"),
)


# ---- NN.2


def slope(x: Tensor) -> Tensor:
    return (x > 0).to(x.dtype)


SLOPE = Exercise(
    "NN.2",
    level="core",
    reference=slope,
    cases={
        "by_hand": lambda: (torch.tensor([-2.0, -0.5, 0.0, 3.0]),),
        "value": lambda: (torch.randn(7, 13, dtype=torch.float64),),
    },
    mistakes={
        "function": rectify,
        "sign": torch.sign,
        "at_zero": lambda x: (x >= 0).to(x.dtype),
        "dtype": lambda x: x > 0,
        "shape": lambda x: slope(x).sum(),
    },
    forbids=("autograd", "course_utils.activations"),
)


# ---- NN.3


def silent_share(x: Tensor) -> Tensor:
    return (x <= 0).all(dim=0).float().mean()  # (B, C) -> ()


SILENT_SHARE = Exercise(
    "NN.3",
    level="stretch",
    reference=silent_share,
    strict=False,
    cases={
        "by_hand": lambda: (
            torch.tensor([[-1.0, 2, -3, 0, 1], [-1.0, -2, 3, -1, -1], [-5.0, 1, -1, -1, 2]]),
        ),
        "value": lambda: (torch.randn(3, 37),),
    },
    mistakes={
        "entries": lambda x: (x <= 0).float().mean(),
        "rows": lambda x: (x <= 0).all(dim=1).float().mean(),
        "any": lambda x: (x <= 0).any(dim=0).float().mean(),
        "count": lambda x: (x <= 0).all(dim=0).sum(),
        "active": lambda x: (x > 0).any(dim=0).float().mean(),
    },
)

EXERCISES = [RECTIFY, SLOPE, SILENT_SHARE]
