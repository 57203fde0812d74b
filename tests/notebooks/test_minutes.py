"""The estimate of a lesson's minutes, on a notebook counted by hand."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from dev.minutes import DEPTH, EXERCISE, MAIN, minutes, rounded, sections


def notebook():
    printed = new_output("stream", name="stdout", text="1\n\n2\n")
    picture = new_output("display_data", data={"image/png": "", "text/plain": "<Figure>"})
    cells = [
        new_markdown_cell("# 제목\n\n" + "가" * 123 + "\n\n$$a$$"),  # 125 syllables and a formula: 40 s
        new_code_cell("a = 1\n\nprint(a)", outputs=[printed]),  # two lines, two printed ones: 14 s
        new_code_cell("show(a)", outputs=[picture], metadata={"jupyter": {"source_hidden": True}}),  # 30 s
        new_code_cell("Widget()", outputs=[printed], metadata={"tags": ["widget"]}),  # 125 s
        new_code_cell("Guess()", outputs=[printed], metadata={"tags": ["answer"]}),  # 5 + 15 + 4 s
        new_markdown_cell("끝" * 250 + "\n\n### 소절\n\n### 심화"),  # a heading elsewhere: not folded
        new_markdown_cell("### 심화: 더\n\n" + "가" * 247),  # a minute
        new_markdown_cell("#### 그 안"),
        new_markdown_cell("### 소절"),
        new_markdown_cell("## 연습 문제\n\n" + "가" * 999 + "\n\n**02.1 몸풀기.** **02.2 도전.**"),
    ]
    return new_notebook(cells=cells)


def test_each_part_by_hand():
    spent = minutes(notebook())
    assert spent[MAIN] * 60 == pytest.approx(40 + 14 + 30 + 125 + 24 + 60 * 256 / 250)
    assert spent[DEPTH] * 60 == pytest.approx(60 * (250 + 2) / 250)
    assert spent[EXERCISE] == 5 + 15


def test_a_section_ends_at_a_heading_as_high():
    told = [(part, title) for part, title, _ in sections(notebook())]
    assert told == [
        (MAIN, "제목"),
        (MAIN, "소절"),
        (DEPTH, "심화: 더"),
        (DEPTH, "그 안"),
        (MAIN, "소절"),
        (EXERCISE, "연습 문제"),
    ]


@pytest.mark.parametrize(("spent", "told"), [(0, 0), (0.4, 5), (42.4, 40), (42.6, 45)])
def test_rounded_to_five_minutes(spent, told):
    assert rounded(spent) == told
