"""What holds for every plot function: it draws where it is told, and refuses what does not fit before it draws."""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from course_utils import viz
from course_utils.viz.given import numbers
from tests.viz.examples import EXAMPLES


@pytest.mark.parametrize("name", [name for name in EXAMPLES if not name.endswith(": none")])
def test_it_draws_on_the_axes_it_is_given_and_returns_them(name):
    _, (left, right) = plt.subplots(1, 2, figsize=(3, 2))
    assert EXAMPLES[name](right) is right
    assert right.has_data() or right.texts
    assert not left.has_data() and not left.texts and not left.patches
    assert len(plt.get_fignums()) == 1 and [*right.figure.get_size_inches()] == [3, 2]


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_makes_one_figure_of_its_own_when_given_none(name):
    ax = EXAMPLES[name](None)
    assert plt.get_fignums() == [ax.get_figure().number]


@pytest.mark.parametrize("name", EXAMPLES)
def test_everything_after_the_data_is_named(name):
    parameters = inspect.signature(getattr(viz, name.partition(":")[0])).parameters
    assert parameters["ax"].kind is inspect.Parameter.KEYWORD_ONLY and parameters["ax"].default is None
    for parameter in parameters.values():
        if parameter.default is not inspect.Parameter.empty:
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


TWO, NAN = ["a", "b"], np.nan
FLAT = ([0, 1], [0, 1], np.eye(2))
# What would be drawn as something else than it is: shapes that are turned round or cut off, holes, signs, orders.
REFUSED = [
    (viz.plot_arrows, (np.zeros((1, 3)), ["a"])),
    (viz.plot_attention, (np.zeros((2, 1)), ["a"], TWO)),
    (viz.plot_beam_tree, (TWO, [-1], [0, 0], ["kept"] * 2)),
    (viz.plot_beam_tree, (TWO, [-1, -2], [0, 0], ["kept"] * 2)),
    (viz.plot_change_grid, (["a"], ["b"], [["c", "d"]])),
    (viz.plot_comparisons, (TWO, [1.0], [1.0, 2.0])),
    (viz.plot_curves, ([0, 1], {"a": [[0, 1], [2, 3]]})),
    (viz.plot_departures, (np.ones((2, 1)), ["a"], TWO)),
    (viz.plot_descent_paths, ([0, 0], [0, 1], np.eye(2), {})),
    (viz.plot_descent_paths, (*FLAT, {"a": [0, NAN]})),
    (viz.plot_encoding, ([[NAN]],)),
    (viz.plot_gains, (TWO, [[0, 0, 0], [3, 1, 2]])),
    (viz.plot_head_grid, ([[NAN]],)),
    (viz.plot_input_embeddings, (TWO, [0])),
    (viz.plot_input_embeddings, (["a"], [2])),
    (viz.plot_intervals, ({"a": [(0.9, 0.95, 1.0)]}, ["b"])),
    (viz.plot_label_bars, (TWO, [1.0])),
    (viz.plot_label_bars, (["a"], [1.5])),
    (viz.plot_layer_map, (3, [0, 1])),
    (viz.plot_layer_rates, (np.ones((2, 3)), ["a"])),
    (viz.plot_number_table, (np.zeros((2, 3)), np.zeros((3, 2)))),
    (viz.plot_reach, (np.ones((2, 1)), ["a"], TWO)),
    (viz.plot_reach, ([[-1.0]], ["a"], ["b"])),
    (viz.plot_runs, ([0, 1], {"a": [0, 1]})),
    (viz.plot_scores, (np.full((2, 3), 0.5), ["a", "b", "c"], TWO)),
    (viz.plot_sense_map, (np.zeros((2, 3)), TWO)),
    (viz.plot_shares, ({"a": [1, 2, 3]}, TWO)),
    (viz.plot_shares, ({"a": [1, -1], "b": [1, 2]}, TWO)),
    (viz.plot_similarity, ([[1.0], [0.5]], TWO)),
    (viz.plot_span_scores, (["a"], [0.1, 0.2], [0.1])),
]
NEEDED = {viz.plot_arrows: {"color": "k"}, viz.plot_comparisons: {"names": TWO}}


@pytest.mark.parametrize(("plot", "given"), REFUSED)
def test_what_would_be_drawn_as_something_else_is_refused_before_anything_is_drawn(plot, given):
    with pytest.raises(ValueError, match="expected .*got|must be"):
        plot(*given, **NEEDED.get(plot, {}))
    assert not plt.get_fignums()


def test_it_is_told_what_was_expected_and_what_came():
    for given, told in (
        (dict(shape=(2, None)), r"expected numbers of shape \(2, any\) to draw, got \(3,\)"),
        (dict(least=0, most=1), "expected numbers from 0 to 1 to draw, got -1 … 5"),
    ):
        with pytest.raises(ValueError, match=told):
            numbers([0, -1, 5], **given)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_a_tensor_is_drawn_without_its_gradient_whatever_its_precision(dtype):
    assert (numbers(torch.full((2, 3), 0.75, dtype=dtype, requires_grad=True)) == 0.75).all()


@pytest.mark.parametrize("wrong", [[[1.0], [1.0, 2.0]], [["a"]], [[1j]], [[NAN]]])
def test_what_is_no_table_of_finite_real_numbers_is_none(wrong):
    with pytest.raises(ValueError, match="expected (real|finite|numbers)"):
        numbers(wrong, float, finite=True)


@pytest.mark.parametrize("name", ["", "_hidden"])
def test_a_legend_leaves_no_name_out(name):
    (text,) = viz.plot_curves([0, 1], {name: [0, 1]}).get_legend().get_texts()
    assert text.get_text() == f" {name}"


def test_half_a_surrogate_pair_is_drawn_as_a_question_mark():
    viz.show(viz.plot_pieces({"a": ["\ud800"]}), alt="One.")
