"""The closing exam of notebook 20: every link leads to a cell, and the cell says what the answer quotes."""

from __future__ import annotations

import json
import re

import pytest

from course_utils.course import notebooks
from course_utils.support.paths import NOTEBOOKS

EXAM = "20_reading_the_paper"
LINK = re.compile(r"\[([^]]+)\]\(([\w.]+\.ipynb)#cell-id=([\w-]+)\) `([^`]+)`")


def cells(file: str) -> list[dict]:
    return json.loads((NOTEBOOKS / file).read_text("utf-8"))["cells"]


def questions() -> dict[int, str]:
    """Number -> all of its text, answer and links included."""
    text = "\n".join(
        "".join(cell["source"]) for cell in cells(f"{EXAM}.ipynb") if cell["cell_type"] == "markdown"
    )
    exam = text.split("마치는 시험", 1)[1].split("## 정리", 1)[0]
    parts = re.split(r"^\*\*(\d+)\.\*\* ", exam, flags=re.MULTILINE)
    return {int(number): part for number, part in zip(parts[1::2], parts[2::2], strict=True)}


def said_by(cell: dict) -> str:
    """What a cell holds and prints."""
    texts = ["".join(cell["source"])]
    for output in cell.get("outputs", []):
        texts += ["".join(output.get("text", "")), "".join(output.get("data", {}).get("text/plain", ""))]
    return "\n".join(texts)


def complaints(text: str) -> list[str]:
    """What is wrong with the links of a question."""
    found = LINK.findall(text)
    if len(found) != text.count("](") or not found:
        return [f"{text.count('](')} links, {len(found)} of them to a cell with what it says"]
    wrong = []
    for name, file, wanted, said in found:
        known = {cell["id"]: cell for cell in cells(file)} if (NOTEBOOKS / file).exists() else {}
        if not name.startswith(file[:2]):
            wrong.append(f"{name} is not {file}")
        elif wanted not in known:
            wrong.append(f"{file} has no cell {wanted}")
        elif known[wanted]["cell_type"] != "code" or said not in said_by(known[wanted]):
            wrong.append(f"{file}, {wanted} does not say {said!r}")
    return wrong


QUESTIONS = questions()


def test_there_are_twenty_and_each_notebook_answers_one():
    """But for 21, which goes through all of it once and asks nothing of its own."""
    assert list(QUESTIONS) == list(range(1, 21))
    asked = {file for text in QUESTIONS.values() for _, file, *_ in LINK.findall(text)}
    assert asked == {f"{row.file}.ipynb" for row in notebooks("ko") if row.number <= EXAM[:2]}


@pytest.mark.parametrize("number", QUESTIONS)
def test_the_linked_cell_answers(number):
    assert complaints(QUESTIONS[number]) == []


@pytest.mark.parametrize("number", QUESTIONS)
def test_the_answer_is_folded(number):
    asked, folded = QUESTIONS[number].split("<details>", 1)
    assert "](" not in asked and "`" not in asked and folded.rstrip().endswith("</details>")
    assert asked.strip().endswith(("?", "."))


def test_a_dead_link_is_seen():
    link = "[00번의 셀](00_start_here.ipynb#cell-id=00-028) `코사인 0.577`"
    assert complaints(link) == []
    for old, new in (
        ("00-028", "00-999"),
        ("00_start", "00_end"),
        ("0.577", "0.578"),
        ("[00번", "[01번"),
        ("00-028", "00-027"),  # the prose above the cell
        ("#cell-id=00-028", ""),
    ):
        assert complaints(link.replace(old, new)), new
    assert complaints("없음")
