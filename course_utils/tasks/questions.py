"""A question and its passage: where the answer begins and ends, or that there is none (Devlin et al. 2019, 4.2, 4.3).

    [CLS] question [SEP] passage [SEP]        two scores for each token; [CLS] stands for: no answer

    ŝ = max over legal pairs i ≤ j of  S·h_i + E·h_j        s_null = S·h_[CLS] + E·h_[CLS]        margin = ŝ − s_null

Each end by itself may lie anywhere: the best beginning in the question, or behind the best end. So it is pairs that are
compared, all of them. An answer is given where ŝ > s_null + τ. The threshold τ is a parameter like any other: chosen on
the test questions, it would make the test score too good; so it is chosen on those of validation and handed on.

A passage that is too long is read in windows (windows.py); each is a row of its own in a batch.

Letters: B rows, W windows of one passage, T tokens.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import torch
from torch import Tensor

from course_utils.config import BertConfig
from course_utils.heads import BertForQuestionAnswering
from course_utils.heads.base import BertWithHead
from course_utils.tasks.data import Question
from course_utils.tasks.metrics import exact_match, span_f1
from course_utils.tasks.task import Example, Task, TaskBatch
from course_utils.tasks.windows import (
    ADDED,
    Window,
    characters_of,
    passage_pieces,
    passage_windows,
    pieces_of,
)

MOST_PIECES = 30  # of an answer; max_answer_length of google-research/bert, run_squad.py
LARGEST = 1e30  # of a threshold: "always" and "never" in a file, where JSON has no infinity


class Spans(NamedTuple):
    """The best legal pair of each row."""

    first: Tensor  # int64 (B,), place of its first token
    last: Tensor  # int64 (B,), of its last one
    score: Tensor  # float (B,); −inf where no pair is legal: then first and last are 0
    no_answer: Tensor  # float (B,), score of the pair ([CLS], [CLS])


class Answer(NamedTuple):
    """The best answer of a passage."""

    text: str  # as it stands in the passage
    start: int  # its characters there, the end exclusive
    end: int
    margin: float  # ŝ − s_null; −inf where no pair is legal


class Threshold(NamedTuple):
    """τ, and the mean score that it reaches on the questions it was chosen on."""

    value: float
    score: float


class Questions(Task):
    """Questions about passages; a third of them without an answer."""

    metric = "f1"
    model_class = BertForQuestionAnswering
    num_logits = 2

    def encode(self, source: Question) -> list[Window]:
        """A row for each window of the passage, neighbours sharing about half of what they have of it."""
        room = self.max_length - ADDED - len(self.tokenizer.pieces(source.question))
        sizes = {"max_length": self.max_length, "stride": max(1, room // 2)}
        return passage_windows(self.tokenizer, source.question, source.passage, **sizes)

    def head(self, config: BertConfig, generator: torch.Generator | None) -> BertWithHead:
        """Two logits for each token."""
        return BertForQuestionAnswering(config, generator=generator)

    def batch(self, examples: Sequence[Example]) -> TaskBatch:
        """All windows of all examples, start_positions and end_positions int64 (B,); see Task.batch.

        A window without the whole answer learns that it has none.
        """
        rows = [(window, _span(example.source)) for example in examples for window in example.windows]
        ends = torch.tensor([pieces_of(window, span) for window, span in rows])  # (B, 2)
        labels = {"start_positions": ends[:, 0], "end_positions": ends[:, 1]}
        return self._batch([window for window, _ in rows], **labels)

    def predict(self, model: BertWithHead, examples: Sequence[Example]) -> list[Answer]:
        """The best span of each and its margin; `decided` says whether it is given. See Task.predict."""
        answers = []
        for example, rows in zip(examples, self._logits(model, examples)):
            padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)  # (W, T, 2)
            answers.append(best_answer(example.windows, padded[..., 0], padded[..., 1]))
        return answers

    def scores(self, predicted: Sequence[str], sources: Sequence[Question]) -> dict[str, float]:
        """f1 and exact_match of answers that are given, "" for none: means over the questions."""
        right = [_answers(source) for source in sources]
        return {
            name: math.fsum(score(text, wanted) for text, wanted in zip(predicted, right, strict=True))
            / len(right)
            for name, score in (("f1", span_f1), ("exact_match", exact_match))
        }

    def measure(
        self, model: BertWithHead, examples: Sequence[Example], *, threshold: float | None = None
    ) -> dict[str, float]:
        """f1 and exact_match, means over the questions, those without an answer included; and the threshold used.

        Args:
            model, examples: see Task.measure.
            threshold: τ; None chooses the one with the highest f1 on these questions, and is refused for those of the
                test, whose score it would make too good. It lies in ±1e30, the ends for "always" and "never".
        """
        of_test = {id(example) for example in self.parts["test"]}
        if threshold is None and any(id(example) in of_test for example in examples):
            raise ValueError("threshold must be given for test questions: choose it on those of validation")
        answers, sources = self.predict(model, examples), [example.source for example in examples]
        if threshold is None:
            best = threshold_for([(answer.text, answer.margin) for answer in answers], sources)
            threshold = max(-LARGEST, min(LARGEST, best.value))
        said = [decided(answer, threshold) for answer in answers]
        return {**self.scores(said, sources), "threshold": threshold}


@torch.no_grad()
def best_spans(
    start_logits: Tensor, end_logits: Tensor, allowed: Tensor, *, most_pieces: int = MOST_PIECES
) -> Spans:
    """The pair of tokens with the highest sum of scores, among those that an answer may have.

    Args:
        start_logits, end_logits: float (B, T).
        allowed: bool (B, T), where an answer may begin or end: not in the question, at a special token or at padding.
        most_pieces: the longest answer; one piece long it begins and ends at the same.

    Returns:
        Spans; among equal pairs the one that begins, then ends first.
    """
    if not start_logits.shape == end_logits.shape == allowed.shape:
        raise ValueError("start_logits, end_logits and allowed must have one shape (B, T)")
    if not (torch.isfinite(start_logits).all() and torch.isfinite(end_logits).all()):
        raise ValueError("start_logits and end_logits must be finite numbers, and are not")
    length = allowed.shape[1]
    wide = torch.promote_types(start_logits.dtype, torch.float32)  # in half precision sums come out equal
    scores = start_logits.to(wide)[:, :, None] + end_logits.to(wide)[:, None, :]  # (B, T, T), first × last
    places = torch.arange(length, device=allowed.device)
    behind = places[None, :] - places[:, None]  # (T, T), last − first
    legal = (behind >= 0) & (behind < min(most_pieces, length)) & allowed[:, :, None] & allowed[:, None, :]
    score, place = scores.masked_fill(~legal, -torch.inf).flatten(1).max(dim=1)  # (B,)
    return Spans(place // length, place % length, score, scores[:, 0, 0])


@torch.no_grad()
def best_answer(
    windows: Sequence[Window], start_logits: Tensor, end_logits: Tensor, *, most_pieces: int = MOST_PIECES
) -> Answer:
    """The best answer over all windows of one passage.

    ŝ is the highest of the windows, s_null the lowest: there is no answer only where every window says so
    (run_squad.py). Windows are compared by their scores as they come, not after a softmax: that would let a window with
    nothing in it be as sure as the one with the answer.

    Args:
        windows: W rows, see passage_windows.
        start_logits, end_logits: float (W, T), T at least the longest row; what is behind a row is padding.
        most_pieces: see best_spans.
    """
    allowed = torch.zeros(len(windows), start_logits.shape[1], dtype=torch.bool)  # (W, T)
    for row, window in enumerate(windows):
        allowed[row, : len(window)] = torch.tensor(passage_pieces(window))
    spans = best_spans(start_logits, end_logits, allowed.to(start_logits.device), most_pieces=most_pieces)
    best = int(spans.score.argmax())
    start, end = characters_of(windows[best], int(spans.first[best]), int(spans.last[best]))
    margin = float(spans.score[best] - spans.no_answer.min())
    return Answer(windows[best].passage[start:end], start, end, margin)


def decided(answer: Answer, threshold: float) -> str:
    """The text of an answer whose margin lies above τ; "" else: the passage does not say.

    Args:
        answer: see best_answer.
        threshold: τ; −inf answers always, inf never.
    """
    return answer.text if answer.margin > threshold else ""


def validation_threshold(
    margins: Sequence[float], answered: Sequence[float], silent: Sequence[float]
) -> Threshold:
    """The τ with the highest mean score: answered[i] where margin[i] > τ, silent[i] elsewhere.

    All that can make a difference is tried: −inf (answer always), the middle between each two margins, inf (never),
    and 0. Of those that score the same, the one next to 0 is taken: no evidence, no shift.

    Args:
        margins: of each validation question, ŝ − s_null; −inf where there is no legal pair.
        answered: its score if the best span is given, such as F1: 0 for a question without an answer.
        silent: its score if none is given: 1 for a question without an answer, else 0.
    """
    questions = sorted(zip(margins, answered, silent, strict=True), key=lambda question: question[0])
    rising = [margin for margin, _, _ in questions]
    gains = [given - none for _, given, none in questions]
    above = [0.0, *accumulate(reversed(gains))][::-1]  # what answering from each place on adds
    middles = [(low + high) / 2 for low, high in zip(rising, rising[1:]) if low < high]
    scores = {
        threshold: (math.fsum(silent) + above[bisect_right(rising, threshold)]) / len(questions)
        for threshold in (0.0, -math.inf, math.inf, *middles)
    }
    best = max(scores, key=lambda threshold: (round(scores[threshold], 9), -abs(threshold)))
    return Threshold(best, scores[best])


def threshold_for(said: Sequence[tuple[str, float]], sources: Sequence[Question]) -> Threshold:
    """validation_threshold by span_f1, of an answer's text and its margin for each question."""
    right = [_answers(source) for source in sources]
    return validation_threshold(
        [margin for _, margin in said],
        [span_f1(text, wanted) for (text, _), wanted in zip(said, right, strict=True)],
        [span_f1("", wanted) for wanted in right],
    )


def _answers(source: Question) -> list[str]:
    """All that are right: one, or none."""
    return [source.answer] if source.answer else []


def _span(source: Question) -> tuple[int, int] | None:
    """(start, end) of the answer in characters of the passage."""
    return None if source.answer is None else (source.start, source.start + len(source.answer))
