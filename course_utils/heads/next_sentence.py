"""Next sentence prediction alone: does B follow A? Met in notebook 12."""

from __future__ import annotations

from torch import Tensor, nn

from course_utils.bert import BertOutput
from course_utils.config import BertConfig
from course_utils.heads.base import BertWithHead, HeadOutput, Start
from course_utils.heads.losses import class_loss


class BertForNextSentencePrediction(BertWithHead):
    """Two classes from the pooled [CLS]: 0 = B is the next sentence, 1 = B is a random one."""

    def add_head(self, config: BertConfig, start: Start) -> None:
        """One linear layer C -> 2."""
        self.nsp = start(nn.Linear(config.hidden_size, 2))

    def read(self, encoded: BertOutput, *, next_sentence_label: Tensor | None = None) -> HeadOutput:
        """next_sentence_label int64 (B,), 0 or 1; logits (B, 2)."""
        logits = self.nsp(encoded.pooler_output)  # (B, 2)
        return HeadOutput(class_loss(logits, next_sentence_label, "next_sentence_label"), logits, encoded)
