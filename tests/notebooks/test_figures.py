"""A figure that was drawn again may differ by a rounding; a fault in it turns its cell red."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import matplotlib
import nbformat
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

from course_utils.viz import plot_attention, use_theme
from dev import figures
from dev.figures import MOST_OUT_OF_PLACE, compare, compare_cell
from dev.run_notebooks import KERNELSPEC

matplotlib.use("Agg")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def theme():
    with matplotlib.rc_context():
        use_theme()
        yield


def heat_map() -> Axes:
    weights = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    words = ["배를", "깎아", "먹었다"]
    ax = plot_attention(weights, words, words)
    if not ax.texts:
        ax.text(1, 1, "0.80")
    return ax


def curves() -> Axes:
    ax = Figure(figsize=(5, 3)).subplots()
    steps = np.linspace(0, 10, 40)
    ax.plot(steps, np.exp(-steps / 3), label="학습")
    ax.plot(steps, np.exp(-steps / 4) + 0.3, "--", label="검증")
    ax.axhline(0.1, linestyle=":")
    ax.set(title="손실", xlabel="갱신 횟수", ylabel="내트")
    ax.text(6, 0.9, "0.42")
    return ax


def drawn(ax: Axes) -> Image.Image:
    saved = BytesIO()
    ax.get_figure().savefig(saved, format="png", dpi=100)
    return Image.open(saved).convert("RGB")


def move_a_text(ax: Axes) -> None:
    x, y = ax.texts[0].get_position()
    ax.texts[0].set_position((x + 0.5, y))


def change_a_digit(ax: Axes) -> None:
    said = ax.texts[0].get_text()
    ax.texts[0].set_text(said[:-1] + str((int(said[-1]) + 4) % 10))


def swap_labels(ax: Axes) -> None:
    ax.set(xlabel=ax.get_ylabel(), ylabel=ax.get_xlabel())


def shift_curves(share: float) -> Callable[[Axes], None]:
    def shift(ax: Axes) -> None:
        low, high = ax.get_ylim()
        for line in ax.lines[:2]:
            line.set_ydata(line.get_ydata() + share * (high - low))
        ax.set_ylim(low, high)

    return shift


FAULTS = [
    (heat_map, move_a_text),
    (heat_map, change_a_digit),
    (heat_map, swap_labels),
    (heat_map, lambda ax: ax.images[0].set_data(ax.images[0].get_array().T)),
    (heat_map, lambda ax: ax.images[0].set_cmap("Greens")),
    (heat_map, lambda ax: ax.set_xticklabels(["깎아", "배를", "먹었다"])),
    (curves, move_a_text),
    (curves, change_a_digit),
    (curves, swap_labels),
    (curves, lambda ax: ax.lines[0].remove()),
    (curves, lambda ax: ax.lines[2].remove()),
    (curves, lambda ax: ax.lines[1].set_linestyle("-")),
    (curves, lambda ax: ax.lines[0].set_color("#CC79A7")),
    (curves, lambda ax: ax.set_title("손실이")),
    (curves, lambda ax: ax.set_xlim(ax.get_xlim()[::-1])),
    (curves, shift_curves(0.05)),
]


@pytest.mark.parametrize(("draw", "plant"), FAULTS)
@pytest.mark.rare
def test_a_fault_is_seen(draw: Callable[[], Axes], plant: Callable[[Axes], None]):
    ax = draw()
    plant(ax)
    found = compare(drawn(draw()), drawn(ax))
    assert found.out_of_place > 2 * MOST_OUT_OF_PLACE and found.complaint


@pytest.mark.parametrize("draw", [heat_map, curves])
def test_a_second_drawing_is_the_same(draw: Callable[[], Axes]):
    assert compare(drawn(draw()), drawn(draw())).out_of_place == 0


def test_what_a_rounding_changes_is_let_through():
    ax, other = curves(), heat_map()
    shift_curves(0.002)(ax)
    other.images[0].set_data(other.images[0].get_array() + 0.003)
    assert drawn(ax) != drawn(curves())
    assert compare(drawn(curves()), drawn(ax)).complaint == ""
    assert compare(drawn(heat_map()), drawn(other)).complaint == ""


@pytest.mark.rare
def test_marks_or_words_may_move_where_the_cell_says_so():
    def told(may_move: str, *faults: Callable[[Axes], None]) -> str:
        ax = curves()
        for fault in faults:
            fault(ax)
        return compare(drawn(curves()), drawn(ax), {may_move}).complaint

    def other_words(ax: Axes) -> None:
        ax.texts[0].set_text("0.57")
        ax.set_title("오차")

    moved = shift_curves(0.05)
    assert told("marks", moved) == "" == told("words", other_words)
    for fault in (move_a_text, swap_labels, lambda ax: ax.set_title(""), lambda ax: ax.lines[0].remove()):
        assert told("marks", moved, fault), fault
    assert "texts or axes" in told("marks", other_words)
    assert "colour" in told("words", other_words, lambda ax: ax.lines[0].remove())


def test_sizes_may_differ_by_little():
    picture = drawn(curves())
    taller = figures.padded(picture, (picture.width, picture.height + 2))
    assert compare(picture, taller).complaint == ""
    assert "wide" in compare(picture, figures.padded(picture, (picture.width + 9, picture.height))).complaint


def test_another_matplotlib_is_told_and_compares_sizes_only(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(figures, "version", lambda name: "0.1")
    assert re.fullmatch(r"matplotlib 0.1 for [\d.]+, pillow 0.1 for [\d.]+", figures.other_versions())
    picture, ax = drawn(curves()), curves()
    ax.set_title("")
    assert compare(picture, drawn(ax)).complaint == ""
    assert compare(picture, picture.resize((picture.width, picture.height // 2))).complaint


# ---- in a notebook -------------------------------------------------------------------------------------------------


def output_of(*pictures: Image.Image) -> list[nbformat.NotebookNode]:
    found = []
    for picture in pictures:
        saved = BytesIO()
        picture.save(saved, format="png")
        coded = base64.b64encode(saved.getvalue()).decode()
        found.append(new_output("display_data", data={"image/png": coded, "text/plain": "<Image>"}))
    return found


def test_each_figure_of_a_cell_is_compared():
    one, two = Image.new("RGB", (30, 20), "white"), Image.new("RGB", (30, 20), "black")
    cell = new_code_cell("show()", outputs=output_of(one, two))
    assert [found.complaint for found in compare_cell(cell, output_of(one, two))] == ["", ""]
    assert [bool(found.complaint) for found in compare_cell(cell, output_of(one, one))] == [False, True]
    assert "1 figures, saved are 2" in compare_cell(cell, output_of(one))[0].complaint
    cell.metadata.tags = ["widget"]  # a browser took its picture
    assert compare_cell(cell, []) == []


@pytest.mark.rare
def test_a_changed_figure_turns_its_cell_red(tmp_path: Path):
    """Strict nbval, as `make test` calls it, in two processes; one cell's saved figure has another colour."""
    draw = (
        "from IPython.display import Image, display\nimport io, PIL.Image\nsaved = io.BytesIO()\n"
        "PIL.Image.new('RGB', (30, 20), '{}').save(saved, format='png')\n"
        "display({{'image/png': saved.getvalue(), 'text/plain': '<Image>'}}, raw=True)"
    )
    draw = draw.replace("saved.getvalue()", "__import__('base64').b64encode(saved.getvalue()).decode()")
    cells = [
        new_code_cell(draw.format(colour), id=f"99-{index:03}", execution_count=index + 1)
        for index, colour in enumerate(("white", "red"))
    ]
    for cell in cells:
        cell.outputs = output_of(Image.new("RGB", (30, 20), "white"))
    path = tmp_path / "99_planted.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": KERNELSPEC}), path)
    options = "-m pytest -q -n1 -rA -p no:cacheprovider -p dev.strict_nbval"
    command = [sys.executable, *options.split(), str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"CI": ""})
    assert re.search(r"^PASSED .*::Cell 0", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^FAILED .*::Cell 1", done.stdout, re.MULTILINE), done.stdout
    assert "figure 1: 600 pixels out of place" in done.stdout
    assert "figures compared: 1, all equal to the pixel" in done.stdout
    for kind in ("saved", "fresh"):
        (ROOT / "build" / "figures" / f"99_planted-99-001-1-{kind}.png").unlink()
