"""One of K labels, or a number: for a whole text, or for each of its tokens. Built by hand in notebook 16.

Letters: B batch, T tokens, K labels.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from course_utils.bert import BertOutput
from course_utils.config import BertConfig
from course_utils.heads.base import BertWithHead, HeadOutput, Start
from course_utils.heads.losses import class_loss, number_loss


class Classifier(BertWithHead):
    """A BertModel, dropout and one linear layer to K labels.

    Args:
        config: see BertConfig; the dropout before the layer is hidden_dropout_prob.
        num_labels: K.
        generator: source of the random start values.
    """

    def __init__(
        self, config: BertConfig, num_labels: int = 2, *, generator: torch.Generator | None = None
    ) -> None:
        self.num_labels = num_labels  # before the rest: add_head asks for it
        super().__init__(config, generator=generator)

    def add_head(self, config: BertConfig, start: Start) -> None:
        """Dropout, and one linear layer C -> K."""
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.classifier = start(nn.Linear(config.hidden_size, self.num_labels))


class BertForSequenceClassification(Classifier):
    """One label for a text or a pair of texts, from the pooled [CLS] (Devlin et al. 2019, figure 4 a, b).

    With num_labels=1 the one logit is a number, such as how alike two sentences are, and the loss the squared error.
    """

    def read(self, encoded: BertOutput, *, labels: Tensor | None = None) -> HeadOutput:
        """labels int64 (B,), or float (B,) where K = 1; logits (B, K)."""
        logits = self.classifier(self.dropout(encoded.pooler_output))  # (B, K)
        if self.num_labels == 1:
            return HeadOutput(number_loss(logits[:, 0], labels, "labels"), logits, encoded)
        return HeadOutput(class_loss(logits, labels, "labels"), logits, encoded)


class BertForTokenClassification(Classifier):
    """One label for every token (Devlin et al. 2019, figure 4 d)."""

    needs_pooler = False

    def read(self, encoded: BertOutput, *, labels: Tensor | None = None) -> HeadOutput:
        """labels int64 (B, T), −100 where none is wanted; logits (B, T, K)."""
        logits = self.classifier(self.dropout(encoded.last_hidden_state))  # (B, T, K)
        return HeadOutput(class_loss(logits, labels, "labels", ignore=True), logits, encoded)
