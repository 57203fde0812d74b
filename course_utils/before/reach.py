"""Which inputs reach a word's vector: the gradient of each output with respect to each input, as one size a pair.

A size of exactly 0 says that no path leads from the input to the output: no weights, however they are trained, change
that. A size above 0 says that this model, with these weights and this sentence, lets something through; it does not say
what for.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor


def reach(states_of: Callable[[Tensor], Tensor], vectors: Tensor, *, parts: int = 1) -> Tensor:
    """Measure how strongly each input vector reaches each part of each output vector.

        size[p, t, s] = ‖∂h_t^(p) / ∂x_s‖, the root of the sum of squares over all pairs of coordinates

    All coordinates are taken, not their sum: the sum of a layer-normalized vector hardly moves, and its gradient would
    hide every path.

    Args:
        states_of: input vectors (1, T, C) -> output vectors (1, T, C'), differentiable.
        vectors: float (1, T, C), the inputs at which it is measured; T at least 1.
        parts: P, in how many equal parts an output vector is cut, for example 2 for the two directions of a biLM; must
            divide C'.

    Returns:
        float (P, T, T): part, output place t, input place s.
    """
    if vectors.dim() != 3 or len(vectors) != 1:  # of several texts only the first would be measured
        raise ValueError(f"vectors must have shape (1, T, C), got {tuple(vectors.shape)}")
    leaf = vectors.detach().clone().requires_grad_()
    with torch.enable_grad():
        states = states_of(leaf)
    length = vectors.shape[1]
    if not states.requires_grad:  # nothing at all reaches the outputs
        return vectors.new_zeros(parts, length, length)
    each = torch.eye(states.numel(), dtype=states.dtype)  # (T·C', T·C'): one row, one coordinate
    with torch.enable_grad():
        outputs = states.flatten()  # (T·C',)
        gradients = torch.autograd.grad(outputs, leaf, each, is_grads_batched=True, allow_unused=True)[0]
    if gradients is None:
        return vectors.new_zeros(parts, length, length)
    squares = gradients.detach().square().sum(dim=-1)[:, 0]  # (T·C', T)
    by_part = squares.reshape(length, parts, -1, length).sum(dim=2)  # (T, P, T)
    return by_part.sqrt().transpose(0, 1)  # (P, T, T)
