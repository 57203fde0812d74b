"""A question and its passage: where the answer begins and ends, or that there is none (Devlin et al. 2019, 4.2, 4.3).

    [CLS] question [SEP] passage [SEP]        two scores for each token; [CLS] stands for: no answer

A passage that is too long is read in windows; each is a row of its own in a batch. An answer is given where its margin
lies above a threshold τ (no_answer.py), which is chosen on validation questions and handed on to those of the test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from course_utils.config import BertConfig
from course_utils.heads import BertForQuestionAnswering
from course_utils.heads.base import BertWithHead
from course_utils.tasks.collate import TaskBatch, span_batch
from course_utils.tasks.data import Question
from course_utils.tasks.metrics import exact_match, span_f1
from course_utils.tasks.no_answer import LARGEST, validation_threshold
from course_utils.tasks.span_decoding import Answer, best_answer, decided
from course_utils.tasks.task import Example, Task
from course_utils.tasks.windows import Window, passage_windows
from course_utils.tokenization import WordPieceTokenizer

STRIDE = 32  # pieces of a passage between the beginnings of two windows


class Questions(Task):
    """Questions about passages; a third of them without an answer."""

    metric = "f1"
    model_class = BertForQuestionAnswering
    record = Question

    def __init__(
        self,
        name: str,
        parts: Mapping[str, Sequence[Any]],
        tokenizer: WordPieceTokenizer,
        *,
        max_length: int,
    ) -> None:
        super().__init__(name, parts, tokenizer, max_length=max_length)
        self._of_test = {id(example) for example in self.parts["test"]}

    def encode(self, source: Question) -> list[Window]:
        """A row for each window of the passage."""
        return passage_windows(
            self.tokenizer, source.question, source.passage, max_length=self.max_length, stride=STRIDE
        )

    def head(self, config: BertConfig, generator: torch.Generator | None) -> BertWithHead:
        """Two logits for each token."""
        return BertForQuestionAnswering(config, generator=generator)

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """All windows of all examples; see Task.batch. A window without the whole answer learns that it has none."""
        found = self.check_examples(examples)
        windows = [window for example in found for window in example.windows]
        spans = [_span(example.source) for example in found for _ in example.windows]
        return span_batch(windows, spans, pad_id=self.tokenizer.vocab["[PAD]"])

    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[Answer]:
        """The best span of each and its margin; `decided` says whether it is given. See Task.predict."""
        answers = []
        for example, rows in zip(examples, self._logits(model, examples, 2)):
            longest = max(map(len, rows))
            start, end = (
                torch.stack([torch.nn.functional.pad(row[:, side], (0, longest - len(row))) for row in rows])
                for side in (0, 1)
            )  # (W, T)
            answers.append(best_answer(example.windows, start, end))
        return answers

    def measure(
        self, model: BertWithHead, examples: Sequence[Example], *, threshold: float | None = None
    ) -> dict[str, float]:
        """f1 and exact_match, means over the questions, those without an answer included; and the threshold used.

        Args:
            model, examples: see Task.measure.
            threshold: τ; None chooses the one with the highest f1 on these questions, and is refused for those of the
                test, whose score it would make too good. It lies in ±1e30, the ends for "always" and "never".

        Raises:
            ValueError: as Task.measure; if a test question is among the examples and there is no threshold.
        """
        if threshold is None and any(id(example) in self._of_test for example in examples):
            raise ValueError("threshold must be given for test questions: choose it on those of validation")
        answers = self.predict(model, examples)
        right = [[example.source.answer] if example.source.answer else [] for example in examples]
        if threshold is None:
            best = validation_threshold(
                [answer.margin for answer in answers],
                [span_f1(answer.text, wanted) for answer, wanted in zip(answers, right)],
                [span_f1("", wanted) for wanted in right],
            )
            threshold = max(-LARGEST, min(LARGEST, best.value))
        said = [decided(answer, threshold) for answer in answers]
        scores = {
            name: math.fsum(score(text, wanted) for text, wanted in zip(said, right)) / len(said)
            for name, score in (("f1", span_f1), ("exact_match", exact_match))
        }
        return {**scores, "threshold": threshold}


def _span(source: Question) -> tuple[int, int] | None:
    """(start, end) of the answer in characters of the passage."""
    return None if source.answer is None else (source.start, source.start + len(source.answer))
