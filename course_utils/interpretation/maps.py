"""Every head's attention on one sentence, with the queries, keys and values of the heads.

Letters: T tokens, D head size, H heads, L layers, C = H·D hidden size.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from course_utils.attention import attention_weights
from course_utils.interpretation.projections import encoder_of, projections
from course_utils.tokenization import WordPieceTokenizer


@dataclass(frozen=True)
class AttentionMaps:
    """What every head of a model does with one sentence."""

    tokens: tuple[str, ...]  # T of them, [CLS] … [SEP]
    weights: Tensor  # float (L, H, T, T), rows = queries, each sums to 1; before dropout
    queries: Tensor  # float (L, H, T, D), not yet scaled by 1/√D
    keys: Tensor  # float (L, H, T, D)
    values: Tensor  # float (L, H, T, D); weights @ values is what each head brings


@torch.no_grad()
def attention_maps(model: nn.Module, tokenizer: WordPieceTokenizer, sentence: str) -> AttentionMaps:
    """Read the queries, keys and values of all heads and weigh: softmax(Q Kᵀ / √D).

    They are caught as they leave their projections, so it does not matter by which path (open, fused,
    transformers' SDPA) the model itself goes on from there. The model is left as it was.

    Args:
        model: BertModel or a class of course_utils.heads, or transformers' BertModel; in eval mode.
        tokenizer: the model's.
        sentence: at least one word, and no longer than the model can read.
    """
    if model.training:
        raise ValueError(
            "the model is in training mode, where dropout draws other values each time: call model.eval()"
        )
    if not sentence.strip():
        raise ValueError("a text with at least one word is needed, got an empty one")
    encoder = encoder_of(model)
    encoding = tokenizer.encode(sentence, max_length=None)
    if len(encoding) > (room := encoder.config.max_position_embeddings):
        raise ValueError(f"the model reads {room} tokens, got {len(encoding)}: shorten the sentence")
    with _caught(model) as caught:
        encoder(torch.tensor([encoding.input_ids], device=next(encoder.parameters()).device))
    heads = encoder.config.num_attention_heads
    queries, keys, values = (
        torch.cat(rows).unflatten(-1, (heads, -1)).transpose(1, 2)  # (L, T, C) -> (L, H, T, D)
        for rows in caught
    )
    return AttentionMaps(tuple(encoding.tokens), attention_weights(queries, keys), queries, keys, values)


@contextmanager
def _caught(model: nn.Module) -> Iterator[tuple[list[Tensor], ...]]:
    """Three lists that collect what the query, key and value projections return, layer by layer, (1, T, C) each."""
    caught: tuple[list[Tensor], ...] = [], [], []
    hooks = []
    try:
        for layer in projections(model):
            for part, rows in zip((layer.query, layer.key, layer.value), caught):
                keep = lambda module, given, result, rows=rows: rows.append(result.detach())  # noqa: E731
                hooks.append(part.register_forward_hook(keep))
        yield caught
    finally:  # also when the model raised
        for hook in hooks:
            hook.remove()
