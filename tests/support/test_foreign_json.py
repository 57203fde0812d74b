"""JSON of others: whatever stands there, one sentence names the file and the key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from course_utils.support.foreign_json import BadJSON, entry, parse_object, read_object


def parsed(text: str) -> dict:
    return parse_object(text.encode(), source="config.json")


def test_sound_json_comes_as_it_is(tmp_path: Path):
    content = {"배": [1, 2.5, None, True, "pear"], "size": -13, "tokens": {"[CLS]": 2}}
    (tmp_path / "a.json").write_text(json.dumps(content), encoding="utf-8")
    assert read_object(tmp_path / "a.json") == content == parsed(json.dumps(content, ensure_ascii=False))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "must be JSON, got Expecting property name"),
        (b"", "must be JSON, got Expecting value"),
        (b"\xff\xfe{}", "must be JSON, got 'utf-8' codec"),
        (b"[1]", "must hold a JSON object, got list"),
        (b"[" * 200_000 + b"]" * 200_000, "must be JSON, got lists or objects nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "must be JSON, got Exceeds the limit"),
    ],
)
def test_what_is_no_object_of_json(content: bytes, message: str):
    with pytest.raises(BadJSON) as caught:
        parse_object(content, source="config.json")
    assert str(caught.value).startswith(f"config.json {message}") and "\n" not in str(caught.value)


def test_no_more_than_the_limit_is_read(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": 1}')
    assert read_object(path, at_most=8) == {"a": 1}
    with pytest.raises(BadJSON, match=r"a\.json must be JSON of at most 7 bytes, and is longer"):
        read_object(path, at_most=7)


def test_entries():
    content = parsed('{"a": "x", "b": false, "c": 7, "d": [], "e": {}, "none": null}')
    for key, kind in zip("abcde", (str, bool, int, list, dict), strict=True):
        assert entry(content, key, kind, source="f") == content[key]
    assert entry(content, "missing", bool, True, source="f") is True
    assert (
        entry(content, "missing", str, None, source="f")
        is entry(content, "none", str, None, source="f")
        is None
    )


@pytest.mark.parametrize(
    ("key", "kind", "message"),
    [
        ("b", int, "f: list[2].b must be a whole number, got False"),
        ("c", bool, "f: list[2].c must be true or false, got 7"),
        ("none", dict, "f: list[2].none must be an object, got NoneType"),
        ("missing", str, "f must have list[2].missing, a text"),
    ],
)
def test_entries_of_another_kind(key: str, kind: type, message: str):
    content = parsed('{"a": "x", "b": false, "c": 7, "d": [], "e": {}, "none": null}')
    with pytest.raises(BadJSON) as caught:
        entry(content, key, kind, source="f", path="list[2].")
    assert str(caught.value) == message
    with pytest.raises(BadJSON, match=r"^f: siblings\[3\] must be an object, got 'x'$"):
        entry("x", key, kind, source="f", path="siblings[3].")
