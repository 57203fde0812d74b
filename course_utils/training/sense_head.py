"""The third task of sense tuning: which sense has this homonym? A head that is asked, beside the two usual tasks."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.datasets.batching import Batch
from course_utils.training.sense_examples import CLASSES, SenseBatch


class Losses(NamedTuple):
    """Scalars."""

    loss: Tensor
    mlm_loss: Tensor
    sense_loss: Tensor


class BothBatches(NamedTuple):
    """One step's input of ThreeTasks."""

    usual: Batch
    senses: SenseBatch

    def inputs(self) -> dict[str, Batch | SenseBatch]:
        """The fields as keyword arguments."""
        return self._asdict()


class SenseHead(nn.Linear):
    """Scores of the senses of the homonym at hand: a linear layer of which the other homonyms' senses are shut."""

    def __init__(self, hidden_size: int) -> None:
        super().__init__(hidden_size, len(CLASSES))
        nn.init.zeros_(self.weight)
        nn.init.zeros_(self.bias)
        words = [word for word, _ in CLASSES]
        same_word = torch.tensor([[one == other for other in words] for one in words])  # (K, K)
        self.register_buffer("same_word", same_word, persistent=False)

    def loss(self, hidden_states: Tensor, batch: SenseBatch) -> Tensor:
        """float (B, T, C) -> scalar: mean of −log p(sense)."""
        rows = torch.arange(len(batch.places), device=hidden_states.device)
        at_word = hidden_states[rows, batch.places]  # (B, C)
        logits = self(at_word).float().masked_fill(~self.same_word[batch.labels], -torch.inf)  # (B, K)
        return F.cross_entropy(logits, batch.labels)


class ThreeTasks(nn.Module):
    """A BertForPreTraining and the head of the third task; its loss is the sum of all three."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.head = SenseHead(model.config.hidden_size)

    def forward(self, usual: Batch, senses: SenseBatch) -> Losses:
        """One batch of the two usual tasks, one of the third."""
        output = self.model(**usual.inputs())
        states = self.model.bert(senses.input_ids, senses.attention_mask).last_hidden_state  # (B, T, C)
        sense_loss = self.head.loss(states, senses)
        return Losses(output.loss + sense_loss, output.mlm_loss, sense_loss)
