"""The device that a run computes on: chosen by name, asked for its random state and for its fastest precision."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

KINDS = ("cpu", "cuda", "mps")


def available_device(name: str, *, local_rank: int | None = None) -> torch.device:
    """The device of a name, once it is sure to be there.

    Args:
        name: cpu, cuda, cuda:N or mps.
        local_rank: number of this process among those of one host that share a run: `cuda` is then GPU `local_rank`.

    Raises:
        ValueError: if the name is another, or this machine has no such device.
    """
    kind, _, number = name.partition(":")
    if name not in KINDS and not (kind == "cuda" and number.isdecimal()):
        raise ValueError(f"device must be cpu, cuda, cuda:N or mps, got {name!r}")
    if kind == "mps" and not torch.backends.mps.is_available():
        raise ValueError("device mps is not there: torch finds no Apple GPU on this machine")
    if kind != "cuda":
        return torch.device(name)
    if number and local_rank is not None:
        raise ValueError(f"device must be cuda under torchrun, which numbers the GPUs; got {name!r}")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    index = int(number) if number else local_rank or 0
    if index >= count:
        raise ValueError(f"device cuda:{index} is not there: torch finds {count} CUDA GPUs on this machine")
    return torch.device("cuda", index)


def device_of(model: nn.Module) -> torch.device:
    """Where the parameters of a model are."""
    return next(model.parameters()).device


def inputs_on(device: torch.device, inputs: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments of a model, moved; None stays None."""
    return {name: None if value is None else value.to(device) for name, value in inputs.items()}


def fast_precision(device: str | torch.device = "cpu") -> torch.dtype:
    """bfloat16 where the device multiplies in it, float32 elsewhere and where torch cannot tell."""
    kind = torch.device(device).type
    try:
        if kind == "cuda":
            has_bfloat16 = torch.cuda.is_bf16_supported(including_emulation=False)
        else:
            # No public function says so.
            has_bfloat16 = kind == "cpu" and torch.cpu._is_avx512_bf16_supported()
    except AttributeError:
        return torch.float32
    return torch.bfloat16 if has_bfloat16 else torch.float32


def random_states(device: torch.device) -> dict[str, Tensor]:
    """The states of torch's generators that a run draws from, uint8, by the kind of their device."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    elif device.type == "mps":
        states["mps"] = torch.mps.get_rng_state()
    return states


def set_random_states(device: torch.device, states: dict[str, Tensor]) -> None:
    """Put back what random_states gave; a generator whose state is not among them stays as it is."""
    torch.set_rng_state(states["cpu"])
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"], device)
    elif device.type == "mps" and "mps" in states:
        torch.mps.set_rng_state(states["mps"])
