"""Adam, and AdamW, which keeps the decay out of Adam's averages. Letters as in sgd.py.

BERT is trained with torch's AdamW (`adamw` in optim.py): the same steps, made by one fused kernel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from course_utils.support.given import real_number, several
from course_utils.training.sgd import PlainOptimizer


class Adam(PlainOptimizer):
    """Each parameter's own step, from averages of its gradient and of the square (Kingma and Ba 2015, algorithm 1).

        g ← g + λ·θ          m ← β₁·m + (1 − β₁)·g          v ← β₂·v + (1 − β₂)·g²
        m̂ = m/(1 − β₁ᵗ)      v̂ = v/(1 − β₂ᵗ)                θ ← θ − η·m̂/(√v̂ + ε)

    m and v begin at 0 and are too small at first, which m̂ and v̂ make good: then |Δθ| = η in the first step. λ enters
    through the gradient, as in L2 regularisation, so that it is divided by √v̂ with it; AdamW is the remedy.

    Args:
        params: as PlainOptimizer.
        lr: η.
        betas: β₁ and β₂, from 0 to below 1.
        eps: ε, outside the root.
        weight_decay: λ.
    """

    def __init__(
        self,
        params: Iterable,
        lr: float = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def checked(self, group: dict[str, Any]) -> dict[str, Any]:
        betas = several("betas", group["betas"], "two numbers")
        if len(betas) != 2:
            raise ValueError(f"betas must be two numbers, got {len(betas)}")
        betas = tuple(real_number("each of betas", beta, most=1.0, open_at=("most",)) for beta in betas)
        return super().checked(group) | {"betas": betas, "eps": real_number("eps", group["eps"])}

    def update(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        gradient = gradient + group["weight_decay"] * parameter
        _, mean, square = self.averages(parameter, gradient, group["betas"])
        parameter -= group["lr"] * mean / (square.sqrt() + group["eps"])

    def averages(
        self, parameter: Tensor, gradient: Tensor, betas: tuple[float, float]
    ) -> tuple[int, Tensor, Tensor]:
        """Take a gradient into m and v of its parameter; returns t, m̂ and v̂."""
        state, (beta1, beta2) = self.state[parameter], betas
        if not state:
            state["step"] = torch.tensor(0.0)
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
        state["step"] += 1
        step = int(state["step"])
        mean = state["exp_avg"].mul_(beta1).add_(gradient, alpha=1 - beta1)
        square = state["exp_avg_sq"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        return step, mean / (1 - beta1**step), square / (1 - beta2**step)


class AdamW(Adam):
    """Adam with decay beside it, not inside its averages: θ ← θ − η·λ·θ before the step (Loshchilov and Hutter 2019).

    Args:
        params, lr, betas, eps: as Adam.
        weight_decay: λ; each step takes the share η·λ of θ away, whatever the gradient.
    """

    def __init__(
        self,
        params: Iterable,
        lr: float = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def update(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        _, mean, square = self.averages(parameter, gradient, group["betas"])
        parameter *= 1 - group["lr"] * group["weight_decay"]
        parameter -= group["lr"] * mean / (square.sqrt() + group["eps"])
