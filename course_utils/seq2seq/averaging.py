"""The average of the last checkpoints (Vaswani et al. 2017, section 6.1: the last 5 or 20). Met in notebook 07."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor


def average_state_dicts(state_dicts: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """Average the parameters of one model at several times of its training.

        θ = 1/N · Σ_n θ_n

    Summed in float64 and rounded once, to the type they had. What is no float (a count, a mask) has no average: it is
    that of the last. Names that share one tensor in the last, such as tied embeddings, share one in the result.

    Args:
        state_dicts: N of them, the newest last, as model.state_dict() gives them; copies, that is, because the
            model goes on changing its own.

    Returns:
        new tensors by the same names, on the devices of the last.
    """
    last = state_dicts[-1]
    shapes = {name: tensor.shape for name, tensor in last.items()}
    if any({name: tensor.shape for name, tensor in one.items()} != shapes for one in state_dicts):
        raise ValueError("state_dicts must have the same names and shapes: they are of different models")
    average: dict[str, Tensor] = {}
    tied: dict[tuple, Tensor] = {}  # what lies where -> its average
    for name, tensor in last.items():
        place = (tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        if not tensor.numel() or place not in tied:
            tied[place] = _mean([one[name].detach() for one in state_dicts])
        average[name] = tied[place]
    return average


def _mean(tensors: Sequence[Tensor]) -> Tensor:
    last = tensors[-1]
    if not last.is_floating_point():
        return last.clone()
    total = torch.zeros(last.shape, dtype=torch.float64, device="cpu")  # not every device has float64
    for tensor in tensors:
        total += tensor.cpu().double()
    return (total / len(tensors)).to(last.dtype).to(last.device)
