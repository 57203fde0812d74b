"""Exercises of notebook 04: multi-head attention."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, Found, Several, drawn, number
from course_utils.exercises.forbidden import as_many_calls


# ---- 04.1
def split_heads(hidden: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden_size = hidden.shape
    pieces = hidden.view(batch, length, num_heads, hidden_size // num_heads)  # (B, T, H, D)
    return pieces.transpose(1, 2)  # (B, H, T, D)


def viewed(hidden, num_heads):
    batch, length, size = hidden.shape
    return hidden.reshape(batch, num_heads, length, size // num_heads)


def batch_mixed_in(hidden, num_heads):
    batch, length, size = hidden.shape
    return hidden.reshape(length, batch, num_heads, size // num_heads).permute(1, 2, 0, 3)


def numbered_tokens() -> tuple[Tensor, int]:
    """The tens say which token, the units which coordinate: (B, T, C) = (1, 4, 6), two heads of size 3."""
    return (10.0 * torch.arange(1, 5)[:, None] + torch.arange(1, 7))[None], 2


SPLIT_HEADS = Exercise(
    "04.1",
    level="warm-up",
    reference=split_heads,
    cases={
        "by_hand": numbered_tokens,
        "batch": lambda: (torch.randn(2, 7, 15), 5),
        "other_sizes": lambda: [
            (1e6 * torch.randn(batch, length, size, dtype=torch.float64), heads)
            for batch, length, size, heads in [
                (3, 5, 8, 1),
                (3, 5, 8, 8),
                (1, 1, 6, 2),
                (5, 1, 12, 3),
                (4, 11, 10, 5),
            ]
        ],
    },
    mistakes={
        "view_without_transpose": viewed,
        "heads_on_wrong_axis": Several(
            lambda hidden, num_heads: hidden.unflatten(-1, (num_heads, -1)),
            lambda hidden, num_heads: hidden.unflatten(-1, (num_heads, -1)).transpose(2, 3),
        ),
        "sizes_swapped": lambda hidden, num_heads: hidden.unflatten(-1, (-1, num_heads)).transpose(1, 2),
        "interleaved": lambda hidden, num_heads: hidden.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2),
        "batch": batch_mixed_in,
        "other_sizes_shape": lambda hidden, num_heads: split_heads(hidden, num_heads).squeeze(2),
    },
    forbids=("course_utils.attention.MultiHeadAttention",),
)


# ---- 04.2
def multi_head(query: Tensor, key: Tensor, value: Tensor, num_heads: int) -> tuple[Tensor, Tensor]:
    q, k, v = (hidden.unflatten(-1, (num_heads, -1)).transpose(1, 2) for hidden in (query, key, value))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, H, T_q, T_k), divided by √D
    weights = scores.softmax(dim=-1)
    context = (weights @ v).transpose(1, 2).flatten(-2)  # (B, H, T_q, D) -> (B, T_q, H, D) -> (B, T_q, C)
    return context, weights


def merged(context):
    return context.transpose(1, 2).flatten(-2)


def merged_without_transpose(context):
    batch, heads, length, size = context.shape
    return context.reshape(batch, length, heads * size)


def head_by_head(query, key, value, num_heads):
    heads = zip(*(hidden.chunk(num_heads, dim=-1) for hidden in (query, key, value)))
    answers = [multi_head(*head, 1) for head in heads]
    return torch.cat([context for context, _ in answers], -1), torch.cat(
        [weights for _, weights in answers], 1
    )


def token_by_token(query, key, value, num_heads):
    answers = [multi_head(query[:, t : t + 1], key, value, num_heads) for t in range(query.shape[1])]
    return torch.cat([context for context, _ in answers], 1), torch.cat(
        [weights for _, weights in answers], 2
    )


def row_sum(found: Found) -> dict[str, str]:
    return {"actual": number(found.yours[1].sum(dim=-1)[0, 0, 0])}


def sums_to_one(axis):
    """Of the weights of the example, along an axis."""

    def holds(found: Found) -> bool:
        weights = found.yours[1]
        return found.case == "by_hand" and bool((weights.sum(dim=axis) - 1).abs().max() < 1e-4)

    return holds


def of_sizes(*sizes, times=1.0):
    """(B, T_q, T_k, C, H) -> query, key, value, number of heads; the scores times² as large."""
    return [
        (*drawn((b, t_q, c), (b, t_k, c), times=times), *drawn((b, t_k, c)), heads)
        for b, t_q, t_k, c, heads in sizes
    ]


def attended(batch, length, heads):
    return *torch.randn(3, batch, length, 24), heads


def largest_query(found: Found) -> dict[str, str]:
    query, heads = found.given[0], found.given[3]
    return {"largest": number(query.unflatten(-1, (heads, -1)).square().sum(-1).max())}


SPLIT, MERGED = "hidden.unflatten(-1, (num_heads, -1)).transpose(1, 2)", ".transpose(1, 2).flatten(-2)"
BOTH = "return context, weights"

MULTI_HEAD_MISTAKES = changes_of(
    multi_head,
    {
        "one_head": {SPLIT: "hidden", MERGED: ""},
        "softmax_over_queries": {"softmax(dim=-1)": "softmax(dim=-2)"},
        "softmax_over_heads": {"softmax(dim=-1)": "softmax(dim=1)"},
        "rows_do_not_sum_to_one": {".softmax(dim=-1)": ""},
        "scale_by_hidden_size": {"sqrt(q.shape": "sqrt(query.shape"},
        "no_scale": {" / math.sqrt(q.shape[-1])": ""},
        "divides_by_d": {"math.sqrt(q.shape[-1])": "q.shape[-1]"},
        "swapped": {BOTH: "return weights, context"},
        "mean_of_heads": {BOTH: f"{BOTH}.mean(dim=1)"},
        "weights_detached": {BOTH: f"{BOTH}.detach()"},
        "split_without_transpose": {SPLIT: "viewed(hidden, num_heads)", MERGED: ".reshape(query.shape)"},
        "weights": {BOTH: f"{BOTH}.flip(1)"},
        "not_merged": {MERGED: ""},
        "merge_without_transpose": {MERGED: ".reshape(query.shape)"},
        "cross": {"(query, key, value))": "(query, key, key))"},
        "cross_raised": {"(query, key, value))": "(query, key.view_as(query), value.view_as(query)))"},
        "loop": head_by_head,
        "loop_elsewhere": token_by_token,
        "large_scores": {"scores.softmax(dim=-1)": "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)"},
    },
)

MULTI_HEAD = Exercise(
    "04.2",
    level="core",
    reference=multi_head,
    parts={"weights": 1, "context": 0},
    cases={
        "by_hand": lambda: (*[torch.randn(1, 5, 6)] * 3, 2),
        "cross": lambda: (torch.randn(2, 3, 10), torch.randn(2, 7, 10), torch.randn(2, 7, 10), 5),
        "other sizes": lambda: of_sizes((3, 4, 4, 6, 1), (3, 4, 2, 6, 6), (1, 1, 1, 6, 2), (2, 3, 5, 12, 3)),
        "large_scores": lambda: of_sizes((3, 4, 4, 6, 1), (3, 4, 2, 6, 6), (1, 1, 3, 6, 2), times=100.0),
    },
    mistakes=MULTI_HEAD_MISTAKES,
    signs={
        "softmax_over_queries": lambda found: sums_to_one(-2)(found) and not sums_to_one(-1)(found),
        "softmax_over_heads": lambda found: sums_to_one(1)(found) and not sums_to_one(-1)(found),
        "rows_do_not_sum_to_one": lambda found: found.case == "by_hand" and not sums_to_one(-1)(found),
        "split_without_transpose": lambda found: (
            found.case == "by_hand"
            and torch.allclose(
                MULTI_HEAD_MISTAKES["split_without_transpose"](*found.given)[1],
                found.yours[1],
                rtol=0,
                atol=1e-5,
            )
        ),
    },
    facts={
        **dict.fromkeys(("softmax_over_queries", "softmax_over_heads", "rows_do_not_sum_to_one"), row_sum),
        "scale_by_hidden_size": lambda found: {"expected": number(3**0.5), "actual": number(6**0.5)},
        "no_scale": lambda found: {"expected": number(3**0.5), "actual": "1"},
        "divides_by_d": lambda found: {"expected": number(3**0.5), "actual": "3"},
        "large_scores": largest_query,
    },
    properties={
        "loop": as_many_calls(few=lambda: attended(1, 5, 2), many=lambda: attended(1, 5, 12)),
        "loop_elsewhere": as_many_calls(
            few=lambda: attended(1, 5, 2),
            tokens=lambda: attended(1, 9, 2),
            sentences=lambda: attended(3, 5, 2),
        ),
    },
    forbids=(
        "course_utils.attention.MultiHeadAttention",
        "multi_head_attention_forward",
        "_native_multi_head_attention",
    ),
)


# ---- 04.3
def head_contributions(context: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    num_heads, head_size = context.shape[1], context.shape[-1]
    columns = weight.unflatten(-1, (num_heads, head_size))  # (C, H, D): the D columns of each head
    return torch.einsum("bhtd,chd->bhtc", context, columns)  # (B, H, T, C)


def of_each_head(part):
    """Head by head, with a part of the weight that is not its own."""

    def wrong(context, weight, bias):
        heads = range(context.shape[1])
        return torch.stack([context[:, head] @ part(weight, head, len(heads)) for head in heads], dim=1)

    return wrong


def alone(context, weight, bias):
    """One head at a time, the others 0, joined by reshape alone: each token gets numbers of others."""
    kept = torch.eye(context.shape[1], dtype=context.dtype)[:, None, :, None, None] * context
    return torch.stack([merged_without_transpose(only) @ weight.T for only in kept], dim=1)


def token_after_token(context, weight, bias):
    places = range(context.shape[2])
    return torch.cat([head_contributions(context[:, :, t : t + 1], weight, bias) for t in places], dim=2)


def summed(found: Found) -> dict[str, Any]:
    """What the contributions of the first token sum to."""
    if found.kind != "value":
        return {}
    right, yours = (result.sum(dim=1)[0, 0] for result in (found.right, found.yours))
    return {"right_sum": [round(float(x), 3) for x in right], "your_sum": [round(float(x), 3) for x in yours]}


def of_output(batch, heads, length, size, times=100.0):
    width = heads * size
    return *drawn((batch, heads, length, size), times=times), *drawn((width, width), (width,))


HEAD_CONTRIBUTIONS = Exercise(
    "04.3",
    level="stretch",
    reference=head_contributions,
    cases={
        "by_hand": lambda: (torch.randn(1, 2, 3, 2), torch.randn(4, 4), torch.randn(4)),
        "value": lambda: (torch.randn(2, 3, 7, 5), torch.randn(15, 15), torch.randn(15)),
        "large": lambda: [
            of_output(*size) for size in [(1, 6, 3, 2), (1, 2, 7, 4), (3, 1, 1, 5), (2, 5, 4, 1)]
        ],
    },
    mistakes={
        "already_summed": lambda context, weight, bias: merged(context) @ weight.T,
        "bias_in_each_head": lambda context, weight, bias: head_contributions(context, weight, bias) + bias,
        "bias_shared_out": lambda context, weight, bias: (
            head_contributions(context, weight, bias) + bias / context.shape[1]
        ),
        "rows_for_columns": of_each_head(lambda weight, head, heads: weight.unflatten(0, (heads, -1))[head]),
        "interleaved_columns": of_each_head(lambda weight, head, heads: weight[:, head::heads].T),
        "merged_without_transpose": alone,
        "sum": lambda context, weight, bias: 2 * head_contributions(context, weight, bias),
        "other_sizes": lambda *given: head_contributions(*given).squeeze(2),
        "large": lambda context, weight, bias: head_contributions(context.clamp(-9, 9), weight, bias),
        "loop": of_each_head(lambda weight, head, heads: weight.unflatten(-1, (heads, -1))[:, head].T),
        "loop_elsewhere": token_after_token,
    },
    signs={"sum": lambda found: found.case == "by_hand" and len({*map(str, summed(found).values())}) > 1},
    facts={"*": summed},
    properties={
        "loop": as_many_calls(few=lambda: of_output(1, 2, 3, 4), many=lambda: of_output(1, 6, 3, 2)),
        "loop_elsewhere": as_many_calls(
            few=lambda: of_output(1, 2, 3, 4), tokens=lambda: of_output(1, 2, 7, 4)
        ),
    },
)

EXERCISES = [SPLIT_HEADS, MULTI_HEAD, HEAD_CONTRIBUTIONS]
