"""Trainings of the command finetune.py: how each start begins, what is planned, one training from draw to measures."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from course_utils.bert import BertModel
from course_utils.datasets.batching import seeded
from course_utils.heads.base import BertWithHead
from course_utils.support.given import shown
from course_utils.tasks.baselines import baseline
from course_utils.tasks.fine_tuning import TaskBatches, fine_tune
from course_utils.tasks.forms import draw
from course_utils.tasks.measurements import Measurement, main_value
from course_utils.tasks.no_answer import LARGEST
from course_utils.tasks.task import Task
from course_utils.training.unpadded import skip_padding

LEAST_UPDATES = 200
DROPOUT = 0.1


@dataclass(frozen=True)
class Recipe:
    """How a start is trained, unless the command says otherwise; found on the validation parts."""

    rates: tuple[float, ...]
    epochs: int
    frozen: int = 0


TUNED_RATES = (1e-4, 3e-4, 1e-3)
RECIPES = {
    "pre-trained": Recipe(rates=TUNED_RATES, epochs=4),
    "from-scratch": Recipe(rates=(1e-4, 3e-4, 1e-3), epochs=8),
    "frozen": Recipe(rates=(1e-3, 3e-3, 1e-2), epochs=8, frozen=-1),
    "two-layers": Recipe(rates=TUNED_RATES, epochs=4),
    "frozen-1": Recipe(rates=TUNED_RATES, epochs=4, frozen=1),
    "frozen-2": Recipe(rates=TUNED_RATES, epochs=4, frozen=2),
    "frozen-3": Recipe(rates=TUNED_RATES, epochs=4, frozen=3),
}


@dataclass(frozen=True)
class Plan:
    """One training before it is made; see Measurement."""

    task: str
    start: str
    labels: int
    seed: int
    rate: float = 0.0
    batch_size: int = 0
    epochs: int = 0

    @property
    def key(self) -> tuple[Any, ...]:
        """As Measurement.plan."""
        return self.task, self.start, self.labels, self.seed, self.rate, self.batch_size, self.epochs


class Trainer:
    """Makes trainings of one pre-trained model.

    Args:
        bert: the model.
        device: where to train.
        layer_decay: of the pre-trained start and its variants; see fine_tuning.layer_shares.
        looks: see fine_tuning.fine_tune.
        least_updates: of a training, however few its labels and epochs.
    """

    def __init__(
        self,
        bert: BertModel,
        *,
        device: torch.device,
        layer_decay: float,
        looks: int,
        least_updates: int = LEAST_UPDATES,
    ) -> None:
        self.bert, self.device, self.layer_decay, self.looks = bert, device, layer_decay, looks
        self.least_updates = least_updates

    def measured(self, task: Task, plan: Plan) -> Measurement:
        """Train as planned, and measure validation and test part."""
        examples = draw(task, plan.labels, plan.seed)
        if plan.start == "baseline":
            counted = baseline(task, examples)
            return _measurement(plan, *(counted.measure(task.parts[part]) for part in ("validation", "test")))
        recipe = RECIPES[plan.start]
        model = self._started(task, plan).to(self.device)
        batches = TaskBatches(task, examples, batch_size=plan.batch_size, seed=plan.seed)
        fine_tune(
            model,
            batches,
            updates=max(plan.epochs * batches.batches_per_epoch, self.least_updates),
            peak_rate=plan.rate,
            layer_decay=1.0 if plan.start in ("from-scratch", "frozen") else self.layer_decay,
            frozen=recipe.frozen,
            dropout=DROPOUT,
            seed=plan.seed,
            looks=self.looks,
            measure=lambda model: main_value(task.measure(model, task.parts["validation"])),
        )
        validation = task.measure(model, task.parts["validation"])
        test = task.measure(model, task.parts["test"], threshold=validation.get("threshold"))
        return _measurement(plan, validation, test)

    def _started(self, task: Task, plan: Plan) -> BertWithHead:
        """The model before its first update; from scratch it has the same head."""
        generator = seeded(plan.seed, 1)
        if plan.start == "from-scratch":
            return skip_padding(task.new_model(self.bert.config, generator=generator))
        model = task.with_encoder(self.bert, generator=generator)
        if plan.start == "two-layers":
            model.classifier = two_layers(model.classifier, generator=generator)
        return skip_padding(model)


def two_layers(head: nn.Linear, *, generator: torch.Generator | None = None) -> nn.Sequential:
    """A head of two layers in place of one: C -> C -> GELU -> K, with fresh weights.

        logits = W₂ · GELU(W₁ h + b₁) + b₂        W₁: (C, C), W₂: (K, C)

    Args:
        head: C -> K; it stays as it is.
        generator: source of the start values, normal with the same spread as the head's, biases 0.

    Raises:
        ValueError: if head is no linear layer of at least two weights.
    """
    if not isinstance(head, nn.Linear) or head.weight.numel() < 2:
        raise ValueError(f"head must be a linear layer of at least two weights, got {shown(head)}")
    size, device = head.in_features, head.weight.device
    layers = nn.Linear(size, size, device=device), nn.Linear(size, head.out_features, device=device)
    with torch.no_grad():
        for layer in layers:
            start = torch.empty(layer.weight.shape).normal_(
                0.0, float(head.weight.std()), generator=generator
            )
            layer.weight.copy_(start)
            layer.bias.zero_()
    return nn.Sequential(layers[0], nn.GELU(), layers[1])


def _measurement(plan: Plan, validation: dict[str, float], test: dict[str, float]) -> Measurement:
    """Values as JSON can hold them: a threshold may be infinite."""
    parts = (
        {name: max(-LARGEST, min(LARGEST, float(value))) for name, value in part.items()}
        for part in (validation, test)
    )
    return Measurement(*plan.key, *parts)


def planned(
    tasks: Sequence[str],
    labels: Sequence[int],
    seeds: int,
    starts: Sequence[str],
    *,
    rates: Sequence[float] | None,
    batch_sizes: Sequence[int],
    epochs: Sequence[int] | None,
) -> Iterator[Plan]:
    """Every training, the fewest labels first; None stands for what the recipe of a start says."""
    for task, size, seed, start in itertools.product(tasks, sorted(labels), range(seeds), starts):
        if start == "baseline":
            yield Plan(task, start, size, seed)
            continue
        recipe = RECIPES[start]
        settings = itertools.product(rates or recipe.rates, batch_sizes, epochs or [recipe.epochs])
        yield from (Plan(task, start, size, seed, *setting) for setting in settings)


def weights_digest(bert: nn.Module) -> str:
    """The sha256 of all weights, in hexadecimal: which model it was, wherever it lies."""
    digest = hashlib.sha256()
    for name, tensor in sorted(bert.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.detach().cpu().float().contiguous().numpy().tobytes())
    return digest.hexdigest()
