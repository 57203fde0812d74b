"""A text or a pair of texts: one label, or a number (Devlin et al. 2019, figure 4 a, b).

review, sentence    [CLS] text [SEP]                  K logits, cross-entropy, accuracy
pair                [CLS] first [SEP] second [SEP]    one number, squared error, correlations
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from course_utils.config import BertConfig
from course_utils.heads import BertForSequenceClassification
from course_utils.heads.base import BertWithHead
from course_utils.tasks.collate import TaskBatch, class_batch, number_batch
from course_utils.tasks.data import DIALECTS, DialectSentence, SentencePair
from course_utils.tasks.labels import label_ids
from course_utils.tasks.metrics import accuracy, pearson, spearman
from course_utils.tasks.reviews import BAD, GOOD, LabelledReview
from course_utils.tasks.task import Example, Task
from course_utils.tokenization import Encoding

MIDDLE = HALF = 2.5  # scores of pairs lie in 0 … 5 = MIDDLE ± HALF


class ClassTask(Task):
    """A text with one of K labels."""

    metric = "accuracy"
    model_class = BertForSequenceClassification

    def label_of(self, source: Any) -> str:
        """The name of its label."""
        raise NotImplementedError

    def encode(self, source: Any) -> list[Encoding]:
        """[CLS] text [SEP], cut at its end."""
        return [self.tokenizer.encode(source.text, max_length=self.max_length)]

    def class_of(self, example: Example) -> str:
        """The name of its label."""
        return self.label_of(example.source)

    def head(self, config: BertConfig, generator: torch.Generator | None) -> BertWithHead:
        """K logits from the pooled [CLS]."""
        return BertForSequenceClassification(config, len(self.labels), generator=generator)

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """See Task.batch."""
        found = self.check_examples(examples)
        ids = label_ids([self.label_of(example.source) for example in found], self.labels)
        rows = [example.row for example in found]
        return class_batch(rows, ids, pad_id=self.tokenizer.vocab["[PAD]"], num_labels=len(self.labels))

    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[str]:
        """The name of the most probable label of each; see Task.predict."""
        logits = self._logits(model, examples, len(self.labels))
        return [self.labels[int(row.argmax())] for (row,) in logits]

    def _measure(self, predicted: list[str], sources: list[Any]) -> dict[str, float]:
        return {"accuracy": accuracy(predicted, [self.label_of(source) for source in sources])}

    def _check(self, where: str, source: Any) -> None:
        super()._check(where, source)
        if self.label_of(source) not in self.labels:
            raise ValueError(f"the label of {where} must be one of {', '.join(self.labels)}")


class Reviews(ClassTask):
    """Film reviews, bad or good."""

    record = LabelledReview
    labels = ("bad", "good")

    def label_of(self, source: LabelledReview) -> str:
        """ "bad" or "good"; "" for a label that is neither."""
        return {BAD: "bad", GOOD: "good"}.get(source.label, "")


class Dialects(ClassTask):
    """Sentences in six ways of Korean."""

    record = DialectSentence
    labels = DIALECTS

    def label_of(self, source: DialectSentence) -> str:
        """Its dialect."""
        return source.dialect


class Pairs(Task):
    """Two sentences, and how alike their meanings are.

    What is learned is (score − 2.5)/2.5, which lies in −1 … 1: a fresh head says about 0, the middle, and need not
    first be led to 2.5. `predict` gives scores again.
    """

    metric = "spearman"
    model_class = BertForSequenceClassification
    record = SentencePair

    def encode(self, source: SentencePair) -> list[Encoding]:
        """[CLS] first [SEP] second [SEP], the longer one cut at its end."""
        return [self.tokenizer.encode(source.first, source.second, max_length=self.max_length)]

    def head(self, config: BertConfig, generator: torch.Generator | None) -> BertWithHead:
        """One number from the pooled [CLS]."""
        return BertForSequenceClassification(config, 1, generator=generator)

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """See Task.batch."""
        found = self.check_examples(examples)
        numbers = [(example.source.score - MIDDLE) / HALF for example in found]
        rows = [example.row for example in found]
        return number_batch(rows, numbers, pad_id=self.tokenizer.vocab["[PAD]"])

    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[float]:
        """The score of each; a little below 0 or above 5, it may be. See Task.predict."""
        return [MIDDLE + HALF * float(row) for (row,) in self._logits(model, examples, 1)]

    def _measure(self, predicted: list[float], sources: list[SentencePair]) -> dict[str, float]:
        scores = [source.score for source in sources]
        return {"spearman": spearman(predicted, scores), "pearson": pearson(predicted, scores)}
