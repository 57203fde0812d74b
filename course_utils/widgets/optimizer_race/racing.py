"""A race for any optimisers that are used as those of torch: the same start, rate, warm-up and noise for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor
from torch.optim import Optimizer

from course_utils.widgets.optimizer_race.surfaces import Surface

FAR = 1e3  # whoever is farther from the origin, hundreds of pictures away, is lost
Race = Callable[[Surface, float, int, float, int, int], Mapping[str, np.ndarray]]


def race_of(optimizers: Mapping[str, Callable[[list[Tensor], float], Optimizer]]) -> Race:
    """What OptimizerRace asks for paths, from named optimisers.

        g_t = ∇height(w_(t−1)) + noise · ε_t,   ε_t ~ N(0, 1)        the same ε_t for all
        rate_t = rate · min(1, t / warmup)

    Args:
        optimizers: name -> (weights to train, rate) -> an optimiser whose rate stands in param_groups under "lr".

    Returns:
        race(surface, rate, warmup, noise, seed, steps): name -> (steps + 1, 2), NaN from where it is lost.
    """

    def race(
        surface: Surface, rate: float, warmup: int, noise: float, seed: int, steps: int
    ) -> dict[str, np.ndarray]:
        generator = torch.Generator().manual_seed(seed)
        shaken = (noise * torch.randn(steps, 2, generator=generator, dtype=torch.float64)).tolist()
        rates = [rate * min(1.0, step / warmup) if warmup else rate for step in range(1, steps + 1)]
        return {name: _descend(surface, make, rates, shaken) for name, make in optimizers.items()}

    return race


def _descend(
    surface: Surface,
    make: Callable[[list[Tensor], float], Optimizer],
    rates: list[float],
    shaken: list[list[float]],
) -> np.ndarray:
    """One optimiser's path."""
    weights = torch.tensor(surface.start, dtype=torch.float64, requires_grad=True)
    optimizer = make([weights], rates[0])
    path = np.full((len(rates) + 1, 2), math.nan)
    x, y = surface.start
    path[0] = x, y
    for step, (rate, (dx, dy)) in enumerate(zip(rates, shaken, strict=True), start=1):
        for group in optimizer.param_groups:
            group["lr"] = rate
        slope = surface.gradient(x, y)
        weights.grad = torch.tensor((slope[0] + dx, slope[1] + dy), dtype=torch.float64)
        optimizer.step()
        x, y = weights.tolist()
        if not math.hypot(x, y) <= FAR:
            break
        path[step] = x, y
    return path
