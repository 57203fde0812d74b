"""The course's own checkpoints, as data/checkpoints/checkpoints.toml describes them: the one place that says so."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from torch import nn

from course_utils.pretrained.errors import ChecksumMismatch
from course_utils.pretrained.weights import verify
from course_utils.support.paths import CHECKPOINTS

DEFAULT = "course-bert"  # what load_pretrained() opens


class SenseReadout(NamedTuple):
    """Where a checkpoint's senses are read best, chosen on the validation half of data/senses.json."""

    layer: int
    temperature: float  # τ


@cache
def course_checkpoints() -> dict[str, dict[str, Any]]:
    """Name -> its table in checkpoints.toml."""
    return tomllib.loads((CHECKPOINTS / "checkpoints.toml").read_text(encoding="utf-8"))


def checkpoint_of(folder: Path) -> str | None:
    """The name of the course's checkpoint that lies in a folder; None for any other folder."""
    folder = folder.resolve()
    known = folder.parent == CHECKPOINTS.resolve() and folder.name in course_checkpoints()
    return folder.name if known else None


def check_as_shipped(name: str) -> None:
    """Compare a checkpoint with its sums: one flipped bit changes what it says, and nobody would see why."""
    for file, sha256 in course_checkpoints()[name]["sha256"].items():
        path = CHECKPOINTS / name / file
        if not path.is_file():
            continue  # whoever opens it says what is missing
        try:
            verify(path, sha256)
        except ChecksumMismatch:
            raise ChecksumMismatch(
                f"{path} is not as the course ships it: `git -C {path.parent} checkout -- .` brings it back, or "
                "download the course again, and keep a model of your own in another folder"
            ) from None


def put_readout(model: nn.Module, name: str) -> None:
    """Let a model know where its senses are read: its BertModel gets the attribute sense_readout."""
    senses = course_checkpoints()[name]["senses"]
    getattr(model, "bert", model).sense_readout = SenseReadout(senses["layer"], senses["temperature"])


def sense_readout(model: nn.Module) -> SenseReadout | None:
    """What put_readout left on a model; None if it is no checkpoint of the course."""
    return getattr(getattr(model, "bert", model), "sense_readout", None)
