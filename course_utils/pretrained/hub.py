"""Fetch a model from the Hugging Face hub into its local cache: only what this course reads, whole or not at all.

Addresses and layout of the cache are those of `huggingface_hub`, so that other programs find what was fetched here.
That library is not used because it (2.4.0) limits neither size nor slowness: for a file announced as 532 bytes it wrote
400 MB in 6 s, and it went on waiting for one byte a second. Nor does it compare what came with the announced sha256.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import urllib.parse
from pathlib import Path
from typing import NamedTuple

from course_utils.pretrained.errors import (
    CacheError,
    DamagedFile,
    MissingFile,
    PickleRefused,
    UnsupportedModel,
)
from course_utils.pretrained.tokenizer_files import FILES, VOCABULARY, WHOLE
from course_utils.pretrained.weights import INDEX, PICKLES, SHARD, WEIGHTS, how_to_convert, verify
from course_utils.support.files import read_regular, replacing, write_atomically
from course_utils.support.given import listed
from course_utils.support.network import STALLED, TooLong, Unreachable, chunks, open_address

ENDPOINT = "https://huggingface.co"
FIRST_ANSWER = 3.0  # seconds, name look-up included: without a network one wants to know at once
SMALL = 10_000_000  # bytes; no list of files and no vocabulary is larger
LARGE = 10_000_000_000  # nor weights in one file, whatever is announced (BERT-large has 1.3e9)
COMMIT = re.compile(r"[0-9a-f]{40}")


class Announced(NamedTuple):
    """What the hub says of a file; None = nothing."""

    size: int | None
    sha256: str | None  # of large files


def cache_folder() -> Path:
    """Where `huggingface_hub` keeps what it has fetched, from the same environment variables."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(name):
            return Path(os.environ[name]).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{cache}/huggingface"
    return Path(home).expanduser() / "hub"


def model_cache(name: str) -> Path:
    """The folder of one model in the cache."""
    return cache_folder() / ("models--" + name.replace("/", "--"))


def cached_snapshot(name: str) -> Path | None:
    """The folder with the files of a model as the cache last saw it, or None."""
    try:
        commit = read_regular(model_cache(name) / "refs" / "main").decode("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    snapshot = model_cache(name) / "snapshots" / commit
    return snapshot if COMMIT.fullmatch(commit) and snapshot.is_dir() else None


def offline() -> bool:
    """Whether the environment forbids asking the hub."""
    return any(
        os.environ.get(name, "").lower() in ("1", "true", "yes", "on")
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    )


def endpoint() -> str:
    """The address of the hub or of a mirror: HF_ENDPOINT."""
    address = os.environ.get("HF_ENDPOINT", "").rstrip("/") or ENDPOINT
    if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
        raise ValueError(f"HF_ENDPOINT must be an http or https address, got {address!r}")
    return address


def download(name: str) -> Path:
    """Fetch config.json, the tokenizer and the safetensors of a model; return the folder in the cache.

    Unreachable or NotThere (course_utils.support.network) if the hub has nothing for us; one of pretrained.errors if
    the list of files shows that the model cannot be loaded, or what arrives is not what was announced.

    Args:
        name: such as "bert-base-uncased" or "owner/model".
    """
    address = f"{endpoint()}/api/models/{urllib.parse.quote(name)}/revision/main?blobs=true"
    commit, files = _file_list(_get(address), address)
    wanted = _wanted(name, files)
    root = model_cache(name)
    temporary, snapshot = root / f".incomplete-{secrets.token_hex(8)}", root / "snapshots" / commit
    try:
        temporary.mkdir(parents=True)
        for file in wanted:
            source = f"{endpoint()}/{urllib.parse.quote(name)}/resolve/{commit}/{file}"
            _fetch(source, temporary / file, files[file])
        snapshot.mkdir(parents=True, exist_ok=True)  # another program may have put some of them there already
        for file in wanted:
            (temporary / file).replace(snapshot / file)
        (root / "refs").mkdir(exist_ok=True)
        write_atomically(root / "refs" / "main", commit)
    except OSError as error:  # of the disk: those of the line are Unreachable
        raise CacheError(
            f"{name} cannot be kept in {cache_folder()} ({error.strerror or error}): make room there and make it a "
            "folder that can be written, or name another one in HF_HOME"
        ) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return snapshot


def _file_list(answer: bytes, address: str) -> tuple[str, dict[str, Announced]]:
    """The hub's answer -> commit, and for each file what the hub says of it."""
    try:
        content = json.loads(answer)
        files = {
            str(file["rfilename"]): Announced(
                None if file.get("size") is None else int(file["size"]), (file.get("lfs") or {}).get("sha256")
            )
            for file in content["siblings"]
        }
        if COMMIT.fullmatch(content["sha"]):
            return content["sha"], files
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        pass
    raise Unreachable(f"{address} does not answer like a hub: no list of a model's files")


def _wanted(name: str, files: dict[str, Announced]) -> list[str]:
    """The files to fetch, the small ones first; refuses a model that could not be loaded anyway."""
    if "config.json" not in files:
        raise UnsupportedModel(f"{name} on the hub has no config.json, which each model here has")
    if WEIGHTS in files:
        weights = [WEIGHTS]
    else:
        weights = [INDEX, *sorted(filter(SHARD.fullmatch, files))] if INDEX in files else []
    pickles = [file for file in files if file.endswith(PICKLES)]
    if not weights and pickles:
        told = f"{name} on the hub has weights only as {listed(pickles)}: a pickle can run any code when it is opened"
        fetch = f"`hf download {name} --local-dir my-bert` fetches it"
        raise PickleRefused(
            f"{told}, so it is not fetched here; {fetch}; {how_to_convert('my-bert', pickles)}"
        )
    if VOCABULARY not in files and WHOLE not in files:
        raise MissingFile(
            f"{name} on the hub has no {VOCABULARY} and no {WHOLE}; this course needs one of them"
        )
    if not weights:
        raise MissingFile(f"{name} on the hub has no {WEIGHTS}, which this course needs")
    return ["config.json", *(file for file in FILES if file in files), *weights]


def _get(address: str) -> bytes:
    """The whole of a small answer."""
    try:
        return b"".join(chunks(open_address(address, FIRST_ANSWER, what="model"), address, at_most=SMALL))
    except TooLong as error:
        raise Unreachable(str(error)) from None


def _fetch(address: str, path: Path, announced: Announced) -> None:
    """Download one file, then compare size and sha256 with what the hub announced."""
    size, most = announced.size, LARGE if SHARD.fullmatch(path.name) or path.name == WEIGHTS else SMALL
    if size is not None and size > most:
        raise DamagedFile(f"{address} must be at most {most} bytes long, and the hub announces {size}")
    try:
        with replacing(path) as beside, beside.open("wb") as file:
            response = open_address(address, STALLED, what="model")
            for chunk in chunks(response, address, at_most=SMALL if size is None else size):
                file.write(chunk)
    except TooLong as error:
        raise DamagedFile(f"{error}; try again") from None
    if size is not None and path.stat().st_size != size:
        raise DamagedFile(f"{address} must be {size} bytes long, got {path.stat().st_size}; try again")
    verify(path, announced.sha256)
