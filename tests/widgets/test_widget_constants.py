"""Colours and limits stand in Python; the browser is told them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from matplotlib.colors import Colormap, to_rgb

from course_utils import widgets
from course_utils.viz import theme
from course_utils.widgets import colors
from course_utils.widgets.base import FOLDER
from course_utils.widgets.head_grid.example import largest

SOURCES = [path for path in sorted(FOLDER.rglob("*.*")) if path.suffix in (".js", ".css")]
TRIPLE = re.compile(r"(?:rgb\(|\[)\s*(\d+),?\s+(\d+),?\s+(\d+)\b")


def written_colours(code: str) -> set[tuple[int, ...]]:
    """Every colour that stands in JavaScript or CSS: #abc, #aabbcc, rgb(1 2 3), [1, 2, 3]."""
    found = {tuple(int(part) for part in triple) for triple in TRIPLE.findall(code)}
    for digits in re.findall(r"#([0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b", code):
        found.add(tuple(round(255 * part) for part in to_rgb(f"#{digits}")))
    return found


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_no_colour_of_the_figures_stands_in_a_view(source) -> None:
    roles = {tuple(round(255 * part) for part in to_rgb(getattr(theme, role))) for role in colors.ROLES}
    stops = {tuple(stop) for stop in colors.WEIGHTS + colors.SIGNED}
    assert written_colours(source.read_text("utf-8")) & (roles | stops) - {(255, 255, 255)} == set()


def test_the_style_has_the_colours_of_the_figures() -> None:
    css = widgets.HeadGrid._css
    for role in colors.ROLES:
        assert f"--course-figure-{role.lower()}: {getattr(theme, role).lower()};" in css
    for place, (red, green, blue) in enumerate(colors.WEIGHTS):
        assert f"--course-figure-weights-{place}: rgb({red} {green} {blue});" in css
    used = set(re.findall(r"var\((--course-(?:figure|lecture)-[\w-]+)", "".join(map(read, SOURCES))))
    assert used == set(re.findall(r"(--course-[\w-]+):", colors.variables()))


@pytest.mark.parametrize(
    ("palette", "stops"),
    [(theme.WEIGHTS, colors.WEIGHTS), (theme.SIGNED, colors.SIGNED)],
    ids=["weights", "signed"],
)
def test_between_its_stops_a_palette_is_that_of_the_figures(
    palette: Colormap, stops: list[list[int]]
) -> None:
    share = np.linspace(0, 1, 256)
    blended = [np.interp(share, np.linspace(0, 1, len(stops)), part) for part in np.transpose(stops)]
    assert np.abs(np.transpose(blended) - 255 * palette(share)[:, :3]).max() < 1.5


@pytest.mark.parametrize("name", widgets.NAMES)
def test_a_view_uses_what_it_is_told_and_writes_no_limit_itself(name: str) -> None:
    told = getattr(widgets, name.title().replace("_", "")).constants
    code = "".join(read(path) for path in SOURCES if path.parent.name == name and path.suffix == ".js")
    assert set(re.findall(r"\bconstants\.(\w+)", code)) == set(told)
    for value in told.values():
        if isinstance(value, int) and value >= 100:
            assert not re.search(rf"\b{value}\b", code)


def test_the_browser_is_sent_them() -> None:
    assert largest().get_state()["_constants"] == {"palette": colors.WEIGHTS}


def read(path) -> str:
    return path.read_text("utf-8")
