"""The start values of BERT's parameters (google-research/bert, modeling.py: create_initializer)."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.overrides import TorchFunctionMode


def init_weights(module: nn.Module, *, std: float = 0.02, generator: torch.Generator | None = None) -> None:
    """Draw all weights of a module from N(0, std²), in place; biases become 0, LayerNorm gains 1.

    BERT's code cuts the normal off at two standard deviations (which leaves 0.88·std). torch's trunc_normal_ takes
    absolute bounds, hence ±2·std here.

    Args:
        module: all its Linear, Embedding and LayerNorm parts are set, and every parameter named bias.
        std: σ before cutting, above 0; 0.02 in BERT.
        generator: source of randomness.
    """
    if not 0 < std < math.inf:
        raise ValueError(f"std must be a finite number, above 0, got {std}")
    for part in module.modules():
        if isinstance(part, nn.Linear | nn.Embedding):
            nn.init.trunc_normal_(part.weight, std=std, a=-2.0 * std, b=2.0 * std, generator=generator)
        elif isinstance(part, nn.LayerNorm):
            nn.init.ones_(part.weight)
        if isinstance(getattr(part, "bias", None), nn.Parameter):
            nn.init.zeros_(part.bias)


class Undrawn(TorchFunctionMode):  # a context
    """Draws no start values from a normal distribution: on the meta device torch would load its compiler for that."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is nn.init.normal_:
            return args[0] if args else kwargs["tensor"]
        return function(*args, **(kwargs or {}))
