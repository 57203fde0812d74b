"""ELECTRA's two models: a masked language model, and one that says of every token whether it was replaced.

Letters: B batch, T tokens, C hidden_size, E embedding_size, M masked positions, V vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.activations import ACTIVATIONS
from course_utils.after.factorized import FactorizedConfig, FactorizedEmbeddings, FactorizedMLMHead
from course_utils.bert import BertModel, BertOutput
from course_utils.heads.base import BertWithHead, HeadOutput, Start
from course_utils.heads.losses import IGNORE, check_labels
from course_utils.heads.masked_lm import BertForMaskedLM


@dataclass(frozen=True)
class ElectraConfig(FactorizedConfig):
    """Sizes of a discriminator; the generator's follow by `smaller`."""

    def smaller(self, divisor: int = 4) -> ElectraConfig:
        """Width, feed-forward and heads divided (Clark et al. 2020, section 3.2: best at 1/4 to 1/2); E is shared."""
        return replace(
            self,
            hidden_size=self.hidden_size // divisor,
            intermediate_size=self.intermediate_size // divisor,
            num_attention_heads=max(1, self.num_attention_heads // divisor),
        )


class ElectraModel(BertModel):
    """A BertModel with factorised embeddings; ELECTRA trains no pooler, so a task that wants one starts it anew."""

    embeddings_class = FactorizedEmbeddings


class ElectraGenerator(BertForMaskedLM):
    """A masked language model, smaller than the discriminator; logits (B, T, V), or (M, V) with labels."""

    model_class = ElectraModel

    def add_head(self, config: ElectraConfig, start: Start) -> None:
        """One head by way of E."""
        self.mlm = start(FactorizedMLMHead(config))


class ElectraDiscriminator(BertWithHead):
    """Was this token replaced? sigmoid(w·act(W h_t + b) + c), at every position (Clark et al. 2020, section 2)."""

    model_class = ElectraModel
    needs_pooler = False

    def add_head(self, config: ElectraConfig, start: Start) -> None:
        """Two linear layers, C -> C -> 1."""
        self.dense = start(nn.Linear(config.hidden_size, config.hidden_size))
        self.activation = ACTIVATIONS[config.hidden_act]
        self.score = start(nn.Linear(config.hidden_size, 1))

    def read(self, encoded: BertOutput, *, labels: Tensor | None = None) -> HeadOutput:
        """labels int64 (B, T), 1 replaced, 0 original, −100 padding; logits (B, T); loss: mean over all real tokens."""
        logits = self.score(self.activation(self.dense(encoded.last_hidden_state)))[..., 0]  # (B, T)
        if labels is None:
            return HeadOutput(None, logits, encoded)
        check_labels("labels", labels, logits.shape, 2, ignore=True)
        real = labels != IGNORE  # (B, T)
        total = F.binary_cross_entropy_with_logits(logits[real], labels[real].to(logits), reduction="sum")
        return HeadOutput(total / real.sum().clamp(min=1), logits, encoded)
