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
from course_utils.support.given import mapping, shown, whole_number

MOST_EXAMPLES = 2**24  # of a task: an order of them is drawn


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
        if not isinstance(encoder, BertModel):
            raise ValueError(f"encoder must be a BertModel, got {shown(encoder)}")
        models = mapping("models", models, "from the name of a task to a model with its head")
        if not models:
            raise ValueError("models must hold at least one task, got none")
        self.encoder = encoder
        shared = {}
        for name, model in models.items():
            check_task(name)
            if not isinstance(model, BertWithHead):
                raise ValueError(f"the model of {shown(name)} must be one with a head, got {shown(model)}")
            if model.config != encoder.config:
                raise ValueError(
                    f"the model of {shown(name)} must have the config of the encoder, and has another"
                )
            if model.needs_pooler and encoder.pooler is None:
                raise ValueError(f"encoder must have a pooler, which the head of {shown(name)} looks at")
            # The memo says that a copy of its BertModel is there already: the shared one.
            shared[name] = copy.deepcopy(model, {id(model.bert): encoder})
        self.tasks = nn.ModuleDict(shared)

    def forward(self, task: str, **inputs: Any) -> HeadOutput:
        """What the model of a task says; see its own forward.

        Args:
            task: its name.
            inputs: input_ids, attention_mask, token_type_ids and the labels of its head.
        """
        if not isinstance(task, str) or task not in self.tasks:
            raise ValueError(f"task must be one of {', '.join(self.tasks)}, got {shown(task)}")
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
    batch_size = whole_number("batch_size", batch_size)
    batches: list[tuple[str, list[int]]] = []
    for name, size in mapping("sizes", sizes, "from the name of a task to its number of examples").items():
        check_task(name)
        count = whole_number(f"the size of {shown(name)}", size, most=MOST_EXAMPLES)
        order = torch.randperm(count, generator=generator).tolist()
        batches += [(name, order[start : start + batch_size]) for start in range(0, count, batch_size)]
    return [batches[place] for place in torch.randperm(len(batches), generator=generator).tolist()]


def check_task(name: Any) -> None:
    """Refuse a name that an nn.ModuleDict cannot hold, or that is none."""
    if not isinstance(name, str) or not name or "." in name or hasattr(nn.ModuleDict, name):
        raise ValueError(
            f"the name of a task must be a text without a dot, such as 'reviews', got {shown(name)}"
        )
