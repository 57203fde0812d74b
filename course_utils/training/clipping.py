"""Clipping: a gradient that is too long is shortened; its direction stays (Pascanu et al. 2013, algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from course_utils.support.given import real_number, several, shown

TINY = 1e-6  # beside the norm, as in torch.nn.utils.clip_grad_norm_: no division by 0


@torch.no_grad()
def clip_gradients(parameters: Iterable[Tensor], max_norm: float) -> Tensor:
    """Scale all gradients by one factor, in place, so that together they are no longer than max_norm.

        N = √(Σ g²) over all gradients          g ← g · min(1, max_norm/(N + 10⁻⁶))

    One factor for all: between two gradients, and between two entries of one, the ratio stays. Call it after backward
    and before the optimiser's step. If an entry is NaN, so are N and then every entry; an infinite one makes N
    infinite, itself NaN and all others 0. So look at N, as training/loop.py does.

    Args:
        parameters: tensors; those without a gradient are passed over.
        max_norm: the longest that the gradients may be, above 0.

    Returns:
        N before clipping, a scalar.

    Raises:
        ValueError: if max_norm is not above 0 or not finite, something else than tensors is given, or a gradient is
            sparse; nothing is changed then.
    """
    max_norm = real_number("max_norm", max_norm, open_at=("least",))
    given = [parameters] if isinstance(parameters, Tensor) else several("parameters", parameters, "tensors")
    for parameter in given:
        if not isinstance(parameter, Tensor):
            raise ValueError(f"parameters must hold tensors and nothing else, got {shown(parameter)}")
    gradients = [parameter.grad for parameter in given if parameter.grad is not None]
    if any(gradient.is_sparse for gradient in gradients):
        raise ValueError("each gradient must be dense, got a sparse one: nn.Embedding(…, sparse=False)")
    if not gradients:
        return torch.tensor(0.0)
    norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
    for gradient in gradients:
        gradient.mul_((max_norm / (norm + TINY)).clamp(max=1.0))
    return norm
