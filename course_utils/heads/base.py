"""What all models with a head share: a BertModel below, one `forward`, one kind of output. Met in notebooks 12 and 16.

Letters: B batch, T tokens, C hidden_size, H heads, L layers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from course_utils.bert import BertModel, BertOutput
from course_utils.config import BertConfig
from course_utils.initialization import init_weights

Start = Callable[[nn.Module], nn.Module]


@dataclass(frozen=True)
class HeadOutput:
    """What every model with a head returns; `logits` differ from head to head."""

    loss: Tensor | None  # scalar
    logits: Tensor
    encoded: BertOutput

    @property
    def last_hidden_state(self) -> Tensor:
        """(B, T, C)."""
        return self.encoded.last_hidden_state

    @property
    def pooler_output(self) -> Tensor | None:
        """(B, C), or None."""
        return self.encoded.pooler_output

    @property
    def hidden_states(self) -> tuple[Tensor, ...]:
        """L + 1 of (B, T, C)."""
        return self.encoded.hidden_states

    @property
    def attentions(self) -> tuple[Tensor, ...] | None:
        """L of (B, H, T, T), or None."""
        return self.encoded.attentions


class BertWithHead(nn.Module):
    """A BertModel, `bert`, and on it the head that a subclass adds: its parts in `add_head`, its use in `read`.

    Args:
        config: see BertConfig.
        generator: source of the random start values, first of the BertModel, then of the head.
    """

    model_class = BertModel  # another model of the family may stand below the same head
    needs_pooler = True

    def __init__(self, config: BertConfig, *, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.config = config
        self.bert = self.model_class(config, pooler=self.needs_pooler, generator=generator)

        def start(part: nn.Module) -> nn.Module:
            init_weights(part, std=config.initializer_range, generator=generator)
            return part

        self.add_head(config, start)

    def add_head(self, config: BertConfig, start: Start) -> None:
        """Make the head's parts; `start` gives each its random start values and returns it."""
        raise NotImplementedError

    def read(self, encoded: BertOutput, **labels: Tensor | None) -> HeadOutput:
        """From what the BertModel returned to logits and, with labels, a loss. Each head names its own labels."""
        raise NotImplementedError

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        output_attentions: bool = False,
        **labels: Tensor | None,
    ) -> HeadOutput:
        """As BertModel.forward, then the head.

        Args:
            input_ids, attention_mask, token_type_ids, output_attentions: see BertModel.forward.
            labels: by name, as the head's `read` takes them; without any, the output's loss is None.

        Returns:
            HeadOutput, or the head's own kind of it.
        """
        encoded = self.bert(input_ids, attention_mask, token_type_ids, output_attentions)
        return self.read(encoded, **labels)
