"""How a pre-training run starts: the model before its first update, the learning rate of each, the precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch

from course_utils.config import BertConfig
from course_utils.datasets.batching import seeded
from course_utils.heads import BertForPreTraining
from course_utils.positional import sinusoidal_encoding
from course_utils.pretrained import load_pretrained
from course_utils.support.given import shown, whole_number
from course_utils.training.device import fast_precision
from course_utils.training.optim import linear_rate
from course_utils.training.settings import Settings

MOST_PIECES = 10**7  # of a vocabulary; the largest that are published have a million


def new_model(settings: Settings, vocab_size: int) -> BertForPreTraining:
    """The model before its first update. Its position embeddings start as sinusoids, of the other weights' size.

    Raises:
        ValueError: if settings are none, or vocab_size is not from 1 to MOST_PIECES.
    """
    if not isinstance(settings, Settings):
        raise ValueError(f"settings must be Settings, got {shown(settings)}")
    vocab_size = whole_number("vocab_size", vocab_size, most=MOST_PIECES)
    if settings.start_from:
        return _learned(settings)
    config = BertConfig(
        vocab_size=vocab_size,
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=4 * settings.hidden,
        hidden_dropout_prob=settings.dropout,
        attention_probs_dropout_prob=settings.dropout,
        max_position_embeddings=settings.positions,
        initializer_range=settings.start_std,
    )
    model = BertForPreTraining(config, generator=seeded(settings.seed))
    waves = sinusoidal_encoding(settings.positions, settings.hidden)
    with torch.no_grad():  # a sine's root mean square is 1/√2
        model.bert.embeddings.position.embedding.weight.copy_(waves * settings.start_std * 2**0.5)
    return model


def _learned(settings: Settings) -> BertForPreTraining:
    """A model that goes on learning, with the dropout of these settings."""
    model, _ = load_pretrained(settings.start_from, model_class=BertForPreTraining)
    if model.config.max_position_embeddings < settings.max_length:
        raise ValueError(
            f"max_length must be at most the {model.config.max_position_embeddings} positions of "
            f"{settings.start_from}, got {settings.max_length}"
        )
    config = replace(
        model.config, hidden_dropout_prob=settings.dropout, attention_probs_dropout_prob=settings.dropout
    )
    again = BertForPreTraining(config)
    again.load_state_dict(model.state_dict())
    return again


def schedule(settings: Settings) -> Callable[[int], float]:
    """The rate of each update, from 1. It reaches 0 one step after the last, so that none is made for nothing."""
    return lambda step: linear_rate(step, settings.peak_rate, settings.warmup, settings.steps + 1)


def precision(settings: Settings, device: torch.device) -> torch.dtype:
    """What the matrix products of a run are computed in."""
    return fast_precision(device) if settings.precision == "fastest" else getattr(torch, settings.precision)
