"""What a figure is made of, a line an artist: places in data units, colours, looks, words.

tests/viz/drawn.txt holds it for every example; `python -m tests.viz.drawn` writes it anew. A change of it is a change
of a figure, to be looked at: picture and lines come with the commit that wants them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import Collection
from matplotlib.colors import Colormap, is_color_like, to_hex
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch
from matplotlib.text import Text

STORED = Path(__file__).with_name("drawn.txt")
TITLE = "## "
# Said only where it is otherwise.
USUAL = "|ha='center'|va='center'|size=12|weight='normal'|color=#1f2937|rotation=0|family=['NanumGothic']|zorder=3|"
USUAL += "|alpha=1|linestyle='solid'|linewidth=0|clip_on=True|minorticklocs=[]|inverted=False|scale='linear'|"
LOOKED_AT = {  # a kind -> its getters
    Line2D: "xydata color linestyle linewidth alpha marker markersize markerfacecolor markeredgecolor markevery",
    FancyArrowPatch: "arrowstyle edgecolor linestyle linewidth",
    Patch: "path extents facecolor edgecolor hatch linestyle linewidth clip_on",
    Text: "text position ha va size weight color rotation family zorder bbox_patch arrowprops xy anncoords",
    Collection: "paths offsets facecolor edgecolor linewidth sizes levels",
    AxesImage: "array clim cmap extent interpolation origin",
    Axis: "scale ticklocs minorticklocs ticklabels inverted label ticks_position",
    Legend: "texts legend_handles bbox_to_anchor alignment",
}


def described(ax: Axes) -> list[str]:
    """The Axes, and each artist on it in the order in which they were put there."""
    lines = [f"figure {plain(ax.get_figure().get_size_inches())} {plain(ax.get_aspect())} axes {ax.axison}"]
    lines.append(f"limits {plain(ax.get_xlim())} {plain(ax.get_ylim())} {plain(ax.margins())}")
    lines += [f"spine {name} {spine.get_visible()}" for name, spine in ax.spines.items()]
    named = [one(artist) for artist in ax.get_children() if artist is not ax.patch]
    return lines + [line for line in named if not line.startswith(("Spine", "Text text='' "))]


def one(artist: Artist) -> str:
    """One artist, in a line."""
    kind = next((kind for kind in LOOKED_AT if isinstance(artist, kind)), None)
    if kind is None:
        return type(artist).__name__
    facts = [asked(artist, name) for name in LOOKED_AT[kind].split()]
    if isinstance(artist, Axis):
        lengths = {tick.tick1line.get_markersize() for tick in artist.get_major_ticks()}
        lines = [tick.gridline for tick in (*artist.get_major_ticks(), *artist.get_minor_ticks())]
        grids = {
            (line.get_color(), line.get_linewidth(), line.get_linestyle())
            for line in lines
            if line.get_visible()
        }
        facts += [f"lengths={sorted(lengths)}", f"grids={sorted(grids)}"]
    return " ".join([type(artist).__name__, *(fact for fact in facts if fact and f"|{fact}|" not in USUAL)])


def asked(artist: Artist, name: str) -> str:
    """What a getter, or else an attribute, says; nothing where there is neither, or only None."""
    if isinstance(artist, Patch) and name in ("path", "extents"):  # corners in the patch's own units
        value = artist.get_patch_transform().transform(artist.get_path().vertices)
        value = len(value) if name == "path" else [*value.min(axis=0), *value.max(axis=0)]
    else:
        value = getattr(artist, f"get_{name}", lambda: getattr(artist, name, None))()
    return "" if value is None else f"{name}={plain(value)}"


def plain(value: Any) -> str:
    """Numbers to six digits, colours as #rrggbbaa, artists as they are described."""
    if isinstance(value, Artist):
        return f"({one(value)})"
    if isinstance(value, dict):
        return plain([f"{name}: {plain(value[name])}" for name in sorted(value)])
    if isinstance(value, Colormap):
        return value.name
    if isinstance(value, str):
        return to_hex(value) if is_color_like(value) and value[0] == "#" else repr(value)
    if hasattr(value, "vertices"):
        value = value.vertices
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        if len(value) == 4 and isinstance(value, tuple) and is_color_like(value):
            return to_hex(value, keep_alpha=True)
        return f"[{' '.join(map(plain, value))}]"
    if isinstance(value, bool | np.bool_) or not np.isscalar(value):
        return str(value) if isinstance(value, bool | np.bool_) else type(value).__name__
    return f"{value + 0.0:.6g}"


def stored() -> dict[str, list[str]]:
    """Name of an example -> its lines."""
    parts = STORED.read_text("utf-8").split(f"\n{TITLE}")[1:]
    return {part.splitlines()[0]: part.splitlines()[1:] for part in parts}


def main() -> None:
    from course_utils.viz import use_theme
    from tests.viz.examples import EXAMPLES

    use_theme()
    written = "What the examples of figures are made of; made by `python -m tests.viz.drawn`.\n"
    for name, example in EXAMPLES.items():
        written += "\n".join([f"\n{TITLE}{name}", *described(example(None)), ""])
        plt.close("all")
    STORED.write_text(written, "utf-8")


if __name__ == "__main__":
    main()
