"""PositionalExplorer at its largest documented input, and keys that move it, for the tests and the benchmark."""

from course_utils.positional import sinusoidal_encoding
from course_utils.widgets import PositionalExplorer

MOVES = (
    ("first", "ArrowDown"),
    ("second", "ArrowDown"),
    ("dimension", "ArrowRight"),
    ("hidden_size", "ArrowLeft"),
)


def largest() -> PositionalExplorer:
    return PositionalExplorer(sinusoidal_encoding, length=512, hidden_size=256)
