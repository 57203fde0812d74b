"""Figures: each is drawn on Axes of its own, and wholly, as a notebook does."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_utils import viz
from tests.faults.registry import case
from tests.viz.examples import EXAMPLES, KEYS, MASK, QUERIES, WEIGHTS, X

GOOD = {
    viz.plot_arrows: lambda: {"vectors": np.array([[1, -2], [-0.5, 0.1]]), "labels": ["a", "b"]},
    viz.plot_attention: lambda: {
        "weights": WEIGHTS.copy(),
        "query_tokens": [*QUERIES],
        "key_tokens": [*KEYS],
    },
    viz.plot_beam_tree: lambda: {
        "tokens": ["a", "b", "c"],
        "parents": [-1, -1, 0],
        "log_probabilities": [-0.5, -1.25, -0.75],
        "states": ["kept", "dropped", "finished"],
        "best": 2,
    },
    viz.plot_bert_model: dict,
    viz.plot_comparisons: lambda: {
        "labels": ["QNLI", "MNLI", "RTE"],
        "values": np.array([84.9, 83.5, 0.5]),
        "references": np.array([88.4, 84.25, np.nan]),
        "names": ["without", "with"],
        "differences": True,
        "digits": 2,
    },
    viz.plot_contributions: lambda: {
        "sizes": np.array([[0.25, 3, 0.5]]),
        "heads": ["front"],
        "tokens": [*QUERIES],
    },
    viz.plot_course_map: lambda: {"parts": {"Start": ["00 Hello"], "Parts": ["02 Dot", "03 Mask"]}},
    viz.plot_curves: lambda: {"x": X.copy(), "curves": {"one": X.copy(), "square": X**2}},
    viz.plot_departures: lambda: {
        "differences": np.array([[1e-7, 0.2], [0.5, np.nan]]),
        "faults": ["ReLU", "place"],
        "stages": ["1", "2"],
        "tolerance": 1e-5,
    },
    viz.plot_descent_paths: lambda: {
        "x": X.copy(),
        "y": X[:5].copy(),
        "heights": X**2 + 3 * X[:5, None] ** 2,
        "paths": {"SGD": [[2.0, 1.0], [1.0, -0.5]]},
    },
    viz.plot_differences: lambda: {"differences": np.array([0.0, 1e-7, 0.3]), "stages": [*QUERIES]},
    viz.plot_encoder_block: lambda: {"order": "post"},
    viz.plot_task_form: lambda: {
        "tokens": [*QUERIES],
        "token_type_ids": [0, 0, 1],
        "said": {0: "good", 2: ""},
    },
    viz.plot_encoding: lambda: {"encoding": np.linspace(-0.5, 0.25, 35).reshape(7, 5)},
    viz.plot_fates: lambda: {
        "tokens": [["I", "ate"]],
        "fates": [["plain", "masked"]],
        "labels": [["", "ate"]],
    },
    viz.plot_head_grid: lambda: {
        "values": np.array([[0.0, 0.25], [0.5, 1.0]]),
        "lowest": 0.0,
        "highest": 1.0,
    },
    viz.plot_hull: lambda: {"points": np.array([[0.0, 0], [4, 1], [1, 3]]), "labels": [*QUERIES]},
    viz.plot_influence: lambda: {"words": [*QUERIES], "moved": [2.0, -0.5, 0.25]},
    viz.plot_input_embeddings: lambda: {"tokens": [*QUERIES], "token_type_ids": [0, 0, 1]},
    viz.plot_intervals: lambda: {"results": {"ours": [(0.9, 0.8, 0.95)]}, "names": ["bae"], "chance": [0.25]},
    viz.plot_change_grid: lambda: {
        "members": ["a", "b"],
        "parts": ["c"],
        "changes": [["new"], [""]],
    },
    viz.plot_gains: lambda: {"labels": ["a"], "gains": [[0.5, 0.25, 0.75]]},
    viz.plot_layer_map: lambda: {"teacher_layers": 3, "chosen": [1, 3]},
    viz.plot_label_bars: lambda: {"labels": ["a", "b"], "probabilities": [0.25, 0.75]},
    viz.plot_layer_mix: lambda: {"mixes": {"a": [1.0, 2.0, 5.0], "b": [0.0, 1.0, 3.0]}},
    viz.plot_layer_rates: lambda: {"rates": np.array([[0.0, 0, 1], [1, 2, 1]]), "layers": ["a", "b"]},
    viz.plot_mask: lambda: {"mask": MASK.copy(), "query_tokens": [*QUERIES], "key_tokens": [*KEYS]},
    viz.plot_number_table: lambda: {
        "numbers": np.array([[11, 12], [21, 22]]),
        "owners": np.array([[0, 0], [1, 1]]),
    },
    viz.plot_pieces: lambda: {"rows": {"words": ["pears", "[UNK]"], "letters": ["p", "##e"]}},
    viz.plot_reach: lambda: {
        "sizes": np.array([[2.0, 0, 0], [0.5, 1, 0]]),
        "outputs": ["a", "b"],
        "inputs": [*QUERIES],
    },
    viz.plot_runs: lambda: {"x": X.copy(), "runs": {"a": [X, X + 1], "b": [X]}},
    viz.plot_scores: lambda: {
        "scores": np.array([[0.7, 0.3], [0.9, 0.1]]),
        "sentences": ["A", "B"],
        "senses": ["s", "p"],
    },
    viz.plot_sense_map: lambda: {"points": np.array([[0.0, 0], [1, 1]]), "senses": ["ship", "pear"]},
    viz.plot_shares: lambda: {"parts": {"a": [90, 10], "b": [10, 90]}, "names": ["S", "L"]},
    viz.plot_similarity: lambda: {
        "similarities": np.array([[1.0, 0.7], [0.7, 1.0]]),
        "words": ["river", "money"],
        "lowest": -1.0,
    },
    viz.plot_span_scores: lambda: {
        "pieces": [*QUERIES],
        "start": np.array([0.1, 0.6, 0.05]),
        "end": np.array([0.02, 0.11, 0.7]),
        "span": (1, 2),
    },
    viz.plot_tagged_words: lambda: {
        "words": [*QUERIES],
        "tags": ["O", "B-LC", "I-LC"],
        "shares": np.array([0.9, 0.8, 0.7]),
    },
}
COLOURED = (viz.plot_arrows, viz.plot_hull)
assert {plot.__name__ for plot in GOOD} == set(EXAMPLES)


def axes() -> Axes:
    """Without pyplot: nothing stays open."""
    return Figure().add_subplot()


for plot, good in GOOD.items():
    color = {"color": "k"} if plot in COLOURED else {}
    case(plot, good, call=lambda plot=plot, color=color, **given: plot(**given, **color, ax=axes()))
case(
    viz.label_beside,
    lambda: {"label": "배", "point": (0.5, 0.5), "direction": (1.0, 0.0)},
    call=lambda **given: viz.label_beside(axes(), **given, color="k"),
)
case(viz.show, lambda: {"alt": "그림."}, call=lambda alt: viz.show(axes(), alt=alt))
case(viz.use_theme, dict)
