"""The files by which the project meets others: how it is cited, the list of changes, what the pages promise."""

import re
from pathlib import Path

import pytest
import yaml

from course_utils import __version__
from course_utils.support.paths import NOTEBOOKS

ROOT = Path(__file__).parents[2]


def test_the_citation_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0" and citation["version"] == __version__
    assert citation["title"] and citation["message"] and citation["authors"]


def test_the_changes_have_an_open_section_and_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.+?)\]", text, flags=re.MULTILINE)
    assert headings[:2] == ["Unreleased", __version__]
    kinds = set(re.findall(r"^### (.+)$", text, flags=re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


# ---- what the pages promise ----------------------------------------------------------------------------------------

PAGES = ["CONTRIBUTING.md", "README.md", "README.ko.md"]
PLACEHOLDER = re.compile(r"NN|<|…|\*")
# The notebook that CONTRIBUTING.md makes as an example.
NOT_YET = "22"


def spoken_code(page: str) -> list[str]:
    """What stands in back quotes or in blocks of commands."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    return [line for block in blocks for line in block.splitlines()] + re.findall(r"`([^`\n]+)`", text)


@pytest.mark.parametrize("page", PAGES)
def test_paths_that_a_page_names_are_there(page):
    folders = "|".join(
        path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")
    )
    named = {
        path
        for code in spoken_code(page)
        for path in re.findall(rf"(?<![\w./-])((?:{folders})/[\w./<>*…-]*)", code)
        if NOT_YET not in path and not PLACEHOLDER.search(path) and not path.startswith("runs/")
    }
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
    assert len(named) > (10 if page == "CONTRIBUTING.md" else 1)


@pytest.mark.parametrize("page", PAGES)
def test_make_targets_that_a_page_names_are_there(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):.*##", makefile, flags=re.MULTILINE))
    named = {target for code in spoken_code(page) for target in re.findall(r"\bmake ([a-z-]+)", code)}
    assert named <= targets, named - targets
    if page == "CONTRIBUTING.md":  # lists them all, but for what the others do by themselves
        assert named | {"help", "venv"} == targets


def test_modules_that_pages_and_notebooks_run_are_there():
    files = [ROOT / page for page in (*PAGES, "data/README.md")] + sorted(NOTEBOOKS.glob("*.ipynb"))
    spoken = "".join(file.read_text(encoding="utf-8") for file in files)
    modules = set(re.findall(r"python -m (\w+(?:\.\w+)*)", spoken))
    ours = {
        name
        for name in modules
        if name.split(".")[0] in {"course_utils", "scripts", "experiments", "dev", "deploy", "benchmarks"}
    }
    assert len(ours) > 4
    for name in sorted(ours):
        path = ROOT / name.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), name


def test_links_inside_a_page_lead_somewhere():
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        anchors = {
            re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
        }
        links = re.findall(r"\]\(([^)\s]+)\)", text)
        assert [link for link in links if link.startswith("#") and link[1:] not in anchors] == []
        files = [link.partition("#")[0] for link in links if not link.startswith(("#", "http"))]
        assert [file for file in files if not (ROOT / file).exists()] == []
