"""parts_of_speech.tsv: the words of UD Korean Kaist and their universal parts of speech.

A word is what stands between blanks, as it is written, marks apart: 고향은, not 고향+은, which the corpus has beside
it. Its part of speech is that of the whole word: 잠에서 is an ADV there, because of its particle.

The test file is the test part. Of the dev file whole documents are the validation part: sentences of one book are
alike.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from typing import NamedTuple

from course_utils.datasets.download import find_file
from experiments.task_data.splitting import held_apart

COLUMNS = ("id", "part", "words", "tags")
VALIDATION = 0.15  # of the sentences of the dev file, at least


class Sentence(NamedTuple):
    """A sentence of the corpus; "M2TA_069-s1" is the first one of the document M2TA_069."""

    id: str
    words: str
    tags: str

    @property
    def document(self) -> str:
        return self.id.rpartition("-")[0]


def make() -> list[tuple[str, ...]]:
    dev, test = (
        read(find_file(f"ko_kaist-ud-{file}.conllu").read_text(encoding="utf-8")) for file in ("dev", "test")
    )
    return select(dev, test)


def read(text: str) -> list[Sentence]:
    """The sentences of a CoNLL-U file: column 2 is the word, column 4 its universal part of speech."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        name = next(line.partition(" = ")[2] for line in lines if line.startswith("# sent_id"))
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        words = (unicodedata.normalize("NFC", row[1]) for row in rows)
        found.append(Sentence(name, " ".join(words), " ".join(row[3] for row in rows)))
    return found


def select(dev: list[Sentence], test: list[Sentence]) -> list[tuple[str, ...]]:
    """The rows: all of the test file, and those of the dev file that held_apart keeps."""
    sizes = Counter(sentence.document for sentence in dev)
    held: set[str] = set()
    for document in sorted(sizes, key=lambda name: hashlib.sha256(name.encode()).digest()):
        if sum(sizes[one] for one in held) < VALIDATION * len(dev):
            held.add(document)
    parts = {
        "train": [sentence for sentence in dev if sentence.document not in held],
        "validation": [sentence for sentence in dev if sentence.document in held],
        "test": test,
    }
    kept = held_apart(parts, lambda sentence: [sentence.words])
    return [(one.id, part, one.words, one.tags) for part, found in kept.items() for one in found]
