"""One folder a widget: whoever adds one adds all of it, and it is found by its name."""

from __future__ import annotations

from importlib import import_module

import pytest

from course_utils import widgets
from course_utils.locale import languages
from course_utils.widgets.base import FOLDER, CourseWidget


def test_the_folders_are_the_widgets() -> None:
    assert widgets.NAMES == sorted(path.parent.name for path in FOLDER.glob("*/view.js"))
    assert len(widgets.NAMES) >= 15 and set(widgets.__all__) >= {"HeadGrid", "MaskPainter", "CourseWidget"}


@pytest.mark.parametrize("name", widgets.NAMES)
def test_a_folder_is_whole(name: str) -> None:
    files = {
        "widget.py",
        "view.js",
        "example.py",
        *(f"texts.{lang}.toml" for lang in languages()),
    }
    assert files <= {path.name for path in (FOLDER / name).iterdir()}


@pytest.mark.parametrize("name", widgets.NAMES)
def test_the_example_is_the_widget_of_its_folder(name: str) -> None:
    example = import_module(f"course_utils.widgets.{name}.example")
    widget = example.largest()
    own = getattr(widgets, name.title().replace("_", ""))
    assert isinstance(widget, own) and issubclass(own, CourseWidget) and own.name == name
    assert widget.picture and widget.summary and len(example.MOVES) >= 2
