"""Is a notebook's figure still the one that is saved? Two pictures are compared pixel by pixel, give or take one.

A pixel is out of place when the other picture has nothing of its colour within reach. A curve whose last digits differ
leaves none; a text moved by half a cell, a lost line or swapped axes leave hundreds. A cell whose figure shows what was
trained on the spot says so in its metadata, {"may_move": {"marks": reason}}: curves and bars may then lie elsewhere, as
much of each colour as before, but texts and axes may not. With {"words": reason} texts may, too, such as the words that
a model proposes.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

import numpy as np
from nbformat import NotebookNode
from PIL import Image, ImageChops

from dev.notebook_cells import widget_outputs

ROOT = Path(__file__).resolve().parent.parent
REACH = 1  # pixels: letters and lines may be drawn a pixel away
CLOSE = 48  # of 255 levels of red, green or blue: what smoothed edges and a palette of 256 colours change
MOST_OUT_OF_PLACE = 12  # pixels; a changed digit has 17 or more
SIZE_SLACK = 3  # pixels of width or height

# Where marks may move
MOST_INK = 120  # pixels of texts and axes: curves cover others than before; a lost word has 270 or more
# Of the pixels of any colour. Two trainings of notebook 13, with products summed in another order, differ by 0.23 in
# curves and by 0.44 in a row of bars. A lost line takes half of its colour with it, or more; lost bars take all.
MOST_COLOUR_CHANGE = {"marks": 0.4, "words": 0.65}
FEWEST_OF_A_COLOUR = 600  # pixels; of rarer ones, such as smoothed edges, the count says little
LEVELS = 4  # of red, green and blue, by which colours are told apart here

DRAWN_BY = ("matplotlib", "pillow")
OTHER_VERSIONS_SIZE = 0.05


@dataclass(frozen=True)
class Comparison:
    """One figure held against its saved self: pixels out of place, and what is wrong with that, if anything."""

    out_of_place: int = 0
    complaint: str = ""


def pictures(outputs: list[NotebookNode]) -> list[Image.Image]:
    """The figures among a cell's outputs, in order."""
    coded = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    return [Image.open(BytesIO(base64.b64decode(png))).convert("RGB") for png in coded]


def compare_cell(cell: NotebookNode, fresh: list[NotebookNode]) -> list[Comparison]:
    """Hold the figures of a cell's fresh outputs against those saved with it; a widget's picture is a browser's."""
    if widget_outputs(cell):
        return []
    before, after = pictures(cell.outputs), pictures(fresh)
    if len(before) != len(after):
        return [Comparison(complaint=f"{len(after)} figures, saved are {len(before)}")]
    may_move = set(cell.metadata.get("may_move", {}))
    return [compare(saved, drawn, may_move) for saved, drawn in zip(before, after, strict=True)]


def compare(saved: Image.Image, fresh: Image.Image, may_move: set[str] = frozenset()) -> Comparison:
    """Hold one picture against another; may_move may hold "marks" or "words"."""
    if other_versions():
        return compare_sizes(saved, fresh, OTHER_VERSIONS_SIZE * max(saved.size))
    unequal = compare_sizes(saved, fresh, SIZE_SLACK)
    if unequal.complaint:
        return unequal
    slack = max(abs(a - b) for a, b in zip(saved.size, fresh.size, strict=True))
    size = tuple(map(max, saved.size, fresh.size))
    saved, fresh = padded(saved, size), padded(fresh, size)
    count = out_of_place(saved, fresh, REACH + slack)
    if count <= MOST_OUT_OF_PLACE:
        return Comparison(count)
    if not may_move:
        return Comparison(count, f"{count} pixels out of place, at most {MOST_OUT_OF_PLACE}")
    most = MOST_COLOUR_CHANGE["words" if "words" in may_move else "marks"]
    if (change := colour_change(saved, fresh)) > most:
        return Comparison(count, f"one colour has {change:.0%} more or fewer pixels, at most {most:.0%}")
    if "words" not in may_move and (moved := ink_out_of_place(saved, fresh, REACH + slack)) > MOST_INK:
        return Comparison(count, f"texts or axes moved: {moved} pixels out of place, at most {MOST_INK}")
    return Comparison(count)


