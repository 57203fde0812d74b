"""What each task comes to without BERT, by simple means: what a fine-tuned model has to beat.

    every task          majority            always says the same
    reviews, dialect    naive_bayes         counts pieces
    pairs               ngram_cosine        counts runs of letters that both sentences have (baselines_pairs.py)
    names               name_dictionary     knows the names of the training part (baselines_tags.py)
    parts of speech     tag_by_ending       knows the words of the training part, and how words end
    questions           nearest_sentence    shares the most words with the question (baselines_questions.py)

`baseline` gives the last one of a task. Each is made of the same examples as the model beside it, chooses what is to be
chosen on the validation part, and is measured as the model is.

Letters: K labels, V different pieces, N examples.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.tasks.baselines_common import Baseline, best_setting_of, given_examples, most_frequent
from course_utils.tasks.baselines_pairs import ngram_cosine
from course_utils.tasks.baselines_questions import nearest_sentence
from course_utils.tasks.baselines_tags import most_frequent_tag, name_dictionary, tag_by_ending
from course_utils.tasks.forms_questions import Questions
from course_utils.tasks.forms_tags import Names, PartsOfSpeech, TagTask
from course_utils.tasks.forms_text import ClassTask, Pairs
from course_utils.tasks.task import Example, Task

__all__ = [
    "Baseline",
    "baseline",
    "majority",
    "most_frequent_tag",
    "naive_bayes",
    "name_dictionary",
    "nearest_sentence",
    "ngram_cosine",
    "tag_by_ending",
]

SMOOTHINGS = (1.0, 0.1, 0.3, 3.0)  # added to every count; of equally good ones the first is taken


def baseline(task: Task, examples: Sequence[Example]) -> Baseline:
    """The task's own baseline, from so many examples; see the table above.

    Args:
        task: see forms.load_task.
        examples: of its training part, as the model has them.

    Raises:
        ValueError: if task is none, or there is no example of it.
    """
    made = {
        ClassTask: naive_bayes,
        Pairs: ngram_cosine,
        Names: name_dictionary,
        PartsOfSpeech: tag_by_ending,
        Questions: nearest_sentence,
    }
    given_examples(task, examples, *made)
    return next(make for form, make in made.items() if isinstance(task, form))(task, examples)


def majority(task: Task, examples: Sequence[Example]) -> Baseline:
    """Always the same: the most frequent label or tag, the mean score, no answer.

    Of names this is O for every word, so no name is found; of pairs, a constant has no correlation with anything: both
    have 0. Of questions it is as good as many questions have no answer.

    Args:
        task, examples: see baseline.

    Raises:
        ValueError: if task is none, or there is no example of it.
    """
    found = given_examples(task, examples, ClassTask, Pairs, TagTask, Questions)
    if isinstance(task, ClassTask):
        label = most_frequent(Counter(task.class_of(example) for example in found))
        return Baseline(task, lambda source: label)
    if isinstance(task, Pairs):
        mean = math.fsum(example.source.score for example in found) / len(found)
        return Baseline(task, lambda source: mean)
    if isinstance(task, Questions):
        return Baseline(task, lambda source: "")
    tag = most_frequent(Counter(tag for example in found for tag in example.source.tags))
    return Baseline(task, lambda source: [tag] * len(source.words))


def naive_bayes(task: ClassTask, examples: Sequence[Example]) -> Baseline:
    """A bag of words: each different piece of a text speaks for the labels whose examples had it, for itself alone.

        label = argmax_k  log p(k) + Σ over different pieces of log p(piece | k)
        p(piece | k) = (examples of k with the piece + s) / (sum of these counts of k + s·V)
        p(k) = (examples of k + 1) / (N + K)

    The smoothing s is that of SMOOTHINGS with the highest accuracy on the validation part. A piece that was never seen
    says nothing.

    Args:
        task: with a label for each text: reviews, dialect.
        examples: see baseline.

    Raises:
        ValueError: if task is none such, or there is no example of it.

    Source: Maron 1961; with each piece counted once a text, Wang and Manning 2012.
    """
    found = given_examples(task, examples, ClassTask)
    labels = {label: number for number, label in enumerate(task.labels)}
    index: dict[str, int] = {}
    rows = [[index.setdefault(piece, len(index)) for piece in _pieces(task, one.source)] for one in found]
    counts = torch.zeros(len(index), len(labels), dtype=torch.float64)  # (V, K)
    prior = torch.ones(len(labels), dtype=torch.float64)
    for row, example in zip(rows, found):
        label = labels[task.class_of(example)]
        counts[row, label] += 1
        prior[label] += 1

    def with_smoothing(smoothing: float) -> Baseline:
        shares = (counts + smoothing).log() - (counts.sum(0) + smoothing * len(index)).log()

        def predict(source: Any) -> str:
            known = [index[piece] for piece in _pieces(task, source) if piece in index]
            return task.labels[int(_total(shares, known, prior).argmax())]

        return Baseline(task, predict, {"smoothing": smoothing})

    return best_setting_of(with_smoothing, SMOOTHINGS)


def _total(shares: Tensor, known: list[int], prior: Tensor) -> Tensor:
    """log p(k) + Σ log p(piece | k), but for a constant: float64 (K,)."""
    return shares[known].sum(0) + prior.log()


def _pieces(task: Task, source: Any) -> list[str]:
    """The different pieces of a text."""
    return sorted(set(task.tokenizer.tokenize(source.text)))
