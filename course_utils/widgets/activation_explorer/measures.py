"""What ActivationExplorer computes: coins that open GELU's gate, and the share of inputs that get no gradient."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

TINY = 1e-3  # slopes below this count as nearly 0, as in notebook 06
FINE = 40_001  # points on which a share is summed
WIDE = 8.0  # standard deviations to each side: beyond lies less than 1e-14


def opening(x: Tensor) -> Tensor:
    """Φ(x), the probability that the gate opens: float64 of any shape."""
    return 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


def times_open(x: Tensor, *, flips: int, roll: int) -> Tensor:
    """How many of `flips` coins open the gate at each x; x·times/flips has the mean x·Φ(x), GELU.

    Args:
        x: float64 (n,).
        flips: coins for each, at least 1.
        roll: seed of the coins; the same one gives the same coins.

    Returns:
        float64 (n,), whole numbers.
    """
    generator = torch.Generator().manual_seed(roll)
    coins = torch.rand(flips, len(x), generator=generator, dtype=torch.float64) < opening(x)
    return coins.double().sum(dim=0)


def shares_without_gradient(
    slope: Callable[[Tensor], Tensor], *, mean: float, spread: float
) -> tuple[float, float]:
    """Of inputs from the normal distribution: the share where the slope is 0, and where its size is below TINY.

    Args:
        slope: the derivative, float64 (n,) -> (n,).
        mean: of the inputs.
        spread: their standard deviation, above 0.

    Returns:
        Two shares from 0 to 1. A single point where the slope crosses 0 has the share 0.
    """
    # midpoints, so that a kink at the mean falls between two of them
    steps = (torch.arange(FINE - 1, dtype=torch.float64) + 0.5) / (FINE - 1)
    standard = WIDE * (2.0 * steps - 1.0)
    weights = torch.exp(-0.5 * standard.square())
    slopes = slope(mean + spread * standard)
    near = [(slopes == 0.0), (slopes.abs() < TINY)]
    return tuple(float(weights[where].sum() / weights.sum()) for where in near)
