"""What notebook 06 builds by hand: layer normalization, GELU and its derivative, feed-forward, encoder layer."""

import torch

from tests.scratch.registry import Scratch, config

NOTEBOOK = "06_encoder_block"


def norm_cases(generator):
    for shape, dtype in (
        ((2, 3, 7), torch.float32),
        ((1, 13), torch.float64),
        ((5, 1, 11, 2), torch.float64),
    ):
        x, weight, bias = (
            torch.randn(s, generator=generator, dtype=dtype) for s in (shape, shape[-1:], shape[-1:])
        )
        yield 3 + 5 * x, weight, bias
    constant = torch.tensor([[1e-6, -1e-6, 0.0], [2.0, 2.0, 2.0]], dtype=torch.float64)  # where eps decides
    yield constant, torch.ones(3, dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    yield (
        torch.randn(3, 5, generator=generator).bfloat16(),
        torch.ones(5).bfloat16(),
        torch.zeros(5).bfloat16(),
    )


def activation_cases(generator):
    yield (3 * torch.randn(2, 5, 7, generator=generator),)
    yield (torch.linspace(-30, 30, 101, dtype=torch.float64),)
    yield (torch.tensor(-0.75),)


def feed_forward_cases(generator):
    yield (torch.randn(2, 7, 15, generator=generator),)
    yield (torch.randn(1, 1, 15, generator=generator, dtype=torch.float64),)


def layer_cases(generator):
    yield (torch.randn(2, 7, 15, generator=generator),)
    padding = torch.tensor([[True] * 7, [True] * 4 + [False] * 3, [False] * 7])[
        :, None, None
    ]  # the last has no key
    yield torch.randn(3, 7, 15, generator=generator), padding
    full = torch.rand(1, 5, 11, 11, generator=generator) > 0.4
    yield torch.randn(1, 11, 15, generator=generator, dtype=torch.float64), full


ENTRIES = [
    Scratch(NOTEBOOK, "my_layer_norm", "course_utils.layer_norm:layer_norm", norm_cases),
    Scratch(NOTEBOOK, "my_gelu", "course_utils.activations:gelu", activation_cases),
    Scratch(NOTEBOOK, "my_gelu_derivative", "course_utils.activations:gelu_derivative", activation_cases),
    Scratch(
        NOTEBOOK,
        "MyFeedForward",
        "course_utils.encoder:FeedForward",
        feed_forward_cases,
        build=lambda cls: cls(config()),
    ),
    Scratch(
        NOTEBOOK,
        "MyEncoderLayer",
        "course_utils.encoder:EncoderLayer",
        layer_cases,
        build=[lambda cls: cls(config()), lambda cls: cls(config(layer_norm_eps=0.1))],
    ),
]
