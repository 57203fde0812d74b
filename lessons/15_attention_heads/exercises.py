"""Exercises of notebook 15: attention heads."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.core import Exercise, Found, Several, numbers


def attention(*shape: int) -> Tensor:
    """Random attention weights; every row sums to 1, none is uniform."""
    return torch.softmax(2 * torch.randn(*shape, dtype=torch.float64), dim=-1)


def both_whole(found: Found) -> dict[str, str]:
    return {"expected": numbers(found.right), "actual": numbers(found.yours)}


def is_value(found: Found) -> bool:
    return found.kind == "value"


# ---- 15.1


def previous_share(weights: Tensor) -> Tensor:
    return weights.diagonal(
        -1
    ).mean()  # entries [1, 0], [2, 1], … : each query's weight on the token before it


def with_query_0(weights):
    places = torch.arange(len(weights))
    return weights[places, (places - 1).clamp(min=0)].mean()


PREVIOUS_SHARE = Exercise(
    "15.1",
    level="warm-up",
    reference=previous_share,
    gradients=False,
    strict=False,
    cases={
        "by_hand": lambda: (
            torch.tensor([[0.9, 0.0, 0.1], [0.6, 0.3, 0.1], [0.1, 0.5, 0.4]], dtype=torch.float64),
        ),
        "masked": lambda: (
            torch.tensor([[1.0, 0, 0, 0], [1, 0, 0, 0], [0.5, 0, 0.5, 0], [0.4, 0.1, 0.2, 0.3]]),
        ),
        "others": lambda: [(attention(size, size),) for size in (2, 7, 13, 307)],
    },
    mistakes={
        "next_token": lambda weights: weights.diagonal(1).mean(),
        "itself": lambda weights: weights.diagonal().mean(),
        "sum_not_mean": lambda weights: weights.diagonal(-1).sum(),
        "divides_by_all": lambda weights: weights.diagonal(-1).sum() / len(weights),
        "first_row": with_query_0,
        "wraps_around": lambda weights: weights.roll(1, dims=1).diagonal().mean(),
        "all_before": lambda weights: weights.tril(-1).sum(-1)[1:].mean(),
        "skips_zeros": lambda weights: weights.diagonal(-1)[weights.diagonal(-1) > 0].mean(),
        "counts": lambda weights: (weights[1:].argmax(-1) == torch.arange(len(weights) - 1)).double().mean(),
        "share": Several(
            [
                lambda weights: weights.diagonal(-1).min(),
                lambda weights: weights.diagonal(-1)[:12].mean(),
            ]
        ),
        "shape": lambda weights: weights.diagonal(-1),
    },
    signs={"share": is_value},
    facts={"*": lambda found: {"count": len(found.given[0]), "rows": len(found.given[0]) - 1}},
    forbids=("course_utils.interpretation",),
)


# ---- 15.2


def entropy(weights: Tensor) -> Tensor:
    return -torch.where(weights > 0, weights * weights.log2(), 0.0).sum(dim=-1)  # (..., T)


def terms(weights, log=torch.log2):
    return -torch.where(weights > 0, weights * log(weights), 0.0)


def zeros_at_the_end_only(weights):
    """As if only the last key could be hidden, as by padding."""
    others, last = weights[..., :-1], weights[..., -1:]
    return entropy(last) - (others * others.log2()).sum(-1)


def made_to_sum_to_1_again(weights):
    weights = weights + 1e-3
    return entropy(weights / weights.sum(-1, keepdim=True))


def tiny_weights() -> tuple[Tensor]:
    return (torch.tensor([[1 - 2.0**-10, 2.0**-11, 2.0**-11]] * 3, dtype=torch.float64),)


def masked_weights() -> list[tuple[Tensor]]:
    """With padding at the end, and with no view of what comes."""
    drawn = attention(2, 3, 5, 5)
    return [
        (weights / weights.sum(-1, keepdim=True),)
        for weights in (drawn * (torch.arange(5) < 4), drawn.tril())
    ]


def spread_weights() -> tuple[Tensor]:
    """Many small ones."""
    spread = torch.full((131, 131), 1e-5, dtype=torch.float64).fill_diagonal_(1 - 130e-5)
    spread[:3] = 1 / 131
    return (spread,)


def row_with_nan(found: Found) -> dict[str, str]:
    return {"row": numbers(found.given[0][tuple(found.yours.isnan().nonzero()[0])])}


WITH_WEIGHTS = ("nats", "sign", "query_axis", "mean_over_keys", "relative", "clamped")

ENTROPY = Exercise(
    "15.2",
    level="core",
    reference=entropy,
    gradients=False,
    strict=False,
    atol=2e-4,  # lets log(w + 1e-9) pass, not log(w + 1e-3)
    cases={
        "by_hand": lambda: (torch.tensor([[1.0, 0.0], [0.5, 0.5]], dtype=torch.float64),),
        "tiny": tiny_weights,
        "masked": masked_weights,
        "spread": spread_weights,
        "others": lambda: [(attention(1, 1),), (attention(3, 7, 7),), (attention(2, 2, 2, 3, 3),)],
    },
    mistakes={
        "averaged": lambda weights: entropy(weights).mean(-1),
        "nan": Several([lambda weights: -(weights * weights.log2()).sum(-1), zeros_at_the_end_only]),
        "nats": lambda weights: terms(weights, log=torch.log).sum(-1),
        "sign": lambda weights: -entropy(weights),
        "query_axis": lambda weights: terms(weights).sum(-2),
        "mean_over_keys": lambda weights: terms(weights).mean(-1),
        "relative": lambda weights: entropy(weights) / math.log2(max(2, weights.shape[-1])),
        "clamped": Several(
            [
                lambda weights: -(weights * weights.clamp(min=1e-3).log2()).sum(-1),
                lambda weights: -(weights.clamp(min=1e-3) * weights.clamp(min=1e-3).log2()).sum(-1),
                lambda weights: -(weights * (weights + 1e-3).log2()).sum(-1),
                lambda weights: -(weights * (weights + 1e-5).log2()).sum(-1),
            ]
        ),
        "drops_small": Several(
            [
                lambda weights, least=least: entropy(weights.where(weights > least, 0.0))
                for least in (1e-2, 1e-3, 1e-4, 2e-5)
            ]
        ),
        "bits": made_to_sum_to_1_again,
        "shape": lambda weights: entropy(weights)[..., None],
    },
    signs={"nan": lambda found: bool(found.yours.isnan().any()), "bits": is_value},
    facts={
        "*": lambda found: {"weights": numbers(found.given[0][..., :5, :5])},
        **dict.fromkeys(WITH_WEIGHTS, both_whole),
        "nan": row_with_nan,
        "drops_small": lambda found: {"weights": numbers(found.given[0][found.difference.index][:5])},
    },
    forbids=("course_utils.interpretation", "entropy"),
)


# ---- 15.3


def attention_rollout(attentions: Tensor) -> Tensor:
    identity = torch.eye(attentions.shape[-1], dtype=attentions.dtype)
    reached = identity
    for weights in attentions:  # (T, T), the lowest layer first
        reached = (0.5 * weights + 0.5 * identity) @ reached  # what is above stands on the left
    return reached


def mixed(attentions, identity=0.5, share=0.5):
    return share * attentions + identity * torch.eye(attentions.shape[-1], dtype=attentions.dtype)


def chained(matrices):
    """A_L · … · A_1."""
    reached = torch.eye(matrices.shape[-1], dtype=matrices.dtype)
    for matrix in matrices:
        reached = matrix @ reached
    return reached


def rolled(**shares):
    return lambda attentions: chained(mixed(attentions, **shares))


OTHER_ROLLOUTS = {
    "not_renormalised": rolled(identity=1.0, share=1.0),
    "order": lambda attentions: chained(mixed(attentions).flip(0)),
    "transposed": Several(
        [
            lambda attentions: attention_rollout(attentions).T,
            lambda attentions: chained(mixed(attentions).mT),
        ]
    ),
    "no_identity": Several([chained, lambda attentions: chained(attentions.flip(0))]),
    "few_layers": Several(
        [lambda attentions, few=few: chained(mixed(attentions[:few])) for few in (2, 3, 6)]
    ),
    "last_layer": Several([lambda attentions: mixed(attentions)[-1], lambda attentions: attentions[-1]]),
    "element_wise": Several(
        [lambda attentions: mixed(attentions).prod(0), lambda attentions: attentions.prod(0)]
    ),
    "mean_of_layers": Several(
        [lambda attentions: mixed(attentions).mean(0), lambda attentions: attentions.mean(0)]
    ),
}

ATTENTION_ROLLOUT = Exercise(
    "15.3",
    level="core",
    reference=attention_rollout,
    gradients=False,
    strict=False,
    cases={
        "by_hand": lambda: (
            torch.tensor([[[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.0, 1.0]]], dtype=torch.float64),
        ),
        "others": lambda: [(attention(*size),) for size in [(1, 3, 3), (3, 5, 5), (7, 2, 2), (12, 60, 60)]],
    },
    mistakes={
        **OTHER_ROLLOUTS,
        "rows": rolled(identity=0.2),
        "flow": rolled(identity=0.2, share=0.8),
        "shape": mixed,
    },
    signs={
        "rows": lambda found: is_value(found) and bool((found.yours.sum(-1) - 1).abs().max() > 1e-5),
        "flow": is_value,
    },
    facts={
        "*": lambda found: {
            "layers": len(found.given[0]),
            "given": numbers(found.given[0]),
            "shape": tuple(found.given[0].shape),
        },
        **dict.fromkeys(OTHER_ROLLOUTS, both_whole),
        "rows": lambda found: {"actual": numbers(found.yours.sum(-1))},
    },
    forbids=("course_utils.interpretation",),
)


# ---- 15.4


def zero_head(context: Tensor, head: int, num_heads: int) -> Tensor:
    size = context.shape[-1] // num_heads  # D
    result = context.clone()
    result[..., head * size : (head + 1) * size] = 0.0
    return result


def zeroed(places):
    """Another choice of coordinates: places(numbers 0 … C − 1, head, num_heads, D) -> bool."""

    def wrong(context, head, num_heads):
        width = context.shape[-1]
        return context.masked_fill(places(torch.arange(width), head, num_heads, width // num_heads), 0.0)

    return wrong


def replaced(by):
    """The head's coordinates, replaced by(them)."""

    def wrong(context, head, num_heads):
        result, size = context.clone(), context.shape[-1] // num_heads
        own = slice(head * size, (head + 1) * size)
        result[..., own] = by(context[..., own])
        return result

    return wrong


