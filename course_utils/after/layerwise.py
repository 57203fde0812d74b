"""TinyBERT's training: every layer of a student beside the layer of its teacher that it copies.

Letters: B batch, T tokens, C hidden_size, V vocabulary or labels; M and N layers of student and teacher.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from course_utils.after.soft_targets import ask_teacher, checked_temperature, real_places
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
    layers: tuple[Tensor | None, ...]  # M + 2, before they are weighted; None: not computed


class LayerwiseLoss(nn.Module):
    """The loss of all layers, loss = Σ_m λ_m · layer_m for m = 0 … M + 1; called as the student is.

        layer_0 = embedding layer    layer_m = hidden states + attention scores    layer_(M+1) = prediction layer

    First the layers below are copied, then what is predicted: λ = 1 … 1, 0, and afterwards 0 … 0, 1.

    It holds the student and the two projections, W_e and W_h (one for all layers), and not the teacher: see
    distillation.DistillationLoss.

    Args:
        student, teacher: a BertModel each, or a model with a head and a BertModel in `.bert`; the student may be
            thinner, its number of layers divides the teacher's, and it has as many heads.
        weights: λ, M + 2 numbers; None: 1 each, and 0 for the prediction layer of models without a head.
        temperature: of the prediction layer.
        generator: source of the projections' start values.

    Source: Jiao et al. 2020, eq. 6 and 11; each stage with a learning phase of its own, section 3.2.
    """

    def __init__(
        self,
        student: nn.Module,
        teacher: nn.Module,
        *,
        weights: Sequence[float] | None = None,
        temperature: float = 1.0,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        small, large = encoder_of(student).config, encoder_of(teacher).config
        self.layer_map = layer_map(small.num_hidden_layers, large.num_hidden_layers)
        if weights is None:
            weights = [1.0] * (len(self.layer_map) - 1) + [float(not isinstance(student, BertModel))]
        self.weights = tuple(weights)
        if len(self.weights) != len(self.layer_map):
            raise ValueError(f"weights must be {len(self.layer_map)}, M + 2, got {len(self.weights)}")
        self.student, self._teacher = student, (teacher,)  # what is in a tuple is no part
        self.temperature = checked_temperature(temperature)
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
        layers: list[Tensor | None] = []
        for m, n in enumerate(self.layer_map[:-1]):
            if not self.weights[m]:
                layers.append(None)
                continue
            projection = self.hidden_projection if m else self.embedding_projection
            loss = hidden_loss(output.hidden_states[m], taught.hidden_states[n], projection, attention_mask)
            if m:  # the scores of layer m are the entry before: the first layer's are entry 0
                loss = loss + attention_score_loss(given[m - 1], wanted[n - 1], attention_mask)
            layers.append(loss)
        layers.append(
            self._prediction(output, taught, attention_mask, input_ids) if self.weights[-1] else None
        )
        parts = [weight * layer for weight, layer in zip(self.weights, layers) if layer is not None]
        return LayerwiseOutput(sum(parts, output.last_hidden_state.new_zeros(())), tuple(layers))

    def _prediction(self, output: Any, taught: Any, mask: Tensor | None, input_ids: Tensor) -> Tensor:
        """Over rows of the batch, or over real tokens where each has its logits."""
        given, wanted = output.logits, taught.logits
        if given.shape[:-1] == input_ids.shape == wanted.shape[:-1]:
            real = real_places(mask, input_ids)
            given, wanted = given[real], wanted[real]
        return prediction_loss(given, wanted, temperature=self.temperature)


def encoder_of(model: nn.Module) -> BertModel:
    """The BertModel that a model is, or has in `.bert`."""
    return model if isinstance(model, BertModel) else model.bert
