"""Everything that a training run needs to go on, in one file: parameters, optimiser, random state, step, settings.

The file is safetensors (no pickle), written beside its place and moved there in one stroke. A run killed at any moment
leaves the last whole checkpoint or none, and beside it at most a half-written file (see support/folders.py).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.optim import Optimizer

from course_utils.support.files import write_atomically
from course_utils.support.given import one_line
from course_utils.training.device import KINDS, device_of, random_states, set_random_states


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the message says which and why."""


def save_checkpoint(
    path: str | Path, model: nn.Module, optimizer: Optimizer, *, step: int, settings: dict[str, Any]
) -> None:
    """Save all state of a run; what was there stays untouched until it is written.

    Args:
        path: the file; its folder is made.
        model, optimizer: as they are after update `step`.
        step: number of updates made.
        settings: what the run was started with, as JSON can hold it; load_checkpoint insists on the same.
    """
    path = Path(path)
    tensors: dict[str, Tensor] = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(value) for name, value in state.items()}
    for kind, state in random_states(device_of(model)).items():
        tensors[_random_state(kind)] = state
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    metadata = {"step": str(step), "settings": json.dumps(settings, sort_keys=True)}
    metadata["sha256"] = _checksum(tensors, metadata)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, save(tensors, metadata=metadata))


def load_checkpoint(
    path: str | Path, model: nn.Module, optimizer: Optimizer, *, settings: dict[str, Any]
) -> int:
    """Put all state of a run back, torch's random state included, wherever the model is now.

    The generator of a device that the run was not on before has no state in the file and is left as it is.

    Args:
        path: a file from save_checkpoint.
        model, optimizer: made as for a new run; changed only if the whole file fits.
        settings: must be those that the run was started with.

    Returns:
        number of updates made.

    Raises:
        FileNotFoundError: if there is no such file.
        CheckpointError: (a ValueError) if the file is damaged, of other settings, or of another model.
    """
    path = Path(path)
    tensors, step, stored = _read(path)
    different = [
        f"{name} was {stored.get(name)!r} and is {settings.get(name)!r}"
        for name in sorted(stored.keys() | settings.keys())
        if stored.get(name) != settings.get(name)
    ]
    if different:
        raise CheckpointError(
            f"{path} belongs to a run with other settings ({'; '.join(different)}): give the same, or another folder "
            "for a new run"
        )
    weights = {name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")}
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, number, field = name.split(".")
            state.setdefault(int(number), {})[field] = tensor
    if not (_fits_model(weights, model) and _fits_optimizer(state, optimizer)):
        raise CheckpointError(f"{path} holds the parameters of another model: give another folder")
    model.load_state_dict(weights)
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
    found = {kind: tensors[_random_state(kind)] for kind in KINDS if _random_state(kind) in tensors}
    set_random_states(device_of(model), found)
    return step


def _random_state(kind: str) -> str:
    """The name that a generator's state has in the file."""
    return "random_state" if kind == "cpu" else f"random_state.{kind}"


def _fits_model(weights: dict[str, Tensor], model: nn.Module) -> bool:
    def kinds(tensors: dict[str, Tensor]) -> dict[str, tuple]:
        return {name: (tensor.shape, tensor.dtype) for name, tensor in tensors.items()}

    return kinds(weights) == kinds(model.state_dict())


def _fits_optimizer(state: dict[int, dict[str, Tensor]], optimizer: Optimizer) -> bool:
    """Whether every moment has the shape of its parameter; scalars count updates."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    return all(
        number < len(parameters) and tensor.shape in ((), parameters[number].shape)
        for number, values in state.items()
        for tensor in values.values()
    )


def _checksum(tensors: dict[str, Tensor], metadata: dict[str, str]) -> str:
    """The sha256 of the names and the bytes of all tensors, by their names, then of the step and the settings."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].reshape(-1).view(torch.uint8).numpy())
    digest.update(f"\0{metadata['step']}\0{metadata['settings']}".encode())
    return digest.hexdigest()


def _read(path: Path) -> tuple[dict[str, Tensor], int, dict[str, Any]]:
    """Tensors, step and settings of a file whose checksum is right."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no checkpoint {path}")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            # A copy of each: the tensors of a file share its memory map.
            tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 (not a dict)
    except SafetensorError as error:
        raise CheckpointError(
            f"{path} is damaged ({one_line(str(error))}): delete it to start anew"
        ) from None
    if not {"step", "settings", "sha256"} <= metadata.keys():
        raise CheckpointError(f"{path} is no checkpoint of a training run: give another folder")
    if metadata["sha256"] != _checksum(tensors, metadata):
        raise CheckpointError(f"{path} is damaged (it has another sha256): delete it to start anew")
    return tensors, int(metadata["step"]), json.loads(metadata["settings"])
