"""Write the map of the course into the READMEs, from course.toml.

python -m dev.course_map            write README.md and README.ko.md
python -m dev.course_map --check    change nothing; fail where a map is out of date
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from course_utils.course import Notebook, notebooks
from course_utils.support.files import write_atomically
from course_utils.support.paths import NOTEBOOKS, ROOT

HERE = NOTEBOOKS.relative_to(ROOT).as_posix()
READMES = {"en": "README.md", "ko": "README.ko.md"}
START = "<!-- The map: made from course.toml by `python -m dev.course_map`. -->"
END = "<!-- End of the map. -->"
HEADS = {
    "en": ("notebook", "the question", "what moves", "minutes to read"),
    "ko": ("노트북", "묻는 것", "움직이는 것", "읽는 분"),
}
TO_COME = {"en": "Still to come", "ko": "앞으로 올 노트북"}


def render(lang: str, rows: list[Notebook]) -> str:
    """The table of the notebooks that are there, and a line that names those to come."""
    lines = [f"| | {' | '.join(HEADS[lang])} |", "|---|---|---|---|---:|"]
    for row in rows:
        if not row.planned:
            link = f"[{row.title}]({HERE}/{row.file}.ipynb)"
            lines.append(f"| {row.number} | {link} | {row.question} | {row.moves} | {row.minutes} |")
    planned = [f"{row.number} {row.title}" for row in rows if row.planned]
    if planned:
        lines += ["", f"{TO_COME[lang]}: {' · '.join(planned)}."]
    return "\n".join(lines)


def with_block(page: str, block: str, start: str = START, end: str = END) -> str:
    """The page with the block between its two markers.

    Raises:
        ValueError: if the page does not hold each marker once, in this order.
    """
    before, found, rest = page.partition(start)
    _, closed, after = rest.partition(end)
    if not (found and closed) or start in rest or end in before + after:
        raise ValueError(f"the page must hold {start!r} and then {end!r}, each once")
    return f"{before}{start}\n\n{block}\n\n{end}{after}"


def stale() -> dict[Path, str]:
    """READMEs whose map is out of date -> the whole page as it should be."""
    found = {}
    for lang, name in READMES.items():
        path = ROOT / name
        page = path.read_text(encoding="utf-8")
        fresh = with_block(page, render(lang, notebooks(lang)))
        if fresh != page:
            found[path] = fresh
    return found


def write() -> list[Path]:
    """Renew the maps that are out of date; returns the files that changed."""
    found = stale()
    for path, fresh in found.items():
        write_atomically(path, fresh)
    return list(found)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="change nothing, fail where a map is out of date"
    )
    options = parser.parse_args(arguments)
    found = list(stale()) if options.check else write()
    for path in found:
        print(f"✗ {path.name}: run python -m dev.course_map" if options.check else f"✓ {path.name} written")
    if not found:
        print("✓ the maps are up to date")
    return 1 if found and options.check else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
