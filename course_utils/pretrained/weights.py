"""Tensors on disk: safetensors files, whole or in shards. Pickles are never opened."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from course_utils.pretrained.config_file import read_json, setting
from course_utils.pretrained.errors import (
    ChecksumMismatch,
    DamagedFile,
    MissingFile,
    PickleRefused,
    UnsupportedModel,
    listed,
)
from course_utils.support.files import check_regular, replacing
from course_utils.support.foreign_json import parse_object
from course_utils.support.given import one_line, one_text, path_of

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
SHARD = re.compile(r"model-\d+-of-\d+\.safetensors")
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
LARGEST_HEADER = 100_000_000  # bytes; the format's own limit


def read_weights(folder: Path, checksums: dict[str, str] | None = None) -> dict[str, Tensor]:
    """Every tensor of a model folder, under its name in the file, in the type it is stored in.

    Args:
        folder: holds model.safetensors, or shards and their index.
        checksums: file name -> sha256 in hexadecimal, for the files where it is known.

    Raises:
        PickleRefused: if there are only pickled weights.
        MissingFile: if there are none, or a shard is missing.
        ChecksumMismatch, DamagedFile: if a file is not the published one, or is broken.
        UnsupportedModel: if a tensor is not of a floating type (quantised weights).
    """
    checksums = checksums or {}
    if (folder / WEIGHTS).is_file():
        verify(folder / WEIGHTS, checksums.get(WEIGHTS))
        return _read_file(folder / WEIGHTS)
    if not (folder / INDEX).is_file():
        pickles = [file.name for file in sorted(folder.iterdir()) if file.name.endswith(PICKLES)]
        if pickles:
            raise PickleRefused(
                f"{folder} holds its weights only as {listed(pickles)}: a pickle can run any code when it is "
                f"opened, so it is not; ask for {WEIGHTS}"
            )
        raise MissingFile(f"{folder} has no weights: neither {WEIGHTS} nor {INDEX}")
    return _read_shards(folder, checksums)


def _read_shards(folder: Path, checksums: dict[str, str]) -> dict[str, Tensor]:
    """Every tensor that the index names, each from the shard it names."""
    where = setting(read_json(folder / INDEX), "weight_map", dict, source=folder / INDEX)
    if not where or not all(isinstance(file, str) for file in where.values()):
        raise DamagedFile(f"{folder / INDEX} must say in weight_map which file holds which tensor")
    tensors: dict[str, Tensor] = {}
    for shard in sorted(set(where.values())):
        if not SHARD.fullmatch(shard):
            raise DamagedFile(
                f"{folder / INDEX} must name files like model-00001-of-00002.safetensors, got {shard!r}"
            )
        if not (folder / shard).is_file():
            raise MissingFile(f"{folder} has no {shard}, which {INDEX} names; fetch it too")
        verify(folder / shard, checksums.get(shard))
        part = _read_file(folder / shard)
        named = {name for name, file in where.items() if file == shard}
        if set(part) != named:
            raise DamagedFile(
                f"{shard} and {INDEX} disagree about {listed(list(set(part) ^ named))}; fetch both again"
            )
        tensors |= part
    return tensors


def verify(path: Path, sha256: str | None) -> None:
    """Compare a file with its published sha256, where that is known.

    Raises:
        ChecksumMismatch: if they differ.
        ValueError: if path is none, or sha256 no text.
        OSError: if the file cannot be read.
    """
    path = path_of("path", path)
    if sha256 is None:
        return
    check_regular(path)
    sha256 = one_line(one_text("sha256", sha256), 64)
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != sha256:
        raise ChecksumMismatch(
            f"{path} must have sha256 {sha256}, got {actual}; delete it and fetch it again"
        )


def _read_file(path: Path) -> dict[str, Tensor]:
    _check_whole(path)
    try:
        with safe_open(path, framework="pt") as file:
            names = list(file.keys())
        tensors = {name: _read_tensor(path, name) for name in names}
    except (SafetensorError, OSError, ValueError, TypeError, KeyError) as error:
        raise DamagedFile(f"{path} must be a safetensors file, got: {error}; fetch it again") from None
    for name, tensor in tensors.items():
        if tensor.dtype not in FLOATS and not name.endswith("position_ids"):
            raise UnsupportedModel(
                f"{path}: {name} is {tensor.dtype}: quantised and complex weights are not supported"
            )
    return tensors


def _read_tensor(path: Path, name: str) -> Tensor:
    """A copy of one tensor: a file that is replaced later does not change it.

    The file's memory map ends with each: mapped once for all, the whole file would lie in memory beside its copy.
    """
    with safe_open(path, framework="pt") as file:
        return file.get_tensor(name).clone()


def _check_whole(path: Path) -> None:
    """Read the header alone and see whether the file is as long as it says.

    The format: 8 bytes with the length N of the header, N bytes of JSON that say where each tensor lies, the data.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        broken = DamagedFile(
            f"{path} must be a safetensors file, got {size} bytes without its header; fetch it again"
        )
        if size < 8 or not 2 <= length <= min(LARGEST_HEADER, size - 8):
            if start[:4] == b"PK\x03\x04" or start[:1] == b"\x80":  # how a zip file and a pickle begin
                raise PickleRefused(
                    f"{path} is a pickle under another name: it can run any code when it is opened, so it is not"
                )
            if start == b"version ":
                raise DamagedFile(
                    f"{path} is not the weights but a pointer of Git LFS to them; run `git lfs pull` "
                    "or download the file"
                )
            raise broken
        try:
            header = parse_object(file.read(length), source=str(path), at_most=LARGEST_HEADER)
            ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
            expected = 8 + length + max(map(int, ends), default=0)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError):
            raise broken from None
    if size != expected:
        raise DamagedFile(
            f"{path} must be {expected} bytes long by its own header, got {size}: it is "
            f"{'cut off' if size < expected else 'too long'}; fetch it again"
        )


def write_weights(path: Path, tensors: dict[str, Tensor]) -> None:
    """Write one safetensors file, wholly or not at all.

    Raises:
        OSError: if the file cannot be written (no space left, no permission).
    """
    try:
        with replacing(path) as beside:
            save_file(tensors, beside, metadata={"format": "pt"})
    except SafetensorError as error:
        raise OSError(f"cannot write {path}: {error}") from None
