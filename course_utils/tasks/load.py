"""The six tasks by name, in the forms of Devlin et al. 2019, figure 4; and so many labels of one of them.

    task = load_task("reviews", tokenizer)
    model = task.with_encoder(bert, generator=seeded(0))
    fine_tune(model, TaskBatches(task, draw(task, 1000, seed=0)), updates=250, peak_rate=1e-4)
    task.measure(model, task.parts["test"])                     {"accuracy": …}

Choose with task.parts["validation"], and measure task.parts["test"] once. Situations with four endings: choices.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from course_utils.datasets.batching import seeded
from course_utils.tasks.data import (
    read_dialects,
    read_names,
    read_pairs,
    read_parts_of_speech,
    read_questions,
    read_reviews,
)
from course_utils.tasks.questions import Questions
from course_utils.tasks.tags import Names, PartsOfSpeech
from course_utils.tasks.task import Example, Task
from course_utils.tasks.texts import Dialects, Pairs, Reviews
from course_utils.tokenization import WordPieceTokenizer

# name -> (form, reader, the most tokens of a row)
FORMS = {
    "reviews": (Reviews, read_reviews, 64),
    "dialect": (Dialects, read_dialects, 64),
    "pairs": (Pairs, read_pairs, 64),
    "names": (Names, read_names, 64),
    "parts_of_speech": (PartsOfSpeech, read_parts_of_speech, 64),
    "questions": (Questions, read_questions, 128),
}
TASKS = tuple(FORMS)


def load_task(
    name: str,
    tokenizer: WordPieceTokenizer,
    *,
    max_length: int | None = None,
    parts: Mapping[str, Sequence[Any]] | None = None,
) -> Task:
    """A task of data/tasks/, or records of one's own in its form.

    Args:
        name: one of TASKS.
        tokenizer: that of the model.
        max_length: the most tokens of a row, special ones included; None means 64, of questions 128. What is longer is
            cut at its end; a passage is read in windows.
        parts: "train", "validation" and "test" -> records as the readers of data.py give them; None reads the file.
    """
    if name not in FORMS:
        raise ValueError(f"name must be one of {', '.join(TASKS)}, got {name!r}")
    form, read, length = FORMS[name]
    length = length if max_length is None else max_length
    return form(name, read() if parts is None else parts, tokenizer, max_length=length)


def draw(task: Task, size: int, seed: int) -> list[Example]:
    """Some examples of the training part, as many of each label where an example has one.

    A larger draw of the same seed begins with the smaller one: two points of a learning curve differ by what was added.

    Args:
        task: see load_task.
        size: how many. Where it is no multiple of the number of labels, some have one more.
        seed: any number; another one draws others.
    """
    examples = task.parts["train"]
    order = torch.randperm(len(examples), generator=seeded(seed, 0)).tolist()
    groups: dict[str | None, list[Example]] = {}
    for number in order:
        groups.setdefault(task.class_of(examples[number]), []).append(examples[number])
    # One of each label, again and again.
    rounds = [example for row in zip(*groups.values()) for example in row]
    if not 1 <= size <= len(rounds):
        each = ", as many of each label" if len(groups) > 1 else ""
        raise ValueError(
            f"size must lie in 1 … {len(rounds)}, all that {task.name} has to train on{each}; got {size}"
        )
    return rounds[:size]
