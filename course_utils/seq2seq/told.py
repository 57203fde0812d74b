"""How a text was written, as the DecoderStepper draws it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.seq2seq.transformer import Transformer


@torch.no_grad()
def told_steps(
    model: Transformer, source_ids: Tensor, ids: Sequence[int], words: Sequence[str], *, bos_token_id: int
) -> dict[str, Any]:
    """Of each token of a text: it, its probability and the eight likeliest; and where every layer's heads looked.

    Args:
        source_ids: int64 (1, T_k).
        ids: the text, without <bos>.
        words: the name of every target token.

    Returns:
        "steps", one for each token, and "attention" (L, H, T_q, T_k).
    """
    said = torch.tensor([[bos_token_id, *ids[:-1]]])
    steps = []
    for token, row in zip(ids, model(source_ids, said)[0].softmax(dim=-1), strict=True):
        likeliest = [(words[i], row[i].item()) for i in row.argsort(descending=True)[:8].tolist()]
        steps.append({"chosen": words[token], "probability": row[token].item(), "candidates": likeliest})
    return {"steps": steps, "attention": torch.stack(model.attend(source_ids, said))[:, 0]}
