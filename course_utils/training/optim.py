"""The optimisers, written out: SGD, Adam, AdamW, RAdam, clipping. And what BERT itself is trained with, `adamw`.

The four classes are torch's (torch.optim) up to rounding, in parameters and state, under the same names; so a
state_dict of one fits the other. Left out are Nesterov, dampening, AMSGrad, complex and sparse gradients, and all that
is there for speed: real runs use torch's. Rates over time stand in course_utils/schedules.py.

Letters: θ parameter, g gradient, η learning rate (`lr`), λ weight decay, t number of the step from 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from course_utils.schedules import linear_rate as linear_rate  # these two have their fixed address here
from course_utils.schedules import noam_rate as noam_rate
from course_utils.support.given import real_number


class PlainOptimizer(Optimizer):
    """Visits each parameter that has a gradient; what is done with one is said by `update`.

    Args:
        params: float tensors, or dictionaries with some under "params" and settings of their own beside them.
        settings: what holds for a group that says nothing else: no number below 0, betas and momentum below 1.
    """

    def __init__(self, params: Iterable[Tensor] | Iterable[dict], **settings: Any) -> None:
        for name, setting in settings.items():
            for number in setting if name == "betas" else [setting]:
                most = 1.0 if name in ("betas", "momentum") else math.inf
                real_number(name, number, most=most, open_at=("most",))
        super().__init__(params, settings)

    @torch.no_grad()
    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        """Make one step, in place. A parameter without a gradient stays, with its state.

        A NaN in a gradient goes on into its parameter, as in torch; training/loop.py stops before.

        Args:
            closure: computes loss and gradients anew before the step; its loss is returned.
        """
        with torch.enable_grad():
            loss = None if closure is None else closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self.update(parameter, parameter.grad, group)
        return loss

    def update(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        """Change one parameter in place; `self.state[parameter]` is its own dictionary."""
        raise NotImplementedError


class SGD(PlainOptimizer):
    """Stochastic gradient descent with momentum (Polyak 1964, as torch writes it; Sutskever et al. 2013, section 2).

        g ← g + λ·θ          b ← μ·b + g, b = 0 before the first step          θ ← θ − η·b

    With μ = 0 there is no state. A gradient that stays the same moves θ by η/(1 − μ)·g a step in the end.

    Args:
        params: as PlainOptimizer.
        lr: η.
        momentum: μ, from 0 to below 1.
        weight_decay: λ.
    """

    def __init__(
        self, params: Iterable, lr: float = 1e-3, *, momentum: float = 0.0, weight_decay: float = 0.0
    ) -> None:
        super().__init__(params, lr=lr, momentum=momentum, weight_decay=weight_decay)

    def update(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        direction = gradient.add(parameter, alpha=group["weight_decay"])
        if group["momentum"] > 0.0:
            state = self.state[parameter]
            if not state:
                state["momentum_buffer"] = torch.zeros_like(parameter)
            direction = state["momentum_buffer"].mul_(group["momentum"]).add_(direction)
        parameter.add_(direction, alpha=-group["lr"])


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
        self, params: Iterable, lr: float = 1e-3, *, weight_decay: float = 0.01, **more: Any
    ) -> None:
        super().__init__(params, lr, weight_decay=weight_decay, **more)

    def update(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        _, mean, square = self.averages(parameter, gradient, group["betas"])
        parameter *= 1 - group["lr"] * group["weight_decay"]
        parameter -= group["lr"] * mean / (square.sqrt() + group["eps"])


# --- RAdam: after t steps v̂ is about the mean of ρ_t squared gradients, the last ones. While ρ_t is small, 1/√v̂ varies
# from run to run more than it should; r_t is the factor that makes its variance what it is in the end.

THRESHOLD = 5.0  # of ρ_t, as in torch.optim.RAdam and the authors' code; algorithm 2 of the paper has 4


def average_length(step: int, beta2: float) -> float:
    """ρ_t, the number of squared gradients that v̂ rests on after t steps (Liu et al. 2020, section 4.1).

        ρ_t = ρ_∞ − 2·t·β₂ᵗ/(1 − β₂ᵗ)          ρ_∞ = 2/(1 − β₂) − 1

    It begins at ρ_1 = 1, grows by a little less than 1 a step, and ends at ρ_∞, which is 1999 for β₂ = 0.999.

    Args:
        step: t, from 1.
        beta2: β₂, from 0 to below 1.
    """
    return _longest(beta2) - 2 * step * beta2**step / (1 - beta2**step)


def rectification(step: int, beta2: float) -> float | None:
    """r_t, the factor of RAdam's step; None as long as ρ_t ≤ 5, where the step is not adaptive at all.

        r_t = √( (ρ_t − 4)·(ρ_t − 2)·ρ_∞ / ((ρ_∞ − 4)·(ρ_∞ − 2)·ρ_t) )

    The formula holds for ρ_t > 4, and the paper's algorithm 2 uses it from there on. torch.optim.RAdam waits for
    ρ_t > 5, and so does this function: with β₂ = 0.999 five steps are not adaptive instead of four.

    Args:
        step: t, from 1.
        beta2: β₂, from 0 to below 1.
    """
    length = average_length(step, beta2)
    if length <= THRESHOLD:
        return None
    longest = _longest(beta2)
    share = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
    return share**0.5


def _longest(beta2: float) -> float:
    return 2 / (1 - beta2) - 1


class RAdam(Adam):
    """Adam, its adaptive step rectified (Liu et al. 2020, algorithm 2; equal to torch.optim.RAdam).

        θ ← θ − η·m̂                              while ρ_t ≤ 5: momentum, no adaptive step
        θ ← θ − η·r_t·m̂·√(1 − β₂ᵗ)/(√v + ε)      from then on

    ε stands beside √v, not beside √v̂ as in Adam. The threshold of ρ_t is torch's, 5; the paper's is 4. λ enters
    through the gradient, as in Adam.

    Args:
        params, lr, betas, eps, weight_decay: as Adam.
    """

    def update(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        gradient = gradient + group["weight_decay"] * parameter
        step, mean, square = self.averages(parameter, gradient, group["betas"])
        beta2 = group["betas"][1]
        factor = rectification(step, beta2)
        if factor is None:
            parameter -= group["lr"] * mean
        else:
            eps = group["eps"] / (1 - beta2**step) ** 0.5  # √v̂ + this = (√v + ε)/√(1 − β₂ᵗ)
            parameter -= group["lr"] * factor * mean / (square.sqrt() + eps)


# --- clipping

TINY = 1e-6  # beside the norm, as in torch.nn.utils.clip_grad_norm_: no division by 0


@torch.no_grad()
def clip_gradients(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
    """Scale all gradients by one factor, in place, so that together they are no longer than max_norm.

        N = √(Σ g²) over all gradients          g ← g · min(1, max_norm/(N + 10⁻⁶))

    One factor for all: between two gradients, and between two entries of one, the ratio stays (Pascanu et al. 2013,
    algorithm 1). Call it after backward and before the optimiser's step. If an entry is NaN, so are N and then every
    entry; an infinite one makes N infinite, itself NaN and all others 0. So look at N, as training/loop.py does.

    Args:
        parameters: tensors; those without a gradient are passed over.
        max_norm: the longest that the gradients may be, above 0.

    Returns:
        N before clipping, a scalar.
    """
    max_norm = real_number("max_norm", max_norm, open_at=("least",))
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    if not gradients:
        return torch.tensor(0.0)
    norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
    for gradient in gradients:
        gradient.mul_((max_norm / (norm + TINY)).clamp(max=1.0))
    return norm


# --- what BERT is trained with


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


def adamw(model: nn.Module, *, learning_rate: float = 1e-4, weight_decay: float = 0.01) -> torch.optim.AdamW:
    """torch's AdamW with BERT's β₁ = 0.9, β₂ = 0.999, ε = 1e-6, and the two groups of `parameter_groups`.

    It corrects the bias of its averages, as Adam does (Loshchilov and Hutter 2019); the optimiser in BERT's own code
    leaves that out. One fused kernel makes the steps of the class above.
    """
    groups = parameter_groups(model, weight_decay=weight_decay)
    return torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.999), eps=1e-6, fused=True)


def set_learning_rate(optimizer: Optimizer, rate: float) -> None:
    """Give every group of an optimiser this rate, or its `share` of it where it has one."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group.get("share", 1.0)