def compare_sizes(saved: Image.Image, fresh: Image.Image, slack: float) -> Comparison:
    if any(abs(a - b) > slack for a, b in zip(saved.size, fresh.size, strict=True)):
        return Comparison(complaint=f"{fresh.size} pixels wide and high, saved is {saved.size}")
    return Comparison()


def padded(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    canvas = Image.new("RGB", size, "white")
    canvas.paste(picture, (0, 0))
    return canvas


def out_of_place(one: Image.Image, other: Image.Image, reach: int) -> int:
    """Number of pixels, in either of two pictures of one size, whose colour the other lacks within reach."""
    box = ImageChops.difference(one, other).getbbox()
    if box is None:
        return 0
    left, top, right, bottom = box
    around = (left - reach, top - reach, right + reach, bottom + reach)  # beyond the edge lies black in both
    a, b = (np.asarray(picture.crop(around), dtype=np.int16) for picture in (one, other))
    return int(((outside(a, b, reach) > CLOSE) | (outside(b, a, reach) > CLOSE)).sum())


def colour_change(one: Image.Image, other: Image.Image) -> float:
    """The largest share of its pixels that any frequent colour has more in one picture than in the other."""
    counts = []
    for picture in (one, other):
        red, green, blue = np.moveaxis(np.asarray(picture, dtype=np.int64) * LEVELS // 256, -1, 0)
        counts.append(np.bincount(((red * LEVELS + green) * LEVELS + blue).ravel(), minlength=LEVELS**3))
    most = np.maximum(*counts)
    frequent = most >= FEWEST_OF_A_COLOUR
    return float((abs(counts[0] - counts[1]) / most.clip(min=1))[frequent].max(initial=0))


def ink_out_of_place(one: Image.Image, other: Image.Image, reach: int) -> int:
    """The same for texts and axes alone, told from the marks by their colour."""
    a, b = ink(one), ink(other)
    return int((a & ~spread(b, reach, np.maximum)).sum() + (b & ~spread(a, reach, np.maximum)).sum())


def ink(picture: Image.Image) -> np.ndarray:
    """Where a picture has the theme's ink, or a blend of more ink than paper: (height, width), bool."""
    from course_utils.viz.theme import INK  # only here: matplotlib takes a second to load

    red, green, blue = np.moveaxis(np.asarray(picture, dtype=np.int16), -1, 0)
    r, g, b = (int(INK[i : i + 2], 16) for i in (1, 3, 5))
    tinted = (green - red >= (g - r) // 4) & (blue - green >= (b - g) // 4) & (blue - red <= b - r + 10)
    return (blue < 150) & (blue - red >= (b - r) // 2 - 2) & tinted


def outside(a: np.ndarray, b: np.ndarray, reach: int) -> np.ndarray:
    """How far each pixel of `a` lies outside the range of colours that `b` has within reach: (height, width)."""
    low, high = spread(b, reach, np.minimum), spread(b, reach, np.maximum)
    return np.maximum(a - high, low - a).max(axis=-1)


def spread(picture: np.ndarray, reach: int, keep: np.ufunc) -> np.ndarray:
    """The least or largest value within reach, along columns and then along rows; the same shape."""
    for axis in (0, 1):
        picture = np.moveaxis(picture, axis, 0)
        kept = picture.copy()
        for step in range(1, reach + 1):
            kept[step:] = keep(kept[step:], picture[:-step])
            kept[:-step] = keep(kept[:-step], picture[step:])
        picture = np.moveaxis(kept, 0, axis)
    return picture


def other_versions() -> str:
    """What draws here and is not what drew the saved figures (constraints.txt); "" if nothing.

    Another matplotlib sets letters elsewhere: then only the number of figures and their sizes can be compared.
    """
    pinned = dict(re.findall(r"^([a-z]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    here = [(name, version(name)) for name in DRAWN_BY]
    return ", ".join(f"{name} {found} for {pinned[name]}" for name, found in here if found != pinned[name])
