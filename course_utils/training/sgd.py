"""SGD with momentum, and what the optimisers that are written out here share; adam.py and radam.py have the others.

They are torch's (torch.optim.SGD, Adam, AdamW, RAdam) up to rounding, in parameters and state, under the same names; so
a state_dict of one fits the other. Left out are Nesterov, dampening, AMSGrad, complex and sparse gradients, and all
that is there for speed: real runs use torch's (`adamw` in optim.py).

Letters: θ parameter, g gradient, η learning rate (`lr`), λ weight decay, t number of the step from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from course_utils.support.given import mapping, real_number, several, shown

MOST = 1e30  # of a rate: torch refuses to add a multiple that float32 cannot hold


class PlainOptimizer(Optimizer):
    """Visits each parameter that has a gradient; what is done with one is said by `update`.

    Args:
        params: float tensors, or dictionaries with some under "params" and settings of their own beside them.
        settings: what holds for a group that says nothing else.

    Raises:
        ValueError: if a parameter is listed twice or is no float tensor at whose end gradients gather, or a number does
            not fit.
        TypeError: if params is a single tensor or cannot be gone through.
    """

    def __init__(self, params: Iterable[Tensor] | Iterable[dict], **settings: Any) -> None:
        super().__init__(params, settings)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Check a group, fill in the settings that it lacks, and add it; the dictionary itself stays as it is."""
        given = mapping("a group", param_group, "with a list of parameters under 'params'")
        group = self.defaults | dict(given)
        group["params"] = _leaves(group.get("params"))
        super().add_param_group(self.checked(group))

    def checked(self, group: dict[str, Any]) -> dict[str, Any]:
        """The group with its numbers as floats."""
        return group | {name: real_number(name, group[name], most=MOST) for name in ("lr", "weight_decay")}

    @torch.no_grad()
    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        """Make one step, in place. A parameter without a gradient stays, with its state.

        A NaN in a gradient goes on into its parameter, as in torch; training/loop.py stops before.

        Args:
            closure: computes loss and gradients anew before the step; its loss is returned.

        Raises:
            ValueError: if a gradient is sparse; nothing is changed then.
        """
        with torch.enable_grad():
            loss = None if closure is None else closure()
        used = [(p, group) for group in self.param_groups for p in group["params"] if p.grad is not None]
        if any(parameter.grad.is_sparse for parameter, _ in used):
            raise ValueError("each gradient must be dense, got a sparse one: nn.Embedding(…, sparse=False)")
        for parameter, group in used:
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

    def checked(self, group: dict[str, Any]) -> dict[str, Any]:
        momentum = real_number("momentum", group["momentum"], most=1.0, open_at=("most",))
        return super().checked(group) | {"momentum": momentum}

    def update(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        direction = gradient.add(parameter, alpha=group["weight_decay"])
        if group["momentum"] > 0.0:
            state = self.state[parameter]
            if not state:
                state["momentum_buffer"] = torch.zeros_like(parameter)
            direction = state["momentum_buffer"].mul_(group["momentum"]).add_(direction)
        parameter.add_(direction, alpha=-group["lr"])


def _leaves(params: Any) -> list[Tensor]:
    """The parameters of a group, each one once."""
    if isinstance(params, set | frozenset):  # a state_dict counts them, and a set has another order each time
        raise ValueError("params must be a list of float tensors, got a set")
    found = [params] if isinstance(params, Tensor) else several("params", params, "float tensors")
    for parameter in found:
        if not (isinstance(parameter, Tensor) and parameter.is_floating_point() and parameter.is_leaf):
            told = parameter.dtype if isinstance(parameter, Tensor) else shown(parameter)
            raise ValueError(f"params must hold float tensors that are not computed from others, got {told}")
    if len(set(map(id, found))) < len(found):
        raise ValueError("params must list each tensor once, got one of them twice")
    return found
