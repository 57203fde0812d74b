"""What widgets, checks and exercises say, in the learner's language.

One TOML file for each topic and language. It lies here, or beside the code that uses it:

    locale/ko/checks.toml              text("checks.…")
    widgets/texts.ko.toml              text("widgets.…")
    widgets/head_grid/texts.ko.toml    text("widgets.head_grid.…")
    lessons/02_…/texts.ko.toml         text("lessons.02.…"), outside the package

The language comes from the environment variable COURSE_LANG and is Korean when that is not set. This module needs the
standard library only.
"""

from __future__ import annotations

import os
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from course_utils.support.given import shown
from course_utils.support.lessons import lesson_folder

FOLDER = Path(__file__).parent
PACKAGE = FOLDER.parent
DEFAULT_LANGUAGE = "ko"


def languages() -> list[str]:
    """The languages there are texts for, sorted."""
    return list(_languages(FOLDER))


@cache
def _languages(inside: Path) -> tuple[str, ...]:
    return tuple(
        sorted(folder.name for folder in inside.iterdir() if folder.is_dir() and any(folder.glob("*.toml")))
    )


def language() -> str:
    """The language in use: COURSE_LANG, or Korean.

    Raises:
        ValueError: if COURSE_LANG names a language that has no texts.
    """
    chosen = os.environ.get("COURSE_LANG") or DEFAULT_LANGUAGE
    if chosen not in languages():
        raise ValueError(f"COURSE_LANG must be one of {', '.join(languages())}, got {chosen!r}")
    return chosen


def text(key: str, /, **facts: Any) -> Any:
    """Look a text up and fill in its facts.

    A key is the topic, then the way down its tables: "checks.same.passed". A table's name may itself hold a dot, as
    exercises do: "lessons.02.02.1.title". Every {name} in the text is filled by str.format, so a literal
    brace is doubled in the TOML file.

    Args:
        key: topic and table names, joined by dots.
        facts: what the {names} in the text stand for.

    Returns:
        The text (str). A list or a table comes back as a new list or dict with every text in it filled.

    Raises:
        KeyError: if there is no such text, or a fact is missing.
        ValueError: if COURSE_LANG names a language that has no texts.
    """
    lang = language()
    found = raw_text(lang, key)
    try:
        return _fill(found, facts)
    except (LookupError, ValueError) as error:
        raise KeyError(f"text {key!r} ({lang}) needs a fact that was not given: {error}") from None


def raw_text(lang: str, key: str) -> Any:
    """What text() fills: the text, list or table as it stands, with its {placeholders}.

    Raises:
        KeyError: if there is none.
    """
    topic = ""
    try:
        topic = _topic(lang, *key.split(".")[:2])
        return _descend(raw_texts(lang, topic), key[len(topic) + 1 :])
    except (OSError, LookupError):
        raise KeyError(f"no text {shown(key)} in the topic {shown(topic)} ({lang})") from None


@cache
def raw_texts(lang: str, topic: str) -> dict[str, Any]:
    """One file as it stands."""
    with open(_file(lang, topic), "rb") as file:
        return tomllib.load(file)


def _file(lang: str, topic: str) -> Path:
    if topic.startswith("lessons.") and (lesson := lesson_folder(topic.removeprefix("lessons."))):
        return lesson / f"texts.{lang}.toml"
    beside = PACKAGE.joinpath(*topic.split("."), f"texts.{lang}.toml")
    return beside if beside.exists() else FOLDER / lang / f"{topic}.toml"


@cache
def _topic(lang: str, first: str, second: str = "") -> str:
    """first.second where such a folder has texts of its own, else first."""
    return f"{first}.{second}" if _file(lang, f"{first}.{second}").exists() else first


def _descend(table: Any, path: str) -> Any:
    """Walk down by the dotted path; a table's own name may hold dots, so the longest match is tried first."""
    if not path:
        return table
    if not isinstance(table, dict):
        raise LookupError(path)
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if name in table:
            try:
                return _descend(table[name], ".".join(parts[end:]))
            except LookupError:
                continue
    raise LookupError(path)


def _fill(found: Any, facts: dict[str, Any]) -> Any:
    if isinstance(found, str):
        return found.format(**facts)
    if isinstance(found, list):
        return [_fill(item, facts) for item in found]
    if isinstance(found, dict):
        return {name: _fill(item, facts) for name, item in found.items()}
    return found
