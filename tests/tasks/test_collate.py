"""Batches of each form: values by hand, what the heads make of them, and that padding changes nothing."""

from __future__ import annotations

import math

import pytest
import torch

from course_utils import heads
from course_utils.config import BertConfig
from course_utils.tasks.collate import (
    choice_batch,
    class_batch,
    number_batch,
    pad_rows,
    span_batch,
    tag_batch,
)
from course_utils.tasks.windows import passage_windows
from course_utils.tokenization import Encoding
from tests.tasks.korean import tokenizer

CONFIG = BertConfig(
    vocab_size=19,
    hidden_size=12,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=17,
    max_position_embeddings=31,
    initializer_range=0.3,
)
PAD = 0


def words():
    return tokenizer("부산에서")


def texts():
    """그 배, 떠났다 and a pair: 4, 3 and 6 tokens."""
    return [words().encode("그 배"), words().encode("떠났다"), words().encode("배는", "부산")]


def alone(head, row, **labels):
    """One row by itself, without padding."""
    ids, segments = (torch.tensor([part]) for part in (row.input_ids, row.token_type_ids))
    return head(ids, torch.ones_like(ids), segments, **labels)


def new(kind, **more):
    return getattr(heads, kind)(CONFIG, generator=torch.Generator().manual_seed(1), **more).double().eval()


def test_rows_are_filled_up_by_hand():
    made = pad_rows(texts(), pad_id=99)
    assert made["input_ids"].tolist() == [[2, 5, 6, 3, 99, 99], [2, 10, 3, 99, 99, 99], [2, 6, 7, 3, 8, 3]]
    assert made["attention_mask"].tolist() == [[1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0], [1] * 6]
    assert made["token_type_ids"].tolist() == [[0] * 6, [0] * 6, [0, 0, 0, 0, 1, 1]]
    assert all(tensor.dtype == torch.int64 for tensor in made.values())


def test_padding_changes_no_class():
    head = new("BertForSequenceClassification", num_labels=3)
    batch = class_batch(texts(), [2, 0, 1], pad_id=PAD, num_labels=3)
    assert batch.labels["labels"].tolist() == [2, 0, 1] and batch.labels["labels"].dtype == torch.int64
    found = head(**batch.inputs())
    singles = [alone(head, row, labels=torch.tensor([label])) for row, label in zip(texts(), [2, 0, 1])]
    torch.testing.assert_close(found.logits, torch.cat([one.logits for one in singles]), rtol=0, atol=1e-9)
    torch.testing.assert_close(found.loss, sum(one.loss for one in singles) / 3, rtol=0, atol=1e-9)


def test_padding_changes_no_number():
    head = new("BertForSequenceClassification", num_labels=1)
    batch = number_batch(texts(), [0, 3.7, 5.0], pad_id=PAD)
    assert batch.labels["labels"].dtype == torch.float32
    torch.testing.assert_close(batch.labels["labels"], torch.tensor([0.0, 3.7, 5.0]))
    singles = torch.cat([alone(head, row).logits for row in texts()])
    torch.testing.assert_close(head(**batch.inputs()).logits, singles, rtol=0, atol=1e-9)


def test_padding_changes_no_tag_and_is_not_learned():
    head = new("BertForTokenClassification", num_labels=3)
    rows, tags = texts()[:2], [[-100, 2, 1, -100], [-100, 0, -100]]
    batch = tag_batch(rows, tags, pad_id=PAD, num_labels=3)
    assert batch.labels["labels"].tolist() == [[-100, 2, 1, -100], [-100, 0, -100, -100]]
    found = head(**batch.inputs())
    singles = [alone(head, row, labels=torch.tensor([one])) for row, one in zip(rows, tags)]
    torch.testing.assert_close(found.logits[1, :3], singles[1].logits[0], rtol=0, atol=1e-9)
    wanted = (2 * singles[0].loss + singles[1].loss) / 3  # each tag counts once, not each row
    torch.testing.assert_close(found.loss, wanted, rtol=0, atol=1e-9)


def test_spans_of_windows_and_questions_without_an_answer():
    long = passage_windows(words(), "어디?", "그 배는 부산에서 떠났다.", max_length=9, stride=2)
    (short,) = passage_windows(words(), "어디?", "서울이다")
    batch = span_batch([*long, short], [(5, 7)] * 3 + [None], pad_id=PAD)
    assert batch.labels["start_positions"].tolist() == batch.labels["end_positions"].tolist() == [7, 5, 0, 0]
    batch = span_batch([*long, short], [(2, 7)] * 3 + [(0, 2)], pad_id=PAD)
    assert batch.labels["start_positions"].tolist() == [5, 0, 0, 4]
    assert batch.labels["end_positions"].tolist() == [7, 0, 0, 4]
    assert torch.isfinite(new("BertForQuestionAnswering")(**batch.inputs()).loss)


def test_choices_stand_in_groups():
    first, second, third = texts()
    groups = [[first, second, third], [third, first, second]]
    batch = choice_batch(groups, [2, 0], pad_id=PAD)
    assert batch.input_ids.shape == batch.attention_mask.shape == (2, 3, 6)
    assert batch.input_ids[1, 0].tolist() == third.input_ids
    assert batch.token_type_ids[0, 2].tolist() == batch.token_type_ids[1, 0].tolist() == [0, 0, 0, 0, 1, 1]
    found = new("BertForMultipleChoice")(**batch.inputs())
    torch.testing.assert_close(found.logits[1], found.logits[0].roll(1), rtol=0, atol=1e-9)
    by_hand = -found.logits[0].log_softmax(0)[2]  # the same row is right in both
    torch.testing.assert_close(found.loss, by_hand, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pad_rows([], pad_id=PAD), "rows must hold at least one row"),
        (lambda: pad_rows(["배"], pad_id=PAD), "row 0 must be an Encoding with at least one token, got '배'"),
        (lambda: pad_rows([*texts(), Encoding()], pad_id=PAD), "row 3 must be an Encoding with at least one"),
        (lambda: pad_rows(texts(), pad_id=-1), "pad_id must be a whole number from 0"),
        (
            lambda: class_batch(texts(), [0, 1, 2], pad_id=PAD, num_labels=2),
            "the label of row 2 must be a whole number from 0 to 1, got 2",
        ),
        (
            lambda: class_batch(texts(), [0, 1], pad_id=PAD, num_labels=2),
            "labels must be one for each of 3 rows, got 2",
        ),
        (
            lambda: number_batch(texts(), [0, math.nan, 1], pad_id=PAD),
            "the number of row 1 must be a finite number",
        ),
        (
            lambda: tag_batch(texts()[:1], [[-100, 3, 0, -100]], pad_id=PAD, num_labels=3),
            r"each label of row 0 must lie in 0 … 2 or be -100, got 3",
        ),
        (
            lambda: tag_batch(texts()[:2], [[-100, 1, 0, -100], [1]], pad_id=PAD, num_labels=3),
            "row 1 must have a label for each of 3 tokens, got 1",
        ),
        (
            lambda: span_batch(texts()[:1], [(0, 1)], pad_id=PAD),
            "window must be a Window, as passage_windows makes it, got Encoding",
        ),
        (
            lambda: choice_batch([texts(), texts()[:2]], [0, 0], pad_id=PAD),
            r"groups must have the same number of choices, at least 2, got \[2, 3\]",
        ),
        (
            lambda: choice_batch([texts()], [3], pad_id=PAD),
            "the label of group 0 must be a whole number from 0 to 2, got 3",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
