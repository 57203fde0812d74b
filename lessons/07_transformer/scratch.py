"""What notebook 07 builds by hand: GRU, additive attention, gated linear unit, decoder layer, smoothed loss."""

import torch

from course_utils.masks import causal_mask
from tests.scratch.registry import Scratch, config

NOTEBOOK = "07_transformer"


def gru_cases(generator):
    yield (torch.randn(3, 11, 7, generator=generator),)
    yield (5 * torch.randn(1, 1, 7, generator=generator, dtype=torch.float64),)


def additive_cases(generator):
    for rows, queries, keys, dtype in ((2, 3, 5, torch.float32), (1, 7, 1, torch.float64)):
        query, key, value = (
            torch.randn(rows, tokens, 13, generator=generator, dtype=dtype)
            for tokens in (queries, keys, keys)
        )
        mask = torch.rand(rows, queries, keys, generator=generator) < 0.6
        mask[..., 0] = True  # no row is fully masked: that is the package's rule, told in notebook 03
        yield query, key, value, mask


def glu_cases(generator):
    yield (3 * torch.randn(2, 5, 14, generator=generator),)
    yield (torch.linspace(-30, 30, 102, dtype=torch.float64),)


def layer_cases(generator):
    def states(rows, tokens, dtype=torch.float32):
        return torch.randn(rows, tokens, 15, generator=generator, dtype=dtype)

    yield states(2, 7), states(2, 11)
    padding = torch.tensor([[True] * 11, [True] * 4 + [False] * 7, [False] * 11])[:, None, None]
    yield states(3, 7), states(3, 11), causal_mask(7), padding  # the last has no source
    yield states(1, 5, torch.float64), states(1, 5, torch.float64), causal_mask(5), None


def loss_cases(generator):
    targets = torch.randint(13, (17,), generator=generator)
    targets[[0, 7, 16]] = -100
    yield 3 * torch.randn(17, 13, generator=generator), targets
    yield torch.randn(1, 2, generator=generator, dtype=torch.float64), torch.tensor([1])
    yield torch.randn(5, 7, generator=generator), torch.full((5,), -100)


ENTRIES = [
    Scratch(NOTEBOOK, "MyGRU", "course_utils.before:GRU", gru_cases, build=lambda cls: cls(7, 5)),
    Scratch(
        NOTEBOOK,
        "MyAdditiveAttention",
        "course_utils.before:AdditiveAttention",
        additive_cases,
        build=lambda cls: cls(13),
    ),
    Scratch(NOTEBOOK, "my_glu", "course_utils.before:glu", glu_cases),
    Scratch(
        NOTEBOOK,
        "MyDecoderLayer",
        "course_utils.seq2seq.decoder:DecoderLayer",
        layer_cases,
        build=[lambda cls: cls(config()), lambda cls: cls(config(layer_norm_eps=0.1))],
    ),
    Scratch(NOTEBOOK, "my_smoothed_cross_entropy", "course_utils.seq2seq:smoothed_cross_entropy", loss_cases),
]
