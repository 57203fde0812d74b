"""Where a model keeps the projections of its attention: in this course's BERT, and in transformers'."""

from __future__ import annotations

from typing import NamedTuple

from torch import nn


class Projections(NamedTuple):
    """The projections of one layer, each a linear layer C -> C."""

    query: nn.Module
    key: nn.Module
    value: nn.Module
    output: nn.Module  # W^O: what comes in is the heads' context side by side, (B, T, H·D)


def encoder_of(model: nn.Module) -> nn.Module:
    """The BERT inside a model: the model itself, or what it holds as `.bert`."""
    return getattr(model, "bert", model)


def projections(model: nn.Module) -> list[Projections]:
    """The projections of each layer, from below.

    Args:
        model: BertModel, a class of course_utils.heads, or transformers' BertModel (or a class that holds it as .bert).
    """
    encoder = getattr(encoder_of(model), "encoder", None)
    if hasattr(encoder, "layers"):
        parts = [block.attention for block in encoder.layers]
        return [Projections(part.query, part.key, part.value, part.output) for part in parts]
    if hasattr(encoder, "layer"):
        parts = [block.attention for block in encoder.layer]
        return [
            Projections(part.self.query, part.self.key, part.self.value, part.output.dense) for part in parts
        ]
    raise TypeError(
        f"model must be a BertModel of the course or of transformers, or hold one as .bert; got {type(model).__name__}"
    )
