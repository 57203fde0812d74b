"""What notebook 03 builds by hand."""

import torch

from tests.scratch.registry import Scratch

NOTEBOOK = "03_masking"
SDPA = "course_utils.attention:scaled_dot_product_attention"


def padded_ids(generator):
    yield torch.randint(0, 3, (5, 7), generator=generator), 0
    yield torch.randint(0, 3, (3, 11), generator=generator), 1  # the padding id is not 0
    yield torch.randint(-2, 2, (1, 13), generator=generator), -1  # nor is it the smallest
    yield torch.zeros(2, 3, dtype=torch.long), 0  # nothing but padding


def lengths(generator):
    yield from [(1,), (2,), (7,), (13,)]


def masked_query_key_value(generator):
    shapes = [
        ((2, 3), 5, 11, 7, (2, 3, 5, 11), torch.float32),
        ((2, 3), 7, 13, 5, (2, 1, 1, 13), torch.float64),  # as padding
        ((1, 2), 1, 7, 1, (1, 1, 1, 7), torch.float64),
        ((), 11, 3, 2, (11, 3), torch.float64),
    ]
    for leading, queries, keys, width, mask_shape, dtype in shapes:
        mask = torch.rand(*mask_shape, generator=generator) < 0.5
        mask[..., 0, :] = False  # a fully masked row, of all queries where the mask has one row only
        yield (
            torch.randn(*leading, queries, width, generator=generator, dtype=dtype),
            torch.randn(*leading, keys, width, generator=generator, dtype=dtype),
            torch.randn(*leading, keys, 3, generator=generator, dtype=dtype),
            mask,
        )
    # a masked score of 900 would take everything if it were masked after the softmax
    large = 30 * torch.eye(3, dtype=torch.float64)
    yield (
        large,
        large,
        torch.randn(3, 5, generator=generator, dtype=torch.float64),
        ~torch.eye(3, dtype=torch.bool),
    )


ENTRIES = [
    # Whole numbers in, booleans out: they have no gradient.
    Scratch(NOTEBOOK, "my_padding_mask", "course_utils.masks:padding_mask", padded_ids, gradients=False),
    Scratch(NOTEBOOK, "my_causal_mask", "course_utils.masks:causal_mask", lengths, gradients=False),
    Scratch(NOTEBOOK, "my_masked_attention", SDPA, masked_query_key_value),
]
