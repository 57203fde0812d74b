"""Vectors on the disk: read if they are those that are wanted, computed and written if not.

A file is named by a key, the sha256 of everything that decides the vectors: the weights, the vocabulary, the sentences.
The key also stands in the file, and so does the sha256 of what it holds: a file that was cut off, changed or renamed is
told in a warning and replaced, and its vectors are never used.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from course_utils.support.files import check_regular, replacing
from course_utils.support.folders import remove_leftovers, run_folder
from course_utils.support.given import one_line
from course_utils.tokenization import WordPieceTokenizer

KIND = "layer-vectors"  # of the folder, and how its files are called
FORMAT = 2  # counts up when the same key stands for other vectors


class _Unusable(ValueError):
    """Why a file cannot be used."""


def feature_key(
    bert: nn.Module, tokenizer: WordPieceTokenizer, texts: Sequence, words: str | None, room: int
) -> str:
    """The sha256, in hexadecimal, of all that decides the vectors; the pooler does not, nor does the device."""
    settings = tokenizer.lowercase, tokenizer.strip_accents, tokenizer.max_word_length
    told = [FORMAT, repr(bert.config), sorted(tokenizer.vocab.items()), settings, texts, words, room]
    digest = hashlib.sha256(json.dumps(told).encode())
    weights = {name: tensor for name, tensor in bert.state_dict().items() if not name.startswith("pooler.")}
    return _hashed(weights, digest)


def stored(cache: str | Path, key: str, compute: Callable[[], dict[str, Tensor]]) -> dict[str, Tensor]:
    """The tensors of a key: from the folder, where it has them, or else computed and put there.

    Args:
        cache: a folder for nothing else; it is made and marked, see support/folders.py.
        key, compute: feature_key's, and what makes name -> tensor, contiguous, in the memory of the processor.

    Raises:
        ValueError: if cache is a folder of something else; nothing in it is touched.
        OSError: if it cannot be written or read, or another process is at work in it.
    """
    folder = Path(cache)
    path = folder / f"{KIND}-{key[:16]}.safetensors"
    with run_folder(folder, KIND):
        remove_leftovers(folder, [path.name])
        if path.exists():
            try:
                return _read(path, key)
            except _Unusable as reason:
                told = f"{one_line(str(path), 150)} {reason}: the vectors are computed anew"
                warnings.warn(told, stacklevel=3)
        tensors = compute()
        _write(path, key, tensors)
        return tensors


def _write(path: Path, key: str, tensors: dict[str, Tensor]) -> None:
    """Write a file, wholly or not at all."""
    metadata = {"key": key, "sha256": _hashed(tensors, hashlib.sha256())}
    try:
        with replacing(path) as beside:
            save_file(tensors, beside, metadata=metadata)
    except SafetensorError as error:
        raise OSError(f"cannot write {path}: {one_line(str(error))}") from None


def _read(path: Path, key: str) -> dict[str, Tensor]:
    """The tensors of a file that is whole and of this key."""
    check_regular(path)
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            if metadata.get("key", key) != key:
                raise _Unusable("holds the vectors of other weights, another vocabulary or other sentences")
            names = list(file.keys())
            tensors = {name: file.get_tensor(name).clone() for name in names}
    except (SafetensorError, UnicodeDecodeError):
        raise _Unusable("is cut off, or no file of safetensors") from None
    if "key" not in metadata or metadata.get("sha256") != _hashed(tensors, hashlib.sha256()):
        raise _Unusable("was changed, or not made by the course")
    return tensors


def _hashed(tensors: dict[str, Tensor], digest: hashlib._Hash) -> str:
    """The digest goes on over the name, type, shape and bytes of each tensor; in hexadecimal."""
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()
