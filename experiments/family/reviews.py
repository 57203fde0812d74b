"""Film reviews, tuned from each reader of notebook 18 with one head, and ULMFiT with a trick switched off at a time.

The head is ULMFiT's for all: the last vector, the largest and the mean of each coordinate, dropout, one linear layer.
All of the validation part chooses the rate, and all of the test part, half of which is good, is what is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.before import BiLM, concat_pooling, discriminative_rates, slanted_triangle, unfrozen_layers
from course_utils.bert import BertModel
from course_utils.datasets.batching import batches_by_length, pad, seeded
from course_utils.initialization import init_weights
from course_utils.tasks.load import draw
from course_utils.tasks.task import Example
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training.device import device_of
from course_utils.training.loop import train
from course_utils.training.optim import parameter_groups
from experiments.family.readers import LanguageModel, SideBySide, Static
from experiments.family.tasks import task_of

LABELS = (100, 300, 1000)
RATES = (1e-3, 3e-3)
UPDATES, BATCH, DROPOUT = 120, 16, 0.1
FACTOR = 2.6  # between the rates of one layer and the next (Howard and Ruder 2018, section 3.2)


@dataclass(frozen=True)
class Recipe:
    """How a model is tuned; ULMFiT's three tricks."""

    discriminative: bool = False  # rates fall from layer to layer; else all learn alike
    triangle: bool = True  # the rate rises and falls; else it stays
    gradual: bool = (
        False  # one layer more learns in each quarter of the first half; else all from the first on
    )


PLAIN = Recipe()  # of all readers that are compared
TRICKS = {
    "all_tricks": Recipe(True, True, True),
    "no_discriminative": Recipe(False, True, True),
    "no_triangle": Recipe(True, False, True),
    "no_gradual": Recipe(True, True, False),
    "no_trick": Recipe(False, False, False),
}


class Classifier(nn.Module):
    """A reader, whose vectors have a size, with ULMFiT's head; std and generator are of the head's start values."""

    def __init__(
        self, reader: nn.Module, size: int, labels: int, *, std: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.reader = reader
        self.dropout = nn.Dropout(DROPOUT)
        self.classifier = nn.Linear(3 * size, labels)
        init_weights(self.classifier, std=std, generator=generator)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor | None = None
    ) -> SimpleNamespace:
        """logits (B, K), and with labels the loss."""
        states = self.reader(input_ids, attention_mask).hidden_states[-1]  # (B, T, C)
        logits = self.classifier(self.dropout(concat_pooling(states, attention_mask)))
        return SimpleNamespace(
            logits=logits, loss=None if labels is None else F.cross_entropy(logits, labels)
        )


