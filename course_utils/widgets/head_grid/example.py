"""HeadGrid at its largest documented input, and keys that move it, for the tests and the benchmark."""

import numpy as np

from course_utils.widgets import HeadGrid

MOVES = (
    ("head-0", "ArrowRight"),
    ("head-0", "End"),
    ("word-0", "ArrowDown"),
    ("on-3", "Space"),
)


def largest() -> HeadGrid:
    def attention(words):
        return np.random.default_rng(0).dirichlet(np.full(len(words), 0.3), size=(16, len(words)))

    def loss(words, off):
        return np.linspace(0, 0.06 * len(off), len(words))

    sentence = "나는 항구에 들러 큰 배를 타고 섬에 가서 사과와 배를 많이 먹었다"
    return HeadGrid(sentence, heads=[f"헤드 {n}" for n in range(16)], attention=attention, loss=loss)
