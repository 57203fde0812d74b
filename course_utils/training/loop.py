"""The training loop: take a batch, forward, loss, backward, clip, update, tell."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from course_utils.support.given import real_number
from course_utils.support.memory import give_back
from course_utils.training.device import device_of, inputs_on
from course_utils.training.optim import set_learning_rate

# Batches differ in size, so what one update frees seldom fits the next, and malloc keeps it: 90 MB in 360 updates of a
# small model. Once in so many updates it goes back to the system.
TIDY_EVERY = 20


class HasInputs(Protocol):
    """A batch that knows the keyword arguments of its model: each a tensor, None, or what else has a method `to`."""

    def inputs(self) -> dict[str, Any]: ...


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
    """Train a model in place, from update `start` to update `steps`, on the device that its parameters are on.

    Args:
        model: called with the batch's inputs, which are moved to its device.
        batches: gives a batch by its number, counted from 0, see PretrainingBatches.
        optimizer: made for the model's parameters.
        learning_rate: gives the rate of an update by its number, counted from 1.
        steps: how many updates there are in all.
        start: how many of them have been made before.
        clip: the gradient, all parameters as one vector, is scaled down to this norm at most.
        precision: torch.bfloat16 lets autocast do the matrix products in it; parameters stay float32.
        loss: what to minimise, from the model's output and the batch as it came.
        after_step: called after each update; an exception from it ends the training.

    Raises:
        FloatingPointError: if the loss or the gradient is no finite number; the parameters are then still those before.
        ValueError: if clip is not above 0: nothing would be learned.
    """
    clip = real_number("clip", clip, open_at=("least",))
    model.train()
    device, low = device_of(model), precision != torch.float32
    for number in range(start, steps):
        batch = batches(number)
        rate = learning_rate(number + 1)
        inputs = inputs_on(device, batch.inputs())
        with torch.autocast(device.type, dtype=precision) if low else nullcontext():
            output = model(**inputs)
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
        if (number + 1) % TIDY_EVERY == 0:
            give_back()
