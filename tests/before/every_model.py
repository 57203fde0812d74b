"""What holds for each encoder–decoder that came before the Transformer, and small ones to hold it against."""

from __future__ import annotations

import torch
from torch import nn

from course_utils.before import AttentionSeq2Seq, ConvSeq2Seq, GRUSeq2Seq
from tests.small import randomised

V_K, V_Q, C, PAD = 17, 13, 6, 0
MODELS = [GRUSeq2Seq, AttentionSeq2Seq, ConvSeq2Seq]
SOURCE = torch.tensor([[5, 3, 16, 2, 7, 4, 9], [11, 1, 8, 0, 0, 0, 0], [2, 2, 2, 2, 2, 0, 0]])
TARGET = torch.tensor([[1, 12, 4, 6, 2], [1, 5, 2, 0, 0], [1, 3, 11, 7, 2]])


def made(kind: type[nn.Module], *, dropout: float = 0.0, **sizes: int) -> nn.Module:
    """In float64 and eval mode, with random weights."""
    model = kind(V_K, V_Q, hidden_size=C, dropout=dropout, pad_token_id=PAD, **sizes)
    return randomised(model, spread=0.5, seed=3)


def drawn(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
