"""AttentionExplorer at its largest documented input, and keys that move it, for the tests and the benchmark."""

import numpy as np

from course_utils.widgets import AttentionExplorer

MOVES = (
    ("token-0-0", "ArrowDown"),
    ("token-0-0", "End"),
    ("tile-0-0", "ArrowRight"),
    ("tile-0-0", "ArrowDown"),
    ("threshold", "ArrowRight"),
    ("sort", "ArrowDown"),
)


def largest() -> AttentionExplorer:
    def look(sentence):
        draw = np.random.default_rng(len(sentence))
        weights = draw.dirichlet(np.full(64, 0.05), size=(12, 12, 64))
        return ["[CLS]", *(f"단어{place}" for place in range(62)), "[SEP]"], weights

    def measures(tokens, weights):
        return {"previous": np.diagonal(weights, -1, 2, 3).mean(-1), "entropy": weights.max(-1).mean(-1)}

    return AttentionExplorer("가", "나다", look=look, measures=measures)
