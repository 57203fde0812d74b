"""Rows of a task: labels on pieces, windows and spans, decoding, batches."""

from __future__ import annotations

from typing import Any

import torch

from course_utils.tasks import collate, labels, no_answer, span_decoding, spans, windows
from course_utils.tokenization import Encoding
from tests.faults.models import tokenizer
from tests.faults.registry import case
from tests.faults.words import SENTENCES

PASSAGE, ANSWER = SENTENCES[0], (0, 1)  # 배


def cut() -> list[windows.Window]:
    return windows.passage_windows(tokenizer(), SENTENCES[2], PASSAGE, max_length=9, stride=2)


def rows() -> list[Encoding]:
    return [tokenizer().encode(sentence) for sentence in SENTENCES[:2]]


def words() -> dict[str, Any]:
    text, places = labels.joined(PASSAGE.split())
    return {"encoding": tokenizer().encode(text), "words": places}


def scores() -> dict[str, torch.Tensor]:
    return {"start_logits": torch.randn(len(cut()), 9), "end_logits": torch.randn(len(cut()), 9)}


case(labels.label_ids, lambda: {"labels": ["경상", "제주"], "names": ["제주", "경상"]})
case(labels.joined, lambda: {"words": PASSAGE.split()})
case(labels.first_pieces, words)
case(labels.piece_labels, lambda: words() | {"labels": [1, 0, 2, 1]})
case(labels.word_labels, lambda: words() | {"predicted": [0] * len(words()["encoding"])})
case(
    windows.passage_windows,
    lambda: {
        "tokenizer": tokenizer(),
        "question": SENTENCES[2],
        "passage": PASSAGE,
        "max_length": 9,
        "stride": 2,
    },
)
case(spans.answer_span, lambda: {"passage": PASSAGE, "answer": "바다", "start": 6})
case(spans.answer_span, lambda: {"passage": PASSAGE, "answer": "바다"}, part="#once")
case(spans.passage_pieces, lambda: {"encoding": cut()[0]})
case(spans.pieces_of, lambda: {"window": cut()[0], "span": ANSWER})
case(spans.characters_of, lambda: {"encoding": cut()[0], "first": 6, "last": 7})
case(
    span_decoding.best_spans,
    lambda: scores() | {"allowed": torch.ones(len(cut()), 9, dtype=torch.bool), "most_pieces": 3},
)
case(span_decoding.best_answer, lambda: {"windows": cut(), **scores(), "most_pieces": 3})
case(
    span_decoding.decided,
    lambda: {"answer": span_decoding.best_answer(cut(), **scores()), "threshold": 0.5},
)
case(
    no_answer.validation_threshold,
    lambda: {"margins": [2.0, -1.0], "answered": [1.0, 0.0], "silent": [0.0, 1.0]},
)
case(collate.pad_rows, lambda: {"rows": rows(), "pad_id": 0})
case(collate.class_batch, lambda: {"rows": rows(), "labels": [1, 0], "pad_id": 0, "num_labels": 2})
case(collate.number_batch, lambda: {"rows": rows(), "numbers": [0.5, 3.7], "pad_id": 0})
case(
    collate.tag_batch,
    lambda: {
        "rows": rows(),
        "labels": [[-100] + [1] * (len(row) - 1) for row in rows()],
        "pad_id": 0,
        "num_labels": 2,
    },
)
case(
    collate.span_batch,
    lambda: {"windows": cut(), "spans": [ANSWER] + [None] * (len(cut()) - 1), "pad_id": 0},
)
case(collate.choice_batch, lambda: {"groups": [rows(), rows()[::-1]], "labels": [1, 0], "pad_id": 0})
