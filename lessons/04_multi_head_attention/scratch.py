"""What notebook 04 builds by hand."""

import torch

from tests.scratch.registry import Scratch

SIZE = 30  # divided by 1, 2, 3 and 5 heads


def cases(generator):
    def draw(*shape, dtype=torch.float32):
        return torch.randn(*shape, generator=generator, dtype=dtype)

    query, memory = draw(2, 7, SIZE), draw(2, 11, SIZE)
    yield query, memory, draw(2, 11, SIZE)
    padding = torch.arange(11) < torch.tensor([[11], [5]])  # (B, T_k)
    yield query, memory, memory, padding[:, None, None, :]
    nothing = padding[:, None, None, :].expand(2, 1, 7, 11).clone()
    nothing[1, 0, 3] = False  # a fully masked row
    yield query, memory, memory, nothing
    sentence = draw(1, 13, SIZE, dtype=torch.float64)
    yield sentence, sentence, sentence, torch.ones(1, 1, 13, 13, dtype=torch.bool).tril()


ENTRIES = [
    Scratch(
        "04_multi_head_attention",
        "MyMultiHeadAttention",
        "course_utils.attention:MultiHeadAttention",
        cases,
        build=[lambda cls, heads=heads: cls(SIZE, heads) for heads in (1, 2, 3, 5)],
    )
]
