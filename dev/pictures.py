"""Photograph the widgets where they stand: `python -m dev.pictures [NUMBER ...]`, of all notebooks by default.

Each notebook is run in a real JupyterLab (the browser tests' harness). What a widget shows after Run All is saved
beside its one line in the notebook, for wherever nothing runs: GitHub, HTML, slides, JupyterLab before the first run.
The pictures of the READMEs, in docs/pictures, are some of the same; one is a film.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode
from PIL import Image

from course_utils.support.files import write_atomically
from course_utils.support.paths import NOTEBOOKS, ROOT
from dev.notebook_cells import code_cells, read_notebook, tags, widget_outputs
from dev.run_notebooks import serialise
from tests.browser.harness import Visit, running_chromium, running_lab, visit

FOLDER = ROOT / "docs" / "pictures"
LARGEST = 100_000  # bytes of a picture
FRAME_MS = 900
SCALE = 1.5  # device pixels to a CSS pixel: sharp on a good screen, and still small
IN_README = {"02-049", "03-097", "09-085", "14-045", "15-053", "16-146"}  # ids of cells


class Moving(NamedTuple):
    cell: str  # its id
    file: str
    keys: tuple[tuple[str, str], ...]  # (data-testid of a control, key or Hangul to type): a frame after each
    tall: int  # CSS pixels from the top


MOVING = Moving(
    "00-005",
    "sense_explorer.gif",
    tuple(("sentence", typed) for typed in ("Control+a", "배를", " 깎아", " 먹었다.", "End")),
    1000,
)


def main(numbers: list[str]) -> int:
    """Photograph the widgets of these notebooks, or of all; returns the exit status."""
    chosen = [path for path in sorted(NOTEBOOKS.glob("*.ipynb")) if not numbers or path.stem[:2] in numbers]
    if unknown := {*numbers} - {path.stem[:2] for path in chosen}:
        print(f"✗ no notebook {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    with (
        tempfile.TemporaryDirectory() as folder,
        running_lab(Path(folder) / "lab") as lab,
        running_chromium() as browser,
    ):
        lab.use_theme("Light")
        for path in chosen:
            with visit(browser, lab, scale=SCALE) as guest:
                take(guest, path)
    return 0


def take(guest: Visit, path: Path) -> None:
    """Run one notebook, photograph its widgets, and save them with it."""
    guest.open(path.name)
    guest.run_all()
    if problems := guest.failures() + guest.complaints():
        raise RuntimeError(f"{path.name}: {problems}")
    notebook = read_notebook(path)
    for index, cell in code_cells(notebook):
        if "widget" not in tags(cell):
            continue
        part = guest.cell(index).locator(".course-widget").first
        part.scroll_into_view_if_needed()
        guest.settle()
        with tempfile.TemporaryDirectory() as folder:
            guest.photograph(Path(folder) / "widget.png", part)
            png = shrunk(Path(folder) / "widget.png")
        (output,) = widget_outputs(cell)
        attach(output, base64.b64encode(png).decode())
        if cell.id in IN_README:
            (FOLDER / f"{part.get_attribute('data-testid')}.png").write_bytes(png)
        if cell.id == MOVING.cell:
            print(f"{MOVING.file}: {film(guest, MOVING, FOLDER / MOVING.file) // 1000} kB")
        print(f"{cell.id}: {len(png) // 1000} kB", flush=True)
    write_atomically(path, serialise(notebook))


def attach(output: NotebookNode, png: str) -> None:
    """Save a picture, base64, with a widget's output; its one line says in words what is seen."""
    output.data["image/png"] = png
    output.metadata["image/png"] = {"alt": output.data["text/plain"]}


def film(guest: Visit, moving: Moving, target: Path) -> int:
    """Press the keys, take a picture after each, and store them as one GIF; returns its bytes."""
    part = guest.page.get_by_test_id(moving.file.removesuffix(".gif")).first
    frames = []
    with tempfile.TemporaryDirectory() as folder:
        for place, (testid, key) in enumerate(moving.keys):
            if place == 0 or testid != moving.keys[place - 1][0]:
                part.get_by_test_id(testid).focus()
            (guest.page.keyboard.press if key.isascii() else guest.page.keyboard.insert_text)(key)
            guest.page.wait_for_timeout(400)
            part.locator("[aria-busy=true]").wait_for(state="detached")
            guest.photograph(Path(folder) / "still.png", part)
            frame = Image.open(Path(folder) / "still.png").convert("RGB")
            frames.append(frame.crop((0, 0, frame.width, min(frame.height, int(moving.tall * SCALE)))))
    palette = frames[0].quantize(64)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    first.save(target, save_all=True, append_images=others, duration=FRAME_MS, loop=0, optimize=True)
    return target.stat().st_size


def shrunk(path: Path) -> bytes:
    """A PNG with at most 256 colours, and smaller until it fits."""
    picture = Image.open(path).convert("RGB")
    while True:
        packed = BytesIO()
        picture.quantize(256, dither=Image.Dither.NONE).save(packed, "png", optimize=True)
        if packed.tell() <= LARGEST or picture.width < 200:
            return packed.getvalue()
        picture = picture.resize((picture.width * 4 // 5, picture.height * 4 // 5), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
