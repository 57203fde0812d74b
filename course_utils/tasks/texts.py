"""A text or a pair of texts: one label, or a number (Devlin et al. 2019, figure 4 a, b).

review, sentence    [CLS] text [SEP]                  K logits, cross-entropy, accuracy
pair                [CLS] first [SEP] second [SEP]    one number, squared error, correlations
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from course_utils.heads import BertForSequenceClassification
from course_utils.heads.base import BertWithHead
from course_utils.tasks.data import BAD, DIALECTS, GOOD, DialectSentence, LabelledReview, SentencePair
from course_utils.tasks.metrics import accuracy, pearson, spearman
from course_utils.tasks.task import Example, Task, TaskBatch
from course_utils.tasks.words import label_ids
from course_utils.tokenization import Encoding

MIDDLE = HALF = 2.5  # scores of pairs lie in 0 … 5 = MIDDLE ± HALF


class ClassTask(Task):
    """A text with one of K labels: K logits from the pooled [CLS]."""

    metric = "accuracy"
    model_class = BertForSequenceClassification

    def label_of(self, source: Any) -> str:
        """The name of its label."""
        raise NotImplementedError

    def fits(self, source: Any) -> bool:
        return self.label_of(source) in self.labels

    def class_of(self, example: Example) -> str:
        """The name of its label."""
        return self.label_of(example.source)

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """labels int64 (B,); see Task.batch."""
        ids = label_ids([self.class_of(example) for example in examples], self.labels)
        return self._batch([example.row for example in examples], labels=torch.tensor(ids))

    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[str]:
        """The name of the most probable label of each; see Task.predict."""
        return [self.labels[int(row.argmax())] for (row,) in self._logits(model, examples)]

    def scores(self, predicted: Sequence[str], sources: Sequence[Any]) -> dict[str, float]:
        return {"accuracy": accuracy(predicted, [self.label_of(source) for source in sources])}


class Reviews(ClassTask):
    """Film reviews, bad or good."""

    labels = ("bad", "good")

    def label_of(self, source: LabelledReview) -> str:
        """ "bad" or "good"; "" for a label that is neither."""
        return {BAD: "bad", GOOD: "good"}.get(source.label, "")


class Dialects(ClassTask):
    """Sentences in six ways of Korean."""

    labels = DIALECTS

    def label_of(self, source: DialectSentence) -> str:
        return source.dialect


class Pairs(Task):
    """Two sentences, and how alike their meanings are: one number from the pooled [CLS].

    What is learned is (score − 2.5)/2.5, which lies in −1 … 1: a fresh head says about 0, the middle, and need not
    first be led to 2.5. `predict` gives scores again.
    """

    metric = "spearman"
    model_class = BertForSequenceClassification
    num_logits = 1

    def encode(self, source: SentencePair) -> list[Encoding]:
        """[CLS] first [SEP] second [SEP], the longer one cut at its end."""
        return [self.tokenizer.encode(source.first, source.second, max_length=self.max_length)]

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """labels float32 (B,); see Task.batch."""
        numbers = [(example.source.score - MIDDLE) / HALF for example in examples]
        labels = torch.tensor(numbers, dtype=torch.float32)
        return self._batch([example.row for example in examples], labels=labels)

    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[float]:
        """The score of each; a little below 0 or above 5, it may be. See Task.predict."""
        return [MIDDLE + HALF * float(row) for (row,) in self._logits(model, examples)]

    def scores(self, predicted: Sequence[float], sources: Sequence[SentencePair]) -> dict[str, float]:
        right = [source.score for source in sources]
        return {"spearman": spearman(predicted, right), "pearson": pearson(predicted, right)}
