"""A span of the text, such as the answer to a question: where it begins and where it ends.

Built by hand in notebook 16.
Letters: B batch, T tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from course_utils.bert import BertOutput
from course_utils.config import BertConfig
from course_utils.heads.base import BertWithHead, HeadOutput, Start
from course_utils.heads.losses import class_loss


@dataclass(frozen=True)
class SpanOutput(HeadOutput):
    """`logits` (B, T, 2): how well each token begins, and how well it ends, the span."""

    @property
    def start_logits(self) -> Tensor:
        """(B, T)."""
        return self.logits[..., 0]

    @property
    def end_logits(self) -> Tensor:
        """(B, T)."""
        return self.logits[..., 1]


class BertForQuestionAnswering(BertWithHead):
    """Where the answer begins and where it ends (Devlin et al. 2019, section 4.2).

    p(begin = t) = softmax_t(S·h_t)        p(end = t) = softmax_t(E·h_t)        loss: the mean of both
    """

    needs_pooler = False

    def add_head(self, config: BertConfig, start: Start) -> None:
        """One linear layer C -> 2: S and E are its rows."""
        self.span = start(nn.Linear(config.hidden_size, 2))

    def read(
        self,
        encoded: BertOutput,
        *,
        start_positions: Tensor | None = None,
        end_positions: Tensor | None = None,
    ) -> SpanOutput:
        """start_positions and end_positions int64 (B,), each in 0 … T−1, both or neither; 0, [CLS], means: no answer.

        A position outside is refused. The reference clamps it: one beyond the row counts for nothing, and a negative
        one, such as −100, becomes 0, so that "ignored" is learned as "no answer".
        """
        if (start_positions is None) != (end_positions is None):
            raise ValueError("start_positions and end_positions must be given together, got only one")
        logits = self.span(encoded.last_hidden_state)  # (B, T, 2)
        start_loss = class_loss(logits[..., 0], start_positions, "start_positions")
        end_loss = class_loss(logits[..., 1], end_positions, "end_positions")
        loss = None if start_loss is None else (start_loss + end_loss) / 2
        return SpanOutput(loss, logits, encoded)
