"""How the parts of a task are told apart and held apart."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from course_utils.datasets.set_aside import SetAside, letters
from course_utils.tasks.data import PARTS

Row = TypeVar("Row")

TEST, VALIDATION = 0.25, 0.15  # of the keys; the rest is for training


def parts_by_hash(task: str, keys: Iterable[str]) -> dict[str, str]:
    """Key -> "train", "validation" or "test", 60 to 15 to 25 of a hundred.

    The keys are ordered by the sha256 of "task key"; the first are the test part, then comes the validation part. Each
    counts once, and may fall otherwise in another task.
    """
    ordered = sorted(dict.fromkeys(keys), key=lambda key: hashlib.sha256(f"{task} {key}".encode()).digest())
    test = round(TEST * len(ordered))
    validation = test + round(VALIDATION * len(ordered))
    return {
        key: "test" if place < test else "validation" if place < validation else "train"
        for place, key in enumerate(ordered)
    }


def held_apart(
    parts: dict[str, list[Row]], sentences: Callable[[Row], Sequence[str]]
) -> dict[str, list[Row]]:
    """The rows that stay, so that no sentence stands in two parts.

    The test part stays whole. Of the others a row is left out if one of its sentences stands in a later part, if it
    came before in its own, or if a sentence has neither letter nor digit. Sentences are compared as before pre-training
    (datasets/set_aside.py): by letters and digits, and a long one is also found inside a longer one.
    """
    kept = {"test": parts["test"]}
    for part in ("validation", "train"):
        later = SetAside(text for rows in kept.values() for row in rows for text in sentences(row))
        seen: set[tuple[str, ...]] = set()
        kept[part] = []
        for row in parts[part]:
            keys = tuple(map(letters, sentences(row)))
            if all(keys) and keys not in seen and not any(map(later.holds, keys)):
                seen.add(keys)
                kept[part].append(row)
    return {part: kept[part] for part in PARTS}