class States(nn.Module):
    """A LanguageModel without its scores over the vocabulary, which no task wants."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> SimpleNamespace:
        return SimpleNamespace(hidden_states=self.model.gpt.encode(input_ids, attention_mask).hidden_states)


def layers_of(reader: nn.Module) -> list[list[nn.Parameter]]:
    """The parameters of a reader from below: embeddings, then each layer."""
    if isinstance(reader, Static):
        return [list(reader.parameters())]
    if isinstance(reader, BertModel):
        return [
            list(reader.embeddings.parameters()),
            *(list(one.parameters()) for one in reader.encoder.layers),
        ]
    if isinstance(reader, States):
        gpt = reader.model.gpt
        below = [*gpt.token.parameters(), *gpt.position.parameters()]
        return [below, *(list(one.parameters()) for one in gpt.encoder.layers)]
    if isinstance(reader, BiLM):
        pairs = zip(reader.forwards.layers, reader.backwards.layers)
        return [list(reader.ends.words.parameters()), *([*a.parameters(), *b.parameters()] for a, b in pairs)]
    if isinstance(reader, SideBySide):
        return [one + other for one, other in zip(layers_of(reader.first), layers_of(reader.second))]
    raise ValueError(f"reader must be one of notebook 18, got {type(reader).__name__}")


@dataclass(frozen=True)
class Texts:
    """B reviews with their labels."""

    input_ids: Tensor
    attention_mask: Tensor
    labels: Tensor

    def inputs(self) -> dict[str, Tensor]:
        return dict(vars(self))


class Shuffled:
    """Examples in an order drawn anew for each epoch; before each batch, the layers that are to learn are told so."""

    def __init__(
        self, examples: Sequence[Example], seed: int, groups: Sequence[Sequence[nn.Parameter]], recipe: Recipe
    ) -> None:
        self.examples, self.seed, self.groups, self.recipe = examples, seed, groups, recipe
        self.per_epoch = -(-len(examples) // BATCH)

    def __call__(self, number: int) -> Texts:
        learning = learning_groups(number, len(self.groups), self.recipe)
        for place, group in enumerate(self.groups):
            for parameter in group:
                parameter.requires_grad_(place in learning)
        epoch, place = divmod(number, self.per_epoch)
        order = torch.randperm(len(self.examples), generator=seeded(self.seed, epoch)).tolist()
        return texts_of([self.examples[row] for row in order[place * BATCH : (place + 1) * BATCH]])


def learning_groups(number: int, count: int, recipe: Recipe) -> list[int]:
    """Which of `count` groups learn in update `number`, from 0: the head, then a layer more each eighth of the run."""
    if not recipe.gradual:
        return list(range(count))
    return unfrozen_layers(1 + number * 2 * count // UPDATES, count)


def texts_of(examples: Sequence[Example]) -> Texts:
    rows = [example.row for example in examples]
    return Texts(
        pad([row.input_ids for row in rows], 0),
        pad([row.attention_mask for row in rows], 0),
        torch.tensor([example.source.label for example in examples]),
    )


def rate_groups(
    groups: Sequence[Sequence[nn.Parameter]], model: nn.Module, recipe: Recipe
) -> list[dict[str, Any]]:
    """The optimiser's groups: each layer with its share of the rate, with and without weight decay."""
    shares = discriminative_rates(1.0, len(groups), factor=FACTOR if recipe.discriminative else 1.0)
    place = {id(parameter): number for number, group in enumerate(groups) for parameter in group}
    made = []
    for kind in parameter_groups(model):
        for number, share in enumerate(shares):
            here = [one for one in kind["params"] if place[id(one)] == number]
            if here:
                made.append({**kind, "params": here, "share": share})
    return made


def tuned(
    reader: nn.Module,
    size: int,
    tokenizer: WordPieceTokenizer,
    *,
    labels: int,
    rate: float,
    recipe: Recipe,
    seed: int,
    std: float,
) -> dict[str, float]:
    """Tune a reader (in place) on so many reviews; accuracy on validation and test."""
    task = task_of("reviews", tokenizer)
    model = Classifier(reader, size, len(task.labels), std=std, generator=seeded(seed, 1))
    model.to(device_of(reader))
    groups = [*layers_of(reader), list(model.classifier.parameters())]
    known = {id(one) for group in groups for one in group}
    for parameter in model.parameters():  # of a head that no task wants
        if id(parameter) not in known:
            parameter.requires_grad_(False)
    optimizer = torch.optim.AdamW(rate_groups(groups, model, recipe), lr=rate, eps=1e-6)
    torch.manual_seed(seed)
    train(
        model,
        Shuffled(draw(task, labels, seed), seed, groups, recipe),
        optimizer,
        learning_rate=lambda step: slanted_triangle(step, rate, UPDATES) if recipe.triangle else rate,
        steps=UPDATES,
    )
    return {part: round(accuracy_on(model, task.parts[part]), 4) for part in ("validation", "test")}


@torch.no_grad()
def accuracy_on(model: Classifier, examples: Sequence[Example]) -> float:
    model.eval()
    right = 0
    lengths = [len(example.row.input_ids) for example in examples]
    for rows in batches_by_length(lengths, 64, generator=seeded(0)):
        batch = texts_of([examples[row] for row in rows])
        device = device_of(model)
        logits = model(batch.input_ids.to(device), batch.attention_mask.to(device)).logits
        right += int((logits.argmax(-1).cpu() == batch.labels).sum())
    return right / len(examples)
