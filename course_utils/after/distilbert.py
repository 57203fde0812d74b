"""DistilBERT's model: BERT without segments and without pooler, half as many layers (Sanh et al. 2019, section 3).

Everything else is BERT's. One thing in the published code is not here: it drops nothing of what a block's attention
gives, only attention weights and what the feed-forward network gives. In eval mode both are the same.

Letters: B batch, T tokens, C hidden_size, H heads, L layers, V vocabulary, M positions chosen for prediction.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.activations import ACTIVATIONS
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.embeddings import BertEmbeddings
from course_utils.initialization import init_weights
from course_utils.shapes import check_ids, check_same_shape

IGNORE = -100  # a label that means "nothing to predict here"


class DistilBertEmbeddings(BertEmbeddings):
    """x_t = dropout(LayerNorm(token[input_ids_t] + position[t])): BERT's without the segment.

    Args:
        config: see BertEmbeddings; type_vocab_size is not looked at.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        del self.segment

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None) -> Tensor:
        """int32 or int64 (B, T) -> float (B, T, C). Segments are taken, for batches made for BERT, and not looked at."""
        check_ids("input_ids", input_ids, self.token.num_embeddings)
        hidden = self.token(input_ids) + self.position(input_ids.shape[1])  # (B, T, C)
        return self.dropout(self.norm(hidden))


class DistilBertModel(BertModel):
    """Embeddings without segments, L post-LN encoder layers, no pooler: pooler_output is None.

    Args:
        config: see BertConfig; L of the published model is 6, all else as in BERT-base.
        generator: source of the random start values.
    """

    def __init__(self, config: BertConfig, *, generator: torch.Generator | None = None) -> None:
        super().__init__(config, pooler=False, generator=generator)
        self.embeddings = DistilBertEmbeddings(config)
        init_weights(self.embeddings, std=config.initializer_range, generator=generator)


class MaskedWordHead(nn.Module):
    """As BERT's: LayerNorm(act(W h + b)) Eᵀ + bias, where E is the token embedding, given to `forward`.

    Its parts bear the names of heads.MaskedLMHead, so that the weights of either fit the other.

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
        """(…, C) and (V, C) -> (…, V)."""
        return F.linear(self.norm(self.activation(self.dense(hidden_states))), token_embedding, self.bias)


class DistilBertOutput(NamedTuple):
    """What DistilBertForMaskedLM returns."""

    loss: Tensor | None  # scalar; None without labels
    logits: Tensor  # (B, T, V), or (M, V) with labels
    last_hidden_state: Tensor  # (B, T, C)
    hidden_states: tuple[Tensor, ...]  # L + 1 of (B, T, C)
    attentions: tuple[Tensor, ...] | None  # L of (B, H, T, T), or None


class DistilBertForMaskedLM(nn.Module):
    """A DistilBertModel, `bert`, and the masked-word head, `mlm`; the decoder is the token embedding.

    Args:
        config, generator: see DistilBertModel.
    """

    def __init__(self, config: BertConfig, *, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.config = config
        self.bert = DistilBertModel(config, generator=generator)
        self.mlm = MaskedWordHead(config)
        init_weights(self.mlm, std=config.initializer_range, generator=generator)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_attentions: bool = False,
        labels: Tensor | None = None,
    ) -> DistilBertOutput:
        """As BertForMaskedLM; token_type_ids are not looked at.

        Args:
            input_ids, attention_mask, output_attentions: see BertModel.forward.
            labels: int64 (B, T), the word where one is to be predicted and −100 elsewhere. When given, the decoder runs
                on those M positions only; the loss is the mean over them, 0 where there is none.
        """
        encoded = self.bert(input_ids, attention_mask, output_attentions=output_attentions)
        hidden, embedding = encoded.last_hidden_state, self.bert.embeddings.token.weight
        loss, rest = None, (hidden, encoded.hidden_states, encoded.attentions)
        if labels is not None:
            check_same_shape("labels", labels, input_ids)
            chosen = labels != IGNORE  # (B, T)
            check_labels(labels[chosen], len(embedding))
            hidden = hidden[chosen]  # (M, C)
        logits = self.mlm(hidden, embedding)
        if labels is not None:
            loss = F.cross_entropy(logits, labels[chosen], reduction="sum") / chosen.sum().clamp(min=1)
        return DistilBertOutput(loss, logits, *rest)


def check_labels(labels: Tensor, count: int) -> None:
    """Refuse chosen labels (M,) that are no int64 in 0 … count−1."""
    if labels.dtype != torch.int64:
        raise ValueError(f"labels must be int64, got {labels.dtype}")
    if len(labels):
        check_ids("labels", labels[None], count)
