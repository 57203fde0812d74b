"""Every notebook as a learner meets it: opened in JupyterLab, Run All, then looked at."""

from __future__ import annotations

import json

import pytest

from tests.browser.harness import NOTEBOOKS, Lab, Visit

# The later ones take longest: first, so that none keeps all waiting at the end.
NAMES = [path.name for path in sorted(NOTEBOOKS.glob("*.ipynb"), reverse=True)]


def cells_tagged(lab: Lab, name: str, tag: str) -> list[int]:
    cells = json.loads((lab.folder / name).read_text("utf-8"))["cells"]
    return [i for i, cell in enumerate(cells) if tag in cell["metadata"].get("tags", [])]


@pytest.mark.parametrize("name", NAMES)
def test_run_all_and_look(guest: Visit, lab: Lab, name: str) -> None:
    widget_cells, figure_cells = cells_tagged(lab, name, "widget"), cells_tagged(lab, name, "figure")
    guest.open(name)
    guest.run_all()
    guest.screenshot_notebook(name.removesuffix(".ipynb"))

    assert guest.failures() == [], (
        "an error output, or something on stderr (such as a missing glyph in a figure)"
    )
    for index in widget_cells:
        view = guest.cell(index).locator(".course-widget, .jupyter-widgets").first
        view.scroll_into_view_if_needed()
        assert view.bounding_box()["height"] > 100, f"the widget of cell {index} is not drawn"
    for index in figure_cells:
        assert guest.cell(index).locator(".jp-OutputArea-output img").count() >= 1, (
            f"cell {index} shows no figure"
        )
    for alt, width, caption in guest.page.evaluate(_PICTURES):
        assert width > 0, "a picture is not drawn"
        # JupyterLab drops the alternative text of image outputs: viz/picture_names.py puts the caption there.
        assert len(alt) > 10 and (alt == caption or not caption), "a picture without an alternative text"
    assert guest.barriers(guest.page.locator(".jp-RenderedImage")) == []
    assert guest.page.evaluate(_HANGUL_IS_DRAWN), (
        "the page's font draws two different syllables alike: empty boxes"
    )


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
