"""NeighbourExplorer at its largest documented input, and keys that move it, for the tests and the benchmark."""

import numpy as np

from course_utils.widgets import NeighbourExplorer

MOVES = (
    ("moment", "ArrowLeft"),
    ("moment", "Home"),
    ("moment", "End"),
)


def largest() -> NeighbourExplorer:
    names = ["배", *(f"단어{n}" for n in range(2999))]
    draw = np.random.default_rng(0)
    end = draw.normal(size=(3000, 100))
    moments = {f"갱신 {n}": end + (100 - n) * draw.normal(size=(3000, 100)) / 30 for n in range(100)}
    return NeighbourExplorer("배", words=names, moments=moments)
