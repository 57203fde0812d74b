"""What notebook 00 builds by hand."""

import torch

from tests.scratch.registry import Scratch


def cosine(a, b):
    """torch's cosine similarity of two vectors (its own default compares along axis 1)."""
    return torch.nn.functional.cosine_similarity(a, b, dim=0)


def pairs(generator):
    for size, dtype in [(7, torch.float32), (13, torch.float64), (1, torch.float64)]:
        yield (
            torch.randn(size, generator=generator, dtype=dtype),
            torch.randn(size, generator=generator, dtype=dtype),
        )


ENTRIES = [Scratch("00_start_here", "my_cosine_similarity", f"{__name__}:cosine", pairs)]
