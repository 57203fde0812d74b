"""The public corpora's layouts: each file becomes documents, lists of sentences; what is made of them: public.py.

Where the files come from, and their licences: download.py. None of them is part of the course.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

Documents = Iterator[list[str]]


class Review(NamedTuple):
    """A film review of nsmc_raw.tsv.gz."""

    film: str
    rating: int  # 1 to 10
    text: str


def read_reviews(file: Path) -> Iterator[Review]:
    """The reviews: review id, film id, rating and text in a line, with tabs between."""
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            _, film, rating, text = line.rstrip("\n").split("\t")
            yield Review(film, int(rating), text)


def korsts(file: Path) -> Documents:
    """A pair of paraphrases is two documents: sentences that merely share a row do not follow each other."""
    for document in _table(file, "sentence1", "sentence2", delimiter="\t", quoting=csv.QUOTE_NONE):
        yield from ([sentence] for sentence in document)


def json_pairs(first: str, second: str) -> Callable[[Path], Documents]:
    """A reader of a list of objects with a sentence under each of two names; both are documents."""

    def read(file: Path) -> Documents:
        for entry in json.loads(file.read_text(encoding="utf-8")):
            yield [entry[first]]
            yield [entry[second]]

    return read


def klue_ner(file: Path) -> Documents:
    """Only the comments hold whole sentences: `## id <tab> sentence`, with entities as <text:TAG>."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("## klue-ner") and "\t" in line:
            yield [_without_tags(line.split("\t", 1)[1])]


def _without_tags(sentence: str) -> str:
    """'<서울:LC>에서' -> '서울에서'."""
    for tag in ("PS", "LC", "OG", "DT", "TI", "QT"):
        sentence = sentence.replace(f":{tag}>", "")
    return sentence.replace("<", "")


def chat(file: Path) -> Documents:
    """A question and its answer are a document."""
    return _table(file, "Q", "A", delimiter=",")


def conllu(file: Path) -> Documents:
    """Sentences from `# text = …`; `# sent_id = M2TA_069-s1` is the first one of the document M2TA_069."""
    sentences = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# sent_id = "):
            document = line.removeprefix("# sent_id = ").rpartition("-")[0]
        elif line.startswith("# text = "):
            sentences.append((document, line.removeprefix("# text = ")))
    for _, same in groupby(sentences, key=lambda pair: pair[0]):
        yield [text for _, text in same]


def _table(file: Path, *columns: str, delimiter: str, quoting: int = csv.QUOTE_MINIMAL) -> Documents:
    """The named columns of a table with a header, one document a row."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines, delimiter=delimiter, quoting=quoting):
            yield [row[column] or "" for column in columns]
