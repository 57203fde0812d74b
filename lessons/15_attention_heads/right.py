"""Right answers to the exercises of notebook 15, in forms that learners write."""

import math

import numpy as np
import torch

from tests.exercises.audit import forms


def share_by_loop(weights):
    total = 0.0
    for query in range(1, len(weights)):
        total += weights[query, query - 1]
    return total / (len(weights) - 1)


def share_by_index(weights):
    queries = torch.arange(1, len(weights))
    return weights[queries, queries - 1].mean()


def entropy_by_logarithm_of_more(weights):
    return -(weights * torch.log2(weights + 1e-12)).sum(-1)


def entropy_by_loop(weights):
    rows = []
    for row in weights.flatten(0, -2):
        rows.append(-sum(float(w) * math.log2(w) for w in row if w > 0))
    return torch.tensor(rows).view(weights.shape[:-1])


def entropy_by_numpy(weights):
    weights = weights.numpy()
    logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    return -(weights * logs).sum(-1)


def layer(weights):
    return (weights + torch.eye(len(weights), dtype=weights.dtype)) / 2


def rollout_by_recursion(attentions):
    top = layer(attentions[-1])
    return top @ rollout_by_recursion(attentions[:-1]) if len(attentions) > 1 else top


def rollout_from_above(attentions):
    reached = layer(attentions[-1])
    for weights in attentions[:-1].flip(0):
        reached = reached @ layer(weights)
    return reached


def rollout_by_multi_dot(attentions):
    layers = [layer(weights) for weights in attentions][::-1]
    return torch.linalg.multi_dot(layers) if len(layers) > 1 else layers[0]


def rollout_by_numpy(attentions):
    layers = 0.5 * attentions.numpy() + 0.5 * np.eye(attentions.shape[-1])
    reached = layers[0]
    for matrix in layers[1:]:
        reached = matrix @ reached
    return reached


def rollout_by_einsum(attentions):
    reached = torch.eye(attentions.shape[-1], dtype=attentions.dtype)
    for weights in attentions:
        reached = 0.5 * torch.einsum("qk,kt->qt", weights, reached) + 0.5 * reached
    return reached


def zero_by_view(context, head, num_heads):
    heads = context.clone().unflatten(-1, (num_heads, -1))
    heads[:, :, head] = 0
    return heads.flatten(-2)


def zero_by_mask(context, head, num_heads):
    mask = torch.ones(num_heads, dtype=context.dtype)
    mask[head] = 0
    return context * mask.repeat_interleave(context.shape[-1] // num_heads)


def zero_by_cat(context, head, num_heads):
    heads = list(context.chunk(num_heads, dim=-1))
    heads[head] = torch.zeros_like(heads[head])
    return torch.cat(heads, dim=-1)


def zero_by_loop(context, head, num_heads):
    result, size = torch.clone(context), context.size(-1) // num_heads
    for place in range(head * size, head * size + size):
        result[:, :, place] = 0.0
    return result


def zero_by_where(context, head, num_heads):
    places = torch.arange(context.shape[-1]) // (context.shape[-1] // num_heads)
    return torch.where(places == head, torch.zeros_like(context), context)


def zero_by_new_tensor(context, head, num_heads):
    size = context.shape[2] // num_heads
    result = torch.zeros_like(context)
    result[..., : head * size] = context[..., : head * size]
    result[..., (head + 1) * size :] = context[..., (head + 1) * size :]
    return result


RIGHT = {
    "15.1": forms(share_by_loop, share_by_index)
    | {
        "diagonal of the rest": lambda weights: weights[1:, :-1].diagonal().mean(),
        "trace": lambda weights: torch.trace(weights[1:, :-1]) / (len(weights) - 1),
        "numpy": lambda weights: np.diag(weights.numpy(), k=-1).mean(),
        "a number": lambda weights: torch.diagonal(weights.double(), offset=-1).mean().item(),
    },
    "15.2": forms(entropy_by_logarithm_of_more, entropy_by_loop, entropy_by_numpy)
    | {
        "xlogy": lambda weights: -torch.xlogy(weights, weights).sum(-1) / math.log(2),
        "entr": lambda weights: torch.special.entr(weights).sum(dim=-1) / math.log(2),
        "float32": lambda weights: -torch.xlogy(weights.float(), weights.float()).sum(-1) / math.log(2),
    },
    "15.3": forms(
        rollout_by_recursion, rollout_from_above, rollout_by_multi_dot, rollout_by_numpy, rollout_by_einsum
    )
    | {"float32": lambda attentions: rollout_by_einsum(attentions.float())},
    "15.4": forms(zero_by_view, zero_by_mask, zero_by_cat, zero_by_loop, zero_by_where, zero_by_new_tensor),
}
