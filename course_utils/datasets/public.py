"""Public Korean text as documents: each file's own layout is read here, and only here.

Where the files come from, and their licences: download.py. None of them is part of the course.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from course_utils.datasets.download import find_file, must_be_published

Documents = Iterator[list[str]]


def _table(file: Path, *columns: str, delimiter: str, quoting: int = csv.QUOTE_MINIMAL) -> Documents:
    """The named columns of a table with a header, one document a row."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines, delimiter=delimiter, quoting=quoting):
            yield [row[column] or "" for column in columns]


def _one_by_one(documents: Documents) -> Documents:
    """Sentences that merely share a row (a sentence and its paraphrase) do not make a document."""
    for document in documents:
        for sentence in document:
            yield [sentence]


def _korsts(file: Path) -> Documents:
    return _one_by_one(_table(file, "sentence1", "sentence2", delimiter="\t", quoting=csv.QUOTE_NONE))


def _json(first: str, second: str) -> Callable[[Path], Documents]:
    def read(file: Path) -> Documents:
        for entry in json.loads(file.read_text(encoding="utf-8")):
            yield [entry[first]]
            yield [entry[second]]

    return read


def _ner(file: Path) -> Documents:
    """Only the comments hold whole sentences: `## id <tab> sentence`, with entities as <text:TAG>."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("## klue-ner") and "\t" in line:
            yield [_without_tags(line.split("\t", 1)[1])]


def _without_tags(sentence: str) -> str:
    """'<서울:LC>에서' -> '서울에서'."""
    for tag in ("PS", "LC", "OG", "DT", "TI", "QT"):
        sentence = sentence.replace(f":{tag}>", "")
    return sentence.replace("<", "")


def _chat(file: Path) -> Documents:
    return _table(file, "Q", "A", delimiter=",")


def _reviews(file: Path) -> Documents:
    return _table(file, "document", delimiter="\t", quoting=csv.QUOTE_NONE)


READERS: dict[str, Callable[[Path], Documents]] = {
    "korsts-train.tsv": _korsts,
    "korsts-dev.tsv": _korsts,
    "korsts-test.tsv": _korsts,
    "klue-nli-v1.1_dev.json": _json("premise", "hypothesis"),
    "klue-sts-v1.1_dev.json": _json("sentence1", "sentence2"),
    "klue-ner-v1.1_dev.tsv": _ner,
    "ChatbotData.csv": _chat,
    "nsmc_sample.tsv": _reviews,
    "ratings_train.txt": _reviews,
}
_REVIEWS = ("nsmc_sample.tsv", "ratings_train.txt")  # one in place of the other
GROUPS = {
    "all": tuple(name for name in READERS if name != _REVIEWS[1]),
    "published": tuple(name for name in READERS if name != _REVIEWS[0]),  # needs no mirror
}


def public_documents(names: Sequence[str] = GROUPS["all"]) -> list[list[str]]:
    """The documents of public corpora; repeated ones are left out.

    Args:
        names: of READERS, or of GROUPS: "all" has nsmc_sample.tsv, "published" has ratings_train.txt in its place.

    Raises:
        ValueError: if a name is unknown.
        OSError: if a file is neither here nor can be fetched.
    """
    wanted = [name for given in names for name in GROUPS.get(given, (given,))]
    unknown = [name for name in wanted if name not in READERS]
    if unknown:
        raise ValueError(
            f"the public corpora are {', '.join(READERS)}, or 'all', or 'published'; got {', '.join(unknown)}"
        )
    for name in wanted:
        must_be_published(name)
    documents: dict[tuple[str, ...], None] = {}
    for name in wanted:
        for document in READERS[name](find_file(name)):
            sentences = tuple(sentence.strip() for sentence in document if sentence and sentence.strip())
            if sentences:
                documents.setdefault(sentences)
    return [list(sentences) for sentences in documents]
