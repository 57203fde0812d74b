"""The files by which the project meets others: how it is cited, the forms for what is wrong, the list of changes."""

import re
from pathlib import Path

import pytest
import yaml

from course_utils import __version__

ROOT = Path(__file__).parents[2]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
KINDS = {"input", "textarea", "dropdown"}


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def bilingual(said: str) -> bool:
    """Korean, then English after a slash; or nothing but a number or a term."""
    korean, _, english = said.partition(" / ")
    return bool(re.search("[가-힣]", korean)) and bool(english) and not re.search("[가-힣]", english)


def test_the_citation_names_this_version():
    citation = read(ROOT / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0" and citation["version"] == __version__
    assert citation["title"] and citation["message"] and citation["authors"]


def test_the_changes_have_an_open_section_and_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[(.+?)\]", text, flags=re.MULTILINE)
    assert headings[:2] == ["Unreleased", __version__]
    kinds = set(re.findall(r"^### (.+)$", text, flags=re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_in_both_languages(path: Path):
    form = read(path)
    assert bilingual(form["name"]) and bilingual(form["description"])
    ids = [element["id"] for element in form["body"]]
    assert len(ids) == len(set(ids)) > 0
    for element in form["body"]:
        assert element["type"] in KINDS and element["validations"] == {"required": True}, element["id"]
        assert bilingual(element["attributes"]["label"]), element["id"]
        options = element["attributes"].get("options", [])
        assert all(map(bilingual, options)) and (element["type"] == "dropdown") == bool(options)


def test_there_is_a_form_for_each_kind_of_fault():
    assert len(FORMS) == 3
