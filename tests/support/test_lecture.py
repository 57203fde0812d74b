"""Lecture mode: one switch for figures and widgets."""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
import PIL.Image
import pytest

from course_utils.support.lecture import SCALE, VARIABLE, lecture_mode
from course_utils.viz import show
from course_utils.widgets import ActivationExplorer


@pytest.fixture(autouse=True)
def off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "0")  # and what it was before comes back


def shown(monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """The width on the page, and in pixels, of a figure of 4 inches."""
    kept = []
    monkeypatch.setattr("course_utils.viz.figure.display", kept.append)
    figure, _ = plt.subplots(figsize=(4, 3))
    show(figure, alt="빈 축")
    return kept[0].width, PIL.Image.open(io.BytesIO(kept[0].data)).width


def test_it_is_asked_and_set(monkeypatch: pytest.MonkeyPatch):
    assert lecture_mode() is False
    assert lecture_mode(True) is True and lecture_mode() is True
    assert lecture_mode(False) is False
    monkeypatch.delenv(VARIABLE)
    assert lecture_mode() is False


def test_figures_grow_as_a_whole_and_stay_sharp(monkeypatch: pytest.MonkeyPatch):
    width, pixels = shown(monkeypatch)
    lecture_mode(True)
    large, more = shown(monkeypatch)
    assert large / width == pytest.approx(SCALE, rel=0.02)
    assert more / pixels == pytest.approx(SCALE, rel=0.02)


def test_widgets_are_told_when_they_are_made():
    curves = {"x": (lambda x: x, lambda x: x**0)}
    assert ActivationExplorer(curves)._lecture is False
    lecture_mode(True)
    assert ActivationExplorer(curves)._lecture is True
    assert f"--course-lecture-scale: {SCALE};" in ActivationExplorer._css
    assert "zoom: var(--course-lecture-scale);" in ActivationExplorer._css
