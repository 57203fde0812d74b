"""Show a figure in a notebook with an alternative text for those who cannot see it."""

from __future__ import annotations

from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
import PIL.Image
from IPython.display import Image, Markdown, display
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.transforms import BboxBase

from course_utils.locale import text
from course_utils.support import lecture

SCREEN_DPI = 100
PIXELS_PER_DOT = 1.5  # drawn finer than shown: projectors and high-resolution screens get sharp letters
WIDEST = 9.3  # inches; with its margins about the 919 pixels that a small laptop leaves beside the file list
MARGIN = 0.1  # inches around all that is drawn
COLORS = 256  # a palette makes the saved notebook a third as large; no eye sees the difference


def show(figure: Figure | Axes, *, alt: str, laid_out: bool = False) -> None:
    """Display a figure as a picture, with `alt` as its alternative text and as the caption below it; then close it.

    In lecture mode the picture is larger as a whole, text and lines alike. Else it is at most WIDEST.

    Args:
        figure: a matplotlib Figure, or any Axes of it.
        alt: one sentence that says what is to be seen.
        laid_out: its letters fill the room that they have: where it is too wide, all is drawn smaller.

    Raises:
        ValueError: if alt is empty.
    """
    if not alt.strip():
        raise ValueError("alt must be a sentence that says what the figure shows, got an empty text")
    if isinstance(figure, Axes):
        figure = figure.get_figure()
    picture, width = _picture(figure, 1 if laid_out else 0.5)
    plt.close(figure)
    display(Image(picture, width=width, alt=alt))
    display(Markdown(f"*{text('figures.caption', alt=alt.strip())}*"))


def _picture(figure: Figure, smaller: float) -> tuple[bytes, int]:
    """(a PNG of the figure, its width in pixels of the screen)

    A page too wide is made narrower half by less room in it, half by drawing all smaller: where the browser would leave
    letters of two thirds, they keep four fifths.
    """
    dpi = SCREEN_DPI * PIXELS_PER_DOT * (lecture.SCALE if lecture.lecture_mode() else 1)
    width, height = figure.get_size_inches()
    if (shrink := WIDEST / width) < 1:
        figure.set_size_inches(width * shrink ** (1 - smaller), height)
        dpi *= shrink**smaller
    picture = _drawn(figure, dpi).quantize(
        COLORS, method=PIL.Image.Quantize.MAXCOVERAGE, dither=PIL.Image.Dither.NONE
    )
    saved = BytesIO()
    picture.save(saved, format="png")
    return saved.getvalue(), round(picture.width / PIXELS_PER_DOT)


def _drawn(figure: Figure, dpi: float) -> PIL.Image.Image:
    """All that the figure shows, with a margin around it.

    So does savefig(bbox_inches="tight"), which draws twice, the first time to see how far the figure reaches. Here a
    second time is needed only where something reaches beyond the page.
    """
    face = figure.get_facecolor()
    paper = to_hex(face) if figure.patch.get_visible() and face[3] == 1 else "white"
    before = figure.dpi
    figure.set_dpi(dpi)
    try:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        reach = figure.get_tightbbox(canvas.get_renderer())
        if not _holds(figure.bbox_inches, reach, slack=0.5 / dpi):
            drawn = BytesIO()
            figure.savefig(
                drawn, format="png", dpi=dpi, bbox_inches="tight", pad_inches=MARGIN, facecolor=paper
            )
            return PIL.Image.open(drawn).convert("RGB")
        page = PIL.Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    finally:
        figure.set_dpi(before)
    left, bottom, right, top = (round(side * dpi) for side in reach.padded(MARGIN).extents)
    picture = PIL.Image.new("RGB", (right - left, top - bottom), paper)
    picture.paste(page, (-left, top - page.height))
    return picture


def _holds(page: BboxBase, box: BboxBase, *, slack: float) -> bool:
    """Whether a box lies on the page, give or take `slack`."""
    return bool((box.min >= page.min - slack).all() and (box.max <= page.max + slack).all())
