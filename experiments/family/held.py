"""What is asked of every member in the same way: held-out words behind masks, on the same rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.bert import BertModel
from course_utils.heads.masked_lm import masked_lm
from course_utils.training.measures import measure
from experiments.family.race import ASKED, LOOKED_AT
from experiments.family.text import RaceText

ROWS = 64  # a batch
SEED = 1  # of the masks: the same ones for all


class MaskedWords(nn.Module):
    """The masked language model in a member, whatever else is trained along with it."""

    def __init__(self, bert: BertModel, head: nn.Module) -> None:
        super().__init__()
        self.bert, self.head = bert, head

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor, labels: Tensor, **_: Any
    ) -> SimpleNamespace:
        """What `measure` reads: mlm_loss and logits (M, V) at the labelled places."""
        hidden = self.bert(input_ids, attention_mask, token_type_ids).last_hidden_state  # (B, T, C)
        logits, loss = masked_lm(self.head, hidden, self.bert.embeddings.token.weight, labels)
        return SimpleNamespace(loss=loss, mlm_loss=loss, logits=logits)


class HeldOut:
    """Held-out text of the races."""

    def __init__(self, text: RaceText) -> None:
        self.sentences = text.sentences(text.held_out, batch_size=ROWS, seed=SEED)
        self.full = text.full(text.held_out, batch_size=ROWS // 2, seed=SEED)

    def look(self, model: nn.Module) -> dict[str, float]:
        return {"masked_loss": measure(model, self.sentences, most=LOOKED_AT)["held_out_mlm_loss"]}

    def all(self, model: nn.Module) -> dict[str, float]:
        """Loss and accuracy on more of it: in single sentences, and in rows of text as it runs on."""
        found = {}
        for name, rows in (("sentences", self.sentences), ("full", self.full)):
            values = measure(model, rows, most=ASKED)
            found[f"masked_loss_{name}"] = values["held_out_mlm_loss"]
            found[f"masked_accuracy_{name}"] = values["held_out_mlm_accuracy"]
        return found


def unigram_loss(text: RaceText, held_out: HeldOut) -> float:
    """What the same held-out words cost whoever knows only how frequent each piece is: counts + 1 of the text."""
    counts = torch.ones(text.vocab_size, dtype=torch.float64)
    ids = torch.tensor([piece for document in text.train for sentence in document for piece in sentence])
    counts += torch.bincount(ids, minlength=text.vocab_size)
    counts[text.special] = 0.0
    cost = -(counts / counts.sum()).log()
    total, number = 0.0, 0
    for place in range(min(ASKED, held_out.sentences.batches_per_epoch)):
        labels = held_out.sentences(place).labels
        labels = labels[labels >= 0]
        labels = labels[~text.special[labels]]
        total += float(cost[labels].sum())
        number += len(labels)
    return total / max(number, 1)
