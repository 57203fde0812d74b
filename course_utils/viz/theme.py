"""One look for all figures: Hangul font, colour-blind-safe colours, sizes that can be projected."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import matplotlib as mpl
from cycler import cycler
from IPython import get_ipython
from matplotlib import font_manager
from matplotlib.colors import LinearSegmentedColormap

from course_utils.support.memory import give_back
from course_utils.viz.picture_names import name_pictures

# Okabe & Ito 2008: eight colours that people with any colour vision tell apart. A role keeps its colour everywhere.
QUERY = "#0072B2"  # blue
KEY = "#D55E00"  # vermillion
VALUE = "#009E73"  # bluish green
ACCENT = "#CC79A7"  # reddish purple
MUTED = "#6B7280"  # grey, for what is masked or in the background
INK = "#1F2937"  # text and axes
CYCLE = [QUERY, KEY, VALUE, ACCENT, "#E69F00", "#56B4E9", "#000000"]
DASHES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)), (0, (8, 3))]

# Attention weights: white to deep blue, always drawn with vmin=0, vmax=1.
WEIGHTS = LinearSegmentedColormap.from_list("weights", ["#FFFFFF", "#9ECAE8", "#2B7BBA", "#08306B"])
# Signed values: vermillion - white - blue, always drawn with vmin = −vmax.
SIGNED = LinearSegmentedColormap.from_list("signed", ["#8C3B00", "#E8935A", "#FFFFFF", "#5AA5D6", "#00395C"])


def hangul_font_files() -> list[Path]:
    """The NanumGothic files of the package koreanize-matplotlib, found without importing it.

    Raises:
        RuntimeError: if the package or its fonts are missing.
    """
    spec = importlib.util.find_spec("koreanize_matplotlib")
    folders = list(spec.submodule_search_locations) if spec and spec.submodule_search_locations else []
    files = sorted(path for folder in folders for path in Path(folder).rglob("NanumGothic*.ttf"))
    if not files:
        raise RuntimeError(
            "no Hangul font: expected NanumGothic in koreanize-matplotlib; run `make lab` to install it"
        )
    return files


def use_theme() -> None:
    """Set matplotlib's defaults for this course, name its pictures, and give memory back after each cell.

    Call once, in a notebook's first cell.
    """
    name_pictures()
    if shell := get_ipython():
        shell.events.register("post_execute", give_back)  # what a cell worked with is many times its result
    known = {font.fname for font in font_manager.fontManager.ttflist}
    for path in map(str, hangul_font_files()):
        if path not in known:  # each one that is added costs every later search, and forgets the earlier ones
            font_manager.fontManager.addfont(path)
    mpl.rcParams.update(
        {
            "font.family": "NanumGothic",
            "axes.unicode_minus": False,  # NanumGothic has no U+2212
            "mathtext.fontset": "cm",
            "font.size": 12,
            "axes.titlesize": 14,
            "axes.titleweight": "bold",
            "axes.titlepad": 10,
            "axes.labelsize": 12,
            "axes.edgecolor": INK,
            "axes.labelcolor": INK,
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": False,
            "grid.color": "#E5E7EB",
            "axes.prop_cycle": cycler(color=CYCLE) + cycler(linestyle=DASHES),
            "lines.linewidth": 2.2,
            "legend.frameon": False,
            "figure.facecolor": "white",
            "savefig.facecolor": "white",
            "figure.constrained_layout.use": True,
        }
    )
