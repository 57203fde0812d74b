"""Exercises of notebook 15: attention heads."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from course_utils.exercises.core import Exercise, Wrong, call, expect_close, expect_tensor, numbers

ENTROPY_ATOL = 1e-4  # lets log(w + 1e-9) pass, not log(w + 1e-3)
Mistakes = list[tuple[str, Tensor]]


def _attention(*shape: int, seed: int) -> Tensor:
    """Random attention weights; every row sums to 1, none is uniform."""
    generator = torch.Generator().manual_seed(seed)
    return torch.softmax(2 * torch.randn(*shape, generator=generator, dtype=torch.float64), dim=-1)


def _same(found: Tensor, other: Tensor, *, atol: float = 1e-5) -> bool:
    return found.shape == other.shape and torch.allclose(found.double(), other.double(), atol=atol, rtol=0)


def _name_mistake(
    found: Tensor, expected: Tensor, mistakes: Mistakes, *, atol: float = 1e-5, **facts: object
) -> None:
    """Raise Wrong under the first mistake that gives just what was found; say nothing of a right answer."""
    if _same(found, expected, atol=atol):
        return
    for reason, mistaken in mistakes:
        if _same(found, mistaken, atol=atol):
            raise Wrong(reason, expected=numbers(expected), actual=numbers(found), **facts)


def previous_share(weights: Tensor) -> Tensor:
    return weights.diagonal(
        -1
    ).mean()  # entries [1, 0], [2, 1], … : each query's weight on the token before it


def check_previous_share(answer: object) -> None:
    by_hand = torch.tensor([[0.9, 0.0, 0.1], [0.6, 0.3, 0.1], [0.1, 0.5, 0.4]], dtype=torch.float64)
    masked = torch.tensor([[1.0, 0, 0, 0], [1, 0, 0, 0], [0.5, 0, 0.5, 0], [0.4, 0.1, 0.2, 0.3]])
    for weights in (
        by_hand,
        _attention(2, 2, seed=1),
        _attention(7, 7, seed=2),
        masked,
        _attention(13, 13, seed=3),
    ):
        count = len(weights)
        found = call(answer, weights)
        if isinstance(found, int | float):
            found = torch.tensor(float(found), dtype=torch.float64)
        found = expect_tensor(found, shape=())
        before, rows = weights.diagonal(-1), torch.arange(1, count)
        mistakes = [
            ("next_token", weights.diagonal(1).mean()),
            ("itself", weights.diagonal().mean()),
            ("sum_not_mean", before.sum()),
            ("divides_by_all", before.sum() / count),
            ("first_row", (weights[0, 0] + before.sum()) / count),
            ("wraps_around", (weights[0, -1] + before.sum()) / count),
            ("all_before", weights.tril(-1).sum(-1)[1:].mean()),
            ("skips_zeros", before[before > 0].mean()),
            ("counts", (weights[1:].argmax(-1) == rows - 1).double().mean()),
        ]
        facts = {"weights": numbers(weights), "count": count, "rows": count - 1}
        _name_mistake(found, before.mean(), mistakes, **facts)
        expect_close(found, before.mean(), "share", **facts)


def entropy(weights: Tensor) -> Tensor:
    return -torch.where(weights > 0, weights * weights.log2(), 0.0).sum(dim=-1)  # (..., T)


def check_entropy(answer: object) -> None:
    by_hand = torch.tensor([[1.0, 0.0], [0.5, 0.5]], dtype=torch.float64)
    tiny = torch.tensor([[1 - 2.0**-10, 2.0**-11, 2.0**-11]] * 3, dtype=torch.float64)
    drawn = _attention(2, 3, 5, 5, seed=3)
    padded, causal = drawn * (torch.arange(5) < 4), drawn.tril()
    masked = [weights / weights.sum(-1, keepdim=True) for weights in (padded, causal)]
    spread = torch.full((257, 257), 1e-5, dtype=torch.float64).fill_diagonal_(1 - 256e-5)  # many small ones
    spread[:3] = 1 / 257
    for weights in (by_hand, tiny, *masked, spread):
        expected = entropy(weights)
        found = expect_tensor(call(answer, weights))
        if found.shape == expected.shape[:-1]:
            raise Wrong("averaged", expected=tuple(expected.shape), actual=tuple(found.shape))
        expect_tensor(found, shape=tuple(expected.shape))
        if found.isnan().any():
            row = tuple(int(i) for i in found.isnan().nonzero()[0])
            raise Wrong("nan", row=numbers(weights[row]))
        floor = weights.clamp(min=1e-3)
        mistakes = [
            ("nats", expected * torch.tensor(2.0).log()),
            ("sign", -expected),
            ("query_axis", entropy(weights.transpose(-1, -2))),
            ("mean_over_keys", expected / weights.shape[-1]),
            ("relative", expected / math.log2(weights.shape[-1])),
            *(("drops_small", entropy(weights.where(weights > least, 0.0))) for least in (1e-2, 1e-3, 1e-4)),
            ("clamped", -(weights * floor.log2()).sum(-1)),
            ("clamped", -(floor * floor.log2()).sum(-1)),
            ("clamped", -(weights * (weights + 1e-3).log2()).sum(-1)),
        ]
        _name_mistake(found, expected, mistakes, atol=ENTROPY_ATOL, weights=numbers(weights[..., :5, :5]))
        expect_close(found, expected, "bits", atol=ENTROPY_ATOL)


def attention_rollout(attentions: Tensor) -> Tensor:
    identity = torch.eye(attentions.shape[-1], dtype=attentions.dtype)
    reached = identity
    for weights in attentions:  # (T, T), the lowest layer first
        reached = (0.5 * weights + 0.5 * identity) @ reached  # what is above stands on the left
    return reached


SIZES = ((1, 3), (3, 5), (7, 2))  # layers, tokens


def check_attention_rollout(answer: object) -> None:
    first, second = [[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.0, 1.0]]
    by_hand = torch.tensor([first, second], dtype=torch.float64)
    for attentions in (by_hand, *(_attention(layers, size, size, seed=size) for layers, size in SIZES)):
        layers, count, _ = attentions.shape
        identity = torch.eye(count, dtype=torch.float64)
        mixed = list(0.5 * attentions + 0.5 * identity)
        expected = attention_rollout(attentions)
        found = expect_tensor(call(answer, attentions), shape=(count, count))
        mistakes = [
            ("not_renormalised", expected * 2**layers),
            ("order", _product(mixed[::-1])),
            ("transposed", expected.T),
            ("no_identity", _product(attentions)),
            ("no_identity", _product(attentions.flip(0))),
            *(("few_layers", _product(mixed[:first])) for first in range(2, layers)),
            ("last_layer", mixed[-1]),
            ("last_layer", attentions[-1]),
            ("element_wise", torch.stack(mixed).prod(0)),
            ("element_wise", attentions.prod(0)),
            ("mean_of_layers", torch.stack(mixed).mean(0)),
            ("mean_of_layers", attentions.mean(0)),
        ]
        _name_mistake(found, expected, mistakes, given=numbers(attentions), layers=layers)
        sums = found.sum(-1)
        if not _same(sums, torch.ones(count)):
            raise Wrong("rows", shape=tuple(attentions.shape), actual=numbers(sums))
        expect_close(found, expected, "flow", shape=tuple(attentions.shape))


def _product(layers: Tensor | list[Tensor]) -> Tensor:
    """A_L · … · A_1."""
    reached = layers[0]
    for layer in layers[1:]:
        reached = layer @ reached
    return reached


def zero_head(context: Tensor, head: int, num_heads: int) -> Tensor:
    size = context.shape[-1] // num_heads  # D
    result = context.clone()
    result[..., head * size : (head + 1) * size] = 0.0
    return result


def check_zero_head(answer: object) -> None:
    generator = torch.Generator().manual_seed(6)
    by_hand = torch.arange(1.0, 19.0).reshape(1, 3, 6)  # 1 … 6 at the first of three tokens
    drawn = torch.randn(2, 7, 15, generator=generator)
    larger = torch.randn(3, 11, 14, generator=generator, dtype=torch.float64) * 1e-3
    cases = [(by_hand, 1, 3), *((drawn, head, 5) for head in range(5)), (larger, 1, 2), (larger, 5, 7)]
    for context, head, num_heads in cases:
        width = context.shape[-1]
        size = width // num_heads
        expected = zero_head(context, head, num_heads)
        found = expect_tensor(call(answer, context, head, num_heads))
        facts = {"head": head, "heads": num_heads, "width": width, "size": size}
        if found.shape == (*context.shape[:-1], width - size):
            raise Wrong("removed", expected=tuple(context.shape), actual=tuple(found.shape))
        expect_tensor(found, shape=tuple(context.shape), dtype=context.dtype)
        if torch.equal(found, expected):
            continue
        if _same(found, expected):
            off = found[..., head * size : (head + 1) * size]
            raise Wrong("almost" if (off != 0).any() else "touched", head=head)
        if _same(found, context):
            raise Wrong("nothing", **facts)
        places = torch.arange(width)
        masks = [
            ("strided", places % num_heads == head),
            ("counted_from_one", places // size == head - 1),
            ("size_is_heads", places // num_heads == head),
            ("others", places // size != head),
        ]
        facts |= {"expected": numbers(expected[0, 0]), "actual": numbers(found[0, 0])}
        for reason, mask in masks:
            if _same(found, context.masked_fill(mask, 0.0)):
                raise Wrong(reason, **facts)
        switched_off = torch.arange(width) // size == head
        means = context.mean((0, 1)), context.mean(1, keepdim=True)
        if any(_same(found, torch.where(switched_off, mean, context)) for mean in means):
            raise Wrong("mean", **facts)
        tokens = (found == 0).all(-1, keepdim=True)  # (B, T, 1)
        if tokens.any() and _same(found, context.masked_fill(tokens, 0.0)):
            raise Wrong("token_axis", shape=tuple(context.shape), **facts)
        facts = {name: facts[name] for name in ("head", "heads", "width")}
        expect_close(found, expected, "coordinates", **facts)


EXERCISES = [
    Exercise("15.1", level="warm-up", check=check_previous_share, solution=previous_share),
    Exercise("15.2", level="core", check=check_entropy, solution=entropy),
    Exercise("15.3", level="core", check=check_attention_rollout, solution=attention_rollout),
    Exercise("15.4", level="stretch", check=check_zero_head, solution=zero_head),
]
