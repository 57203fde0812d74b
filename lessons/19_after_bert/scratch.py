"""What notebook 19 builds by hand: ALBERT's embedding, ELECTRA's loss, SpanBERT's boundary objective, two distances."""

import torch
import torch.nn.functional as F

from course_utils.after import AlbertConfig
from course_utils.config import BertConfig
from tests.scratch.registry import Scratch

NOTEBOOK = "19_after_bert"
V, C, E, LONGEST = 29, 14, 5, 17


def config(kind, **more):
    sizes = dict(
        vocab_size=V,
        hidden_size=C,
        num_hidden_layers=2,
        num_attention_heads=7,
        intermediate_size=11,
        max_position_embeddings=LONGEST,
        layer_norm_eps=1e-3,
    )
    return kind(**sizes, **more)


def id_cases(generator):
    for rows, tokens in [(3, 13), (1, 1), (2, LONGEST)]:
        yield (torch.randint(V, (rows, tokens), generator=generator),)


def shaken(module):
    """In eval mode, every parameter random: a norm that leaves its bias out would show."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return module.eval()


def discriminator_loss(logits, labels):
    """By torch's own: the mean over what is not −100, 0 where there is nothing."""
    real = labels != -100
    if not real.any():
        return logits.sum() * 0
    return F.binary_cross_entropy_with_logits(logits[real], labels[real].to(logits.dtype))


def discriminator_cases(generator):
    for rows, tokens in [(3, 13), (1, 1), (5, 7)]:
        labels = torch.randint(2, (rows, tokens), generator=generator)
        labels[0, tokens // 2 + 1 :] = -100
        yield 20 * torch.randn(rows, tokens, generator=generator, dtype=torch.float64), labels
    yield torch.randn(2, 3, generator=generator), torch.full((2, 3), -100)


def boundary_cases(generator):
    hidden = torch.randn(3, 11, C, generator=generator)
    table = torch.randn(V, C, generator=generator)
    yield hidden, torch.tensor([[0, 1, 9], [2, 4, 4], [0, 3, 5], [1, 8, 9]]), table
    yield hidden[:1, :3], torch.tensor([[0, 1, 1]]), table


def masks(rows, tokens):
    mask = torch.ones(rows, tokens, dtype=torch.long)
    mask[0, tokens // 2 + 1 :] = 0
    return mask


def hidden_cases(generator):
    for rows, tokens, size in [(3, 13, 7), (1, 1, 2), (5, 2, 11)]:
        pair = (torch.randn(rows, tokens, size, generator=generator, dtype=torch.float64) for _ in "12")
        yield *pair, masks(rows, tokens)


def score_cases(generator):
    for rows, heads, tokens in [(3, 5, 13), (1, 1, 1), (2, 7, 3)]:
        pair = (
            10 * torch.randn(rows, heads, tokens, tokens, generator=generator, dtype=torch.float64)
            for _ in "12"
        )
        yield *pair, masks(rows, tokens)


ENTRIES = [
    Scratch(
        NOTEBOOK,
        "MyFactorizedEmbedding",
        "course_utils.after:FactorizedEmbeddings",
        id_cases,
        build=lambda kind: shaken(kind(config(AlbertConfig, embedding_size=E))),
        rename={"position": "position.embedding"},
    ),
    Scratch(NOTEBOOK, "my_discriminator_loss", f"{__name__}:discriminator_loss", discriminator_cases),
    Scratch(
        NOTEBOOK,
        "MyBoundaryObjective",
        "course_utils.after:BoundaryObjective",
        boundary_cases,
        build=lambda kind: shaken(kind(config(BertConfig))),
    ),
    Scratch(NOTEBOOK, "my_cosine_loss", "course_utils.after:cosine_loss", hidden_cases),
    Scratch(NOTEBOOK, "my_attention_score_loss", "course_utils.after:attention_score_loss", score_cases),
]
