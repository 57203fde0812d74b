"""pairs.tsv: KorSTS in its own parts.

The test part is whole. Of the others a pair is left out if one of its sentences stands in a later part: the parts of
STS-B share sentences, and a model would be asked what it has seen. Left out are also a pair that came before, and one
with a sentence without a letter.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

from course_utils.datasets.download import find_file
from experiments.task_data.splitting import held_apart

COLUMNS = ("part", "score", "first", "second")
FILES = {"train": "korsts-train.tsv", "validation": "korsts-dev.tsv", "test": "korsts-test.tsv"}

Pair = tuple[str, str, str]  # score, first, second


def make() -> list[tuple[str, ...]]:
    return select({part: read(find_file(name)) for part, name in FILES.items()})


def read(file: Path) -> list[Pair]:
    """The pairs of a file whose last columns are the score and two sentences; 3.800 becomes 3.8."""
    found = []
    for line in file.read_text(encoding="utf-8").rstrip("\n").split("\n")[1:]:
        *_, score, first, second = line.split("\t")
        sentences = (" ".join(unicodedata.normalize("NFC", one).split()) for one in (first, second))
        found.append((f"{float(score):g}", *sentences))
    return found


def select(pairs: dict[str, list[Pair]]) -> list[tuple[str, ...]]:
    kept = held_apart(pairs, lambda pair: pair[1:])
    return [(part, *pair) for part, found in kept.items() for pair in found]
