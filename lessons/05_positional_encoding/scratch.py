"""What notebook 05 builds by hand."""

from tests.scratch.registry import Scratch

NOTEBOOK = "05_positional_encoding"


def encoding_cases(generator):
    yield 37, 22
    yield 13, 7  # the last sine has no cosine
    yield 1, 1
    yield 5003, 6  # angles that float32 would not hold


def learned_cases(generator):
    yield from [(1,), (5,), (13,)]


ENTRIES = [
    Scratch(  # a function of two whole numbers
        *(NOTEBOOK, "my_sinusoidal_encoding", "course_utils.positional:sinusoidal_encoding", encoding_cases),
        gradients=False,
    ),
    Scratch(
        *(NOTEBOOK, "MyLearnedPositions", "course_utils.positional:LearnedPositionEmbedding", learned_cases),
        build=lambda cls: cls(13, 7),
        rename={"table": "embedding.weight"},
    ),
]
