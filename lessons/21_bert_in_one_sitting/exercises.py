"""Exercises of notebook 21: attention of one query, BERT's embeddings, and many heads from bare matrices."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, drawn

# ---- 21.1


def one_query(query: Tensor, key: Tensor, value: Tensor, allowed: Tensor) -> Tensor:
    scores = key @ query / math.sqrt(len(query))  # (T,)
    scores = scores.masked_fill(~allowed, -math.inf)
    return scores.softmax(dim=-1) @ value  # (T,) @ (T, D_v) -> (D_v,)


def of_sizes(length: int, width: int, wide: int, times: float = 1.0) -> tuple[Tensor, ...]:
    allowed = torch.rand(length) > 0.4
    allowed[0] = True
    return *drawn((width,), (length, width), times=times), *drawn((length, wide)), allowed


ONE_QUERY = Exercise(
    "21.1",
    level="warm-up",
    reference=one_query,
    cases={
        "by_hand": lambda: (
            torch.tensor([2.0, 0, 0, 0]),
            torch.tensor([[1.0, 0, 0, 0], [3, 1.0, 0, 0], [4, 0, 0, 2.0]]),
            torch.tensor([[1.0, 0], [0, 1.0], [5.0, 5.0]]),
            torch.tensor([True, True, False]),
        ),
        "other_sizes": lambda: [
            of_sizes(*sizes) for sizes in [(7, 5, 3), (1, 3, 2), (5, 1, 1), (300, 13, 7)]
        ],
        "not_low_enough": lambda: (
            torch.tensor([10.0, 0, 0, 0]),
            torch.tensor([[-20.0, 0, 0, 0], [-20.2, 0, 0, 0], [3.0, 0, 0, 0]]),
            torch.tensor([[1.0], [2.0], [9.0]]),
            torch.tensor([True, True, False]),
        ),
        "renormalised": lambda: (  # the hidden score is higher by 2000 than those that may be seen
            torch.tensor([2.0, 0, 0, 0], dtype=torch.float64),
            torch.tensor([[1.0, 0, 0, 0], [3, 1.0, 0, 0], [2000, 0, 0, 2.0]], dtype=torch.float64),
            torch.tensor([[1.0, 0], [0, 1.0], [5.0, 5.0]], dtype=torch.float64),
            torch.tensor([True, True, False]),
        ),
        "overflow": lambda: of_sizes(11, 5, 3, times=50.0),
        "in_float32": lambda: (  # 2³⁰ cancels out, and 1 is left
            torch.tensor([1.0, -1.0], dtype=torch.float64),
            torch.tensor([[2.0**30 + 1, 2.0**30], [0.0, 0.0]], dtype=torch.float64),
            torch.tensor([[1.0], [0.0]], dtype=torch.float64),
            torch.tensor([True, True]),
        ),
    },
    mistakes=changes_of(
        one_query,
        {
            "no_scale": {" / math.sqrt(len(query))": ""},
            "divides_by_d": {"math.sqrt(len(query))": "len(query)"},
            "sqrt_of_tokens": {"len(query)": "len(key)"},
            "ignores_mask": {".masked_fill(~allowed, -math.inf)": ""},
            "reversed_mask": {"~allowed": "allowed"},
            "after_softmax": {
                "masked_fill(~allowed, -math.inf)": "softmax(dim=-1) * allowed",
                ".softmax(dim=-1) @": " @",
            },
            "zero_score": {"-math.inf": "0.0"},
            "weights": {" @ value": ""},
            "renormalised": {
                "masked_fill(~allowed, -math.inf)": "softmax(dim=-1) * allowed",
                ".softmax(dim=-1) @": " / scores.sum() @",
            },
            "plain_mean": {"scores.softmax(dim=-1)": "(allowed / allowed.sum()).to(value.dtype)"},
            "other_sizes": {"len(query)": "4"},
            "not_low_enough": {"-math.inf": "-30.0"},
            "overflow": {"scores.softmax(dim=-1)": "(scores.exp() / scores.exp().sum())"},
            "in_float32": {"key @ query": "(key.float() @ query.float()).to(key.dtype)"},
            "detached": {" @ value": " @ value.detach()"},
        },
    ),
    forbids=("course_utils.attention", "scaled_dot_product_attention"),
)


# ---- 21.2


def embed(
    input_ids: Tensor,
    token_type_ids: Tensor,
    token: Tensor,
    segment: Tensor,
    position: Tensor,
    gain: Tensor,
    bias: Tensor,
    eps: float,
) -> Tensor:
    places = torch.arange(input_ids.shape[1])
    added = token[input_ids] + segment[token_type_ids] + position[places]  # (B, T, C)
    mean = added.mean(dim=-1, keepdim=True)
    variance = added.var(dim=-1, keepdim=True, correction=0)
    return gain * (added - mean) / (variance + eps).sqrt() + bias


def tables(batch: int, length: int, size: int, *, spread: float = 1.0, eps: float = 1e-12) -> tuple:
    ids, types = torch.randint(0, 11, (batch, length)), torch.randint(0, 2, (batch, length))
    three = drawn((11, size), (2, size), (length + 3, size), times=spread)
    return ids, types, *three, *drawn((size,), (size,)), eps


EMBED = Exercise(
    "21.2",
    level="core",
    reference=embed,
    cases={
        "by_hand": lambda: (
            torch.tensor([[1, 0, 2]]),
            torch.tensor([[0, 0, 1]]),
            torch.tensor([[0.0, 2, 0, 4], [1, 1, 3, 0], [5, 0, 1, 1]]),
            torch.tensor([[0.0, 1, 0, 0], [0, 0, 2, 0]]),
            torch.tensor([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, 3, 0, 0], [0, 0, 0, 7]]),
            torch.tensor([1.0, 2, 1, 1]),
            torch.tensor([0.0, 0, 0.5, 0]),
            1e-12,
        ),
        "other_sizes": lambda: [tables(3, 7, 5), tables(1, 1, 3), tables(2, 300, 13)],
        "eps": lambda: [tables(2, 5, 7, spread=1e-3, eps=1e-3), tables(1, 2, 3, spread=0.0, eps=1e-3)],
        "in_float32": lambda: (  # the mean is a thousand times the deviation
            torch.tensor([[0]]),
            torch.tensor([[0]]),
            256 + torch.arange(4, dtype=torch.float64)[None] / 3,
            torch.zeros(2, 4, dtype=torch.float64),
            torch.zeros(2, 4, dtype=torch.float64),
            torch.ones(4, dtype=torch.float64),
            torch.zeros(4, dtype=torch.float64),
            1e-12,
        ),
    },
    mistakes=changes_of(
        embed,
        {
            "no_norm": {
                "gain * (added - mean) / (variance + eps).sqrt() + bias": "added",
            },
            "no_segment": {" + segment[token_type_ids]": ""},
            "always_a": {"segment[token_type_ids]": "segment[0]"},
            "no_position": {" + position[places]": ""},
            "from_one": {"arange(input_ids.shape[1])": "arange(1, input_ids.shape[1] + 1)"},
            "not_centred": {"(added - mean)": "added"},
            "unbiased": {"correction=0": "correction=1"},
            "no_root": {".sqrt()": ""},
            "over_tokens": [{"dim=-1": "dim=1"}, {"dim=-1": "dim=(1, 2)"}],
            "no_gain": {"gain * ": ""},
            "no_bias": {" + bias": ""},
            "batch_axis": {"return gain": "return (gain", "+ bias": "+ bias).squeeze(0)"},
            "other_sizes": {"token[input_ids]": "token[input_ids[:1]]"},
            "no_eps": {"(variance + eps)": "variance"},
            "fixed_eps": [{"+ eps": "+ 1e-5"}, {"+ eps": "+ 1e-12"}],
            "eps_outside": {"(variance + eps).sqrt()": "(variance.sqrt() + eps)"},
            "in_float32": {"token[input_ids]": "token[input_ids].float().to(token.dtype)"},
            "detached": {"token[input_ids]": "token[input_ids].detach()"},
        },
    ),
    forbids=("course_utils.embeddings",),
)


# ---- 21.3


def self_attention(
    hidden: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    num_heads: int,
    attention_mask: Tensor,
) -> Tensor:
    query, key, value = (
        (hidden @ weight).unflatten(-1, (num_heads, -1)).transpose(1, 2)  # (B, H, T, D)
        for weight in (w_query, w_key, w_value)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (B, H, T, T)
    padding = attention_mask[:, None, None] == 0  # (B, 1, 1, T)
    weights = scores.masked_fill(padding, -math.inf).softmax(dim=-1)
    context = (weights @ value).transpose(1, 2).flatten(-2)  # (B, T, C)
    return context @ w_output


def by_hand_matrices() -> tuple:
    """One sentence of three tokens without padding, C = 4, two heads of 2; all numbers small and whole."""
    hidden = torch.tensor([[[1.0, 0, 2, 0], [0, 1, 0, 1], [1, 1, 0, -1]]])
    w_query = torch.tensor([[1.0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1]])
    w_key = torch.tensor([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    w_value = torch.tensor([[1.0, 2, 0, 0], [0, 1, 0, 3], [0, 0, 1, 0], [1, 0, 0, 1]])
    w_output = torch.tensor([[1.0, 0, 0, 0], [1, 1, 0, 0], [0, 2, 1, 0], [0, 0, 0, 1]])
    return hidden, w_query, w_key, w_value, w_output, 2, torch.ones(1, 3, dtype=torch.long)


def batch_of(batch: int, length: int, size: int, heads: int, *, padded: bool, times: float = 1.0) -> tuple:
    mask = torch.ones(batch, length, dtype=torch.long)
    if padded:
        for row in range(batch):
            mask[row, length - row % length :] = 0
        mask = mask[:, torch.randperm(length)]  # at the left and in the middle, too
    matrices = drawn(*[(size, size)] * 4, times=size**-0.5)
    return *drawn((batch, length, size), times=times), *matrices, heads, mask


def of_keys(first: float, second: float, padding: float, dtype: torch.dtype) -> tuple:
    """All queries are (1, 0); the keys are these numbers beside a 0, the last one at [PAD]."""
    hidden = torch.tensor([[[1.0, first], [1.0, second], [1.0, padding]]], dtype=dtype)
    w_query, w_key = torch.tensor([[[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]], dtype=dtype)
    return hidden, w_query, w_key, *[torch.eye(2, dtype=dtype)] * 2, 1, torch.tensor([[1, 1, 0]])


SELF_ATTENTION = Exercise(
    "21.3",
    level="stretch",
    reference=self_attention,
    cases={
        "by_hand": by_hand_matrices,
        "other_sizes": lambda: [
            batch_of(*sizes, padded=False)
            for sizes in [(2, 5, 12, 3), (1, 1, 6, 6), (3, 7, 10, 1), (1, 67, 10, 5)]
        ],
        "padding": lambda: [batch_of(3, 5, 6, 2, padded=True), batch_of(5, 11, 15, 5, padded=True)],
        "not_low_enough": lambda: of_keys(-141.0, -142.0, 20.0, torch.float32),
        "renormalised": lambda: of_keys(0.5, -0.5, 3000.0, torch.float64),
        "overflow": lambda: batch_of(2, 5, 6, 2, padded=True, times=100.0),
        "in_float32": lambda: (  # 2³⁰ cancels out, and 1 is left
            torch.tensor([[[1.0, -1.0], [2.0**30 + 1, 2.0**30]]], dtype=torch.float64),
            *(torch.eye(2, dtype=torch.float64) for _ in range(2)),
            torch.tensor([[2.0**-30, 0.0], [0.0, 0.0]], dtype=torch.float64),
            torch.eye(2, dtype=torch.float64),
            1,
            torch.ones(1, 2, dtype=torch.long),
        ),
    },
    mistakes=changes_of(
        self_attention,
        {
            "split_without_transpose": {
                ".unflatten(-1, (num_heads, -1)).transpose(1, 2)": (
                    ".reshape(len(hidden), num_heads, hidden.shape[1], -1)"
                )
            },
            "merge_without_transpose": {".transpose(1, 2).flatten(-2)": ".reshape(hidden.shape)"},
            "one_head": {"(num_heads, -1)": "(1, -1)"},
            "no_scale": {" / math.sqrt(query.shape[-1])": ""},
            "scale_by_c": {"math.sqrt(query.shape[-1])": "math.sqrt(hidden.shape[-1])"},
            "divides_by_d": {"math.sqrt(query.shape[-1])": "query.shape[-1]"},
            "softmax_over_queries": {"softmax(dim=-1)": "softmax(dim=-2)"},
            "reversed_mask": [{"== 0": "== 1"}, {"== 0": "== 1", "-math.inf": "-1e9"}],
            "transposed": [{"hidden @ weight)": "hidden @ weight.T)"}, {"@ w_output": "@ w_output.T"}],
            "query_key_swapped": {"(w_query, w_key, w_value)": "(w_key, w_query, w_value)"},
            "key_as_value": {"w_key, w_value)": "w_key, w_key)"},
            "no_output": {" @ w_output": ""},
            "other_sizes": {"(num_heads, -1)": "(2, -1)"},
            "ignores_mask": {".masked_fill(padding, -math.inf)": ""},
            "masks_queries": [
                {"[:, None, None] ==": "[:, None, :, None] =="},
                {"[:, None, None] ==": "[:, None, :, None] ==", "-math.inf": "-1e9"},
            ],
            "pads_at_the_end": {
                "attention_mask[:, None, None] == 0": (
                    "(torch.arange(hidden.shape[1]) >= attention_mask.sum(1)[:, None])[:, None, None]"
                )
            },
            "wipes_rows": {"@ w_output": "@ w_output * attention_mask[..., None]"},
            "after_softmax": {
                ".masked_fill(padding, -math.inf).softmax(dim=-1)": ".softmax(dim=-1).masked_fill(padding, 0.0)"
            },
            "not_low_enough": [
                *({"-math.inf": low} for low in ("-10.0", "-30.0", "-100.0", "-1000.0")),
                {"scores.masked_fill(padding, -math.inf)": "(scores - 1000.0 * padding)"},
            ],
            "renormalised": {
                "weights = scores.masked_fill(padding, -math.inf).softmax(dim=-1)": (
                    "weights = scores.softmax(dim=-1) * ~padding\n"
                    "    weights = weights / weights.sum(dim=-1, keepdim=True)"
                )
            },
            "overflow": {
                ".softmax(dim=-1)": ".exp()\n    weights = weights / weights.sum(dim=-1, keepdim=True)"
            },
            "in_float32": {
                "query @ key.transpose(-2, -1)": "(query.float() @ key.mT.float()).to(query.dtype)"
            },
            "detached": {" @ w_output": " @ w_output.detach()"},
        },
    ),
    forbids=("course_utils.attention", "scaled_dot_product_attention", "multi_head_attention_forward"),
)

EXERCISES = [ONE_QUERY, EMBED, SELF_ATTENTION]
