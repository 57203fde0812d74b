"""ULMFiT's tricks for fine-tuning a language model, each a function (Howard and Ruder 2018, sections 3.2 and 3.3).

Its rates over time, the slanted triangle, are schedules.slanted_triangle (cut_fraction 0.1, ratio 32 by default).

Letters: B batch, T tokens, C hidden size, L layers.
"""

from __future__ import annotations

import torch
from torch import Tensor

from course_utils.before.real_tokens import check_some_real, last_states, real_tokens
from course_utils.schedules import slanted_triangle


def discriminative_rates(peak: float, num_layers: int, *, factor: float = 2.6) -> list[float]:
    """The rate of each layer, from the lowest up: η^(l−1) = η^l / 2.6 (section 3.2).

        rate of layer l = peak / factor^(L − l),  l = 1 … L

    Args:
        peak: of the highest layer.
        num_layers: L; embeddings and head count as layers, where they are to have rates of their own.
        factor: with 1 all layers learn alike.

    Returns:
        L rates.
    """
    rates = [peak]
    for _ in range(num_layers - 1):
        rates.append(rates[-1] / factor)
    return rates[::-1]


def unfrozen_layers(epoch: int, num_layers: int) -> list[int]:
    """Which layers learn in an epoch: one more each time, from the top down (gradual unfreezing, section 3.3).

    Args:
        epoch: from 1.
        num_layers: L.

    Returns:
        their numbers from 0 (the lowest), ascending: in epoch 1 [L − 1] alone, from epoch L on all.
    """
    if epoch < 1:  # counted from 0, the first epoch would train nothing
        raise ValueError(f"epoch counts from 1, got {epoch}")
    return list(range(max(0, num_layers - epoch), num_layers))


def ulmfit_rates(
    *,
    updates: int,
    cut: float,
    ratio: float,
    epochs: int,
    gradual: bool,
    layered: bool,
    peak: float = 0.03,
    layers: int = 4,
) -> Tensor:
    """The rate of each layer at each update, (layers, updates): the three above in one table; 0 means frozen.

    Args:
        cut, ratio, peak: of the slanted triangle.
        gradual: unfreeze one layer an epoch. layered: lower layers have lower rates.
    """
    rates = torch.zeros(layers, updates)
    shares = discriminative_rates(1.0, layers, factor=2.6 if layered else 1.0)
    for step in range(1, updates + 1):
        epoch = 1 + (step - 1) * epochs // updates
        height = slanted_triangle(step, peak, updates, cut_fraction=cut, ratio=ratio)
        for layer in unfrozen_layers(epoch, layers) if gradual else range(layers):
            rates[layer, step - 1] = height * shares[layer]
    return rates


def concat_pooling(hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
    """One vector for a text: [h_T, maxpool(H), meanpool(H)], over its real tokens alone (section 3.3).

    A word in the middle of a long text may decide, and the last state may have forgotten it.

    Args:
        hidden_states: float (B, T, C).
        attention_mask: integer or bool (B, T), 1 = a real token, 0 = padding; None means that all are real.

    Returns:
        float (B, 3·C): the last real token's vector, the largest of each coordinate, the mean.
    """
    real = real_tokens(hidden_states[..., 0], attention_mask)  # (B, T)
    check_some_real(real)
    outside = ~real[..., None]  # (B, T, 1)
    largest = hidden_states.masked_fill(outside, torch.finfo(hidden_states.dtype).min).amax(dim=1)
    total = hidden_states.masked_fill(outside, 0.0).sum(dim=1)
    mean = total / real.sum(dim=1, keepdim=True)
    return torch.cat([last_states(hidden_states, real), largest, mean], dim=-1)  # (B, 3·C)
