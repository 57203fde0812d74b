"""The files of data/tasks/: what data/README.md says of them, and that no two parts of one share anything."""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from course_utils.datasets import public
from course_utils.datasets.corpus import DATA, WHOLE_CORPUS, read_documents
from course_utils.datasets.nearness import NearCopies
from course_utils.datasets.rude import rude_stem
from course_utils.datasets.set_aside import SetAside, film_part, letters
from course_utils.tasks import data
from course_utils.tasks.data import PARTS, TASKS
from experiments.task_data import __main__ as tool
from experiments.task_data.splitting import parts_by_hash

FILES = {
    "reviews.tsv": (data.read_reviews, lambda row: [row.text]),
    "pairs.tsv": (data.read_pairs, lambda row: [row.first, row.second]),
    "names.jsonl": (data.read_names, lambda row: [row.text]),
    "parts_of_speech.tsv": (data.read_parts_of_speech, lambda row: [row.text]),
    "dialect.tsv": (data.read_dialects, lambda row: [row.text]),
    "questions.jsonl": (data.read_questions, lambda row: [row.passage, row.question]),
}
EXAMPLES = {name: read() for name, (read, _) in FILES.items()}
LARGEST = 6_000_000  # bytes, of all together
MIRROR = Path(os.environ.get("COURSE_DATA_MIRROR") or "/nowhere")
with_mirror = pytest.mark.skipif(
    not (MIRROR / "nsmc_raw.tsv.gz").is_file(), reason="COURSE_DATA_MIRROR names no public corpora"
)


