"""Korean and English say the same things, and whatever the code asks for is there."""

import ast
import string
from pathlib import Path

import pytest

from course_utils import locale
from course_utils.locale import language, languages, raw_texts, text
from course_utils.support.lessons import lesson_numbers

PACKAGE = Path(locale.__file__).parents[1]


def topics(lang):
    """The topics of locale/, those whose texts lie beside the code, and the lessons."""
    beside = [path.parent.relative_to(PACKAGE).parts for path in PACKAGE.rglob(f"texts.{lang}.toml")]
    own = [path.stem for path in (locale.FOLDER / lang).glob("*.toml")]
    lessons = [f"lessons.{number}" for number in lesson_numbers(f"texts.{lang}.toml")]
    return sorted(own + [".".join(parts) for parts in beside] + lessons)


TOPICS = {lang: topics(lang) for lang in languages()}


@pytest.fixture(autouse=True)
def korean(monkeypatch):
    monkeypatch.delenv("COURSE_LANG", raising=False)


def leaves(found, path=()):
    if isinstance(found, dict):
        for name, item in found.items():
            yield from leaves(item, (*path, name))
    elif isinstance(found, list):
        for index, item in enumerate(found):
            yield from leaves(item, (*path, str(index)))
    else:
        yield path, found


def placeholders(value):
    if not isinstance(value, str):
        return set()
    return {(name, form) for _, name, form, _ in string.Formatter().parse(value) if name is not None}


def test_languages():
    assert languages() == ["en", "ko"] and language() == "ko"
    assert TOPICS["ko"] == TOPICS["en"]


@pytest.mark.parametrize("topic", TOPICS["ko"])
def test_equal_keys_and_placeholders(topic):
    korean, english = (dict(leaves(raw_texts(lang, topic))) for lang in ("ko", "en"))
    assert korean.keys() == english.keys()
    for path, value in korean.items():
        assert isinstance(value, str) and isinstance(english[path], str), path
        assert placeholders(value) == placeholders(english[path]), path


def literal_keys():
    """(file:line, key) of every text("…") in the package that is written out, not put together."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and node.args):
                continue
            if getattr(node.func, "id", getattr(node.func, "attr", "")) != "text":
                continue
            for key in ast.walk(node.args[0]) if not isinstance(node.args[0], ast.JoinedStr) else ():
                if isinstance(key, ast.Constant) and isinstance(key.value, str) and "." in key.value:
                    yield f"{path.relative_to(PACKAGE)}:{key.lineno}", key.value


def test_every_text_asked_for_is_there():
    asked = list(literal_keys())
    assert len(asked) > 20
    for lang in languages():
        for place, key in asked:
            try:
                locale.raw_text(lang, key)
            except KeyError:
                pytest.fail(f"{place}: no text {key!r} in {lang}")


def test_facts_are_filled():
    assert text("exercises.verdict.failed", id="02.1", message="{그대로}") == "✗ 02.1 {그대로}"
    assert text("checks.same.tensor", shape=(2, 3), dtype="x", atol=1e-6).endswith("1e-06 이하")


def test_lists_and_tables_come_back_filled_and_new(tmp_path, monkeypatch):
    for lang in ("ko", "en"):
        (tmp_path / lang).mkdir()
        planted = '["a.b"]\nlist = ["{x} 하나", "{{둘}}"]\n[a]\nc = "다"\n'
        (tmp_path / lang / "planted.toml").write_text(planted, "utf-8")
    monkeypatch.setattr(locale, "FOLDER", tmp_path)
    assert text("planted.a.b.list", x=1) == ["1 하나", "{둘}"]
    assert text("planted.a.b", x=2) == {"list": ["2 하나", "{둘}"]}
    assert text("planted.a.c") == "다"
    text("planted.a.b.list", x=1).clear()
    assert len(text("planted.a.b.list", x=1)) == 2


@pytest.mark.parametrize(
    "key", ["checks.no.such", "no_such_file.key", "checks.same.passed.deeper", "checks.same.x", ""]
)
def test_a_missing_text_is_named(key):
    with pytest.raises(KeyError, match="no text"):
        text(key)
    with pytest.raises(KeyError, match=r"checks.same.passed.*what"):  # a fact
        text("checks.same.passed")


def test_language_from_the_environment(monkeypatch):
    monkeypatch.setenv("COURSE_LANG", "en")
    assert text("exercises.level.core") == "core"
    monkeypatch.setenv("COURSE_LANG", "")
    assert text("exercises.level.core") == "본문제"
    monkeypatch.setenv("COURSE_LANG", "../ko")
    with pytest.raises(ValueError, match=r"en, ko.*\.\./ko"):
        text("exercises.level.core")
