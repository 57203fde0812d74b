"""What notebook 15 builds by hand: the share of the token before, and the entropy of attention."""

import torch

from course_utils.interpretation import head_patterns
from tests.scratch.registry import Scratch

NOTEBOOK = "15_attention_heads"


def pattern(name):
    """head_patterns asks for tokens only to know which are alike; these two numbers do not depend on them."""

    def of(weights):
        return head_patterns([f"token {place}" for place in range(weights.shape[-1])], weights)[name]

    return of


previous, entropy = pattern("previous"), pattern("entropy")


def weight_cases(generator):
    for shape, dtype in [
        ((3, 5, 7, 7), torch.float64),
        ((1, 1, 2, 2), torch.float32),
        ((2, 3, 5, 13, 13), torch.float64),
        ((11, 11), torch.float64),
    ]:
        yield (torch.randn(shape, generator=generator, dtype=dtype).mul(2).softmax(-1),)


ENTRIES = [
    Scratch(NOTEBOOK, "my_previous_share", f"{__name__}:previous", weight_cases),
    Scratch(NOTEBOOK, "my_entropy", f"{__name__}:entropy", weight_cases),
]
