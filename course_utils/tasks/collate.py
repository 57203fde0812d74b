"""Rows to batches, for each form of a task: a class, a number, a tag for each token, a span, a choice.

Rows of unequal length are filled up with [PAD], which the attention mask shuts out; segment and labels of padding are 0
and −100. What comes back is what the head of that form is called with.

Letters: B rows, N choices, T tokens of the longest row, K labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from course_utils.datasets.batching import pad
from course_utils.support.given import int64, real_number, several, shown, whole_number
from course_utils.tasks.labels import IGNORE
from course_utils.tasks.spans import pieces_of
from course_utils.tasks.windows import Window
from course_utils.tokenization import Encoding

MOST_LABELS = 2**20  # as in heads/classification.py


@dataclass(frozen=True)
class TaskBatch:
    """B rows of T tokens with their labels; for choices (B, N, T)."""

    input_ids: Tensor  # int64 (B, T)
    attention_mask: Tensor  # int64 (B, T), 1 = real, 0 = padding
    token_type_ids: Tensor  # int64 (B, T), 1 = second text
    labels: dict[str, Tensor]  # under the names of the head's arguments

    def inputs(self) -> dict[str, Tensor]:
        """Everything as keyword arguments."""
        texts = {name: getattr(self, name) for name in ("input_ids", "attention_mask", "token_type_ids")}
        return texts | self.labels


def pad_rows(rows: Sequence[Encoding], *, pad_id: int) -> dict[str, Tensor]:
    """Single texts or pairs -> input_ids, attention_mask and token_type_ids, int64 (B, T) each.

    Args:
        rows: B of them, at least one.
        pad_id: id of [PAD].

    Raises:
        ValueError: if there is no row, one is no Encoding or has no token, or pad_id is no id.
    """
    rows = several("rows", rows, "encoded texts")
    for number, row in enumerate(rows):
        if not isinstance(row, Encoding) or not len(row):
            raise ValueError(f"row {number} must be an Encoding with at least one token, got {shown(row)}")
    return {
        "input_ids": pad(
            [row.input_ids for row in rows], whole_number("pad_id", pad_id, least=0, most=2**63 - 1)
        ),
        "attention_mask": pad([row.attention_mask for row in rows], 0),
        "token_type_ids": pad([row.token_type_ids for row in rows], 0),
    }


def class_batch(
    rows: Sequence[Encoding], labels: Sequence[int], *, pad_id: int, num_labels: int
) -> TaskBatch:
    """For BertForSequenceClassification: a label for each row.

    Args:
        rows, pad_id: see pad_rows.
        labels: of each row, 0 … K−1.
        num_labels: K.

    Raises:
        ValueError: as pad_rows, and if a label is not among the K, or there is not one for each row.
    """
    most = whole_number("num_labels", num_labels, most=MOST_LABELS) - 1
    texts = pad_rows(rows, pad_id=pad_id)
    given = _one_each("labels", labels, len(texts["input_ids"]))
    chosen = [
        whole_number(f"the label of row {row}", label, least=0, most=most) for row, label in enumerate(given)
    ]
    return TaskBatch(**texts, labels={"labels": torch.tensor(chosen)})


def number_batch(rows: Sequence[Encoding], numbers: Sequence[float], *, pad_id: int) -> TaskBatch:
    """For BertForSequenceClassification with num_labels=1: a number for each row, such as how alike a pair is.

    Raises:
        ValueError: as pad_rows, and if a number is not finite, or there is not one for each row.
    """
    texts = pad_rows(rows, pad_id=pad_id)
    given = _one_each("numbers", numbers, len(texts["input_ids"]))
    largest = torch.finfo(torch.float32).max
    values = [
        real_number(f"the number of row {row}", number, least=-largest, most=largest)
        for row, number in enumerate(given)
    ]
    return TaskBatch(**texts, labels={"labels": torch.tensor(values, dtype=torch.float32)})


def tag_batch(
    rows: Sequence[Encoding], labels: Sequence[Sequence[int]], *, pad_id: int, num_labels: int
) -> TaskBatch:
    """For BertForTokenClassification: a label for each token.

    Args:
        rows, pad_id: see pad_rows.
        labels: for each row one for each token, 0 … K−1 or −100, see labels.piece_labels.
        num_labels: K.

    Raises:
        ValueError: as pad_rows, and if a label is neither, or there is not one for each token.
    """
    most = whole_number("num_labels", num_labels, most=MOST_LABELS) - 1
    texts = pad_rows(rows, pad_id=pad_id)
    tagged = []
    for row, given in enumerate(_one_each("labels", labels, len(texts["input_ids"]))):
        tags = [
            int64(f"each label of row {row}", tag)
            for tag in several(f"the labels of row {row}", given, "numbers")
        ]
        length = int(texts["attention_mask"][row].sum())
        if len(tags) != length:
            raise ValueError(f"row {row} must have a label for each of {length} tokens, got {len(tags)}")
        for tag in tags:
            if tag != IGNORE and not 0 <= tag <= most:
                raise ValueError(f"each label of row {row} must lie in 0 … {most} or be {IGNORE}, got {tag}")
        tagged.append(tags)
    return TaskBatch(**texts, labels={"labels": pad(tagged, IGNORE)})


def span_batch(windows: Sequence[Window], spans: Sequence[Sequence[int] | None], *, pad_id: int) -> TaskBatch:
    """For BertForQuestionAnswering: where the answer begins and ends, both 0 where the window has none.

    Args:
        windows: B rows, see windows.passage_windows.
        spans: of each row, (start, end) of the answer in characters of its passage, or None; see spans.pieces_of.
        pad_id: see pad_rows.

    Raises:
        ValueError: as pad_rows and spans.pieces_of, and if there is not one span for each row.
    """
    texts = pad_rows(windows, pad_id=pad_id)
    given = _one_each("spans", spans, len(texts["input_ids"]))
    ends = torch.tensor([pieces_of(window, span) for window, span in zip(windows, given)])  # (B, 2)
    return TaskBatch(**texts, labels={"start_positions": ends[:, 0], "end_positions": ends[:, 1]})


def choice_batch(groups: Sequence[Sequence[Encoding]], labels: Sequence[int], *, pad_id: int) -> TaskBatch:
    """For BertForMultipleChoice: N rows a group, of which one is right.

    Args:
        groups: B groups of N rows.
        labels: the right row of each, 0 … N−1.
        pad_id: see pad_rows.

    Raises:
        ValueError: as pad_rows, and if groups are not of one size, at least 2, or a label does not fit.
    """
    groups = [several("each group", group, "encoded texts") for group in several("groups", groups, "groups")]
    sizes = {len(group) for group in groups}
    if len(sizes) != 1 or min(sizes) < 2:
        told = sorted(sizes)[:5]
        raise ValueError(f"groups must have the same number of choices, at least 2, got {told}")
    (size,) = sizes
    texts = pad_rows([row for group in groups for row in group], pad_id=pad_id)
    given = _one_each("labels", labels, len(groups))
    chosen = [
        whole_number(f"the label of group {group}", label, least=0, most=size - 1)
        for group, label in enumerate(given)
    ]
    grouped = {name: tensor.view(len(groups), size, -1) for name, tensor in texts.items()}  # (B, N, T)
    return TaskBatch(**grouped, labels={"labels": torch.tensor(chosen)})


def _one_each(name: str, given: Sequence, count: int) -> list:
    found = several(name, given, "labels")
    if len(found) != count:
        raise ValueError(f"{name} must be one for each of {count} rows, got {len(found)}")
    return found
