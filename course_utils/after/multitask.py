"""MT-DNN: several tasks train one encoder, each through a head of its own (Liu et al. 2019).

    for each epoch: put the batches of all tasks together, shuffle them, and make an update with each     (algorithm 1)

A batch holds examples of one task, so each update has one head and one loss. A task of many examples has many batches:
how often a task is seen is proportional to its size. Nothing is evened out; later work draws small
tasks more often (Stickland and Murray 2019).

Letters: B batch.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from course_utils.bert import BertModel
from course_utils.heads.base import BertWithHead, HeadOutput


class MultiTaskModel(nn.Module):
    """One encoder, and a head for each task.

    Args:
        encoder: the BertModel that all share; it is trained itself, not a copy of it.
        models: name of a task -> a model with its head, such as BertForSequenceClassification. Its head is copied, and
            its own BertModel, which must have the encoder's config, is left behind.

    Attributes:
        encoder: as given.
        tasks: name -> model with the shared encoder, in an nn.ModuleDict.
    """

    def __init__(self, encoder: BertModel, models: Mapping[str, BertWithHead]) -> None:
        super().__init__()
        self.encoder = encoder
        # The memo says that a copy of its BertModel is there already: the shared one.
        self.tasks = nn.ModuleDict(
            {name: copy.deepcopy(model, {id(model.bert): encoder}) for name, model in models.items()}
        )

    def forward(self, task: str, **inputs: Any) -> HeadOutput:
        """What the model of a task says; see its own forward.

        Args:
            task: its name.
            inputs: input_ids, attention_mask, token_type_ids and the labels of its head.
        """
        if task not in self.tasks:
            raise ValueError(f"task must be one of {', '.join(self.tasks)}, got {task!r}")
        return self.tasks[task](**inputs)


def shuffled_batches(
    sizes: Mapping[str, int], *, batch_size: int, generator: torch.Generator | None = None
) -> list[tuple[str, list[int]]]:
    """One epoch: the batches of all tasks, in an order in which no task waits for another.

    Each task's examples are shuffled and cut into batches, of which the last may be smaller; then all batches are
    shuffled together. Every example stands in one batch.

    Args:
        sizes: name of a task -> how many examples it has.
        batch_size: B.
        generator: source of both orders.

    Returns:
        (task, numbers of its examples), one for each update of the epoch.

    Source: Liu et al. 2019, algorithm 1.
    """
    batches: list[tuple[str, list[int]]] = []
    for name, size in sizes.items():
        order = torch.randperm(size, generator=generator).tolist()
        batches += [(name, order[start : start + batch_size]) for start in range(0, size, batch_size)]
    return [batches[place] for place in torch.randperm(len(batches), generator=generator).tolist()]
