"""ALBERT: what it changes in BERT (Lan et al. 2020, "ALBERT: A Lite BERT", section 3.1).

1. An embedding of V×E and E×C parameters in place of V×C (factorized.py).
2. One layer, used L times: attention and feed-forward shared across all layers.
3. Sentence order in place of the next sentence: the negative is the same two segments, swapped (sentence_order.py).

The first two make the model smaller, not faster: an ALBERT computes as much as a BERT of its width and depth.

Letters: B batch, T tokens, C hidden_size, L layers, V vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from course_utils.after.factorized import FactorizedConfig, FactorizedEmbeddings, FactorizedMLMHead
from course_utils.bert import BertModel, BertOutput
from course_utils.config import BertConfig
from course_utils.encoder import Encoder, EncoderLayer
from course_utils.heads.base import BertWithHead, HeadOutput, Start
from course_utils.heads.losses import class_loss
from course_utils.heads.masked_lm import masked_lm


@dataclass(frozen=True)
class AlbertConfig(FactorizedConfig):
    """Sizes of an ALBERT (Lan et al. 2020, table 1); `.base()`, `.large()`, `.xlarge()`, `.xxlarge()`."""

    vocab_size: int = 30000

    @classmethod
    def xlarge(cls, **overrides) -> AlbertConfig:
        """L24 H2048 A16: number of heads from the published configuration."""
        return cls._sized(24, 2048, 16, **overrides)

    @classmethod
    def xxlarge(cls, **overrides) -> AlbertConfig:
        """L12 H4096 A64."""
        return cls._sized(12, 4096, 64, **overrides)


class SharedEncoder(Encoder):
    """One post-LN block, passed L times; `.layers` names it L times, its parameters exist once.

    Args:
        config: see BertConfig.
    """

    def __init__(self, config: BertConfig) -> None:
        nn.Module.__init__(self)  # not Encoder's, which makes L blocks
        self.layer = EncoderLayer(config)
        self.num_hidden_layers = config.num_hidden_layers

    @property
    def layers(self) -> list[EncoderLayer]:
        """What Encoder.forward goes through."""
        return [self.layer] * self.num_hidden_layers


class AlbertModel(BertModel):
    """Factorised embeddings, one layer L times, a pooler; takes and returns what BertModel does.

    Args:
        config: see AlbertConfig.
        pooler, generator: see BertModel.
    """

    embeddings_class = FactorizedEmbeddings
    encoder_class = SharedEncoder


@dataclass(frozen=True)
class AlbertOutput(HeadOutput):
    """`logits` are those over the vocabulary: (B, T, V), or (M, V) at the chosen positions when labels were given."""

    order_logits: Tensor  # (B, 2)
    mlm_loss: Tensor | None = None  # scalars, the two parts of the loss
    order_loss: Tensor | None = None


class AlbertForPreTraining(BertWithHead):
    """Masked language model and sentence order: loss = −mean log p(token) − mean log p(order).

    `transformers` drops out some of the pooled vector before it asks for the order; the authors' code does not, nor
    does this.

    Args:
        config: see AlbertConfig.
        generator: source of the random start values.
    """

    model_class = AlbertModel

    def add_head(self, config: AlbertConfig, start: Start) -> None:
        """A head of the masked language model that goes by way of E, and one linear layer C -> 2."""
        self.mlm = start(FactorizedMLMHead(config))
        self.order = start(nn.Linear(config.hidden_size, 2))

    def read(
        self, encoded: BertOutput, *, labels: Tensor | None = None, sentence_order_label: Tensor | None = None
    ) -> AlbertOutput:
        """labels int64 (B, T), −100 where nothing is predicted; sentence_order_label int64 (B,), 0 or 1 = swapped."""
        embedding = self.bert.embeddings.token.weight  # (V, E)
        logits, mlm_loss = masked_lm(self.mlm, encoded.last_hidden_state, embedding, labels)
        order_logits = self.order(encoded.pooler_output)  # (B, 2)
        order_loss = class_loss(order_logits, sentence_order_label, "sentence_order_label")
        given = [loss for loss in (mlm_loss, order_loss) if loss is not None]
        return AlbertOutput(
            sum(given) if given else None,
            logits,
            encoded,
            order_logits,
            mlm_loss=mlm_loss,
            order_loss=order_loss,
        )
