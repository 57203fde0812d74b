"""Examples of every public plot function: prime sizes, Latin labels, no two numbers alike.

"plot_x: …" is another example of plot_x, for what the first one does not show.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes

from course_utils import viz

QUERIES = ["I", "ate", "pears"]
KEYS = ["I", "ate", "pears", "[PAD]", "-1"]
WEIGHTS = np.array([[0.1, 0.2, 0.7, 0.0, 0.0], [0.3, 0.25, 0.45, 0.0, 0.0], [0.04, 0.9, 0.06, 0.0, 0.0]])
MASK = np.array([[1, 1, 0, 0, 1], [1, 0, 1, 0, 0], [1, 1, 1, 0, 0]], dtype=bool)
X = np.linspace(-2, 3, 7)

EXAMPLES: dict[str, Callable[[Axes | None], Axes]] = {
    "plot_arrows": lambda ax: viz.plot_arrows([[1, -2], [-0.5, 0.1]], ["a", "b"], color="k", ax=ax),
    "plot_attention": lambda ax: viz.plot_attention(WEIGHTS, QUERIES, KEYS, ax=ax),
    "plot_beam_tree": lambda ax: viz.plot_beam_tree(
        ["a", "b", "c", "e", "f", "g", "end"],
        [-1, -1, -1, 0, 0, 1, 3],
        [-0.5, -1.25, -2.0, -0.75, -3.5, -1.5, -1.0],
        ["kept", "kept", "dropped", "kept", "dropped", "kept", "finished"],
        best=6,
        ax=ax,
    ),
    "plot_bert_model": lambda ax: viz.plot_bert_model(ax=ax),
    "plot_change_grid": lambda ax: viz.plot_change_grid(
        ["RoBERTa", "ALBERT"], ["masks", "layers", "loss"], [["anew", "", ""], ["", "one", "order"]], ax=ax
    ),
    "plot_comparisons": lambda ax: viz.plot_comparisons(
        ["QNLI", "MNLI", "RTE"], [84.9, 83.5, 0.5], [88.4, 84.25, np.nan], names=["without", "with"], ax=ax
    ),
    "plot_curves": lambda ax: viz.plot_curves(X, {"one": X, "square": X**2}, ax=ax),
    "plot_departures": lambda ax: viz.plot_departures(
        [[1e-7, 0.2], [0.5, np.nan], [0, 0]], ["ReLU", "place", "none"], ["layer 1", "layer 2"], ax=ax
    ),
    "plot_descent_paths": lambda ax: viz.plot_descent_paths(
        X,
        X[:5],
        X**2 + 3 * X[:5, None] ** 2,
        {"SGD": [[2, 1], [1, -0.5]], "Adam": [[2, 1], [np.inf, 3]]},
        ax=ax,
    ),
    "plot_encoder_block": lambda ax: viz.plot_encoder_block("post", ax=ax),
    "plot_encoding": lambda ax: viz.plot_encoding(np.linspace(-0.5, 0.25, 35).reshape(7, 5), ax=ax),
    "plot_fates": lambda ax: viz.plot_fates(
        [["[CLS]", "I", "[MASK]", "ate", "pears"]],
        [["special", "plain", "masked", "kept", "random"]],
        [["", "", "had", "ate", "rice"]],
        names=["first"],
        ax=ax,
    ),
    "plot_gains": lambda ax: viz.plot_gains(["a", "b"], [[0.5, 0.25, 0.75], [-0.1, -0.3, 0.2]], ax=ax),
    "plot_head_grid": lambda ax: viz.plot_head_grid([[0.0, 0.25, 1.0], [0.5, 0.75, 0.125]], ax=ax),
    "plot_hull": lambda ax: viz.plot_hull([[0, 0], [4, 1], [1, 3]], QUERIES, color="k", ax=ax),
    "plot_input_embeddings": lambda ax: viz.plot_input_embeddings(QUERIES, [0, 0, 1], ax=ax),
    "plot_intervals": lambda ax: viz.plot_intervals(
        {"ours": [(0.9, 0.8, 0.95)], "theirs": [(0.5, 0.4, 0.6)]}, ["bae"], chance=[0.25], ax=ax
    ),
    "plot_label_bars": lambda ax: viz.plot_label_bars(["good", "bad", "none"], [0.25, 0.7, 0.05], ax=ax),
    "plot_layer_map": lambda ax: viz.plot_layer_map(7, [2, 4, 7], ax=ax),
    "plot_layer_rates": lambda ax: viz.plot_layer_rates(
        [[0, 0, 0, 0.1, 0.2], [0, 0.25, 0.5, 0.4, 0.3], [1, 2, 1.6, 1.2, 0]], ["low", "middle", "top"], ax=ax
    ),
    "plot_mask": lambda ax: viz.plot_mask(MASK, QUERIES, KEYS, ax=ax),
    "plot_number_table": lambda ax: viz.plot_number_table(
        [[11, 12], [21, 22], [31, 32]], [[0, 0], [1, 1], [2, 2]], ax=ax
    ),
    "plot_pieces": lambda ax: viz.plot_pieces({"words": ["pears", "[UNK]"], "letters": ["p", "##e"]}, ax=ax),
    "plot_reach": lambda ax: viz.plot_reach(
        [[2.0, 0, 0, 0, 0], [0.5, 1.75, 0, 0, 0], [0.25, 1.0, 1.5, 0.0001, 0.75]], QUERIES, KEYS, ax=ax
    ),
    "plot_runs": lambda ax: viz.plot_runs(X, {"a": [X, X + 1, X + 5], "b": [X]}, ax=ax),
    "plot_scores": lambda ax: viz.plot_scores(
        [[0.7, 0.3], [0.9, 0.1], [0.2, 0.8]], QUERIES, ["ship", "pear"], truths=["ship", "pear", None], ax=ax
    ),
    "plot_sense_map": lambda ax: viz.plot_sense_map(
        [[0, 0], [1, 1], [2, 0]], ["ship", "pear", "ship"], names=["", "here", ""], ax=ax
    ),
    "plot_shares": lambda ax: viz.plot_shares({"a": [90, 10], "b": [9, 60], "c": [1, 30]}, ["S", "L"], ax=ax),
    "plot_similarity": lambda ax: viz.plot_similarity([[1.0, 0.7], [0.7, 1.0]], ["river", "money"], ax=ax),
    "plot_span_scores": lambda ax: viz.plot_span_scores(
        KEYS, [0.1, 0.6, 0.05, 0.2, 0.0], [0.02, 0.11, 0.7, 0.03, 0.04], span=(1, 2), ax=ax
    ),
    "plot_tagged_words": lambda ax: viz.plot_tagged_words(
        ["He", "left", "New", "York"], ["O", "O", "B-LC", "I-LC"], shares=[0.99, 0.98, 0.9, 0.85], ax=ax
    ),
    "plot_task_form": lambda ax: viz.plot_task_form(QUERIES, [0, 0, 1], {0: "good", 2: ""}, ax=ax),
    "plot_arrows: two groups": lambda ax: viz.plot_arrows(
        [[0.0, 5.0]],
        ["c"],
        color="#D55E00",
        linestyle="--",
        ax=viz.plot_arrows([[3.0, 1.0]], ["a"], color="k", ax=ax),
    ),
    "plot_attention: many": lambda ax: viz.plot_attention(
        np.full((1, 13), 1 / 13), ["a"], [f"t{n}" for n in range(13)], ax=ax
    ),
    "plot_beam_tree: one": lambda ax: viz.plot_beam_tree(["a"], [-1], [-0.0], ["kept"], ax=ax),
    "plot_comparisons: differences": lambda ax: viz.plot_comparisons(
        ["a", "b", "c"], [1, 2.5, 3], [2, 2.25, np.nan], names=["x", "y"], differences=True, ax=ax
    ),
    "plot_comparisons: below zero": lambda ax: viz.plot_comparisons(
        ["a", "b"], [-0.25, 0.125], [0.5, -1], names=["x", "y"], ax=ax
    ),
    "plot_departures: ends": lambda ax: viz.plot_departures(
        [[1e-5, 2e-5, 1e9]], ["a"], ["x", "y", "z"], ax=ax
    ),
    "plot_encoder_block: pre": lambda ax: viz.plot_encoder_block("pre", ax=ax),
    "plot_encoding: large": lambda ax: viz.plot_encoding([[0.0, -3.0, 2.0]], ax=ax),
    "plot_fates: long rows": lambda ax: viz.plot_fates(
        [["[CLS]"] * 41, ["a"]], [["plain"] * 41, ["kept"]], [[""] * 41, ["b"]], ax=ax
    ),
    "plot_head_grid: signed": lambda ax: viz.plot_head_grid(
        [[0.5, -0.25, -0.001]], lowest=-0.5, highest=0.5, ax=ax
    ),
    "plot_hull: one": lambda ax: viz.plot_hull([[2.0, 2.0]], ["a"], color="k", ax=ax),
    "plot_runs: marked": lambda ax: viz.plot_runs(X, {"a": [X, X + 1]}, markers=True, ax=ax),
    "plot_scores: none": lambda ax: viz.plot_scores(np.zeros((0, 2)), [], ["ship", "pear"], ax=ax),
    "plot_shares: eight": lambda ax: viz.plot_shares({str(n): [n + 1] for n in range(8)}, ["x"], ax=ax),
    "plot_similarity: narrow": lambda ax: viz.plot_similarity(
        [[1.0, 0.3], [0.9, 0.5]], ["river", "money"], lowest=0.25, ax=ax
    ),
    "plot_span_scores: many": lambda ax: viz.plot_span_scores(
        ["piece"] * 41, np.full(41, 0.01), np.full(41, 0.02), ax=ax
    ),
    "plot_tagged_words: lines": lambda ax: viz.plot_tagged_words(
        ["a long word of a name"] * 7, ["B-QT", "I-QT", "I-PS", "O", "I-QT", "I-QT", "NOUN"], ax=ax
    ),
}
