"""Tensors on disk: safetensors files, whole or in shards. Pickles are never opened."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from course_utils.pretrained.config_file import read_json
from course_utils.pretrained.errors import (
    ChecksumMismatch,
    DamagedFile,
    MissingFile,
    PickleRefused,
    UnsupportedModel,
)
from course_utils.support.files import check_regular, replacing
from course_utils.support.foreign_json import entry
from course_utils.support.given import listed, one_line

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
SHARD = re.compile(r"model-\d+-of-\d+\.safetensors")
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def read_weights(folder: Path, checksums: dict[str, str] | None = None) -> dict[str, Tensor]:
    """Every tensor of a model folder, under its name in the file, in the type it is stored in.

    Args:
        folder: holds model.safetensors, or shards and their index.
        checksums: file name -> sha256 in hexadecimal, for the files where it is known.
    """
    checksums = checksums or {}
    if (folder / WEIGHTS).is_file():
        verify(folder / WEIGHTS, checksums.get(WEIGHTS))
        return _read_file(folder / WEIGHTS)
    if not (folder / INDEX).is_file():
        pickles = [file.name for file in sorted(folder.iterdir()) if file.name.endswith(PICKLES)]
        if pickles:
            told = f"{folder} holds its weights only as {listed(pickles)}: a pickle can run any code when it is opened"
            raise PickleRefused(f"{told}, so it is not; {how_to_convert(folder, pickles)}")
        raise MissingFile(f"{folder} has no weights: neither {WEIGHTS} nor {INDEX}")
    return _read_shards(folder, checksums)


def how_to_convert(folder: Path | str, pickles: list[str]) -> str:
    """What to do: the command that makes model.safetensors of pytorch_model.bin and runs no code that it may hold."""
    if not any(re.fullmatch(r"pytorch_model.*\.bin", name) for name in pickles):
        return f"ask for {WEIGHTS}"
    load = "torch.load(f, map_location='cpu', weights_only=True)"
    tensors = (
        f"{{k: t.contiguous().clone() for f in glob.glob('pytorch_model*.bin') for k, t in {load}.items()}}"
    )
    save = f"safetensors.torch.save_file({tensors}, '{WEIGHTS}', {{'format': 'pt'}})"
    return f'to convert it, run in {folder}:\npython -c "import glob, torch, safetensors.torch; {save}"'


def _read_shards(folder: Path, checksums: dict[str, str]) -> dict[str, Tensor]:
    """Every tensor that the index names, each from the shard it names."""
    where = entry(read_json(folder / INDEX), "weight_map", dict, source=str(folder / INDEX))
    if not where or not all(isinstance(file, str) for file in where.values()):
        raise DamagedFile(f"{folder / INDEX} must say in weight_map which file holds which tensor")
    tensors: dict[str, Tensor] = {}
    for shard in sorted(set(where.values())):
        if not SHARD.fullmatch(shard):
            raise DamagedFile(f"{INDEX} must name files like model-00001-of-00002.safetensors, got {shard!r}")
        if not (folder / shard).is_file():
            raise MissingFile(f"{folder} has no {shard}, which {INDEX} names; fetch it too")
        verify(folder / shard, checksums.get(shard))
        part = _read_file(folder / shard)
        named = {name for name, file in where.items() if file == shard}
        if set(part) != named:
            raise DamagedFile(f"{shard} and {INDEX} disagree about {listed(set(part) ^ named, letters=99)}")
        tensors |= part
    return tensors


def verify(path: Path, sha256: str | None) -> None:
    """Compare a file with its published sha256, where that is known; ChecksumMismatch if they differ."""
    if sha256 is None:
        return
    check_regular(path)
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != sha256:
        raise ChecksumMismatch(
            f"{path} must have sha256 {sha256}, got {actual}; delete it and fetch it again"
        )


def _read_file(path: Path) -> dict[str, Tensor]:
    try:  # the library compares the length of the file with what its header says
        with safe_open(path, framework="pt") as file:
            names = list(file.keys())
        tensors = {name: _read_tensor(path, name) for name in names}
    except OSError as error:
        raise OSError(f"{path} cannot be read ({error}): copy its folder to a disk of this machine") from None
    except (SafetensorError, ValueError, TypeError, KeyError):
        raise _what_else(path) from None
    for name, tensor in tensors.items():
        if tensor.dtype not in FLOATS and not name.endswith("position_ids"):
            told = f"{one_line(name)} is {tensor.dtype}: quantised and complex weights are not supported"
            raise UnsupportedModel(f"{path}: {told}")
    return tensors


def _read_tensor(path: Path, name: str) -> Tensor:
    """A copy of one tensor: a file that is replaced later does not change it.

    The file's memory map ends with each: mapped once for all, the whole file would lie in memory beside its copy.
    """
    with safe_open(path, framework="pt") as file:
        return file.get_tensor(name).clone()


def _what_else(path: Path) -> ValueError:
    """What a file is that has the name of safetensors and is none."""
    with path.open("rb") as file:
        start = file.read(8)
    if start[:4] == b"PK\x03\x04" or start[:1] == b"\x80":  # how a zip file and a pickle begin
        return PickleRefused(
            f"{path} is a pickle under another name: it can run any code when it is opened, so it is not"
        )
    if start == b"version ":
        return DamagedFile(
            f"{path} is not the weights but a pointer of Git LFS to them; run `git lfs pull` or download the file"
        )
    size = path.stat().st_size
    return DamagedFile(
        f"{path} must be a whole safetensors file, and its {size} bytes are none: fetch it again"
    )


def write_weights(path: Path, tensors: dict[str, Tensor]) -> None:
    """Write one safetensors file, wholly or not at all."""
    try:
        with replacing(path) as beside:
            save_file(tensors, beside, metadata={"format": "pt"})
    except SafetensorError as error:
        raise OSError(f"cannot write {path}: {error}") from None
