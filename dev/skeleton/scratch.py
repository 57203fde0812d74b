"""What notebook NN builds by hand."""

import torch

from tests.scratch.registry import Scratch

NOTEBOOK = "@FILE@"


def harder_inputs(generator):
    """Prime sizes, one row, float64; where they matter: padding, a fully masked row, batch 1."""
    yield (torch.randn(7, 13, generator=generator),)
    yield (torch.randn(1, 37, generator=generator, dtype=torch.float64),)


ENTRIES = [
    Scratch(
        notebook=NOTEBOOK,
        name="my_relu",
        reference="course_utils.activations:relu",
        cases=harder_inputs,
    ),
]
