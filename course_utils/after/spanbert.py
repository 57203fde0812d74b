"""SpanBERT: masked spans, and an objective that tells a span from its two boundaries (Joshi et al. 2020, section 3).

    y_i = f(x_(s−1), x_(e+1), p_(i−s+1))        for each token i of the masked span s … e
    loss = −mean log p(token_i | x_i) − mean log p(token_i | y_i)

One text a row, no next sentence prediction (section 3.3). What is masked: span_masks.py.

Letters: B batch, T tokens, C hidden_size, S spans, N tokens of all spans, V vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.after.span_masks import tokens_of
from course_utils.bert import BertOutput
from course_utils.config import BertConfig
from course_utils.heads.base import HeadOutput, Start
from course_utils.heads.losses import class_loss
from course_utils.heads.masked_lm import BertForMaskedLM


class BoundaryObjective(nn.Module):
    """Scores of every vocabulary entry for a token of a span, from outside the span (Joshi et al. 2020, section 3.2).

        h_0 = [x_(s−1); x_(e+1); p_(i−s+1)]        h_1 = LayerNorm(GELU(W_1 h_0))        y_i = LayerNorm(GELU(W_2 h_1))

    and then y_i Eᵀ + bias, E the token embedding. Position vectors p_1, p_2, … count from the left boundary; they are
    of size C here (200 in the authors' code), and as many as a row has tokens.

    Args:
        config: hidden_size C, vocab_size V, max_position_embeddings, layer_norm_eps.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        size = config.hidden_size
        self.position = nn.Embedding(config.max_position_embeddings, size)
        self.first = nn.Linear(3 * size, size)
        self.first_norm = nn.LayerNorm(size, eps=config.layer_norm_eps)
        self.second = nn.Linear(size, size)
        self.second_norm = nn.LayerNorm(size, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden_states: Tensor, places: Tensor, token_embedding: Tensor) -> Tensor:
        """What each token of each span should be.

        Args:
            hidden_states: float (B, T, C), x.
            places: int64 (S, 3): row, first token s, last token e; a token stands before s and one behind e.
            token_embedding: float (V, C), E.

        Returns:
            float (N, V), span by span, as tokens_of counts them.
        """
        row, _, span, inside = tokens_of(places)  # (N,)
        first, last = places[span, 1], places[span, 2]  # (N,)
        if len(row) and first.min() < 1:  # −1 would be the last token of the row
            raise ValueError("each span must have a token before it, got one that begins with the row")
        outside = [hidden_states[row, first - 1], hidden_states[row, last + 1]]
        h = torch.cat([*outside, self.position(inside)], dim=-1)  # (N, 3·C)
        h = self.first_norm(F.gelu(self.first(h)))  # (N, C)
        y = self.second_norm(F.gelu(self.second(h)))  # (N, C)
        return F.linear(y, token_embedding, self.bias)  # (N, V)


@dataclass(frozen=True)
class SpanBertOutput(HeadOutput):
    """`logits` are the masked language model's: (B, T, V), or (M, V) with labels."""

    boundary_logits: Tensor | None = None  # (N, V)
    mlm_loss: Tensor | None = None  # scalars, the two parts of the loss
    boundary_loss: Tensor | None = None


class SpanBertForPreTraining(BertForMaskedLM):
    """A masked language model and, on the same encoder and embedding, the boundary objective.

    Args:
        config: see BertConfig.
        generator: source of the random start values.
    """

    def add_head(self, config: BertConfig, start: Start) -> None:
        """The head of the masked language model, and a BoundaryObjective."""
        super().add_head(config, start)
        self.boundary = start(BoundaryObjective(config))

    def read(
        self, encoded: BertOutput, *, labels: Tensor | None = None, spans: Tensor | None = None
    ) -> SpanBertOutput:
        """labels int64 (B, T), −100 outside the spans; spans int64 (S, 3), see tokens_of; neither, labels, or both."""
        words = super().read(encoded, labels=labels)
        if labels is None or spans is None:
            return SpanBertOutput(words.loss, words.logits, encoded, mlm_loss=words.loss)
        embedding = self.bert.embeddings.token.weight  # (V, C)
        logits = self.boundary(encoded.last_hidden_state, spans, embedding)  # (N, V)
        row, column, _, _ = tokens_of(spans)
        loss = class_loss(logits, labels[row, column], "labels")
        return SpanBertOutput(words.loss + loss, words.logits, encoded, logits, words.loss, loss)
