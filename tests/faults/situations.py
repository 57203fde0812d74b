"""Situations with four endings: reader, task, baselines, the head on vectors that stay."""

from __future__ import annotations

from functools import cache

import torch

from course_utils.bert import BertModel
from course_utils.tasks import baselines_situations, choice_vectors, situations
from course_utils.tasks.situations import Situation
from tests.faults.models import CONFIG, tokenizer
from tests.faults.registry import case
from tests.faults.strategies import generator
from tests.faults.words import SENTENCES


def records() -> dict[str, list[Situation]]:
    one = Situation(1, SENTENCES[0], ("가", "나", "다", "라"), 2)
    return {part: [one, one] for part in ("train", "validation", "test")}


@cache
def task() -> situations.Situations:
    return situations.load_situations(tokenizer(), parts=records(), max_length=11)


case(
    situations.read_situations,
    lambda: {"path": str(situations.DATA / "situations.tsv")},
    few=True,
)
for load in (situations.load_situations, situations.load_endings):
    case(load, lambda: {"tokenizer": tokenizer(), "max_length": 11, "parts": records()})
for make in (
    baselines_situations.longest_ending,
    baselines_situations.shortest_ending,
    baselines_situations.most_words_in_common,
    baselines_situations.most_letters_in_common,
):
    case(make, lambda: {"task": task(), "examples": task().parts["train"]})
case(
    choice_vectors.choice_vectors,
    lambda: {
        "task": task(),
        "bert": BertModel(CONFIG, generator=generator()).eval(),
        "examples": task().parts["test"],
    },
)
case(
    choice_vectors.fit_choice,
    lambda: {
        "vectors": torch.randn(5, 4, 3),
        "right": [0, 3, 1, 1, 2],
        "updates": 2,
        "rate": 1e-2,
        "weight_decay": 0.1,
        "batch_size": 3,
        "seed": 1,
    },
)
