"""DistilBERT's training: a student learns what its teacher says, how the teacher says it, and the words themselves.

    loss = 5 · soft targets  +  2 · masked words  +  1 · cosine of the last hidden states

The three parts are those of Sanh et al. 2019, section 3; the weights, and τ = 2, stand in the command of their code,
not in the paper. Letters: B batch, T tokens, V vocabulary, τ temperature.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.after.distilbert import DistilBertForMaskedLM
from course_utils.after.soft_targets import ask_teacher, cosine_loss, real_places, soft_target_loss
from course_utils.datasets.pretraining import IGNORE

TEMPERATURE = 2.0
SOFT, MASKED, COSINE = 5.0, 2.0, 1.0  # weights of the three parts


def every_other_layer(teacher: nn.Module) -> DistilBertForMaskedLM:
    """A student that begins with the teacher's embeddings and head and with its layers 0, 2, 4 …

    So Sanh et al. 2019, section 3: one layer out of two. (Their code takes 0, 2, 4, 7, 9, 11 of twelve.) Segment
    embeddings are left out, and not added to anything. The teacher stays as it is.

    Args:
        teacher: a BERT with a masked-word head: `.bert` and `.mlm`, such as BertForMaskedLM and BertForPreTraining.
    """
    layers = -(-teacher.config.num_hidden_layers // 2)
    student = DistilBertForMaskedLM(replace(teacher.config, num_hidden_layers=layers))
    weights = teacher.state_dict()
    student.to(weights["bert.embeddings.token.weight"])
    student.load_state_dict({name: weights[_in_teacher(name)] for name in student.state_dict()})
    return student


def _in_teacher(name: str) -> str:
    """ "bert.encoder.layers.3.attention.key.weight" -> the same of layer 6."""
    return re.sub(r"(?<=layers\.)\d+", lambda number: str(2 * int(number[0])), name)


class DistillationOutput(NamedTuple):
    """What DistillationLoss returns: the loss, and its parts before they are weighted."""

    loss: Tensor
    soft: Tensor
    masked: Tensor | None  # without labels
    cosine: Tensor


class DistillationLoss(nn.Module):
    """A student on its teacher's knees: called as either of them, it gives the loss that the student is to make small.

    It holds the student alone: the teacher is no part of it, is not trained, saved or moved with it, and is asked in
    eval mode and without gradients. So training.loop.train(DistillationLoss(student, teacher), …) trains the student.

    Args:
        student: such as DistilBertForMaskedLM: without labels its output has logits (B, T, V) and last_hidden_state.
        teacher: likewise, such as BertForMaskedLM; on the same device, as wide, with the same vocabulary.
    """

    def __init__(self, student: nn.Module, teacher: nn.Module) -> None:
        super().__init__()
        self.student, self._teacher = student, (teacher,)  # what is in a tuple is no part

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        labels: Tensor | None = None,
    ) -> DistillationOutput:
        """Ask both; soft targets and cosine count at every real token, masked words where labels say so.

        Args:
            input_ids, attention_mask, token_type_ids: see BertModel.forward.
            labels: int64 (B, T), −100 where nothing is to be predicted; None leaves the masked words out.
        """
        taught = ask_teacher(self._teacher[0], input_ids, attention_mask, token_type_ids)
        output = self.student(input_ids, attention_mask, token_type_ids)
        real = real_places(attention_mask, input_ids)
        soft = soft_target_loss(output.logits[real], taught.logits[real], temperature=TEMPERATURE)
        cosine = cosine_loss(output.last_hidden_state, taught.last_hidden_state, attention_mask)
        if labels is None:
            return DistillationOutput(SOFT * soft + COSINE * cosine, soft, None, cosine)
        chosen = labels != IGNORE
        total = F.cross_entropy(output.logits[chosen], labels[chosen], reduction="sum")
        masked = total / chosen.sum().clamp(min=1)
        return DistillationOutput(SOFT * soft + MASKED * masked + COSINE * cosine, soft, masked, cosine)
