"""JSON that others wrote, read with a limit, and in words that name the file and the key.

json.loads makes a RecursionError of lists in lists, and the first use of a value of another kind is a TypeError that
names neither file nor key. Not here: what only this course writes and reads.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from course_utils.support.files import check_regular
from course_utils.support.given import one_line, shown

LARGEST = 10_000_000  # bytes; the index of a model in shards, the largest of such files, has about 100,000
KINDS = {str: "a text", bool: "true or false", int: "a whole number", list: "a list", dict: "an object"}
NEEDED: Any = object()

Value = TypeVar("Value", str, bool, int, list, dict)


class BadJSON(ValueError):
    """The message says which file and key, what was expected, and what came."""


def read_object(path: Path, *, at_most: int = LARGEST) -> dict[str, Any]:
    """The object in a JSON file of at most so many bytes; BadJSON if it holds none, OSError if it cannot be read."""
    check_regular(path)
    with path.open("rb") as file:
        return parse_object(file.read(at_most + 1), source=str(path), at_most=at_most)


def parse_object(content: bytes, *, source: str, at_most: int = LARGEST) -> dict[str, Any]:
    """The object that JSON in UTF-8 tells; BadJSON if it is longer, no JSON, nested too deeply, or not an object.

    Args:
        content: the bytes.
        source: what a message calls them: a path or an address.
        at_most: bytes.
    """
    if len(content) > at_most:
        raise BadJSON(f"{source} must be JSON of at most {at_most} bytes, and is longer")
    try:
        found = json.loads(content.decode("utf-8"))
    except RecursionError:
        raise BadJSON(f"{source} must be JSON, got lists or objects nested too deeply") from None
    except ValueError as error:  # UnicodeDecodeError and json.JSONDecodeError are
        raise BadJSON(f"{source} must be JSON, got {error}") from None
    if not isinstance(found, dict):
        raise BadJSON(f"{source} must hold a JSON object, got {type(found).__name__}")
    return found


def entry(
    content: Any, key: str, kind: type[Value], default: Any = NEEDED, *, source: str, path: str = ""
) -> Value:
    """The value of a key; BadJSON if the key is missing, or its value of another kind.

    Args:
        content: the object; of anything else, that is said.
        key: its key.
        kind: str, bool, int, list or dict. True is no number.
        default: where the key is missing, or null where the default is None. Without a default it must be there.
        source: what a message calls the file.
        path: what stands before the key in a message, such as "siblings[3].".
    """
    if not isinstance(content, dict):
        raise BadJSON(f"{source}: {path.rstrip('.')} must be an object, got {shown(content)}")
    value = content.get(key, default)
    if value is NEEDED:
        raise BadJSON(f"{source} must have {path}{one_line(key)}, {KINDS[kind]}")
    if value is None and default is None:
        return value
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise BadJSON(f"{source}: {path}{one_line(key)} must be {KINDS[kind]}, got {shown(value)}")
    return value
