"""RAdam: Adam that holds its step back as long as its average of squares rests on few gradients (Liu et al. 2020).

After t steps v̂ is about the mean of ρ_t squared gradients, the last ones. While ρ_t is small, 1/√v̂ varies from run to
run more than it should; r_t is the factor that makes its variance what it is in the end.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from course_utils.support.given import real_number, whole_number
from course_utils.training.adam import Adam

THRESHOLD = 5.0  # of ρ_t, as in torch.optim.RAdam and the authors' code; algorithm 2 of the paper has 4
MOST_STEPS = 2**53  # floats count no further


def average_length(step: int, beta2: float) -> float:
    """ρ_t, the number of squared gradients that v̂ rests on after t steps (Liu et al. 2020, section 4.1).

        ρ_t = ρ_∞ − 2·t·β₂ᵗ/(1 − β₂ᵗ)          ρ_∞ = 2/(1 − β₂) − 1

    It begins at ρ_1 = 1, grows by a little less than 1 a step, and ends at ρ_∞, which is 1999 for β₂ = 0.999.

    Args:
        step: t, from 1.
        beta2: β₂, from 0 to below 1.

    Raises:
        ValueError: if step is no whole number of at least 1, or β₂ lies outside.
    """
    step = whole_number("step", step, most=MOST_STEPS)
    beta2 = real_number("beta2", beta2, most=1.0, open_at=("most",))
    return _longest(beta2) - 2 * step * beta2**step / (1 - beta2**step)


def rectification(step: int, beta2: float) -> float | None:
    """r_t, the factor of RAdam's step; None as long as ρ_t ≤ 5, where the step is not adaptive at all.

        r_t = √( (ρ_t − 4)·(ρ_t − 2)·ρ_∞ / ((ρ_∞ − 4)·(ρ_∞ − 2)·ρ_t) )

    The formula holds for ρ_t > 4, and the paper's algorithm 2 uses it from there on. torch.optim.RAdam waits for
    ρ_t > 5, and so does this function: with β₂ = 0.999 five steps are not adaptive instead of four.

    Args:
        step: t, from 1.
        beta2: β₂, from 0 to below 1.

    Raises:
        ValueError: if step is no whole number of at least 1, or β₂ lies outside.
    """
    length = average_length(step, beta2)
    if length <= THRESHOLD:
        return None
    longest = _longest(beta2)
    share = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
    return share**0.5


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


def _longest(beta2: float) -> float:
    """ρ_∞."""
    return 2 / (1 - beta2) - 1
