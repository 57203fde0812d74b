"""An embedding matrix narrower than the model: V×E and E×C in place of V×C (Lan et al. 2020, section 3.1).

    x_t = W·LayerNorm(token + segment + position) + b        the three are of size E, W is (C, E)

ALBERT does so to save parameters, ELECTRA so that two models of different size can share one embedding.

Letters: B batch, T tokens, C hidden_size, E embedding_size, V vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.config import BertConfig
from course_utils.embeddings import BertEmbeddings
from course_utils.heads.masked_lm import MaskedLMHead
from course_utils.support.given import whole_number


@dataclass(frozen=True)
class FactorizedConfig(BertConfig):
    """BertConfig and one size more.

    Fields:
        embedding_size: E, 128 in ALBERT (Lan et al. 2020, section 4.5) and in ELECTRA-Small.
    """

    embedding_size: int = 128

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "embedding_size", whole_number("embedding_size", self.embedding_size))


def narrow(config: FactorizedConfig) -> BertConfig:
    """The same with E as its width: what BERT's own parts are made from where they work in E coordinates."""
    return replace(config, hidden_size=config.embedding_size, num_attention_heads=1)


class FactorizedEmbeddings(BertEmbeddings):
    """BERT's embeddings in E coordinates, then one linear layer to C; none where E = C, as in the authors' code.

    Args:
        config: see FactorizedConfig.
    """

    def __init__(self, config: FactorizedConfig) -> None:
        super().__init__(narrow(config))
        same = config.embedding_size == config.hidden_size
        self.project = nn.Identity() if same else nn.Linear(config.embedding_size, config.hidden_size)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None) -> Tensor:
        """As BertEmbeddings.forward: ids (B, T) -> (B, T, C)."""
        return self.project(super().forward(input_ids, token_type_ids))  # (B, T, E) -> (B, T, C)


class FactorizedMLMHead(MaskedLMHead):
    """BERT's head of the masked language model, by way of E: LayerNorm(act(W h + b)) Eᵀ + bias with W of (E, C).

    Args:
        config: see FactorizedConfig.
    """

    def __init__(self, config: FactorizedConfig) -> None:
        super().__init__(narrow(config))
        self.dense = nn.Linear(config.hidden_size, config.embedding_size)

    def forward(self, hidden_states: Tensor, token_embedding: Tensor) -> Tensor:
        """(…, C) and the embedding matrix (V, E) -> (…, V)."""
        return F.linear(self.norm(self.activation(self.dense(hidden_states))), token_embedding, self.bias)
