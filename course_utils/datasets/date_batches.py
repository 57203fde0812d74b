"""Pairs of dates (date_pairs.py) as a Transformer is taught them: in batches, the target shifted by one.

Letters: B batch, T_k source tokens, T_q target tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from course_utils.datasets.batching import batches_by_length, seeded
from course_utils.datasets.date_pairs import Pair, draw_pairs
from course_utils.datasets.date_tokens import english_tokens, source_ids, target_ids


@dataclass(frozen=True)
class DateBatch:
    """What a model is given, and what it should say. B rows."""

    source: Tensor  # int64 (B, T_k)
    target: Tensor  # int64 (B, T_q), from <bos> on, without the last token
    labels: Tensor  # int64 (B, T_q), the token after each

    def inputs(self) -> dict[str, Tensor]:
        return {"source_ids": self.source, "target_ids": self.target}


def batch_of(pairs: Sequence[Pair]) -> DateBatch:
    """Pairs as a batch."""
    target = target_ids([pair.korean for pair in pairs])
    return DateBatch(source_ids([pair.english for pair in pairs]), target[:, :-1], target[:, 1:])


def training_batches(seed: int, updates: int, batch_size: int) -> list[list[Pair]]:
    """The batches of a seed, pairs of similar length together; none is read twice."""
    pairs = draw_pairs(updates * batch_size, split="train", generator=seeded(seed, 0))
    lengths = [len(english_tokens(pair.english)) for pair in pairs]
    rows = batches_by_length(lengths, batch_size, generator=seeded(seed, 1))
    return [[pairs[row] for row in batch] for batch in rows]
