"""names.jsonl: the sentences of KLUE NER's validation file with their names.

That file has a tag for each character. A name is kept as its letters with their place, from which tags of words are
made when it is read (course_utils/tasks/tags.py): nothing is lost, and a particle is no part of a name.
"""

from __future__ import annotations

import json
import re

from course_utils.datasets.download import find_file
from course_utils.datasets.rude import rude_stem
from course_utils.datasets.set_aside import letters
from course_utils.tasks.data import PARTS
from course_utils.tasks.words import Name
from experiments.task_data.splitting import held_apart, parts_by_hash

_ID = re.compile(r"^## (klue-ner-\S+)\t", re.M)


def make() -> list[dict]:
    return select(find_file("klue-ner-v1.1_dev.tsv").read_text(encoding="utf-8"))


def select(text: str) -> list[dict]:
    """The sentences without rude words, part by part; a hash of its letters says which part one belongs to."""
    rows = []
    for block in text.split("\n\n"):
        if found := _ID.search(block):
            sentence, names = sentence_of(block)
            if not rude_stem(sentence):
                rows.append({"id": found[1], "text": sentence, "names": names})
    part_of = parts_by_hash("names", (letters(row["text"]) for row in rows))
    parts = {part: [row for row in rows if part_of[letters(row["text"])] == part] for part in PARTS}
    kept = held_apart(parts, lambda row: [row["text"]])
    return [{"id": row["id"], "part": part, **row} for part, found in kept.items() for row in found]


def sentence_of(block: str) -> tuple[str, list[Name]]:
    """The sentence and its names: from "서\\tB-LC\\n울\\tI-LC\\n에\\tO" -> ("서울에", [(0, "서울", "LC")])."""
    rows = [line.split("\t") for line in block.split("\n") if line and not line.startswith("##")]
    text = "".join(char for char, _ in rows)
    spans: list[list] = []
    for place, (_, tag) in enumerate(rows):
        if tag.startswith("B-"):
            spans.append([place, place, tag[2:]])
        if tag != "O":
            spans[-1][1] = place + 1
    return text.rstrip(), [_mended(start, text[start:end], kind) for start, end, kind in spans]


def _mended(start: int, name: str, kind: str) -> Name:
    """Without what slipped in at its beginning: a blank, a quotation's <, a bracket that is not closed in it."""
    while name[0] in " <" or (name[0] == "(" and ")" not in name):
        start, name = start + 1, name[1:]
    return Name(start, name, kind)


def written(row: dict) -> str:
    return json.dumps(row, ensure_ascii=False)
