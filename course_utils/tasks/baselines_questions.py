"""The sentence of the passage that has most words in common with the question is the answer; or there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from course_utils.support.given import one_text
from course_utils.tasks.baselines_common import Baseline, given_examples
from course_utils.tasks.data import Question
from course_utils.tasks.forms_questions import Questions
from course_utils.tasks.metrics import span_f1
from course_utils.tasks.no_answer import validation_threshold
from course_utils.tasks.particles import without_particle
from course_utils.tasks.tags import words_of
from course_utils.tasks.task import Example

END = re.compile(r"(?<=[.?!])\s+")
# What asks, and what stands in every question: they say nothing of the matter.
ASKING = frozenset(
    [
        "누구",
        "무엇",
        "언제",
        "어디",
        "어떤",
        "어느",
        "어떻게",
        "얼마",
        "얼마나",
        "몇",
        "왜",
        "무슨",
        "것",
        "수",
        "때",
    ]
)


class Nearest(NamedTuple):
    """A sentence, and the share of the question's content words that it has."""

    sentence: str
    share: float


def nearest_sentence(task: Questions, examples: Sequence[Example]) -> Baseline:
    """Answers with the whole nearest sentence where it shares enough words with the question, and else with nothing.

    The examples are not looked at: nothing is learned. How much is enough, is chosen on the validation part.

    Args:
        task: questions.
        examples: see baselines.baseline.

    Raises:
        ValueError: if task is none such, or there is no example of it.
    """
    given_examples(task, examples, Questions)
    found = [(nearest(one.source), one.source.answer) for one in task.parts["validation"]]
    threshold = 0.0
    if found:
        threshold = validation_threshold(
            [best.share for best, _ in found],
            [span_f1(best.sentence, [answer] if answer else []) for best, answer in found],
            [float(answer is None) for _, answer in found],
        ).value

    def predict(source: Question) -> str:
        best = nearest(source)
        return best.sentence if best.share > threshold else ""

    return Baseline(task, predict, {"threshold": threshold})


def nearest(question: Question) -> Nearest:
    """The sentence of its passage with most of the question's content words; of equally many, the first."""
    wanted = content_words(question.question)
    shares = [
        Nearest(sentence, len(wanted & content_words(sentence)) / max(len(wanted), 1))
        for sentence in sentences_of(question.passage)
    ]
    return max(shares, key=lambda one: one.share)


def sentences_of(passage: str) -> list[str]:
    """A passage cut behind . ? and !, where a blank follows.

    Raises:
        ValueError: if passage is no text.
    """
    return [sentence for sentence in END.split(one_text("passage", passage).strip()) if sentence] or [""]


def content_words(text: str) -> set[str]:
    """The different words of a text, without their particles, signs, and what only asks.

    Raises:
        ValueError: if text is none.
    """
    words = {without_particle(word) for _, word in words_of(text) if any(sign.isalnum() for sign in word)}
    return words - ASKING
