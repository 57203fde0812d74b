"""Right answers to the exercises of notebook 03, in forms that learners write."""

import math

import torch
import torch.nn.functional as F

from tests.exercises.audit import forms


def by_lists(input_ids, pad_token_id):
    return torch.tensor([[[[token != pad_token_id for token in row]]] for row in input_ids.tolist()])


def after_minus_infinity(scores, mask):
    """The notebook's way: −∞, then 0 in place of what became NaN."""
    empty = ~mask.expand_as(scores).any(dim=-1, keepdim=True)
    lowered = scores.masked_fill(~mask, -math.inf).masked_fill(empty, 0.0)
    return lowered.softmax(dim=-1).masked_fill(~mask, 0.0)


def by_hand(scores, mask):
    lowered = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    powers = (lowered - lowered.amax(dim=-1, keepdim=True)).exp() * mask
    total = powers.sum(dim=-1, keepdim=True)
    return powers / torch.where(total > 0, total, 1.0)


def row_by_row(scores, mask):
    rows = []
    for row, allowed in zip(
        scores.reshape(-1, scores.shape[-1]), mask.expand_as(scores).reshape(-1, scores.shape[-1])
    ):
        weights = torch.zeros_like(row)
        if allowed.any():
            weights = weights.masked_scatter(allowed, row[allowed].softmax(dim=0))
        else:
            weights = weights * row.nan_to_num()
        rows.append(weights)
    return torch.stack(rows).view(scores.shape)


def lowest(scores):
    return torch.finfo(scores.dtype).min


def window_by_loop(length, window):
    mask = torch.zeros(1, 1, length, length, dtype=torch.bool)
    for query in range(length):
        for key in range(max(0, query - window + 1), query + 1):
            mask[0, 0, query, key] = True
    return mask


def window_of_triangles(length, window):
    everything = torch.ones(length, length, dtype=torch.bool)
    return (everything.tril() & everything.triu(1 - window))[None, None]


def window_of_lists(length, window):
    return torch.tensor([[[[0 <= q - k < window for k in range(length)] for q in range(length)]]])


def window_of_numpy(length, window):
    import numpy as np

    table = np.tri(length, k=0, dtype=bool) & ~np.tri(length, k=-window, dtype=bool)
    return torch.from_numpy(table)[None, None]


def window_of_band(length, window):
    places = torch.arange(length)
    return ((places <= places[:, None]) & (places > places[:, None] - window)).view(1, 1, length, length)


def window_of_causal_mask(length, window):
    """The notebook's causal mask, less the one that begins further back."""
    positions = torch.arange(length)
    causal = (positions[None, :] <= positions[:, None])[None, None]
    return causal & ~(positions[None, :] <= positions[:, None] - window)


RIGHT = {
    "03.1": {
        "the notebook's": lambda input_ids, pad_token_id: (input_ids != pad_token_id)[:, None, None, :],
        "lists": by_lists,
        "unsqueeze": lambda input_ids, pad_token_id: ~(input_ids == pad_token_id).unsqueeze(1).unsqueeze(1),
        "ne, view": lambda input_ids, pad: input_ids.ne(pad).view(len(input_ids), 1, 1, -1),
        "where": lambda input_ids, pad: torch.where(input_ids == pad, 0, 1).bool()[:, None, None],
        "numpy": lambda input_ids, pad: torch.from_numpy(input_ids.numpy() != pad)[:, None, None, :],
    },
    "03.2": forms(after_minus_infinity, by_hand, row_by_row)
    | {
        "lowest": lambda scores, mask: F.softmax(
            scores.masked_fill(~mask, lowest(scores)), dim=-1
        ).masked_fill(~mask, 0),
        "where": lambda scores, mask: torch.where(
            mask, torch.where(mask, scores, lowest(scores)).softmax(-1), torch.zeros_like(scores)
        ),
        "times the mask": lambda scores, mask: scores.masked_fill(~mask, lowest(scores)).softmax(-1) * mask,
    },
    "03.3": forms(
        window_by_loop,
        window_of_triangles,
        window_of_lists,
        window_of_numpy,
        window_of_band,
        window_of_causal_mask,
    ),
}
