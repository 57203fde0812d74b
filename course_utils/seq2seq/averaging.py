"""The average of the last checkpoints (Vaswani et al. 2017, section 6.1: the last 5 or 20)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from course_utils.support.given import mapping, one_line, several, shown


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

    Raises:
        ValueError: if there is none, or one has other names, shapes or types than the last.
    """
    checked = [_tensors(one) for one in several("state_dicts", state_dicts, "state dicts")]
    if not checked:
        raise ValueError("state_dicts must hold at least 1 state dict, got none")
    last = checked[-1]
    for one in checked:
        _check_same_kind(one, last)
    average: dict[str, Tensor] = {}
    tied: dict[tuple, Tensor] = {}  # what lies where -> its average
    for name, tensor in last.items():
        place = (tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        if not tensor.numel() or place not in tied:
            tied[place] = _mean([one[name].detach() for one in checked])
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


def _tensors(state_dict: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """Refuse what is no state dict."""
    for name, tensor in mapping("each state dict", state_dict, "name -> tensor").items():
        if not isinstance(tensor, Tensor):
            raise ValueError(f"a state dict must hold tensors, got {shown(tensor)} as {one_line(str(name))}")
    return state_dict


def _check_same_kind(one: Mapping[str, Tensor], last: Mapping[str, Tensor]) -> None:
    """Refuse two that are not of one model."""
    if one.keys() != last.keys():
        names = sorted(map(str, one.keys() ^ last.keys()))
        raise ValueError(f"all state dicts must have the same names, got {one_line(names[0])} in some alone")
    for name, tensor in last.items():
        if one[name].shape != tensor.shape or one[name].dtype != tensor.dtype:
            raise ValueError(
                f"{one_line(name)} must have one shape and type in all state dicts, got {one[name].dtype} "
                f"{tuple(one[name].shape)} and {tensor.dtype} {tuple(tensor.shape)}"
            )
