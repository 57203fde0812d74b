"""What tests of many rooms begin with: a small configuration, and a tokenizer whose pieces are known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import torch
from torch import nn

from course_utils.config import BertConfig
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import SPECIAL_TOKENS

Model = TypeVar("Model", bound=nn.Module)


def small_config(vocab_size: int = 97, **changes: Any) -> BertConfig:
    """Two layers of two heads, 12 wide, but for the changes."""
    sizes = {
        "hidden_size": 12,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 29,
        "max_position_embeddings": 37,
    }
    return BertConfig(vocab_size, **sizes | changes)


def randomised(model: Model, *, spread: float = 0.3, seed: int = 0) -> Model:
    """In float64 and eval mode, every parameter random, so that biases show, too."""
    generator = torch.Generator().manual_seed(seed)
    model = model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return model


def tokenizer_of(pieces: Iterable[str]) -> WordPieceTokenizer:
    """The special tokens, then each piece once; case and accents count."""
    vocab = {piece: number for number, piece in enumerate(dict.fromkeys([*SPECIAL_TOKENS, *pieces]))}
    return WordPieceTokenizer(vocab, lowercase=False, strip_accents=False)
