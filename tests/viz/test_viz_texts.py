"""What figures say of their own comes from the locale; what the caller hands in is drawn letter by letter."""

import importlib
import inspect
import pkgutil
import re
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.cbook import is_math_text
from matplotlib.text import Text

from course_utils import viz
from course_utils.locale import raw_texts
from course_utils.viz import figure, plot_bert_model, plot_mask
from tests.viz.examples import EXAMPLES, MASK

HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]")
MODULES = [importlib.import_module(f"course_utils.viz.{m.name}") for m in pkgutil.iter_modules(viz.__path__)]


def said(ax):
    """Every text of a figure: of titles, axes, ticks, legends, colour bars and in the picture."""
    return [text.get_text() for text in ax.get_figure().findobj(Text) if text.get_text()]


@cache
def all_said(language):
    drawn = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_LANG", language)
        for example in EXAMPLES.values():
            drawn |= set(said(example(None)))
            plt.close("all")
    return drawn


def leaves(table):
    for value in table.values():
        yield from leaves(value) if isinstance(value, dict) else [value]


def public(module):
    found = inspect.getmembers(module, inspect.isfunction)
    return {name for name, at in found if re.match("plot_|show_", name) and at.__module__ == module.__name__}


def test_every_plot_function_has_an_example():
    named = {name.partition(":")[0] for name in EXAMPLES}
    assert set.union(*map(public, MODULES)) == named <= set(dir(viz))


@pytest.mark.parametrize("name", EXAMPLES)
def test_in_english_no_figure_says_anything_in_korean(name, monkeypatch):
    monkeypatch.setenv("COURSE_LANG", "en")
    assert [words for words in said(EXAMPLES[name](None)) if HANGUL.search(words)] == []


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_text_is_drawn_somewhere(language):
    drawn = all_said(language)
    texts = raw_texts(language, "figures")
    wanted = {words for words in leaves(texts) if words != texts["caption"]}
    numbered = {re.sub(r"\b[012L]\b", "{number}", words) for words in drawn}
    assert wanted <= drawn | numbered


@pytest.mark.parametrize(("language", "caption"), [("ko", "*그림: One.*"), ("en", "*Figure: One.*")])
def test_the_caption_is_of_the_language(language, caption, monkeypatch):
    shown = []
    monkeypatch.setenv("COURSE_LANG", language)
    monkeypatch.setattr(figure, "display", shown.append)
    figure.show(plot_bert_model(), alt=" One. ")
    assert shown[1].data == caption


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_the_code_of_figures_holds_no_korean(module):
    assert not HANGUL.search(inspect.getsource(module))


LABEL = r"$\frac{$ \$5 _ $$"  # half a formula: matplotlib would raise ParseException


def labelled(ax):
    """Two rows of every function that takes labels, with LABEL for each of them."""
    two, rows = [LABEL, "b"], [[0.25, 0.75], [0.5, 0.5]]
    calls = [
        (viz.plot_attention, (rows, two, two)),
        (viz.plot_mask, ([[True, False], [True, True]], two, two)),
        (viz.plot_beam_tree, (two, [-1, 0], [-1.0, -2.0], ["kept", "kept"])),
        (viz.plot_change_grid, (two, two, [two, ["", "b"]])),
        (viz.plot_curves, ([0, 1], {"a": [0, 1], LABEL: [1, 0]})),
        (viz.plot_departures, (rows, two, two)),
        (viz.plot_fates, ([two], [["plain", "masked"]], [["b", LABEL]])),
        (viz.plot_gains, (two, [[0.5, 0.25, 0.75], [0.1, -1, 1]])),
        (viz.plot_input_embeddings, (two, [0, 1])),
        (viz.plot_intervals, ({LABEL: [(0.5, 0.4, 0.6)] * 2}, two)),
        (viz.plot_pieces, ({LABEL: two},)),
        (viz.plot_runs, ([0, 1], {"a": [[0, 1]], LABEL: [[1, 0]]})),
        (viz.plot_scores, (rows, two, two)),
        (viz.plot_sense_map, (rows, two)),
        (viz.plot_shares, ({LABEL: [1, 2], "b": [3, 1]}, two)),
        (viz.plot_similarity, (rows, two)),
    ]
    yield from ((plot.__name__, lambda at=at, plot=plot: plot(*at, ax=ax)) for plot, at in calls)
    for plot in (viz.plot_arrows, viz.plot_hull):
        yield plot.__name__, lambda plot=plot: plot(rows, two, color="k", ax=ax)
    yield "names of rows", lambda: viz.plot_fates([["a"]], [["plain"]], [[""]], names=[LABEL], ax=ax)
    yield "names of points", lambda: viz.plot_sense_map(rows, ["a", "b"], names=two, ax=ax)


@pytest.mark.parametrize(
    ("name", "draw"), [*labelled(None)], ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_dollar_in_a_label_is_a_dollar(name, draw):
    ax = draw()
    texts = [text for text in ax.get_figure().findobj(Text) if "frac" in text.get_text()]
    assert texts and not any(is_math_text(text.get_text()) for text in texts)
    # What is no formula is drawn as it stands, but for the backslash before a dollar.
    assert all(LABEL in text.get_text().replace(r"\$", "$") for text in texts)


def test_the_example_of_a_dollar_would_be_a_formula():
    plt.figure().text(0, 0, LABEL)
    with pytest.raises(ValueError, match="ParseException|Expected"):
        plt.gcf().canvas.draw()


@pytest.mark.parametrize(
    "mask", [np.where(MASK, 0.0, -np.inf), np.where(MASK, 0, -10_000), MASK.astype(float)]
)
def test_an_additive_mask_is_refused_rather_than_drawn_inverted(mask):
    with pytest.raises(ValueError, match=r"mask of bool, True = may attend, got .*mask == 0"):
        plot_mask(mask, ["a"] * 3, ["b"] * 5)
    assert not plt.get_fignums()


def test_a_mask_of_ones_and_zeros_is_a_mask():
    shades = plot_mask(MASK.astype(int), ["a"] * 3, ["b"] * 5).images[0].get_array()
    assert np.array_equal(np.asarray(shades) > 0, MASK)
    assert not plot_mask(np.ones((2, 2), dtype=int), ["a"] * 2, ["b"] * 2).patches
