"""TinyBERT's training: every layer of a student beside the layer of its teacher that it copies.

Letters: B batch, T tokens, C hidden_size, V vocabulary or labels; M and N layers of student and teacher.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_utils.after.soft_targets import ask_teacher, real_places
from course_utils.after.tinybert import (
    attention_score_loss,
    attention_scores,
    hidden_loss,
    layer_map,
    prediction_loss,
)
from course_utils.bert import BertModel
from course_utils.initialization import init_weights


class LayerwiseOutput(NamedTuple):
    """What LayerwiseLoss returns."""

    loss: Tensor
    layers: tuple[Tensor | None, ...]  # M + 2; the last is None of models without a head


class LayerwiseLoss(nn.Module):
    """The loss of all layers, loss = Σ_m layer_m for m = 0 … M + 1; called as the student is.

        layer_0 = embedding layer    layer_m = hidden states + attention scores    layer_(M+1) = prediction layer

    The prediction layer counts where both have a head; between two BertModels the layers below alone are copied, as in
    the paper's first stage.

    It holds the student and the two projections, W_e and W_h (one for all layers), and not the teacher: see
    distillation.DistillationLoss.

    Args:
        student, teacher: a BertModel each, or a model with a head and a BertModel in `.bert`; the student may be
            thinner, its number of layers divides the teacher's, and it has as many heads.
        generator: source of the projections' start values.

    Source: Jiao et al. 2020, eq. 6 and 11; each stage with a learning phase of its own, section 3.2.
    """

    def __init__(
        self, student: nn.Module, teacher: nn.Module, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        small, large = encoder_of(student).config, encoder_of(teacher).config
        self.layer_map = layer_map(small.num_hidden_layers, large.num_hidden_layers)
        self.student, self._teacher = student, (teacher,)  # what is in a tuple is no part
        self.embedding_projection, self.hidden_projection = (
            nn.Linear(small.hidden_size, large.hidden_size, bias=False) for _ in range(2)
        )
        for projection in (self.embedding_projection, self.hidden_projection):
            init_weights(projection, std=small.initializer_range, generator=generator)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, token_type_ids: Tensor | None = None
    ) -> LayerwiseOutput:
        """Ask both, and compare layer by layer.

        Args:
            input_ids, attention_mask, token_type_ids: see BertModel.forward.
        """
        (teacher,), inputs = self._teacher, (input_ids, attention_mask, token_type_ids)
        taught, output = ask_teacher(teacher, *inputs), self.student(*inputs)
        with torch.no_grad():
            wanted = attention_scores(encoder_of(teacher), taught.hidden_states)
        given = attention_scores(encoder_of(self.student), output.hidden_states)
        layers: list[Tensor] = []
        for m, n in enumerate(self.layer_map[:-1]):
            projection = self.hidden_projection if m else self.embedding_projection
            loss = hidden_loss(output.hidden_states[m], taught.hidden_states[n], projection, attention_mask)
            if m:  # the scores of layer m are the entry before: the first layer's are entry 0
                loss = loss + attention_score_loss(given[m - 1], wanted[n - 1], attention_mask)
            layers.append(loss)
        if isinstance(self.student, BertModel):
            return LayerwiseOutput(sum(layers), (*layers, None))
        said, right = output.logits, taught.logits
        if said.shape[:-1] == input_ids.shape == right.shape[:-1]:  # each token has its logits, or each row
            real = real_places(attention_mask, input_ids)
            said, right = said[real], right[real]
        layers.append(prediction_loss(said, right))
        return LayerwiseOutput(sum(layers), tuple(layers))


def encoder_of(model: nn.Module) -> BertModel:
    """The BertModel that a model is, or has in `.bert`."""
    return model if isinstance(model, BertModel) else model.bert
