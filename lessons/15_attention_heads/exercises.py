"""Exercises of notebook 15: attention heads."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, Found, numbers


def attention(*shape: int) -> Tensor:
    """Random attention weights; every row sums to 1, none is uniform."""
    return torch.softmax(2 * torch.randn(*shape, dtype=torch.float64), dim=-1)


# ---- 15.1


def previous_share(weights: Tensor) -> Tensor:
    return weights.diagonal(-1).mean()  # entries [1, 0], [2, 1], … : the weight on the token before


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
            torch.tensor([[0.9, 0.0, 0.1], [0.6, 0.3, 0.1], [0.15, 0.5, 0.35]], dtype=torch.float64),
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
        "value": lambda weights: weights.diagonal(-1).min(),
    },
    facts={"*": lambda found: {"rows": len(found.given[0]) - 1}},
    forbids=("course_utils.interpretation",),
)


# ---- 15.2


def entropy(weights: Tensor) -> Tensor:
    return -torch.where(weights > 0, weights * weights.log2(), 0.0).sum(dim=-1)  # (..., T)


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
    mistakes=changes_of(
        entropy,
        {
            "averaged": {"dim=-1)": "dim=-1).mean(-1)"},
            "nan": {"torch.where(weights > 0, weights * weights.log2(), 0.0)": "(weights * weights.log2())"},
            "nats": {"log2": "log"},
            "sign": {"-torch": "torch"},
            "query_axis": {"dim=-1": "dim=-2"},
            "mean_over_keys": {".sum(": ".mean("},
            "relative": lambda weights: entropy(weights) / math.log2(max(2, weights.shape[-1])),
            "clamped": [
                {"weights.log2": "weights.clamp(min=1e-3).log2"},
                lambda weights: entropy(weights.clamp(min=1e-3)),
                {"weights.log2": "(weights + 1e-3).log2"},
                {"weights.log2": "(weights + 1e-5).log2"},
            ],
            "drops_small": [{"> 0": f"> {least}"} for least in (1e-2, 1e-3, 1e-4, 2e-5)],
            "value": lambda weights: entropy((weights + 1e-3) / (weights + 1e-3).sum(-1, keepdim=True)),
        },
    ),
    signs={"nan": lambda found: bool(found.yours.isnan().any())},
    facts={
        "*": lambda found: {"weights": numbers(found.given[0][..., :5, :5])},
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
    mistakes=changes_of(
        attention_rollout,
        {
            "not_renormalised": {"0.5 * ": ""},
            "order": {"in attentions": "in attentions.flip(0)"},
            "transposed": [{"return reached": "return reached.T"}, {"* weights": "* weights.T"}],
            "no_identity": [
                {"(0.5 * weights + 0.5 * identity)": "weights"},
                {"(0.5 * weights + 0.5 * identity)": "weights", "in attentions": "in attentions.flip(0)"},
            ],
            "few_layers": [{"in attentions": f"in attentions[:{few}]"} for few in (2, 3, 6)],
            "last_layer": [{" @ reached": ""}, lambda attentions: attentions[-1]],
            "element_wise": [
                {"= identity": "= 1", "@ reached": "* reached"},
                lambda attentions: attentions.prod(0),
            ],
            "mean_of_layers": [
                {"= identity": "= 0", "@ reached": "/ len(attentions) + reached"},
                lambda attentions: attentions.mean(0),
            ],
            "rows": {"0.5 * identity": "0.2 * identity"},
            "value": {"0.5 * weights": "0.8 * weights", "0.5 * identity": "0.2 * identity"},
        },
    ),
    signs={
        "rows": lambda found: found.kind == "value" and bool((found.yours.sum(-1) - 1).abs().max() > 1e-5)
    },
    facts={"rows": lambda found: {"actual": numbers(found.yours.sum(-1))}},
    forbids=("course_utils.interpretation",),
)


# ---- 15.4


def zero_head(context: Tensor, head: int, num_heads: int) -> Tensor:
    size = context.shape[-1] // num_heads  # D
    result = context.clone()
    result[..., head * size : (head + 1) * size] = 0.0
    return result


def nearly(found: Found) -> bool:
    return found.kind == "value" and torch.allclose(found.yours, found.right, rtol=0, atol=1e-5)


def of_the_head(found: Found) -> Tensor:
    context, head, heads = found.given
    size = context.shape[-1] // heads
    return found.yours[..., head * size : (head + 1) * size]


ZERO_HEAD = Exercise(
    "15.4",
    level="stretch",
    reference=zero_head,
    gradients=False,
    atol=0.0,  # what is not switched off is a copy
    cases={
        "by_hand": lambda: (
            torch.arange(1.0, 19.0).reshape(1, 3, 6),  # 1 … 6 at the first of three tokens
            1,
            3,
        ),
        "each": lambda: [(torch.randn(2, 7, 15), head, 5) for head in range(5)],
        "larger": lambda: [
            (1e-3 * torch.randn(3, 11, 14, dtype=torch.float64), 1, 2),
            (1e-3 * torch.randn(3, 11, 14, dtype=torch.float64), 5, 7),
            (1e-3 * torch.randn(1, 300, 24), 11, 12),
            (torch.randn(1, 1, 3), 0, 1),
        ],
    },
    mistakes=changes_of(
        zero_head,
        {
            "strided": {"head * size : (head + 1) * size": "head::num_heads"},
            "counted_from_one": {"head * size : (head + 1) * size": "(head - 1) * size : head * size"},
            "size_is_heads": {"* size": "* num_heads"},
            "others": {
                "context.clone()": "torch.zeros_like(context)",
                "= 0.0": "= context[..., head * size : (head + 1) * size]",
            },
            "mean": [
                {"= 0.0": f"= context[..., head * size : (head + 1) * size].mean({over})"}
                for over in ("(0, 1)", "1, keepdim=True", "")
            ],
            "removed": {
                "return result": (
                    "return torch.cat([context[..., : head * size], context[..., (head + 1) * size :]], -1)"
                )
            },
            "unchanged": {"// num_heads": "// max(head, 1)"},
            "almost": {"= 0.0": "*= 1e-7"},
            "touched": {"return result": "return result.masked_fill(context.abs() < 1e-5, 0.0)"},
            "token_axis": {"[..., head": "[:, head"},
            "value": {" : (head + 1) * size": ""},
            "mutates_input": {".clone()": ""},
        },
    ),
    signs={
        "unchanged": lambda found: torch.equal(found.yours, found.given[0]),
        "almost": lambda found: nearly(found) and bool(of_the_head(found).any()),
        "touched": nearly,
    },
    facts={"*": lambda found: {"size": found.given[0].shape[-1] // found.given[2]}},
    forbids=("course_utils.interpretation",),
)

EXERCISES = [PREVIOUS_SHARE, ENTROPY, ATTENTION_ROLLOUT, ZERO_HEAD]
