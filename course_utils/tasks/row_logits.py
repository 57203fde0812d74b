"""What a model with a head says of rows, many at a time and without gradients.

Letters: B rows, T tokens, K labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from course_utils.heads.base import BertWithHead
from course_utils.support.given import several, shown
from course_utils.tasks.collate import pad_rows
from course_utils.tokenization import Encoding
from course_utils.training.device import device_of, fast_precision, inputs_on

ROWS = 128  # of a forward pass


@torch.no_grad()
def row_logits(model: BertWithHead, rows: Sequence[Encoding], *, pad_id: int) -> list[Tensor]:
    """What a model says of each row, in eval mode; its mode is as before afterwards.

    Rows of similar length share a forward pass, so little of it is padding.

    Args:
        model: any with a head of this package.
        rows: encoded texts or pairs.
        pad_id: id of [PAD].

    Returns:
        float32 logits on the processor, in the order of the rows: (K,), or (T, K) without padding.

    Raises:
        ValueError: if model is none, or a row is none.
    """
    if not isinstance(model, BertWithHead):
        raise ValueError(f"model must be a BertModel with a head, got {shown(model)}")
    rows = several("rows", rows, "encoded texts")
    for row in rows:
        if not isinstance(row, Encoding):
            raise ValueError(f"rows must hold Encodings, as a tokenizer gives them, got {shown(row)}")
    device, was_training = device_of(model), model.training
    precision = fast_precision(device)
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    found: dict[int, Tensor] = {}
    model.eval()
    try:
        for start in range(0, len(order), ROWS):
            chosen = order[start : start + ROWS]
            inputs = inputs_on(device, pad_rows([rows[number] for number in chosen], pad_id=pad_id))
            with torch.autocast(device.type, dtype=precision, enabled=precision != torch.float32):
                logits = model(**inputs).logits
            found |= zip(chosen, logits.float().cpu())
    finally:
        model.train(was_training)
    cut = [found[number] for number in range(len(rows))]
    return [one if one.dim() == 1 else one[: len(row)] for one, row in zip(cut, rows)]
