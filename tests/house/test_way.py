"""The links that lead through the course: up to date in every notebook, and none of them dead."""

import json
import re

import pytest

from course_utils.course import notebooks
from course_utils.support.paths import NOTEBOOKS
from dev import way

ROWS = notebooks("ko")
KNOWN = {row.number: row for row in ROWS}
LINK = re.compile(r"\]\((?!https?:|#)([^)#]*)(?:#cell-id=([\w-]+))?\)")


def cells(file: str) -> list[dict]:
    return json.loads((NOTEBOOKS / file).read_text("utf-8"))["cells"]


def test_every_notebook_is_up_to_date():
    assert [file.name for file in way.stale()] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_no_link_is_dead(row):
    texts = [
        "".join(cell["source"]) for cell in cells(f"{row.file}.ipynb") if cell["cell_type"] == "markdown"
    ]
    links = [
        found for text in texts for found in LINK.findall(re.sub(way.LEFT_ALONE.split(r"|\[")[0], "", text))
    ]
    assert len(links) >= 3
    for file, cell in links:
        assert (NOTEBOOKS / file).is_file(), file
        assert not cell or cell in {one["id"] for one in cells(file)}, f"{file}#{cell}"
    ends = [text for text in texts if way.NEIGHBOURS.search(text)]
    assert ends[0] == texts[0] and len(ends) == 2 and ends[1].startswith(way.END)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("03번의 마스크", "[03번](03_masking.ipynb)의 마스크"),
        ("(14번)과 02번부터", "([14번]({14}))과 [02번]({02})부터"),
        ("[03번](old_name.ipynb)", "[03번](old_name.ipynb)"),
        ("[03번](03_old.ipynb)", "[03번](03_masking.ipynb)"),
        ("다음은 **16 미세**입니다", "다음은 [**16 미세 조정**]({16})입니다"),
        ("[03번의 셀](03_masking.ipynb#cell-id=03-004)", None),
        ("# 03번\n`03번` $03번$ 05번 250번 13,03번 **15 %** 22번", None),
        ("마지막 20번, 20번씩, 10번째, 10번부터 13번에, 10번과 15번 자리에서, 20번 만에", None),
    ],
)
def test_mentions(text, expected):
    files = {f"{{{row.number}}}": f"{row.file}.ipynb" for row in ROWS}
    expected = re.sub(r"\{\d\d\}", lambda found: files[found[0]], expected or text)
    assert way.mentions_linked(text, "05", KNOWN) == expected
    assert way.mentions_linked(expected, "05", KNOWN) == expected


def test_neighbours_and_map():
    first, middle, last = way.neighbours(0, ROWS), way.neighbours(1, ROWS), way.neighbours(20, ROWS)
    assert first.endswith("[01 문맥 없는 단어 →](01_words_without_context.ipynb)") and "←" not in first
    assert middle.startswith("[← 00 여기서 시작](00_start_here.ipynb) · [지도](")
    assert "→](21_" in last and "→" not in way.neighbours(21, ROWS)
    boxes = re.findall(r"\d\d [^]|(]+", way.course_map(ROWS))
    assert sorted(box.strip() for box in boxes) == [f"{row.number} {row.short}" for row in ROWS]
