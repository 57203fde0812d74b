"""The look of all figures: colours and dashes that are told apart, letters that can be read, and named pictures."""

import matplotlib as mpl
import pytest
from matplotlib import font_manager
from matplotlib.colors import to_hex

from course_utils.viz import picture_names, theme
from course_utils.viz.theme import CYCLE, DASHES, SIGNED, WEIGHTS, hangul_font_files, use_theme

OKABE_ITO = ["#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#000000"]


def test_colours_are_okabe_and_itos_but_yellow():
    assert sorted(CYCLE) == sorted(color for color in OKABE_ITO if color != "#F0E442")  # too pale for lines
    assert CYCLE[:4] == [theme.QUERY, theme.KEY, theme.VALUE, theme.ACCENT]


def test_palettes_end_where_they_should():
    assert [to_hex(WEIGHTS(x)) for x in (0.0, 1.0)] == ["#ffffff", "#08306b"]
    assert [to_hex(SIGNED(x)) for x in (0.0, 1.0)] == ["#8c3b00", "#00395c"]
    red, _, blue, _ = SIGNED(0.25)
    assert red > blue and SIGNED(0.75)[2] > SIGNED(0.75)[0]  # below 0 vermillion, above 0 blue
    assert (WEIGHTS.name, SIGNED.name) == ("weights", "signed")


def test_dashes_differ_in_kind_or_length():
    assert DASHES[:4] == ["-", "--", "-.", ":"]
    own = [pattern for _, pattern in DASHES[4:]]
    assert [offset for offset, _ in DASHES[4:]] == [0, 0, 0]
    assert [len(pattern) for pattern in own] == [6, 2, 2] and own == [(5, 1, 1, 1, 1, 1), (1, 2), (8, 3)]


def test_figures_have_the_courses_look():
    use_theme()
    look = mpl.rcParams
    assert look["font.family"] == ["NanumGothic"] and not look["axes.unicode_minus"]
    sizes = [look[name] for name in ("font.size", "axes.labelsize", "axes.titlesize", "axes.titlepad")]
    assert sizes == [12, 12, 14, 10] and look["lines.linewidth"] == 2.2
    assert {look[f"{part}.color"] for part in ("text", "xtick", "ytick")} == {theme.INK}
    assert look["axes.labelcolor"] == look["axes.edgecolor"] == theme.INK
    switched_off = ("axes.spines.top", "axes.spines.right", "axes.grid", "legend.frameon")
    assert [look[name] for name in switched_off] == [False] * 4
    assert look["figure.constrained_layout.use"] is True
    assert look["figure.facecolor"] == look["savefig.facecolor"] == "white"
    lines = [(entry["color"], entry["linestyle"]) for entry in look["axes.prop_cycle"]]
    assert lines == list(zip(CYCLE, DASHES))


def test_the_font_is_found_by_its_name_and_added_once(monkeypatch):
    files = hangul_font_files()
    assert files == sorted(files) and all(path.name.startswith("NanumGothic") for path in files)
    names, manager = [str(path) for path in files], font_manager.fontManager
    others = [font for font in manager.ttflist if font.fname not in names]
    monkeypatch.setattr(manager, "ttflist", others.copy())
    use_theme()
    first = manager.ttflist.copy()
    assert {font.fname for font in first[len(others) :]} == set(names)
    use_theme()
    assert manager.ttflist == first


@pytest.mark.parametrize(("notebook", "published"), [(None, 0), (object(), 1)])
def test_pictures_are_named_in_a_notebook_only(notebook, published, monkeypatch):
    sent = []
    monkeypatch.setattr(picture_names, "get_ipython", lambda: notebook)
    monkeypatch.setattr(picture_names, "publish_display_data", sent.append)
    use_theme()
    assert sent == [{"application/javascript": picture_names.NAME_PICTURES}] * published
