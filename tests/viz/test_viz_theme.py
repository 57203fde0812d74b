"""The look of all figures: colours and dashes that are told apart, letters that can be read, and named pictures."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from matplotlib import font_manager
from matplotlib.colors import to_hex

from course_utils.viz import picture_names, theme
from course_utils.viz.theme import CYCLE, SIGNED, WEIGHTS, hangul_font_files, use_theme

OKABE_ITO = ["#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#000000"]


def test_colours_are_okabe_and_itos_but_yellow():
    assert sorted(CYCLE) == sorted(color for color in OKABE_ITO if color != "#F0E442")  # too pale for lines
    assert CYCLE[:4] == [theme.QUERY, theme.KEY, theme.VALUE, theme.ACCENT]


def test_palettes_end_where_they_should():
    assert [to_hex(WEIGHTS(x)) for x in (0.0, 1.0)] == ["#ffffff", "#08306b"]
    assert [to_hex(SIGNED(x)) for x in (0.0, 1.0)] == ["#8c3b00", "#00395c"]
    assert SIGNED(0.5)[:3] == pytest.approx((1, 1, 1), abs=0.02)  # 0 is white
    red, _, blue, _ = SIGNED(0.25)
    assert red > blue and SIGNED(0.75)[2] > SIGNED(0.75)[0]  # below 0 vermillion, above 0 blue
    assert (WEIGHTS.name, SIGNED.name) == ("weights", "signed")


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


def test_a_notebook_gives_memory_back_after_each_cell(monkeypatch):
    given, shell = [], InteractiveShell()
    monkeypatch.setattr(theme, "get_ipython", lambda: shell)
    monkeypatch.setattr(theme, "give_back", lambda: given.append("figure" in shell.user_ns))
    use_theme()
    use_theme()  # the first cell, run again
    shell.run_cell("figure = 1")
    shell.run_cell("1 / 0")
    assert given == [True, True]
