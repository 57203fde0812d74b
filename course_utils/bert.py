"""BERT without a head: embeddings, encoder, pooler (Devlin et al. 2019; google-research/bert, modeling.py).

Built by hand in notebook 11.
Letters: B batch, T tokens, C hidden_size, H heads, L layers.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_utils.config import BertConfig
from course_utils.embeddings import BertEmbeddings
from course_utils.encoder import Encoder
from course_utils.initialization import init_weights
from course_utils.shapes import check_ones_and_zeros


class Pooler(nn.Module):
    """One vector for the whole input, from its first token: tanh(W h_[CLS] + b).

    Args:
        config: hidden_size C.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states: Tensor) -> Tensor:
        """(B, T, C) -> (B, C)."""
        return self.dense(hidden_states[:, 0]).tanh()


class BertOutput(NamedTuple):
    """What BertModel returns."""

    last_hidden_state: Tensor  # (B, T, C)
    pooler_output: Tensor | None  # (B, C); None for a model without pooler
    hidden_states: tuple[Tensor, ...]  # L + 1 of (B, T, C); the first is what the embeddings gave
    attentions: tuple[Tensor, ...] | None  # L of (B, H, T, T), before dropout: rows sum to 1; or None


class BertModel(nn.Module):
    """Embeddings, L post-LN encoder layers, and a pooler.

    Args:
        config: see BertConfig.
        pooler: False leaves the pooler out, for heads that do not look at it.
        generator: source of the random start values, N(0, initializer_range²).
    """

    # A model of the family that differs in one of the two puts its own here.
    embeddings_class = BertEmbeddings
    encoder_class = Encoder

    def __init__(
        self, config: BertConfig, *, pooler: bool = True, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        self.config = config
        self.embeddings = self.embeddings_class(config)
        self.encoder = self.encoder_class(config)
        self.pooler = Pooler(config) if pooler else None
        init_weights(self, std=config.initializer_range, generator=generator)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_attentions: bool = False,
    ) -> BertOutput:
        """Turn a batch of token ids into vectors.

        Args:
            input_ids: int32 or int64 (B, T), each in 0 … V−1.
            attention_mask: integer or bool (B, T), 1 = a real token, 0 = padding, which nobody attends to. None
                means that all are real: padding is not guessed from the ids.
            token_type_ids: as input_ids, the segment of each token; None means all 0.
            output_attentions: also return the attention weights.

        Returns:
            BertOutput.
        """
        hidden_states = self.embeddings(input_ids, token_type_ids)  # (B, T, C)
        mask = None
        if attention_mask is not None:
            check_ones_and_zeros("attention_mask", attention_mask)
            mask = attention_mask.bool()[:, None, None, :]  # (B, 1, 1, T), True = may be attended to
        encoded = self.encoder(hidden_states, mask, output_attentions=output_attentions)
        pooled = None if self.pooler is None else self.pooler(encoded.last_hidden_state)  # (B, C)
        return BertOutput(encoded.last_hidden_state, pooled, encoded.hidden_states, encoded.attentions)
