"""What notebook 17 builds by hand: the learned mix of layers, the mean cosine of all pairs."""

import torch

from course_utils.tasks.probes import anisotropy
from tests.scratch.registry import Scratch

NOTEBOOK = "17_feature_based"


def mix_cases(generator):
    for shape in [(5, 7, 3), (5, 2, 11, 13), (5, 1, 1)]:
        yield (torch.randn(*shape, generator=generator),)


def copied(mine, reference):
    """Scores and γ that are not those of the start, the same for both."""
    with torch.no_grad():
        reference.scores.copy_(torch.tensor([0.3, -1.1, 2.0, 0.0, 0.7]))
        reference.gamma.copy_(torch.tensor(1.7))
    mine.load_state_dict(reference.state_dict())


def mean_cosine(vectors):
    return torch.tensor(anisotropy(vectors), dtype=vectors.dtype)


def vector_cases(generator):
    for count, width in [(2, 1), (13, 5), (29, 3)]:
        yield (torch.randn(count, width, generator=generator, dtype=torch.float64) + 0.5,)
    yield (torch.randn(7, 11, generator=generator),)


ENTRIES = [
    Scratch(
        NOTEBOOK,
        "MyLearnedMix",
        "course_utils.tasks.probes:LearnedMix",
        mix_cases,
        build=lambda kind: kind(5),
        copy=copied,
    ),
    # A measure, told as a plain number: nothing is trained through it.
    Scratch(NOTEBOOK, "my_anisotropy", f"{__name__}:mean_cosine", vector_cases, gradients=False),
]
