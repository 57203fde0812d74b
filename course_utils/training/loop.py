"""The training loop: take a batch, forward, loss, backward, clip, update, tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from course_utils.training.optim import set_learning_rate


class HasInputs(Protocol):
    """A batch that knows the keyword arguments of its model."""

    def inputs(self) -> dict[str, Tensor | None]: ...


class Step(NamedTuple):
    """What the loop tells after each update."""

    done: int  # updates made, this one counted
    batch: Any
    output: Any  # what the model returned; its loss belongs to the parameters before the update
    learning_rate: float
    gradient_norm: Tensor  # scalar, before clipping


def train(
    model: nn.Module,
    batches: Callable[[int], HasInputs],
    optimizer: Optimizer,
    *,
    learning_rate: Callable[[int], float],
    steps: int,
    start: int = 0,
    clip: float = 1.0,
    precision: torch.dtype = torch.float32,
    loss: Callable[[Any, Any], Tensor] = lambda output, batch: output.loss,
    after_step: Callable[[Step], None] = lambda step: None,
) -> None:
    """Train a model in place, from update `start` to update `steps`.

    Args:
        model: called with the batch's inputs.
        batches: gives the batch of a number, see PretrainingBatches.
        optimizer: made for the model's parameters.
        learning_rate: gives the rate of a number.
        steps: how many updates there are in all.
        start: how many of them have been made before.
        clip: the gradient, all parameters as one vector, is scaled down to this norm at most.
        precision: torch.bfloat16 lets autocast do the matrix products in it; parameters stay float32.
        loss: what to minimise, from the model's output and the batch.
        after_step: called after each update; an exception from it ends the training.

    Raises:
        FloatingPointError: if the loss or the gradient is no finite number; the parameters are then still those before.
    """
    model.train()
    autocast = precision != torch.float32
    for number in range(start, steps):
        batch = batches(number)
        rate = learning_rate(number)
        with torch.autocast("cpu", dtype=precision if autocast else torch.bfloat16, enabled=autocast):
            output = model(**batch.inputs())
        objective = loss(output, batch)
        optimizer.zero_grad()
        objective.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), clip)
        if not (torch.isfinite(norm) and torch.isfinite(objective)):
            raise FloatingPointError(
                f"update {number + 1}: the gradient is {norm.item()}, the loss {objective.item()}; "
                "a smaller learning rate or a longer warm-up helps"
            )
        set_learning_rate(optimizer, rate)
        optimizer.step()
        after_step(Step(number + 1, batch, output, rate, norm))


def fast_precision() -> torch.dtype:
    """bfloat16 where this processor multiplies in it, float32 elsewhere and where torch cannot tell."""
    try:
        has_bfloat16 = torch.cpu._is_avx512_bf16_supported()  # no public function says so
    except AttributeError:
        return torch.float32
    return torch.bfloat16 if has_bfloat16 else torch.float32
