"""A pre-training run of several processes: who shares it, which rows each works on, how their gradients become one.

In one process all of this is nothing: the whole batch, the sum of its losses, the model itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.optim import Optimizer

from course_utils.datasets.batching import Batch
from course_utils.datasets.pretraining import IGNORE


def local_rank() -> int | None:
    """Number of this process among those that torchrun started on this host; None without torchrun."""
    return int(os.environ["LOCAL_RANK"]) if "WORLD_SIZE" in os.environ else None


@contextmanager
def process_group(device: torch.device) -> Iterator[None]:
    """Join the other processes of torchrun, if there are any, and leave them at the end.

    Leaving ends the threads of the group, and each process must have left before it ends: a thread that Python finds
    alive at its end may abort it.
    """
    if local_rank() is None:
        yield
        return
    # DistributedDataParallel imports this module, if nobody has yet. Its functions have the group of that moment as
    # a default argument: imported while there is one, they would keep it, and its threads, to the very end.
    import torch.distributed.nn

    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
    try:
        yield
    finally:
        dist.destroy_process_group()


def rank_and_world() -> tuple[int, int]:
    """Number of this process, and how many there are."""
    return (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)


def own_part(batch: Batch, rank: int, world: int) -> Batch:
    """What one process of several works on.

    The last batch of an epoch may have fewer rows than there are processes. No model takes an empty batch, so who gets
    none takes the first row, with nothing to predict.
    """
    if rank < len(batch.input_ids):
        return batch.part(rank, world)
    first = batch.part(0, len(batch.input_ids))
    return replace(first, labels=torch.full_like(first.labels, IGNORE), next_sentence_label=None)


def objective(output: Any, batch: Batch, *, world: int = 1) -> Tensor:
    """What this process minimises: its share of the loss of the whole batch.

    DDP averages gradients over the W processes. The losses are means over what each process holds, and one may hold
    more chosen tokens than another: so each mean is weighted by W · (own number) / (number of all).
    """
    shares = torch.ones(2)
    if world > 1:
        pairs = 0 if batch.next_sentence_label is None else len(batch.input_ids)
        own = torch.tensor([(batch.labels != IGNORE).sum(), pairs], dtype=torch.float32)
        total = own.clone()
        dist.all_reduce(total)
        shares = world * own / total.clamp(min=1)
    loss = output.mlm_loss * shares[0]
    return loss if output.nsp_loss is None else loss + output.nsp_loss * shares[1]


class SeenByDDP(nn.Module):
    """A pre-training model whose losses reach every parameter, as DDP wants it in each update.

    A batch of single sentences asks nothing of the next-sentence head; it then has a part of zero in the loss. See
    `shared` for what becomes of its gradient.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, **inputs: Any) -> Any:
        """As the model's; logits without a gradient, and no hidden states."""
        output = self.model(**inputs)
        scores = output.seq_relationship_logits
        return replace(
            output,
            mlm_loss=output.mlm_loss + 0.0 * scores.sum(),
            logits=output.logits.detach(),
            encoded=None,
            seq_relationship_logits=scores.detach(),
        )


def shared(model: nn.Module, optimizer: Optimizer) -> nn.Module:
    """The model as this process trains it: with others, a module that averages the gradients of all.

    In one process a head that no loss asked has no gradient, and AdamW leaves it alone. Here its gradient is zero on
    every process alike, and is taken away before the update: else weight decay and momentum would move the head.
    """
    if rank_and_world()[1] == 1:
        return model
    next_sentence = [*model.bert.pooler.parameters(), *model.nsp.parameters()]

    def take_away(*_: Any) -> None:
        if not any(parameter.grad.any() for parameter in next_sentence):
            for parameter in next_sentence:
                parameter.grad = None

    optimizer.register_step_pre_hook(take_away)
    return DistributedDataParallel(SeenByDDP(model))
