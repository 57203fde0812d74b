"""Show a figure in a notebook with an alternative text for those who cannot see it."""

from __future__ import annotations

from io import BytesIO

import matplotlib.pyplot as plt
import PIL.Image
from IPython.display import Image, Markdown, display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_utils.locale import text
from course_utils.support import lecture
from course_utils.support.given import shown
from course_utils.support.memory import give_back

SCREEN_DPI = 100
PIXELS_PER_DOT = (
    1.5  # drawn finer than shown, so that projectors and high-resolution screens get sharp letters
)
COLORS = 256  # a palette makes the saved notebook a third as large; no eye sees the difference


def show(figure: Figure | Axes, *, alt: str) -> None:
    """Display a figure as a picture, with `alt` as its alternative text and as the caption below it; then close it.

    In lecture mode the picture is larger as a whole, text and lines alike.

    Args:
        figure: a matplotlib Figure, or any Axes of it.
        alt: one sentence that says what is to be seen.

    Raises:
        ValueError: if figure is neither, or alt is no text, or empty.
    """
    if not isinstance(alt, str) or not alt.strip():
        raise ValueError(f"alt must be a sentence that says what the figure shows, got {_missing(alt)}")
    if not isinstance(figure, Figure | Axes):
        raise ValueError(f"figure must be a matplotlib Figure or its Axes, got {shown(figure)}")
    if isinstance(figure, Axes):
        figure = figure.get_figure()
    picture, width = _picture(figure)
    plt.close(figure)
    give_back()  # what was drawn on is many times as large
    display(Image(picture, width=width, alt=alt))
    display(Markdown(f"*{text('figures.caption', alt=alt.strip())}*"))


def _missing(alt: object) -> str:
    return "an empty text" if isinstance(alt, str) else shown(alt)


def _picture(figure: Figure) -> tuple[bytes, int]:
    """(a PNG of the figure, its width in pixels of the screen)"""
    drawn = BytesIO()
    dpi = SCREEN_DPI * PIXELS_PER_DOT * (lecture.SCALE if lecture.lecture_mode() else 1)
    plain = {"compress_level": 0}  # it is packed below
    figure.savefig(drawn, format="png", dpi=dpi, bbox_inches="tight", pad_inches=0.1, pil_kwargs=plain)
    picture = PIL.Image.open(drawn).convert("RGB").quantize(COLORS, dither=PIL.Image.Dither.NONE)
    saved = BytesIO()
    picture.save(saved, format="png")
    return saved.getvalue(), round(picture.width / PIXELS_PER_DOT)
