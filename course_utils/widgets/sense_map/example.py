"""SenseMap at its largest documented input, and keys that move it, for the tests and the benchmark."""

import numpy as np

from course_utils.contextual import occurrences
from course_utils.contextual.evaluation import held_out_sentences
from course_utils.widgets import SenseMap

MOVES = (
    ("cursor", "ArrowRight"),
    ("cursor", "ArrowDown"),
    ("layer", "ArrowLeft"),
)


def largest() -> SenseMap:
    kept = held_out_sentences()
    examples = {
        word: [(own, *occurrences(own, word)[0], sense) for sense, rows in kept[word].items() for own in rows]
        for word in kept
    }

    def place(word, layer):
        return np.random.default_rng(layer).normal(size=(len(examples[word]), 2))

    return SenseMap(examples, place, layers=24)
