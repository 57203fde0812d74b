"""One folder a widget: whoever adds one adds all of it, and it is found by its name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from course_utils import widgets
from course_utils.locale import languages, raw_texts
from course_utils.widgets.base import FOLDER, CourseWidget


def test_the_folders_are_the_widgets() -> None:
    assert widgets.NAMES == sorted(path.parent.name for path in FOLDER.glob("*/view.js"))
    assert len(widgets.NAMES) >= 15 and set(widgets.__all__) >= {"HeadGrid", "MaskPainter", "CourseWidget"}


def one_each_time(name: str) -> list[ParameterSet]:
    """All widgets; those but this one, which is quickly made, once a week."""
    return [pytest.param(each, marks=[] if each == name else pytest.mark.rare) for each in widgets.NAMES]


@pytest.mark.parametrize("name", widgets.NAMES)
def test_a_folder_is_whole(name: str) -> None:
    files = {
        "widget.py",
        "view.js",
        "example.py",
        *(f"texts.{lang}.toml" for lang in languages()),
    }
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
    sources = [*(FOLDER / name).glob("*.js"), *(FOLDER / name).glob("*.py"), FOLDER / "common.js"]
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


@cache
def largest(name: str) -> CourseWidget:
    """The example of a widget; whoever moves it puts it back."""
    return import_module(f"course_utils.widgets.{name}.example").largest()


ODD = [
    None,
    "x",
    "",
    3.5,
    True,
    False,
    -1,
    10**30,
    math.nan,
    math.inf,
    [],
    [1],
    [True],
    [[True]],
    {},
    object(),
]
HALVES = ["\ud800", "a\udfffb", ["\ud800"]]


@pytest.mark.parametrize("name", widgets.NAMES)
@pytest.mark.rare
def test_whatever_an_input_is_set_to_it_is_taken_or_refused_in_words(name: str) -> None:
    widget = largest(name)
    good = {trait: getattr(widget, trait) for trait in widget.inputs}
    for trait in widget.inputs:
        for value in [*ODD, *HALVES]:
            try:
                setattr(widget, trait, value)
            except widgets.BadInput as refused:
                assert not re.search(r"\w+(Error|Exception):", str(refused)), (trait, value, str(refused))
                assert {trait: getattr(widget, trait) for trait in widget.inputs} == good
            else:
                taken = getattr(widget, trait)
                assert value not in HALVES and (type(taken) is bool) == (type(value) is bool)
                for other in widget.inputs:
                    setattr(widget, other, good[other])


@pytest.mark.parametrize("name", one_each_time("mask_painter"))
def test_half_a_character_from_the_browser_is_told_in_place(name: str) -> None:
    widget = largest(name)
    for trait in widget.inputs:
        good = getattr(widget, trait)
        widget.set_state({trait: "\ud800"})
        assert "서로게이트" in widget.error and getattr(widget, trait) == good


@pytest.mark.rare
@pytest.mark.parametrize("name", widgets.NAMES)
def test_the_example_is_the_widget_of_its_folder(name: str) -> None:
    example = import_module(f"course_utils.widgets.{name}.example")
    widget = largest(name)
    own = getattr(widgets, name.title().replace("_", ""))
    assert isinstance(widget, own) and issubclass(own, CourseWidget) and own.name == name
    assert widget.picture and widget.summary and len(example.MOVES) >= 2
