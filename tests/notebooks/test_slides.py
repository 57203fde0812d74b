"""Slides: each markdown cell with what follows it, offline, without what is folded."""

from __future__ import annotations

import base64

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

pytest.importorskip("latex2mathml", reason="no latex2mathml: make venv")

from dev import slides

LINKS = "\n\n[03번](03_a.ipynb)의 것.\n\n[← 01 가](01_b.ipynb) · [03 나 →](03_a.ipynb)"


def notebook():
    png = base64.b64encode(b"png").decode()
    pictured = new_output("display_data", data={"image/png": png}, metadata={"image/png": {"alt": 'a "b"'}})
    widget = new_output(
        "execute_result", data={"text/plain": "[위젯] 지도", "image/png": png}, execution_count=1
    )
    widget.metadata = {"image/png": {"alt": "[위젯] 지도"}}
    cells = [
        new_markdown_cell("# 02 · 제목\n\n`$x$`와 **$a < b$**.\n\n## 1. 절\n\n$$\\frac{1}{2}$$" + LINKS),
        new_code_cell("print('<b>')", outputs=[new_output("stream", name="stdout", text="<b>\n")]),
        new_code_cell("assert 1 < 2", metadata={"jupyter": {"source_hidden": True}}),
        new_markdown_cell("그림"),
        new_code_cell("show(figure)", outputs=[pictured], metadata={"jupyter": {"source_hidden": True}}),
        new_markdown_cell("위젯"),
        new_code_cell("SenseMap(rows)", outputs=[widget]),
        new_markdown_cell("### 심화: 더 깊이", metadata={"jp-MarkdownHeadingCollapsed": True}),
        new_code_cell("print(4)"),
        new_markdown_cell("## 2. 몇입니까?"),
        new_code_cell("print(3)", outputs=[new_output("stream", name="stdout", text="3")]),
    ]
    cells[-1].metadata.tags = ["answer"]
    return new_notebook(cells=cells)


def test_a_markdown_cell_or_a_heading_begins_a_slide():
    first, second, figure, widget, answer = slides.slides(notebook())
    assert "<h1>02 · 제목</h1>" in first and "<code>$x$</code>" in first and "<strong><math" in first
    assert "<mfrac>" in second and "print(&#x27;&lt;b&gt;&#x27;)" in second and "<pre>&lt;b&gt;" in second
    assert "<p>03번의 것.</p>" in second and "←" not in second  # where a deck lies there is no notebook
    assert "assert" not in second and "show(" not in figure
    assert 'src="data:image/png;base64,' in figure and 'alt="a &quot;b&quot;"' in figure
    assert "[위젯] 지도" in widget and "data:image/png" in widget
    assert "<details><summary>답</summary><pre>3</pre></details>" in answer


def test_the_page_needs_nothing_else():
    page = slides.deck(notebook(), "02 <제목>")
    assert page.count("<section>") == 5 and "<title>02 &lt;제목&gt;</title>" in page
    assert "http" not in page.replace("http://www.w3.org/1998/Math/MathML", "") and ' src="/' not in page


def test_a_notebook_that_is_not_there(capsys):
    assert slides.main(["99"]) == 1 and "no notebook 99" in capsys.readouterr().err
