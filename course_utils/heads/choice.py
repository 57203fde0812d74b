"""One of several choices: which continuation fits, which of two sentences is right. Built by hand in notebook 20.

Letters: B batch, N choices, T tokens, C hidden_size.
"""

from __future__ import annotations

from torch import Tensor, nn

from course_utils.bert import BertOutput
from course_utils.config import BertConfig
from course_utils.heads.base import BertWithHead, HeadOutput, Start
from course_utils.heads.losses import class_loss


class BertForMultipleChoice(BertWithHead):
    """Which of N choices: each stands in a row of its own and gets one score (Devlin et al. 2019, section 4.4).

    p(choice = n) = softmax_n(V·pooled_n)

    One vector V scores all choices, so their order says nothing and N may differ from batch to batch.
    """

    def add_head(self, config: BertConfig, start: Start) -> None:
        """Dropout, and one linear layer C -> 1."""
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.classifier = start(nn.Linear(config.hidden_size, 1))

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_attentions: bool = False,
        **labels: Tensor | None,
    ) -> HeadOutput:
        """As that of the other heads, on rows that stand in groups of N.

        Args:
            input_ids, attention_mask, token_type_ids: see BertModel.forward, but (B, N, T).
            output_attentions: see BertModel.forward.
            labels: labels= int64 (B,), the right choice of each group, 0 … N−1; without it the loss is None.

        Returns:
            HeadOutput with logits (B, N); what the BertModel returned has B·N rows, group after group.
        """
        given = {"input_ids": input_ids, "attention_mask": attention_mask, "token_type_ids": token_type_ids}
        flat = {name: rows.flatten(0, 1) for name, rows in given.items() if rows is not None}  # (B·N, T)
        encoded = self.bert(**flat, output_attentions=output_attentions)
        return self.read(encoded, choices=input_ids.shape[1], **labels)

    def read(self, encoded: BertOutput, *, choices: int, labels: Tensor | None = None) -> HeadOutput:
        """choices N; labels int64 (B,); logits (B, N)."""
        scores = self.classifier(self.dropout(encoded.pooler_output))  # (B·N, 1)
        logits = scores.view(-1, choices)  # (B, N)
        return HeadOutput(class_loss(logits, labels, "labels"), logits, encoded)
