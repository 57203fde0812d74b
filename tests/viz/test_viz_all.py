"""What holds for every plot function: it draws where it is told, and refuses what does not fit before it draws."""

import inspect
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils import viz
from tests.viz.drawn import figure_size
from tests.viz.examples import EXAMPLES


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_draws_on_the_axes_it_is_given_and_returns_them(name):
    _, (left, right) = plt.subplots(1, 2, figsize=(3, 2))
    assert EXAMPLES[name](right) is right
    assert right.has_data() or right.texts
    assert not left.has_data() and not left.texts and not left.patches
    assert len(plt.get_fignums()) == 1 and figure_size(right) == [3, 2]


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_makes_one_figure_of_its_own_when_given_none(name):
    ax = EXAMPLES[name](None)
    assert plt.get_fignums() == [ax.get_figure().number]


@pytest.mark.parametrize("name", EXAMPLES)
def test_everything_after_the_data_is_named(name):
    parameters = inspect.signature(getattr(viz, name)).parameters
    assert parameters["ax"].kind is inspect.Parameter.KEYWORD_ONLY and parameters["ax"].default is None
    for parameter in parameters.values():
        if parameter.default is not inspect.Parameter.empty:
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


TWO = ["a", "b"]
REFUSED = {
    "contributions of another shape": (
        viz.plot_contributions,
        (np.zeros((2, 1)), ["a"], TWO),
        r"\(1, 2\).*\(2, 1\)",
    ),
    "a negative contribution": (
        viz.plot_contributions,
        ([[-1.0]], ["a"], ["b"]),
        "must not be negative, got -1.0",
    ),
    "no curve": (viz.plot_curves, ([0, 1], {}), "expected 1 to 7 curves, got 0"),
    "a curve of another length": (
        viz.plot_curves,
        ([0, 1], {"a": [1]}),
        r"'a' of shape \(2,\) like x, got \(1,\)",
    ),
    "a surface turned around": (
        viz.plot_descent_paths,
        ([0, 1], [0, 1, 2], np.eye(2, 3), {}),
        r"got \(2,\), \(3,\) and \(2, 3\)",
    ),
    "a grid that does not rise": (viz.plot_descent_paths, ([0, 0], [0, 1], np.eye(2), {}), "rising x"),
    "a grid of one row": (viz.plot_descent_paths, ([0, 1], [0], [[0, 1]], {}), "at least 2"),
    "a surface without heights": (
        viz.plot_descent_paths,
        ([0, 1], [0, 1], np.ones((2, 2)), {}),
        "heights that differ, got only 1",
    ),
    "a path over three weights": (
        viz.plot_descent_paths,
        ([0, 1], [0, 1], np.eye(2), {"a": [[0, 1, 2]]}),
        r"'a' of shape \(S, 2\) with a finite start, got \(1, 3\)",
    ),
    "a path that is lost before it starts": (
        viz.plot_descent_paths,
        ([0, 1], [0, 1], np.eye(2), {"a": [[0, np.nan]]}),
        "a finite start",
    ),
    "no group of runs": (viz.plot_runs, ([0, 1], {}), "expected 1 to 7 groups of runs, got 0"),
    "a run that is no table": (
        viz.plot_runs,
        ([0, 1], {"a": [0, 1]}),
        r"'a' of shape \(runs, 2\), got \(2,\)",
    ),
    "a group without runs": (viz.plot_runs, ([0, 1], {"a": np.zeros((0, 2))}), r"got \(0, 2\)"),
    "runs of another length": (viz.plot_runs, ([0, 1], {"a": np.zeros((2, 3))}), r"got \(2, 3\)"),
    "a head beyond the tokens": (viz.plot_task_form, (["a"], [0], {1: "x"}), "each place of said"),
    "an order that is none": (viz.plot_encoder_block, ("middle",), '"post" or "pre", got \'middle\''),
    "no row of fates": (viz.plot_fates, ([], [], []), "at least one"),
    "segments that are too few": (viz.plot_input_embeddings, (TWO, [0]), "got 2 and 1"),
    "no token": (viz.plot_input_embeddings, ([], []), "got 0 and 0"),
    "a third segment": (viz.plot_input_embeddings, (["a"], [2]), r"0 or 1, got \[2\]"),
    "owners of another shape": (
        viz.plot_number_table,
        (np.zeros((2, 3)), np.zeros((3, 2))),
        r"\(2, 3\) and \(3, 2\)",
    ),
    "numbers that are no table": (viz.plot_number_table, ([1, 2], [0, 0]), r"\(2,\) and \(2,\)"),
    "differences without a stage": (viz.plot_differences, ([], []), r"shape \(0,\)"),
    "differences that are too few": (viz.plot_differences, ([1.0], TWO), r"\(2,\).*\(1,\)"),
    "departures turned around": (viz.plot_departures, (np.ones((2, 1)), ["a"], TWO), r"\(1, 2\).*\(2, 1\)"),
    "departures of nothing": (viz.plot_departures, (np.ones((0, 2)), [], TWO), r"\(0, 2\)"),
    "no pieces": (viz.plot_pieces, ({},), "at least one row"),
    "a row without pieces": (viz.plot_pieces, ({"a": ["b"], "c": []},), "at least one piece"),
    "a tree without a node": (viz.plot_beam_tree, ([], [], [], []), "got 0 tokens, 0 states"),
    "a tree with too few parents": (
        viz.plot_beam_tree,
        (TWO, [-1], [0, 0], ["kept"] * 2),
        r"\(1,\) and \(2,\)",
    ),
    "a node after itself": (
        viz.plot_beam_tree,
        (TWO, [-1, 1], [0, 0], ["kept"] * 2),
        "parent of node 1 .* got 1",
    ),
    "a parent that is half": (viz.plot_beam_tree, (TWO, [-1, 0.5], [0, 0], ["kept"] * 2), "parent of node 0"),
    "a node after a dropped one": (
        viz.plot_beam_tree,
        (TWO, [-1, 0], [0, 0], ["dropped", "kept"]),
        "node 1 follows node 0, which is dropped",
    ),
    "a state that is none": (viz.plot_beam_tree, (["a"], [-1], [0], ["open"]), "dropped, finished, got open"),
    "an encoding of one dimension": (viz.plot_encoding, ([1.0, 2.0],), r"\(T, C\), got shape \(2,\)"),
    "an encoding of nothing": (viz.plot_encoding, ([[]],), r"\(T, C\)"),
    "an encoding with a hole": (viz.plot_encoding, ([[np.nan]],), "finite"),
    "a table of texts": (
        viz.plot_similarity,
        ([["1"]], ["a"]),
        "expected numbers to draw, got '1' among them",
    ),
    "complex numbers": (viz.plot_encoding, ([[1j]],), "real numbers"),
    "rows of unequal length": (
        viz.plot_encoding,
        ([[1.0], [1.0, 2.0]],),
        "rows of the same length, got list",
    ),
    "a number beyond drawing": (viz.plot_encoding, ([[1e200]],), r"at most 1e\+100 to draw, got 1e\+200"),
    "an infinity to be labelled": (viz.plot_influence, (["a"], [np.inf]), "finite numbers"),
    "no labels": (viz.plot_similarity, ([[1.0]], None), "words must be a list of texts, got NoneType"),
    "a label that is none": (
        viz.plot_attention,
        ([[1.0]], [None], ["a"]),
        "each of the query_tokens must be a text, got NoneType",
    ),
    "a set of labels": (
        viz.plot_attention,
        ([[1.0]], ["a"], {"b"}),
        "key_tokens must be a list of texts, got set",
    ),
    "rows that are none": (viz.plot_fates, (None, [], []), "tokens must be a list of rows, got NoneType"),
    "a text for rows": (viz.plot_fates, (["a"], "plain", [""]), "fates must be a list of rows, got 'plain'"),
    "no dict": (viz.plot_pieces, ([["a"]],), "rows must be a dict from names to what is drawn, got list"),
    "a name that is none": (viz.plot_shares, ({None: [1]}, ["a"]), "each name of parts must be a text"),
    "no part of the course": (viz.plot_course_map, ({},), "at least one part"),
    "an empty table": (viz.plot_attention, (np.zeros((0, 1)), [], ["a"]), r"= \(0, 1\)"),
    "a share that is none": (viz.plot_intervals, ({"a": [(0.5, np.nan, 1)]}, ["b"]), "1 times low"),
    "a method without a name": (viz.plot_intervals, ({}, ["b"]), "at least one and at most 4 methods, got 0"),
    "no arrow": (viz.plot_arrows, (np.zeros((0, 2)), []), "N = 0 labels"),
    "influence of too few words": (viz.plot_influence, (["a"], [1.0, 2.0]), "the 1 words, got 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_before_anything_is_drawn(name):
    plot, given, message = REFUSED[name]
    color = {"color": "k"} if plot is viz.plot_arrows else {}
    with pytest.raises(ValueError, match=message):
        plot(*given, **color)
    assert not plt.get_fignums()


@pytest.mark.parametrize("tolerance", [0.0, -1.0, 1e3, np.nan, None])
def test_a_tolerance_has_its_place_on_the_scale(tolerance):
    for plot, given in [
        (viz.plot_differences, ([0.5], ["a"])),
        (viz.plot_departures, ([[0.5]], ["a"], ["b"])),
    ]:
        with pytest.raises(ValueError, match="tolerance must be"):
            plot(*given, tolerance=tolerance)


@pytest.mark.parametrize("name", ["", "_hidden"])
def test_a_legend_leaves_no_name_out(name):
    (text,) = viz.plot_curves([0, 1], {name: [0, 1]}).get_legend().get_texts()
    assert text.get_text() == f" {name}"


def test_labels_may_be_numbers_and_numbers_fractions():
    ax = viz.plot_similarity([[Fraction(1, 2)]], range(7, 8))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["7"] and ax.texts[0].get_text() == "0.50"


def test_half_a_surrogate_pair_is_drawn_as_a_question_mark():
    viz.show(viz.plot_pieces({"a": ["\ud800"]}), alt="One.")
