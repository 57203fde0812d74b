"""Everything that a training run needs to go on, in one file: parameters, optimiser, random state, step, settings.

The file is safetensors (no pickle), written beside its place and moved there in one stroke. A run killed at any moment
leaves the last whole checkpoint or none, and beside it at most a half-written file (see support/folders.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn
from torch.optim import Optimizer

from course_utils.support.files import check_regular, write_atomically
from course_utils.support.given import list_of_texts, mapping, one_line, path_of, shown, whole_number
from course_utils.training.device import KINDS, device_of, random_states, set_random_states
from course_utils.training.optim import check_model_and_optimizer


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the message says which and why."""


def save_checkpoint(
    path: str | Path, model: nn.Module, optimizer: Optimizer, *, step: int, settings: dict[str, Any]
) -> None:
    """Save all state of a run.

    Args:
        path: the file; its folder is made.
        model, optimizer: as they are after update `step`.
        step: number of updates made.
        settings: what the run was started with, as JSON can hold it; load_checkpoint insists on the same.

    Raises:
        OSError: if it cannot be written; the checkpoint that was there is untouched.
        ValueError: if step is no whole number of at least 0, JSON cannot hold the settings, or another is none.
    """
    path = path_of("path", path)
    check_model_and_optimizer(model, optimizer)
    step = whole_number("step", step, least=0, most=2**63 - 1)
    try:
        told = json.dumps(dict(mapping("settings", settings, "name -> value")), sort_keys=True)
    except TypeError:
        raise ValueError(
            "settings must be what JSON can hold: texts, numbers, lists and dicts of them"
        ) from None
    tensors: dict[str, Tensor] = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": torch.as_tensor(value) for name, value in state.items()}
    for kind, state in random_states(device_of(model)).items():
        tensors[_random_state(kind)] = state
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    metadata = {"step": str(step), "settings": told}
    metadata["sha256"] = _checksums(tensors, metadata)[0]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, save(tensors, metadata=metadata))


def load_checkpoint(
    path: str | Path,
    model: nn.Module,
    optimizer: Optimizer,
    *,
    settings: dict[str, Any],
    since: Collection[str] = (),
) -> int:
    """Put all state of a run back, torch's random state included, wherever the model is now.

    The generator of a device that the run was not on before has no state in the file and is left as it is.

    Args:
        path: a file from save_checkpoint.
        model, optimizer: made as for a new run; changed only if the whole file fits.
        settings: must be those that the run was started with.
        since: names of settings that earlier versions did not record: a file that lacks one is of any.

    Returns:
        number of updates made.

    Raises:
        FileNotFoundError: if there is no such file.
        CheckpointError: (a ValueError) if the file is damaged, of other settings, or of another model.
        ValueError: if path, model, optimizer, settings or since is none.
    """
    path = path_of("path", path)
    check_model_and_optimizer(model, optimizer)
    settings = mapping("settings", settings, "name -> value")
    since = list_of_texts("since", since, least=0)
    tensors, step, stored = _read(path)
    different = [
        f"{one_line(name)} was {_told(stored.get(name))} and is {_told(settings.get(name))}"
        for name in sorted(stored.keys() | settings.keys())
        if stored.get(name) != settings.get(name) and not (name in since and name not in stored)
    ]
    told = one_line(str(path), 99)
    if different:
        raise CheckpointError(
            f"{told} belongs to a run with other settings ({one_line('; '.join(different), 110)}): give the same, "
            "or another folder for a new run"
        )
    weights = {name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")}
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, number, field = name.split(".")
            state.setdefault(int(number), {})[field] = tensor
    if not (_fits_model(weights, model) and _fits_optimizer(state, optimizer)):
        raise CheckpointError(f"{told} holds the parameters of another model: give another folder")
    model.load_state_dict(weights)
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
    kinds = [kind for kind in KINDS if _random_state(kind) in tensors]
    set_random_states(device_of(model), {kind: tensors[_random_state(kind)] for kind in kinds})
    return step


def _told(value: Any) -> str:
    """A setting as it stands in a message."""
    return shown(value) if isinstance(value, int) else one_line(repr(value))


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


def recorded_settings(path: Path) -> dict[str, Any]:
    """The settings in a file from save_checkpoint, read without its tensors; none where it is no such file."""
    try:
        check_regular(path)
        with safe_open(path, framework="pt") as file:
            settings = json.loads((file.metadata() or {})["settings"])
    except (OSError, SafetensorError, KeyError, ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _checksums(tensors: dict[str, Tensor], metadata: dict[str, str]) -> tuple[str, str]:
    """The sha256 of a checkpoint, and the one of earlier versions, which was of its tensors alone.

    Of the names and the bytes of all tensors, in the order of their names, then of the step and the settings.
    """
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].reshape(-1).view(torch.uint8).numpy())
    earlier = digest.hexdigest()
    digest.update(f"\0{metadata['step']}\0{metadata['settings']}".encode())
    return digest.hexdigest(), earlier


def _read(path: Path) -> tuple[dict[str, Tensor], int, dict[str, Any]]:
    told = one_line(str(path), 200)
    if not path.is_file():
        raise FileNotFoundError(f"there is no checkpoint {told}")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            # A copy of each: the tensors of a file share its memory map.
            tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 (not a dict)
    except SafetensorError as error:
        raise CheckpointError(
            f"{told} is damaged ({one_line(str(error))}): delete it to start anew"
        ) from None
    if not {"step", "settings"} <= metadata.keys() or "random_state" not in tensors:
        raise CheckpointError(f"{told} is no checkpoint of a training run: give another folder")
    if "sha256" in metadata and metadata["sha256"] not in _checksums(tensors, metadata):
        raise CheckpointError(f"{told} is damaged (it has another sha256): delete it to start anew")
    try:
        step = whole_number("its step", int(metadata["step"]), least=0)
        return tensors, step, dict(json.loads(metadata["settings"]))
    except RecursionError:
        raise CheckpointError(
            f"{told} is damaged (its settings are nested too deeply): delete it to start anew"
        ) from None
    except (TypeError, ValueError) as error:
        raise CheckpointError(
            f"{told} is damaged ({one_line(str(error))}): delete it to start anew"
        ) from None
