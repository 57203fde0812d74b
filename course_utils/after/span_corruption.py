"""What SpanBERT puts in place of a masked span: one fate for all of its tokens (Joshi et al. 2020, section 3.1).

Letters: B batch, T tokens, S spans, N tokens of all spans, V vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor

from course_utils.after.spans import Spans, tokens_of
from course_utils.datasets.pretraining import IGNORE, MASKED, RANDOM
from course_utils.shapes import check_ids
from course_utils.support.given import int64, shown, whole_number


def corrupt_spans(
    input_ids: Tensor,
    spans: Spans,
    *,
    mask_id: int,
    first_id: int,
    vocab_size: int,
    generator: torch.Generator,
) -> tuple[Tensor, Tensor]:
    """Replace spans by the 80-10-10 rule, where one draw decides for a whole span (Joshi et al. 2020, section 3.1).

    A span becomes [MASK] throughout, or random tokens, each its own, or stays as it is.

    Args:
        input_ids: int64 (B, T).
        spans: of mask_spans.
        mask_id, first_id, vocab_size, generator: see datasets.pretraining.corrupt.

    Returns:
        corrupted int64 (B, T) and labels int64 (B, T), −100 where nothing was chosen. The input is not changed.
    """
    check_ids("input_ids", input_ids, 2**63)
    if not isinstance(spans, Spans) or input_ids.dtype != torch.int64:
        raise ValueError(f"spans must be Spans and input_ids int64, got {shown(spans)} and {input_ids.dtype}")
    rows, columns, span, _ = tokens_of(spans.places)
    if len(rows) and not (int(rows.max()) < input_ids.shape[0] and int(columns.max()) < input_ids.shape[1]):
        raise ValueError(f"spans must lie in input_ids, {tuple(input_ids.shape)}, and one does not")
    mask_id, first_id = int64("mask_id", mask_id), whole_number("first_id", first_id, least=0)
    vocab_size = whole_number("vocab_size", vocab_size, least=first_id + 1, most=2**63 - 1)
    original = input_ids[rows, columns]  # (N,)
    fate = torch.rand(len(spans.places), generator=generator)[span]  # (N,), the same for all tokens of a span
    random_ids = torch.randint(first_id, vocab_size, original.shape, generator=generator)
    new = torch.where(fate < MASKED, mask_id, torch.where(fate < MASKED + RANDOM, random_ids, original))
    labels = torch.full_like(input_ids, IGNORE)
    corrupted = input_ids.clone()
    corrupted[rows, columns], labels[rows, columns] = new, original
    return corrupted, labels
