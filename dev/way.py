"""The way through the course: links to the neighbours, the maps, and each mention of another notebook.

    python -m dev.way            write them into the markdown cells of notebooks/ko, and the maps into the READMEs

All are plain relative links: JupyterLab opens them in a tab beside, GitHub follows them. Files and titles are those of
course.toml. A mention is "03번" or a bold "**03 마스크**"; what stands in code, formulas, headings and other links is
left alone. Particles stay outside the link.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from pathlib import Path

from nbformat import NotebookNode

from course_utils.course import Notebook, notebooks
from course_utils.support.files import write_atomically
from course_utils.support.paths import NOTEBOOKS, ROOT
from dev.notebook_cells import read_notebook
from dev.run_notebooks import serialise

MAP_CELL = "00-002"
START, END = "# ", "## 더 읽을거리"  # the cells at whose ends the neighbours stand: an appendix is folded
READMES = {
    "en": ("README.md", "notebook | the question | what moves | main path (minutes)"),
    "ko": ("README.ko.md", "노트북 | 묻는 것 | 움직이는 것 | 본문(분)"),
}
README_MAP = re.compile(r"(<!-- The map[^>]*-->\n\n).*?(\n\n<!-- End of the map. -->)", re.DOTALL)
NEIGHBOURS = re.compile(r"\n\n\[(?:← \d\d|지도\]|\d\d [^]]*→)[^\n]*\Z")
OURS = re.compile(r"\[(\d\d번?|\*\*\d\d [^]*]+\*\*)\]\(\d\d_\w+\.ipynb\)")
LEFT_ALONE = r"```.*?```|`[^`]*`|\$[^$]+\$|\[[^]]*\]\([^)]*\)|^#[^\n]*"
# From 10 on a number may count: the last 20번, 10번째, 20번씩.
COUNTED = r"(?!째|쯤|씩|부터| 만에| 자리|[과와] \d+번 자리)"
MENTION = re.compile(
    rf"{LEFT_ALONE}|\*\*(?P<bold>\d\d) (?=[가-힣A-Z])[^*]+\*\*"
    rf"|(?<![\d.,\w])(?<!번부터 )(?<!마지막 )(?P<late>1\d|2[01])번{COUNTED}"
    r"|(?<![\d.,\w-])(?P<early>0\d)번",
    re.DOTALL | re.MULTILINE,
)


def link(row: Notebook, words: str) -> str:
    """What leads to a notebook."""
    return f"[{words}]({row.file}.ipynb)"


def mentions_linked(text: str, own: str, rows: dict[str, Notebook]) -> str:
    """The text of a cell of notebook `own` with each mention of another as a link."""

    def linked(found: re.Match[str]) -> str:
        number = found["bold"] or found["late"] or found["early"]
        if number in (None, own) or number not in rows:
            return found[0]
        title = rows[number].title.partition(":")[0]
        return link(rows[number], f"**{number} {title}**" if found["bold"] else found[0])

    return MENTION.sub(linked, OURS.sub(r"\1", text))


def neighbours(place: int, rows: list[Notebook]) -> str:
    """The line that leads to the notebook before, to the map and to the notebook after."""
    links = [link(rows[place - 1], f"← {rows[place - 1].number} {rows[place - 1].short}")] if place else []
    links += [f"[지도]({rows[0].file}.ipynb#cell-id={MAP_CELL})"]
    if place + 1 < len(rows):
        links += [link(rows[place + 1], f"{rows[place + 1].number} {rows[place + 1].short} →")]
    return " · ".join(links)


def course_map(rows: list[Notebook]) -> str:
    """The table in 00: a column a part, a box a notebook."""
    parts: dict[str, list[str]] = {}
    for row in rows:
        parts.setdefault(row.part, []).append(link(row, f"{row.number} {row.short}"))
    lines = [parts, ["---"] * len(parts), *zip_longest(*parts.values(), fillvalue="")]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def write_way(notebook: NotebookNode, place: int, rows: list[Notebook]) -> None:
    """Bring the markdown cells of the notebook at this place of the course up to date."""
    known = {row.number: row for row in rows}
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        text = mentions_linked(NEIGHBOURS.sub("", cell.source), rows[place].number, known)
        if cell.id == MAP_CELL:
            text = re.sub(r"(?m)^\|.*\|$(?:\n\|.*\|$)*", lambda _: course_map(rows), text)
        if text.startswith((START, END)):
            text += f"\n\n{neighbours(place, rows)}"
        cell.source = text


def readme_map(rows: list[Notebook], heads: str) -> str:
    """The table in a README, a row a notebook."""
    lines = [f"| | {heads} |", "|---|---|---|---|---:|"]
    for row in rows:
        title = f"[{row.title}](notebooks/ko/{row.file}.ipynb)"
        lines.append(f"| {row.number} | {title} | {row.question} | {row.moves} | {row.minutes} |")
    return "\n".join(lines)


def stale() -> dict[Path, str]:
    """Files that are not up to date -> the whole file as it should be."""
    rows, found = notebooks("ko"), {}
    for place, row in enumerate(rows):
        path = NOTEBOOKS / f"{row.file}.ipynb"
        notebook = read_notebook(path)
        write_way(notebook, place, rows)
        found[path] = serialise(notebook)
    for lang, (name, heads) in READMES.items():
        table = readme_map(notebooks(lang), heads)
        page = (ROOT / name).read_text("utf-8")
        found[ROOT / name] = README_MAP.sub(lambda marks, table=table: f"{marks[1]}{table}{marks[2]}", page)
    return {path: text for path, text in found.items() if text != path.read_text("utf-8")}


if __name__ == "__main__":
    for file, fresh in stale().items():
        write_atomically(file, fresh)
        print(f"✓ {file.name} written")
