"""The masked language model: its head, its loss, and BERT with this task alone. Met in notebook 12.

Letters: B batch, T tokens, C hidden_size, V vocabulary, M positions chosen for prediction.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.activations import ACTIVATIONS
from course_utils.bert import BertOutput
from course_utils.config import BertConfig
from course_utils.heads.base import BertWithHead, HeadOutput, Start
from course_utils.heads.losses import IGNORE, check_labels


class MaskedLMHead(nn.Module):
    """Scores of every vocabulary entry at a position: LayerNorm(act(W h + b)) Eᵀ + bias.

    E is the token embedding itself, given to `forward`: the decoder is tied, it owns nothing but a free bias of V
    numbers (google-research/bert, run_pretraining.py: get_masked_lm_output).

    Args:
        config: hidden_size C, vocab_size V, hidden_act, layer_norm_eps.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = ACTIVATIONS[config.hidden_act]
        self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden_states: Tensor, token_embedding: Tensor) -> Tensor:
        """(…, C) and the embedding matrix (V, C) -> (…, V)."""
        transformed = self.norm(self.activation(self.dense(hidden_states)))
        return F.linear(transformed, token_embedding, self.bias)


def masked_lm(
    head: MaskedLMHead, hidden_states: Tensor, token_embedding: Tensor, labels: Tensor | None
) -> tuple[Tensor, Tensor | None]:
    """Logits, and the mean of −log p(token) over the M chosen positions.

    Args:
        head: of the model.
        hidden_states: float (B, T, C).
        token_embedding: float (V, C).
        labels: int64 (B, T), −100 where nothing is to be predicted; or None.

    Returns:
        Without labels, logits (B, T, V) and None. With labels, logits (M, V) and the loss; without any chosen position
        the loss is 0, as in the paper's code, and not 0/0.
    """
    if labels is None:
        return head(hidden_states, token_embedding), None  # (B, T, V)
    check_labels("labels", labels, hidden_states.shape[:2], token_embedding.shape[0], ignore=True)
    chosen = labels != IGNORE  # (B, T)
    logits = head(hidden_states[chosen], token_embedding)  # (M, V)
    total = F.cross_entropy(logits, labels[chosen], reduction="sum")
    return logits, total / chosen.sum().clamp(min=1)


class BertForMaskedLM(BertWithHead):
    """The masked language model alone."""

    needs_pooler = False

    def add_head(self, config: BertConfig, start: Start) -> None:
        """One MaskedLMHead."""
        self.mlm = start(MaskedLMHead(config))

    def read(self, encoded: BertOutput, *, labels: Tensor | None = None) -> HeadOutput:
        """labels int64 (B, T), −100 where nothing is to be predicted; logits (B, T, V), or (M, V) with labels."""
        embedding = self.bert.embeddings.token.weight  # (V, C)
        logits, loss = masked_lm(self.mlm, encoded.last_hidden_state, embedding, labels)
        return HeadOutput(loss, logits, encoded)
