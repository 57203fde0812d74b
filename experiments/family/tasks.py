"""Two tasks of notebook 16, tuned from what a run kept: the same labels, updates and rates for all.

dialect          936 labels, all there are: a label for a sentence, from [CLS]
parts_of_speech  300 labels: a label for each word

Each is asked all of its validation and all of its test part: the first rows of a file need not be like the others (of
the first 1,000 test reviews three in four are good, of all 2,000 half).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import torch

from course_utils.bert import BertModel
from course_utils.datasets.batching import seeded
from course_utils.tasks.load import draw, load_task
from course_utils.tasks.measurements import main_value
from course_utils.tasks.task import Task
from course_utils.tasks.train import TaskBatches, fine_tune
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training.fast import speed_up

RATES = (1e-3, 3e-3)
DROPOUT = 0.1
BATCH = 16


@dataclass(frozen=True)
class Tuning:
    """How a task is tuned: labels and updates."""

    labels: int
    updates: int


TUNINGS = {"dialect": Tuning(936, 150), "parts_of_speech": Tuning(300, 120), "reviews": Tuning(300, 120)}
RACED = ("dialect", "parts_of_speech")  # in the family race; reviews are those of the domain


@cache
def task_of(name: str, tokenizer: WordPieceTokenizer) -> Task:
    return load_task(name, tokenizer)


def tuned(
    bert: BertModel, name: str, tokenizer: WordPieceTokenizer, seed: int, rates: Sequence[float] = RATES
) -> dict[str, dict[str, float]]:
    """Tune a copy of an encoder with each rate.

    Returns:
        rate (as text) -> {"validation": main measure, "test": main measure}.
    """
    task, plan = task_of(name, tokenizer), TUNINGS[name]
    found = {}
    for rate in rates:
        model = speed_up(task.with_encoder(bert, generator=seeded(seed, 1)))
        batches = TaskBatches(task, draw(task, plan.labels, seed), batch_size=BATCH, seed=seed)
        given = {"dropout": DROPOUT, "seed": seed, "precision": torch.float32}
        fine_tune(model, batches, updates=plan.updates, peak_rate=rate, **given)
        found[f"{rate:g}"] = {
            part: round(main_value(task.measure(model, task.parts[part])), 4)
            for part in ("validation", "test")
        }
    return found


def best_rate(rates: Mapping[str, Mapping[str, float]]) -> float:
    """The one that is best on validation; of equal ones the first."""
    return float(max(rates, key=lambda rate: rates[rate]["validation"]))
