"""A linear layer and a dropout that are faster on a processor than torch's own, with the same parameters and results.

They know nothing of a model; speed_up (course_utils/training/fast.py) puts them in.
"""

from __future__ import annotations

import math
import os

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx

STEPS = 2**16  # a 16-bit number can take so many values
# Multiplications of a product from which on oneDNN is worth it, by what the processor has. With AVX-512 it is faster
# from 2**21 on, but keeps memory for each shape: 300 MB in a run of a model 64 wide, which took as long either way.
PAYS_FROM = {"AVX512": 2**25, "AVX2": 2**25}
# oneDNN keeps what it made for the last 1024 shapes, and batches have as many. An update needs a few dozen: with 32,
# twenty of them took as long, and left 33 MB less. It looks here when it first computes.
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")


class FastLinear(nn.Linear):
    """x Wᵀ + b: nn.Linear by way of `linear`."""

    def forward(self, x: Tensor) -> Tensor:
        """float (..., I) -> (..., O)."""
        return linear(x, self.weight, self.bias)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b: F.linear, up to rounding, with its gradients.

    torch leaves a float32 product on a processor to MKL, which is at its best on Intel's. oneDNN comes with torch, too
    (torch.compile multiplies with it): on one core of an AMD EPYC with AVX-512 it is twice as fast, forward and
    backward; on the same core without AVX-512 a tenth faster.

    Args:
        x: float (..., I).
        weight: float (O, I).
        bias: float (O,), or None.

    Returns:
        float (..., O).
    """
    if not _pays(x, weight):
        return F.linear(x, weight, bias)
    return _Linear.apply(x, weight, bias)


def linear_gelu(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """F.gelu(linear(x, weight, bias)); where no gradient is recorded, in one go."""
    if torch.is_grad_enabled() or not _pays(x, weight):
        return F.gelu(linear(x, weight, bias))
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "gelu", [], "none")


class _Linear(torch.autograd.Function):
    """linear, where it pays."""

    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _product(x, weight, bias)

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        rows = gradient.flatten(0, -2)  # (N, O)
        return (
            _product(gradient, weight.t()) if of_x else None,
            _weight_gradient(rows, x.flatten(0, -2)) if of_weight else None,
            rows.sum(0) if of_bias else None,
        )


def _weight_gradient(gradient: Tensor, x: Tensor) -> Tensor:
    """(N, O) and (N, I) -> (O, I). The left factor of a product is copied when it is turned: better the narrow one."""
    if gradient.shape[1] > x.shape[1]:
        return _product(x.t(), gradient.t()).t()
    return _product(gradient.t(), x.t())


def _product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b by oneDNN; by torch's own where the gradient of a gradient is wanted."""
    if torch.is_grad_enabled():
        return F.linear(x, weight, bias)
    if not (weight.is_contiguous() or weight.t().is_contiguous()):
        weight = weight.contiguous()
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


def _pays(x: Tensor, weight: Tensor) -> bool:
    """Whether both are float32 on a processor whose matrix products oneDNN was measured to do faster."""
    return (
        not torch.compiler.is_compiling()  # a compiled model multiplies with oneDNN anyway
        and x.dtype == weight.dtype == torch.float32
        and x.device.type == weight.device.type == "cpu"
        and x.dim() >= 2
        and _has_onednn()
        and x.numel() * len(weight) >= PAYS_FROM.get(torch.backends.cpu.get_cpu_capability(), math.inf)
        and not torch.is_autocast_enabled("cpu")
    )


def _has_onednn() -> bool:
    """Whether torch has oneDNN's linear layer, and it is switched on."""
    return (
        torch.backends.mkldnn.is_available()
        and torch.backends.mkldnn.enabled
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


class FastDropout(nn.Dropout):
    """nn.Dropout from few random draws: in training, 0 with probability p, else divided by 1 − p.

    On a processor random numbers come one after the other from a single Mersenne twister, and nn.Dropout takes one for
    every entry: that was a tenth of a pre-training step in float32 and a fifth in bfloat16. Here one draw of 64 bits
    decides on four entries, by 16 bits each. So entries are dropped with p rounded to a multiple of 1/65536, that is
    off by less than 1e-5; the scale is that of p itself.

    The draws come from torch's global generator, as those of nn.Dropout do: torch.manual_seed repeats them.
    """

    def forward(self, x: Tensor) -> Tensor:
        """float, any shape -> the same."""
        dropped = round(self.p * STEPS)  # so many of the 65536 values
        plain = self.inplace or x.device.type != "cpu" or torch.compiler.is_compiling()
        if plain or not self.training or not 0 < dropped < STEPS:
            return super().forward(x)
        bits = _random_int16(x.shape)
        kept = bits.ge_(dropped - STEPS // 2).to(x.dtype)  # 1 or 0; int16 begins at −32768
        scale = 1.0 / (1.0 - self.p)
        if x.dtype in (torch.float32, torch.float64):
            return x * kept.mul_(scale)
        return x * kept * scale  # folded into `kept` it would be rounded to 8 bits in bfloat16


def _random_int16(shape: torch.Size) -> Tensor:
    """Uniform int16 of this shape, cut out of draws of 64 bits."""
    draws = torch.empty(-(-shape.numel() // 4), dtype=torch.int64)
    draws.random_(-(2**63), None)  # all 2⁶⁴ values
    return draws.view(torch.int16)[: shape.numel()].view(shape)
