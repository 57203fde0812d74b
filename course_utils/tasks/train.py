"""Fine-tune a model with a head on a task.

The recipe of Devlin et al. 2019 (A.3): every parameter is trained, AdamW, the rate rises over a tenth of the updates
and falls to 0. Beside it what later work found to help where labels are few: lower rates for lower layers (Howard and
Ruder 2018; layer_decay), layers that stay as they are (frozen), and no fewer than so many updates, however few the
labels (Mosbach et al. 2021; updates).

Lower layers hold what any text needs, upper ones what the last task needed; so the lower ones are to change less.

Letters: L layers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import nn
from torch.optim import AdamW

from course_utils.datasets.batching import seeded
from course_utils.heads.base import BertWithHead
from course_utils.support.memory import give_back
from course_utils.tasks.task import Example, Task, TaskBatch
from course_utils.training.device import device_of, fast_precision
from course_utils.training.loop import HasInputs, train
from course_utils.training.optim import adamw, linear_rate

WARMUP = 0.1  # of the updates


class TaskBatches:
    """An endless stream of a task's examples, in an order drawn anew for each epoch: `stream(n)` is batch n.

    Args:
        task: makes the batches.
        examples: to draw from, at least one.
        batch_size: examples a batch; the last one of an epoch may be smaller.
        seed: of the order.

    Attributes:
        batches_per_epoch: how many it takes to see each example once.
    """

    def __init__(
        self, task: Task, examples: Sequence[Example], *, batch_size: int = 16, seed: int = 0
    ) -> None:
        self.task, self.examples = task, list(examples)
        self.batch_size, self.seed = batch_size, seed
        self.batches_per_epoch = -(-len(self.examples) // batch_size)

    def __call__(self, number: int) -> TaskBatch:
        """Batch `number`, counted from 0."""
        epoch, place = divmod(number, self.batches_per_epoch)
        order = torch.randperm(len(self.examples), generator=seeded(self.seed, epoch)).tolist()
        chosen = order[place * self.batch_size : (place + 1) * self.batch_size]
        return self.task.batch([self.examples[place] for place in chosen])


def fine_tune(
    model: BertWithHead,
    batches: Callable[[int], HasInputs],
    *,
    updates: int,
    peak_rate: float,
    layer_decay: float = 1.0,
    frozen: int = 0,
    dropout: float = 0.1,
    seed: int = 0,
    precision: torch.dtype | None = None,
) -> None:
    """Train a model in place; it is left in eval mode.

    Args:
        model: with a head that is still at its start values.
        batches: gives a batch by its number, from 0.
        updates: how many; the rate rises over the first tenth of them and falls to 0 with the last.
        peak_rate: highest rate of the head and the last layer.
        layer_decay: see layer_shares; 1 gives every layer the same rate.
        frozen: so many layers from below, and the embeddings, stay as they are; −1: all layers. They drop nothing.
        dropout: everywhere else; a config that was saved after training without says 0.
        seed: of the dropout.
        precision: see loop.train; None: the fastest of the device, see training.device.fast_precision.
    """
    if not 0 <= dropout < 1:  # it is set from outside, where torch does not look
        raise ValueError(f"dropout must be at least 0 and below 1, got {dropout}")
    optimizer = layered_adamw(model, layer_decay=layer_decay, frozen=frozen)
    torch.manual_seed(seed)
    kept = _freeze(model, optimizer, dropout)
    try:
        train(
            model,
            batches,
            optimizer,
            learning_rate=lambda step: linear_rate(step, peak_rate, round(WARMUP * updates), updates + 1),
            steps=updates,
            precision=fast_precision(device_of(model)) if precision is None else precision,
        )
    finally:
        model.eval()
        for parameter in kept:
            parameter.requires_grad_(True)
        # A notebook keeps a dozen models: their gradients need as much room again, and Adam's averages twice as much.
        del optimizer
        model.zero_grad()
    give_back()


def layer_shares(num_layers: int, *, layer_decay: float = 1.0, frozen: int = 0) -> list[float]:
    """Which share of the highest rate each part learns at: the embeddings, layer 1 … L, the head.

        share of layer l = layer_decay^(L − l), 0 up to l = frozen        embeddings: l = 0        head: 1

    Args:
        num_layers: L.
        layer_decay: 1 gives all layers the same rate.
        frozen: so many layers from below stay as they are, and if there is one, the embeddings do, too; −1: all.

    Returns:
        L + 2 shares. The pooler belongs to the head.

    Source: Howard and Ruder 2018, section 3.2 (their decay is 1/2.6).
    """
    if not -1 <= frozen <= num_layers:
        raise ValueError(f"frozen must lie in -1 … {num_layers}, got {frozen}")
    kept = num_layers if frozen == -1 else frozen
    shares = [layer_decay ** (num_layers - layer) for layer in range(num_layers + 1)]
    if kept:
        shares[: kept + 1] = [0.0] * (kept + 1)
    return [*shares, 1.0]


def layered_adamw(model: BertWithHead, *, layer_decay: float = 1.0, frozen: int = 0) -> AdamW:
    """AdamW whose rate falls from layer to layer, as layer_shares has it.

    What has no share is not among its parameters, and so does not decay, either. Weight decay as in parameter_groups.

    Args:
        model: any with a head.
        layer_decay, frozen: see layer_shares.
    """
    parts = parts_from_below(model)
    *shares, whole = layer_shares(len(parts) - 1, layer_decay=layer_decay, frozen=frozen)
    share = {id(parameter): own for part, own in zip(parts, shares) for parameter in part.parameters()}
    groups: list[dict] = []
    for group in adamw(model).param_groups:
        for own in sorted({whole, *shares} - {0.0}):
            here = [parameter for parameter in group["params"] if share.get(id(parameter), whole) == own]
            groups.append({**group, "params": here, "share": own})
    return AdamW([group for group in groups if group["params"]], fused=True)


def parts_from_below(model: BertWithHead) -> list[nn.Module]:
    """The embeddings and the L layers."""
    return [model.bert.embeddings, *model.bert.encoder.layers]


def _freeze(model: BertWithHead, optimizer: AdamW, dropout: float) -> list[nn.Parameter]:
    """Set the dropout, and let what the optimiser does not know record no gradient; returns those parameters."""
    learned = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    kept = [
        parameter
        for parameter in model.parameters()
        if parameter.requires_grad and id(parameter) not in learned
    ]
    model.zero_grad(set_to_none=True)  # an old gradient of theirs would count when the norm is clipped
    for parameter in kept:
        parameter.requires_grad_(False)
    for part in model.modules():
        if isinstance(part, nn.Dropout):
            part.p = dropout
    for part in parts_from_below(model):
        if not any(id(parameter) in learned for parameter in part.parameters()):
            for inside in part.modules():
                if isinstance(inside, nn.Dropout):
                    inside.p = 0.0
    return kept
