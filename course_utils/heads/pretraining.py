"""The model of pre-training: masked language model and next sentence prediction together. Met in notebook 12.

Letters: B batch, T tokens, V vocabulary, M positions chosen for prediction.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from course_utils.bert import BertOutput
from course_utils.config import BertConfig
from course_utils.heads.base import BertWithHead, HeadOutput, Start
from course_utils.heads.losses import class_loss
from course_utils.heads.masked_lm import MaskedLMHead, masked_lm


@dataclass(frozen=True)
class PreTrainingOutput(HeadOutput):
    """`logits` are those over the vocabulary."""

    seq_relationship_logits: Tensor  # (B, 2)
    mlm_loss: Tensor | None = None  # scalars, the two parts of the loss
    nsp_loss: Tensor | None = None

    @property
    def prediction_logits(self) -> Tensor:
        """(B, T, V), or (M, V) when labels were given."""
        return self.logits


class BertForPreTraining(BertWithHead):
    """Both tasks at once (Devlin et al. 2019, section 3.1).

    loss = mean over the M chosen positions of −log p(token)  +  mean over the batch of −log p(is next?)
    """

    def add_head(self, config: BertConfig, start: Start) -> None:
        """A MaskedLMHead, and one linear layer C -> 2."""
        self.mlm = start(MaskedLMHead(config))
        self.nsp = start(nn.Linear(config.hidden_size, 2))

    def read(
        self, encoded: BertOutput, *, labels: Tensor | None = None, next_sentence_label: Tensor | None = None
    ) -> PreTrainingOutput:
        """Both heads.

        Args:
            encoded: what the BertModel returned.
            labels: int64 (B, T), the true token where one is to be predicted and −100 elsewhere. When given, the
                decoder runs on those M positions only: prediction_logits are (M, V), in reading order.
            next_sentence_label: int64 (B,), **0 = B is the next sentence, 1 = B is a random one** (as in the
                paper's code; other code means the opposite).

        Returns:
            PreTrainingOutput; its loss is the sum of those whose labels were given.
        """
        embedding = self.bert.embeddings.token.weight  # (V, C)
        logits, mlm_loss = masked_lm(self.mlm, encoded.last_hidden_state, embedding, labels)
        is_next = self.nsp(encoded.pooler_output)  # (B, 2)
        nsp_loss = class_loss(is_next, next_sentence_label, "next_sentence_label")
        given = [loss for loss in (mlm_loss, nsp_loss) if loss is not None]
        return PreTrainingOutput(
            sum(given) if given else None, logits, encoded, is_next, mlm_loss=mlm_loss, nsp_loss=nsp_loss
        )
