"""DistilBERT's model: BERT without segments and without pooler, half as many layers (Sanh et al. 2019, section 3).

Everything else is BERT's. One thing in the published code is not here: it drops nothing of what a block's attention
gives, only attention weights and what the feed-forward network gives. In eval mode both are the same.

Letters: B batch, T tokens, C hidden_size, H heads, L layers, V vocabulary.
"""

from __future__ import annotations

from torch import Generator, Tensor

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.embeddings import BertEmbeddings
from course_utils.heads.masked_lm import BertForMaskedLM


class DistilBertEmbeddings(BertEmbeddings):
    """x_t = dropout(LayerNorm(token[input_ids_t] + position[t])): BERT's without the segment.

    Args:
        config: see BertEmbeddings; type_vocab_size is not looked at.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        del self.segment

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None) -> Tensor:
        """int (B, T) -> float (B, T, C). Segments are taken, for batches made for BERT, and not looked at."""
        hidden = self.token(input_ids) + self.position(input_ids.shape[1])  # (B, T, C)
        return self.dropout(self.norm(hidden))


class DistilBertModel(BertModel):
    """Embeddings without segments, L post-LN encoder layers, no pooler: pooler_output is None.

    Args:
        config: see BertConfig; L of the published model is 6, all else as in BERT-base.
        pooler, generator: see BertModel.
    """

    embeddings_class = DistilBertEmbeddings

    def __init__(
        self, config: BertConfig, *, pooler: bool = False, generator: Generator | None = None
    ) -> None:
        super().__init__(config, pooler=pooler, generator=generator)


class DistilBertForMaskedLM(BertForMaskedLM):
    """BERT's masked language model on a DistilBertModel, `bert`; token_type_ids are not looked at."""

    model_class = DistilBertModel
