"""Small models and a batch for the tests of distillation; sizes are primes, so a swapped axis cannot pass."""

import torch

from course_utils.config import BertConfig
from course_utils.datasets.batching import seeded

V, B, T = 23, 3, 7


def config(layers=3, hidden=10, heads=5, **more):
    sizes = dict(
        vocab_size=V,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=13,
        max_position_embeddings=11,
        initializer_range=0.5,
        layer_norm_eps=1e-3,
    )
    return BertConfig(**(sizes | more))


def batch():
    """input_ids, attention_mask, token_type_ids, labels: padding on the right, on the left and nowhere."""
    ids = torch.randint(1, V, (B, T), generator=seeded(1))
    mask = torch.ones(B, T, dtype=torch.long)
    mask[1, 4:], mask[2, :2] = 0, 0
    labels = torch.where(torch.arange(T) % 3 == 2, ids, -100).masked_fill(mask == 0, -100)
    return ids, mask, (torch.arange(T) > 3).long().expand(B, T).contiguous(), labels


def randn(*shape, seed=0):
    return torch.randn(shape, generator=seeded(seed), dtype=torch.float64)


def without_dropout(model):
    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
