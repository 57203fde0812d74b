"""A linear layer that uses the whole processor in training."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

TOKENS = 512  # below, nothing is gained


class Linear(nn.Linear):
    """x Wᵀ + b: nn.Linear, with the same parameters and, up to rounding, the same results and gradients.

    A float32 product on a processor is left by torch to MKL, which is at its best on Intel's. A convolution with a 1×1
    kernel is the same sum of products, and that torch leaves to oneDNN: measured on 2 cores of an AMD EPYC with
    AVX-512, forward and backward together are twice as fast; on one with AVX2 alone they take a fifth longer. So large
    float32 batches go that way on the former while gradients are recorded; all else (bfloat16 goes to oneDNN anyway) is
    left to nn.Linear.
    """

    def forward(self, x: Tensor) -> Tensor:
        """float (..., I) -> (..., O)."""
        if not _pays(x):
            return super().forward(x)
        pixels = x.unsqueeze(1).movedim(-1, 1)  # (B, I, 1, T): a picture of one row, a channel a coordinate
        pixels = F.conv2d(pixels, self.weight[:, :, None, None], self.bias)  # (B, O, 1, T)
        return pixels.movedim(1, -1).squeeze(1)  # (B, T, O)


def _pays(x: Tensor) -> bool:
    """Whether x is a large float32 batch (B, T, I), gradients are recorded, and oneDNN and AVX-512 are there."""
    return (
        x.dim() == 3
        and x.dtype == torch.float32
        and x.device.type == "cpu"
        and x.shape[:2].numel() >= TOKENS
        and torch.is_grad_enabled()
        and not torch.is_autocast_enabled("cpu")
        and torch.backends.mkldnn.is_available()
        and torch.backends.cpu.get_cpu_capability() == "AVX512"
    )