def in_place(context, head, num_heads):
    size = context.shape[-1] // num_heads
    context[..., head * size : (head + 1) * size] = 0.0
    return context


def whole_tokens(context, head, num_heads):
    result, size = context.clone(), context.shape[-1] // num_heads
    result[:, head * size : (head + 1) * size] = 0.0
    return result


def cut_out(context, head, num_heads):
    size = context.shape[-1] // num_heads
    return torch.cat([context[..., : head * size], context[..., (head + 1) * size :]], dim=-1)


def divided_by_head(context, head, num_heads):
    result, size = context.clone(), context.shape[-1] // max(head, 1)
    result[..., head * size : (head + 1) * size] = 0.0
    return result


def small_ones_too(context, head, num_heads):
    return zero_head(context, head, num_heads).masked_fill(context.abs() < 1e-5, 0.0)


def sizes_of(found: Found) -> dict[str, Any]:
    context, _, heads = found.given
    width = context.shape[-1]
    return {"heads": heads, "width": width, "size": width // heads, "shape": tuple(context.shape)}


def first_token(found: Found) -> dict[str, str]:
    return {"expected": numbers(found.right[0, 0]), "actual": numbers(found.yours[0, 0])}


def nearly(found: Found) -> bool:
    return is_value(found) and torch.allclose(found.yours, found.right, rtol=0, atol=1e-5)


def of_the_head(found: Found) -> Tensor:
    context, head, heads = found.given
    size = context.shape[-1] // heads
    return found.yours[..., head * size : (head + 1) * size]


OTHER_HEADS = {
    "strided": zeroed(lambda places, head, heads, size: places % heads == head),
    "counted_from_one": zeroed(lambda places, head, heads, size: places // size == head - 1),
    "size_is_heads": zeroed(lambda places, head, heads, size: places // heads == head),
    "others": zeroed(lambda places, head, heads, size: places // size != head),
    "mean": Several(
        [
            replaced(lambda own: own.mean((0, 1))),
            replaced(lambda own: own.mean(1, keepdim=True)),
            replaced(lambda own: own.mean()),
        ]
    ),
}

ZERO_HEAD = Exercise(
    "15.4",
    level="stretch",
    reference=zero_head,
    gradients=False,
    atol=0.0,  # what is not switched off is a copy
    cases={
        "by_hand": lambda: (
            torch.arange(1.0, 19.0).reshape(1, 3, 6),
            1,
            3,
        ),  # 1 … 6 at the first of three tokens
        "each": lambda: [(torch.randn(2, 7, 15), head, 5) for head in range(5)],
        "larger": lambda: [
            (1e-3 * torch.randn(3, 11, 14, dtype=torch.float64), 1, 2),
            (1e-3 * torch.randn(3, 11, 14, dtype=torch.float64), 5, 7),
            (1e-3 * torch.randn(1, 300, 24), 11, 12),
            (torch.randn(1, 1, 3), 0, 1),
        ],
    },
    mistakes={
        **OTHER_HEADS,
        "removed": cut_out,
        "nothing": divided_by_head,
        "almost": replaced(lambda own: own * 1e-7),
        "touched": small_ones_too,
        "token_axis": whole_tokens,
        "coordinates": zeroed(lambda places, head, heads, size: places == head * size),
        "dtype": lambda context, head, num_heads: zero_head(context.float(), head, num_heads),
        "mutates_input": in_place,
    },
    signs={
        "nothing": lambda found: torch.equal(found.yours, found.given[0]),
        "almost": lambda found: nearly(found) and bool(of_the_head(found).any()),
        "touched": nearly,
        "coordinates": is_value,
    },
    facts={"*": sizes_of, **dict.fromkeys(OTHER_HEADS, first_token)},
    forbids=("course_utils.interpretation",),
)

EXERCISES = [PREVIOUS_SHARE, ENTROPY, ATTENTION_ROLLOUT, ZERO_HEAD]
