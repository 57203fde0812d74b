"""Slides of a notebook: one page of HTML that needs nothing else, no network either.

    python -m dev.slides 02 05        build/slides/02_….html, build/slides/05_….html; without a number all

A markdown cell and what follows it are a slide, so nothing is kept in the cells. 심화 and folded code are left out, a
folded answer opens at a click, a widget is its picture, and formulas become MathML, which browsers
draw by themselves. → ← Space PageDown Home End lead through; a slide that is too long scrolls.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

from latex2mathml.converter import convert
from nbformat import NotebookNode

from course_utils.support.files import write_atomically
from course_utils.support.paths import NOTEBOOKS, ROOT
from dev.minutes import DEPTH, sections
from dev.notebook_cells import holds_an_answer, is_folded, read_notebook
from dev.notebook_rules import COMMONMARK
from dev.way import NEIGHBOURS

FOLDER = ROOT / "build" / "slides"
PAGE = Path(__file__).with_name("slides.html")
LINK = re.compile(r'<a href="[^"]*\.ipynb[^"]*">(.*?)</a>', re.S)  # beside the slides there are no notebooks
FORMULA = re.compile(r"(`[^`\n]+`)|\$\$(.+?)\$\$|(?<!\\)\$([^$\n]+?)\$", re.S)


def prose(text: str) -> str:
    """Markdown as HTML, its formulas as MathML; a formula that MathML cannot say stays as it is written."""
    formulas: list[str] = []

    def keep(found: re.Match[str]) -> str:
        code, block, inline = found.groups()
        if code:
            return code
        try:
            formulas.append(convert(block or inline, display="block" if block else "inline"))
        except Exception:  # whatever its parser stumbles over
            formulas.append(f"<code>{escape(block or inline)}</code>")
        return f"\N{OBJECT REPLACEMENT CHARACTER}{len(formulas) - 1};"

    made = LINK.sub(r"\1", COMMONMARK.render(FORMULA.sub(keep, text)))
    return re.sub("\N{OBJECT REPLACEMENT CHARACTER}(\\d+);", lambda at: formulas[int(at[1])], made)


def code(cell: NotebookNode) -> Iterator[str]:
    """A code cell as it is seen."""
    if not is_folded(cell):
        yield f"<pre class=code>{escape(cell.source)}</pre>"
    said = "".join(output for one in cell.outputs for output in shown(one))
    yield f"<details><summary>답</summary>{said}</details>" if holds_an_answer(cell) else said


def shown(output: NotebookNode) -> Iterator[str]:
    """One output: a picture, prose, or text."""
    data = output.get("data", {"text/plain": output.get("text", "")})
    if png := data.get("image/png"):
        alt = output.metadata.get("image/png", {}).get("alt", "")
        yield f'<img src="data:image/png;base64,{png.strip()}" alt="{escape(alt)}">'
    elif "text/markdown" in data:
        yield prose(data["text/markdown"])
    elif data.get("text/plain"):
        yield f"<pre>{escape(data['text/plain'])}</pre>"


def slides(notebook: NotebookNode) -> list[str]:
    """The HTML of each slide of the main path: a heading begins one, and so does each markdown cell."""
    made: list[str] = []
    for cell in (cell for part, _, cells in sections(notebook) if part != DEPTH for cell in cells):
        if cell.cell_type == "markdown":
            text = NEIGHBOURS.sub("", cell.source)
            made += [prose(part) for part in re.split(r"(?m)^(?=#{1,3} )", text) if part.strip()]
        elif cell.cell_type == "code":
            made[-1:] = ["".join([*made[-1:], *code(cell)])]
    return made


def deck(notebook: NotebookNode, title: str) -> str:
    """The whole page."""
    body = "\n".join(f"<section>{one}</section>" for one in slides(notebook))
    return PAGE.read_text("utf-8").replace("{title}", escape(title)).replace("{slides}", body)


def main(numbers: list[str]) -> int:
    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    if unknown := sorted({*numbers} - {path.stem[:2] for path in paths}):
        print(f"✗ no notebook {', '.join(unknown)}", file=sys.stderr)
        return 1
    for path in paths:
        if not numbers or path.stem[:2] in numbers:
            target = FOLDER / f"{path.stem}.html"
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, deck(read_notebook(path), path.stem))
            print(target.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
