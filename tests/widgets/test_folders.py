"""One folder a widget: whoever adds one adds all of it, and it is found by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from course_utils import widgets
from course_utils.locale import languages, raw_texts
from course_utils.widgets.base import FOLDER


def test_the_folders_are_the_widgets() -> None:
    assert widgets.NAMES == sorted(path.parent.name for path in FOLDER.glob("*/view.js"))
    assert len(widgets.NAMES) >= 15 and set(widgets.__all__) >= {"HeadGrid", "MaskPainter", "CourseWidget"}


@pytest.mark.parametrize("name", widgets.NAMES)
def test_a_folder_is_whole(name: str) -> None:
    files = {"widget.py", "view.js", "example.py", *(f"texts.{lang}.toml" for lang in languages())}
    assert files <= {path.name for path in (FOLDER / name).iterdir()}
    in_the_browser = Path(__file__).parents[1] / "browser" / f"test_widget_{name}.py"
    assert in_the_browser.is_file()


@pytest.mark.parametrize("name", widgets.NAMES)
def test_only_its_inputs_can_be_set(name: str) -> None:
    module = import_module(f"course_utils.widgets.{name}.widget")
    (widget,) = (kind for kind in vars(module).values() if getattr(kind, "name", None) == name)
    own = {trait: kind.read_only for trait, kind in widget.class_own_traits(sync=True).items()}
    assert {trait for trait, read_only in own.items() if not read_only} <= set(widget.inputs)


@pytest.mark.parametrize("name", widgets.NAMES)
def test_no_text_is_unused(name: str) -> None:
    common = [FOLDER / "common.js", FOLDER / "base.py"]
    sources = [*(FOLDER / name).glob("*.js"), *(FOLDER / name).glob("*.py"), *common]
    words = set(re.findall(r"\w+", "".join(source.read_text("utf-8") for source in sources)))
    assert {key for key in keys(raw_texts("ko", f"widgets.{name}")) if key not in words} == set()


def keys(table: dict[str, Any]) -> Iterator[str]:
    for key, found in table.items():
        if key in ("measures", "parts"):  # names that come from outside are looked up in them
            yield key
        elif isinstance(found, dict):
            yield from keys(found)
        else:
            yield key
