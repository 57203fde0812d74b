"""Right answers to the exercises of notebook 04, in forms that learners write."""

import math

import torch
import torch.nn.functional as F

from course_utils.attention import scaled_dot_product_attention
from tests.exercises.audit import forms


def split(hidden, num_heads):
    return hidden.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def split_by_loop(hidden, num_heads):
    size = hidden.shape[-1] // num_heads
    return torch.stack([hidden[..., head * size : (head + 1) * size] for head in range(num_heads)], dim=1)


def split_by_index(hidden, num_heads):
    columns = torch.arange(hidden.shape[-1]).view(num_heads, -1)
    return hidden[:, :, columns].permute(0, 2, 1, 3)


def multi_head_by(attend):
    def multi_head(query, key, value, num_heads):
        context, weights = attend(*(split(hidden, num_heads) for hidden in (query, key, value)))
        return context.transpose(1, 2).flatten(2), weights

    return multi_head


def of_softmax(softmax):
    def attend(q, k, v):
        weights = softmax(q @ k.mT / math.sqrt(q.shape[-1]))
        return weights @ v, weights

    return attend


def own_softmax(scores):
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def by_einsum(query, key, value, num_heads):
    q, k, v = (hidden.unflatten(-1, (num_heads, -1)) for hidden in (query, key, value))  # (B, T, H, D)
    weights = torch.einsum("bqhd,bkhd->bhqk", q, k).div(q.shape[-1] ** 0.5).softmax(-1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(-2), weights


def by_torch_sdpa(q, k, v):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(dim=-1)
    return F.scaled_dot_product_attention(q, k, v), weights


def columns(weight, heads):
    return weight.view(len(weight), heads, -1)


def by_projecting(context, weight, bias):
    """Each head alone, the others 0, through the whole output map: for all heads at once."""
    heads = context.shape[1]
    one = torch.eye(heads, dtype=context.dtype)[:, None, :, None, None] * context  # (kept, B, H, T, D)
    return (one.transpose(2, 3).flatten(-2) @ weight.T).transpose(0, 1)


def by_products(context, weight, bias):
    own = columns(weight, context.shape[1])  # (C, H, D)
    return (context[:, :, :, None] * own.permute(1, 0, 2)[:, None]).sum(dim=-1)


RIGHT = {
    "04.1": forms(split, split_by_loop, split_by_index)
    | {
        "view, transpose": lambda hidden, num_heads: hidden.view(*hidden.shape[:2], num_heads, -1).transpose(
            1, 2
        ),
        "chunk": lambda hidden, num_heads: torch.stack(hidden.chunk(num_heads, dim=-1), dim=1),
        "permute": lambda hidden, n: hidden.reshape(*hidden.shape[:2], n, hidden.shape[2] // n).permute(
            0, 2, 1, 3
        ),
    },
    "04.2": {
        "softmax": multi_head_by(of_softmax(lambda scores: scores.softmax(dim=-1))),
        "the notebook's attention": multi_head_by(scaled_dot_product_attention),
        "own softmax": multi_head_by(of_softmax(own_softmax)),
        "einsum": by_einsum,
        "torch's context": multi_head_by(by_torch_sdpa),
        "vmap": multi_head_by(
            lambda q, k, v: torch.vmap(of_softmax(lambda s: s.softmax(-1)), in_dims=1, out_dims=1)(q, k, v)
        ),
    },
    "04.3": forms(by_projecting, by_products)
    | {
        "einsum": lambda context, weight, bias: torch.einsum(
            "bhtd,chd->bhtc", context, columns(weight, context.shape[1])
        ),
        "matmul": lambda context, weight, bias: context @ columns(weight, context.shape[1]).permute(1, 2, 0),
        "transposed weight": lambda context, weight, bias: (
            context @ weight.T.view(context.shape[1], -1, len(weight))
        ),
        "less the bias": lambda context, weight, bias: (
            context @ columns(weight, context.shape[1]).permute(1, 2, 0) + bias - bias
        ),
    },
}
