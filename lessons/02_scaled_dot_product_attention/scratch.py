"""What notebook 02 builds by hand."""

import torch

from tests.scratch.registry import Scratch


def query_key_value(generator):
    sizes = [(5, 11, 7, 3, torch.float32), (13, 1, 2, 17, torch.float64), (1, 7, 1, 1, torch.float64)]
    for queries, keys, width, value_width, dtype in sizes:
        yield (
            torch.randn(queries, width, generator=generator, dtype=dtype),
            torch.randn(keys, width, generator=generator, dtype=dtype),
            torch.randn(keys, value_width, generator=generator, dtype=dtype),
        )
    # scores of ±900 overflow exp() unless the row's maximum is taken off first
    large = 30 * torch.eye(3, dtype=torch.float64)
    yield large, large.flip(0), torch.randn(3, 5, generator=generator, dtype=torch.float64)


SDPA = "course_utils.attention:scaled_dot_product_attention"
ENTRIES = [Scratch("02_scaled_dot_product_attention", "my_attention", SDPA, query_key_value)]
