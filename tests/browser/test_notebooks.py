"""Every notebook as a learner meets it in JupyterLab: opened as it is saved, its widgets brought to life; or Run All.

Strict nbval has run every cell already. So the cells that no widget needs are not run once more for each change, and
where a widget needs a training or a large model, none is; all of every notebook is, once a week (`make test-all`).
"""

from __future__ import annotations

import nbformat
import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Locator

from dev.notebook_cells import code_cells, tags
from tests.browser.harness import AXE, NOTEBOOKS, Lab, Visit, copy_notebook
from tests.browser.needed import needed

# The later ones take longest: first, so that none keeps all waiting at the end.
NAMES = [path.name for path in sorted(NOTEBOOKS.glob("*.ipynb"), reverse=True)]
# Short, and run from top to bottom each time: the way through the page's own menu stays tried.
EACH_TIME = NAMES[-1]
# Its widget is alive within seconds. test_standard.py tries every widget each time, at its largest.
SOON_ALIVE = ("02",)
# Pixels of height that a widget may have, with the input of its notebook, to be seen as a whole.
TALLEST = 600  # in JupyterLab on a laptop of 1366 × 768
TALLEST_IN_LECTURE = 640  # in lecture mode, before a projector of 1280 × 720, the list of files put away


def cells_tagged(name: str, tag: str) -> list[int]:
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    return [index for index, cell in code_cells(notebook) if tag in tags(cell)]


def each_time(names: tuple[str, ...]) -> list[ParameterSet]:
    """All notebooks; those that do not begin with one of the names once a week."""
    return [pytest.param(name, marks=[] if name.startswith(names) else pytest.mark.rare) for name in NAMES]


@pytest.mark.parametrize("name", each_time(SOON_ALIVE))
def test_as_saved_with_its_widgets_alive(guest: Visit, lab: Lab, name: str) -> None:
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    run = needed(notebook, cells_tagged(name, "widget"))
    copy_notebook(NOTEBOOKS / name, lab.folder / name, cleared=run)
    guest.open(name)
    guest.run_cells(run)
    look(guest, name)


@pytest.mark.parametrize("name", each_time((EACH_TIME,)))
def test_run_all_and_look(guest: Visit, lab: Lab, name: str) -> None:
    copy_notebook(NOTEBOOKS / name, lab.folder / name)
    guest.open(name)
    guest.run_all(by_menu=True)
    look(guest, name)


def look(guest: Visit, name: str) -> None:
    """No errors, and everything drawn: widgets, figures with their alternative texts, Hangul."""
    assert guest.failures() == [], (
        "an error output, or something on stderr (such as a missing glyph in a figure)"
    )
    for index in cells_tagged(name, "widget"):
        view = guest.cell(index).locator(".course-widget, .jupyter-widgets").first
        view.scroll_into_view_if_needed()
        assert view.bounding_box()["height"] > 100, f"the widget of cell {index} is not drawn"
    assert too_tall(guest, name) == []
    folded = cells_tagged(name, "answer")  # until it is guessed; nbval compares the figure
    for index in (index for index in cells_tagged(name, "figure") if index not in folded):
        assert guest.cell(index).locator(".jp-OutputArea-output img").count() >= 1, (
            f"cell {index} shows no figure"
        )
    for alt, width, caption in guest.page.evaluate(_PICTURES):
        assert width > 0, "a picture is not drawn"
        # JupyterLab drops the alternative text of image outputs: viz/picture_names.py puts the caption there.
        assert len(alt) > 10 and (alt == caption or not caption), "a picture without an alternative text"
    if AXE.exists():
        assert guest.barriers(guest.page.locator(".jp-RenderedImage")) == []
    assert guest.page.evaluate(_HANGUL_IS_DRAWN), (
        "the page's font draws two different syllables alike: empty boxes; install a font, such as fonts-nanum"
    )


def too_tall(guest: Visit, name: str) -> list[str]:
    """The heights of all widgets, if one of them does not fit the screen; the page is left as it was."""
    views = [
        guest.cell(index).locator(".course-widget, .jupyter-widgets").first
        for index in cells_tagged(name, "widget")
    ]
    size = guest.page.viewport_size
    on_laptop = heights(guest, views, 1366, 768, files=True)
    switches = [view.get_by_test_id("lecture").first for view in views]
    for switch in switches[:1]:  # one is for all
        switch.click()
    in_lecture = heights(guest, views, 1280, 720, files=False)
    for switch in switches[:1]:
        switch.click()
    guest.show_files(True)
    guest.page.set_viewport_size(size)
    guest.settle()
    if max(on_laptop, default=0) <= TALLEST and max(in_lecture, default=0) <= TALLEST_IN_LECTURE:
        return []
    return [
        f"cell {index}: {laptop} px high (at most {TALLEST}), in lecture mode {lecture} (at most {TALLEST_IN_LECTURE})"
        for index, laptop, lecture in zip(cells_tagged(name, "widget"), on_laptop, in_lecture, strict=True)
    ]


def heights(guest: Visit, views: list[Locator], width: int, height: int, *, files: bool) -> list[int]:
    """How high each widget is in a window of this size, with the list of files beside it or without."""
    guest.page.set_viewport_size({"width": width, "height": height})
    guest.settle()
    guest.show_files(files)  # after the change of size, at which JupyterLab may bring the list back
    found = []
    for view in views:
        view.scroll_into_view_if_needed()
        guest.settle()
        found.append(round(view.bounding_box()["height"]))
    return found


# Text of cells off-screen has no innerText: JupyterLab does not render them until they are scrolled to.
_PICTURES = """() => [...document.querySelectorAll('.jp-Notebook img')].map((img) => {
  const below = img.closest('.jp-OutputArea-child')?.nextElementSibling;
  return [img.alt, img.naturalWidth, below?.querySelector('em')?.textContent ?? ''];
})"""

# Syllables that a font lacks are all drawn as the same box; real ones differ.
_HANGUL_IS_DRAWN = """() => {
  const font = getComputedStyle(document.querySelector('.jp-RenderedHTMLCommon') ?? document.body).fontFamily;
  const draw = (letter) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 40 });
    const context = canvas.getContext('2d');
    context.font = `28px ${font}`;
    context.fillText(letter, 4, 32);
    return canvas.toDataURL();
  };
  return new Set(['배', '밤', '눈', ' '].map(draw)).size === 4;
}"""
