"""What all baselines share: they predict from a record alone, and are measured as a model of their task is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from course_utils.support.given import shown
from course_utils.tasks.forms_questions import Questions
from course_utils.tasks.metrics import exact_match, span_f1
from course_utils.tasks.task import Example, Task


@dataclass(frozen=True)
class Baseline:
    """A way to predict without a network.

    Attributes:
        task: what it predicts.
        predict_one: source of an example -> a label's name, a score, a tag for each word, an answer ("" for none).
        settings: what was chosen on the validation part, by name.
    """

    task: Task
    predict_one: Callable[[Any], Any] = field(repr=False)
    settings: dict[str, float] = field(default_factory=dict)

    def predict(self, examples: Sequence[Example]) -> list[Any]:
        """What it says of each example, in their order.

        Raises:
            ValueError: if there is no example, or one is none of the task.
        """
        return [self.predict_one(example.source) for example in self.task.check_examples(examples)]

    def measure(self, examples: Sequence[Example]) -> dict[str, float]:
        """How good it is, by the task's own measures, the main one first.

        Raises:
            ValueError: as predict.
        """
        predicted = self.predict(examples)
        sources = [example.source for example in examples]
        if not isinstance(self.task, Questions):
            return self.task._measure(predicted, sources)
        right = [[source.answer] if source.answer else [] for source in sources]
        return {
            name: math.fsum(score(said, wanted) for said, wanted in zip(predicted, right)) / len(right)
            for name, score in (("f1", span_f1), ("exact_match", exact_match))
        }


def most_frequent(counts: Mapping[str, int]) -> str:
    """The label with the highest count; of equally frequent ones, the first by letters."""
    return min(counts, key=lambda label: (-counts[label], label))


def best_setting_of(make: Callable[[float], Baseline], settings: Sequence[float]) -> Baseline:
    """The baseline that is best on the validation part of its task; of equally good ones, the first."""
    made = [make(setting) for setting in settings]
    validation = made[0].task.parts["validation"]
    if not validation:
        return made[0]
    return max(made, key=lambda one: one.measure(validation)[one.task.metric])


def given_examples(task: Task, examples: Sequence[Example], *forms: type[Task]) -> list[Example]:
    """The examples, if they are of the task, and the task of one of these forms.

    Raises:
        ValueError: if not.
    """
    if not isinstance(task, forms):
        names = " or ".join(form.__name__ for form in forms)
        raise ValueError(f"task must be a task of the form {names}, as load_task gives it, got {shown(task)}")
    return task.check_examples(examples)