def lines(name: str) -> list[str]:
    return (TASKS / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


@cache
def cells(name: str) -> list[dict[str, str]]:
    """The rows of a .tsv, read as plainly as can be."""
    header, *rows = (line.split("\t") for line in lines(name))
    return [dict(zip(header, row, strict=True)) for row in rows]


@cache
def objects(name: str) -> list[dict]:
    return [json.loads(line) for line in lines(name)]


@cache
def texts(name: str, part: str) -> set[str]:
    """The sentences of a part by their letters."""
    return {letters(text) for row in EXAMPLES[name][part] for text in FILES[name][1](row)}


# --- what the datasheets say ------------------------------------------------------------------------------------------


def table() -> list[str]:
    """The lines of data/README.md that count the rows of all files, and tell their sums."""
    found = []
    for name in FILES:
        rows = cells(name) if name.endswith(".tsv") else objects(name)
        parts = Counter(row["part"] for row in rows)
        content = (TASKS / name).read_bytes()
        numbers = (f"{number:,}" for number in (*(parts[part] for part in PARTS), len(content)))
        found.append(f"| {name} | {' | '.join(numbers)} | {hashlib.sha256(content).hexdigest()} |")
    return found


def test_the_numbers_of_the_datasheets_are_those_of_the_files():
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    section = readme.partition("\n## tasks/\n")[2].partition("\n### ")[0]
    said = [line for line in section.split("\n") if re.match(r"[|] .* [|] [\d,]+ [|]", line)]
    assert said == table()


def test_the_files_are_these_and_small():
    assert {file.name for file in TASKS.iterdir()} == set(FILES)
    assert sum(file.stat().st_size for file in TASKS.iterdir()) <= LARGEST


@pytest.mark.parametrize("name", FILES)
def test_every_text_is_clean(name):
    content = (TASKS / name).read_bytes()
    assert content.endswith(b"\n") and b"\r" not in content and not content.startswith(b"\xef\xbb\xbf")
    for part in PARTS:
        for row in EXAMPLES[name][part]:
            for text in FILES[name][1](row):
                assert unicodedata.normalize("NFC", text) == text and text == text.strip(), text


# --- the parts share nothing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_no_sentence_stands_in_two_parts(name):
    for one, other in combinations(PARTS, 2):
        assert texts(name, one) & texts(name, other) == set(), (one, other)
    if name != "questions.jsonl":  # the beginning of a question is anybody's
        for earlier, later in combinations(PARTS, 2):
            apart = SetAside(texts(name, later))
            assert [text for text in texts(name, earlier) if apart.holds(text)] == [], (earlier, later)


def test_no_film_thought_or_passage_stands_in_two_parts():
    groups = [
        [(row["film"], row["part"]) for row in cells("reviews.tsv")],
        [(row["thought"], row["part"]) for row in cells("dialect.tsv")],
        [(row["passage"], row["part"]) for row in objects("questions.jsonl")],
        [(row["title"], row["part"]) for row in objects("questions.jsonl")],
    ]
    for pairs in groups:
        assert len({group for group, _ in set(pairs)}) == len(set(pairs)) > 200


def test_reviews_are_of_films_that_were_not_pretrained_on_none_rude_as_many_good_as_bad():
    assert all(film_part(row["film"]) == row["part"] for row in cells("reviews.tsv"))
    assert [row["text"] for row in cells("reviews.tsv") if rude_stem(row["text"])] == []
    for part in PARTS:
        assert 2 * sum(row.label for row in EXAMPLES["reviews.tsv"][part]) == len(
            EXAMPLES["reviews.tsv"][part]
        )


def test_what_was_written_is_split_by_the_hash_that_the_datasheet_names():
    thoughts = {row["thought"]: row["part"] for row in cells("dialect.tsv")}
    passages = {row["id"]: row["part"] for row in objects("questions.jsonl")}
    assert thoughts == parts_by_hash("dialect", thoughts) and passages == parts_by_hash("questions", passages)


def test_sentences_of_a_document_stay_together():
    documents = {(row["id"].rpartition("-")[0], row["part"]) for row in cells("parts_of_speech.tsv")}
    assert len(documents) == len({document for document, _ in documents}) == 17


# --- each task is what it says ----------------------------------------------------------------------------------------


def test_each_thought_stands_there_in_all_six_ways():
    rows = [row for part in PARTS for row in EXAMPLES["dialect.tsv"][part]]
    ways = Counter((row.thought, row.dialect) for row in rows)
    assert set(ways.values()) == {1} and len(ways) == 6 * len({row.thought for row in rows})
    assert len({row.text for row in rows}) == len(rows)
    assert all((row.features == ()) == (row.dialect == "표준어") for row in rows)


def test_a_third_of_the_questions_has_no_answer():
    rows = [row for part in PARTS for row in EXAMPLES["questions.jsonl"][part]]
    assert len(rows) >= 1_200 and len({row.question for row in rows}) == len(rows)
    for part in PARTS:
        without = sum(row.answer is None for row in EXAMPLES["questions.jsonl"][part])
        assert 0.3 < without / len(EXAMPLES["questions.jsonl"][part]) < 0.37


def test_no_test_text_stands_in_the_corpus_of_the_course():
    documents = read_documents(WHOLE_CORPUS)
    corpus = {letters(sentence) for document in documents for sentence in document}
    assert {name: texts(name, "test") & corpus for name in FILES} == {name: set() for name in FILES}


def test_what_was_written_stands_in_no_sentence_of_the_corpus_and_near_none_of_the_senses():
    near = NearCopies(public.held_out_sentences())
    documents = read_documents(WHOLE_CORPUS)
    corpus = {letters(sentence) for document in documents for sentence in document}
    for name in ("dialect.tsv", "questions.jsonl"):
        for part in PARTS:
            for row in EXAMPLES[name][part]:
                for text in FILES[name][1](row):
                    for sentence in re.split(r"(?<=[.?!]) ", text):
                        assert letters(sentence) not in corpus and not near.of(sentence), sentence


# --- where the public corpora are -------------------------------------------------------------------------------------


@with_mirror
@pytest.mark.parametrize(
    "name",
    ["pairs.tsv", "names.jsonl", "parts_of_speech.tsv", pytest.param("reviews.tsv", marks=pytest.mark.slow)],
)
def test_the_tool_makes_the_same_bytes(name, tmp_path):
    tool.make([name], tmp_path)
    assert (tmp_path / name).read_bytes() == (TASKS / name).read_bytes()
