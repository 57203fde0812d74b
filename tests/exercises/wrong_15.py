"""Wrong answers to the exercises of notebook 15, each under the reason for which it must fail."""

import math

import torch


def _first_row(weights):
    places = torch.arange(len(weights))
    return weights[places, (places - 1).clamp(min=0)].mean()


def _wraps_around(weights):
    return weights.roll(1, dims=1).diagonal().mean()


def _counts(weights):
    return (weights[1:].argmax(-1) == torch.arange(len(weights) - 1)).double().mean()


def _entropy(weights, log=torch.log2, dim=-1):
    return -torch.where(weights > 0, weights * log(weights), 0.0).sum(dim=dim)


def _looks_for_zeros_at_the_end(weights):
    """As if only the last key could be hidden, as by padding."""
    *others, last = weights.unbind(-1)
    others = torch.stack(others, dim=-1)
    return _entropy(last[..., None]) - (others * others.log2()).sum(-1)


def _not_normalised(weights):
    """A floor too small for a reason of its own, but it moves every weight."""
    weights = weights + 1e-3
    return _entropy(weights / weights.sum(-1, keepdim=True))


def _mixed(attentions, identity=0.5, share=0.5):
    return share * attentions + identity * torch.eye(attentions.shape[-1], dtype=attentions.dtype)


def _chain(matrices):
    reached = torch.eye(matrices.shape[-1], dtype=matrices.dtype)
    for matrix in matrices:
        reached = matrix @ reached
    return reached


def _zeroed(places):
    """zero_head with a choice of coordinates: places(numbers 0 … C − 1, head, num_heads, D) -> bool."""

    def zero_head(context, head, num_heads):
        width = context.shape[-1]
        return context.masked_fill(places(torch.arange(width), head, num_heads, width // num_heads), 0.0)

    return zero_head


def _in_place(context, head, num_heads):
    size = context.shape[-1] // num_heads
    context[..., head * size : (head + 1) * size] = 0.0
    return context


def _token_axis(context, head, num_heads):
    result, size = context.clone(), context.shape[-1] // num_heads
    result[:, head * size : (head + 1) * size] = 0.0
    return result


def _removed(context, head, num_heads):
    size = context.shape[-1] // num_heads
    return torch.cat([context[..., : head * size], context[..., (head + 1) * size :]], dim=-1)


def _almost(context, head, num_heads):
    result, size = context.clone(), context.shape[-1] // num_heads
    result[..., head * size : (head + 1) * size] *= 1e-7
    return result


def _mean(context, head, num_heads):
    result, size = context.clone(), context.shape[-1] // num_heads
    own = slice(head * size, (head + 1) * size)
    result[..., own] = context[..., own].mean((0, 1))
    return result


def _wrong_division(context, head, num_heads):
    result, size = context.clone(), context.shape[-1] // max(head, 1)
    result[..., head * size : (head + 1) * size] = 0.0
    return result


def _touched(context, head, num_heads):
    """Small numbers of the other heads go, too."""
    size = context.shape[-1] // num_heads
    places = torch.arange(context.shape[-1]) // size == head
    return context.masked_fill(places | (context.abs() < 1e-5), 0.0)


WRONG = {
    "15.1": {
        "next_token": lambda weights: weights.diagonal(1).mean(),
        "itself": lambda weights: weights.diagonal().mean(),
        "sum_not_mean": lambda weights: weights.diagonal(-1).sum(),
        "divides_by_all": lambda weights: weights.diagonal(-1).sum() / len(weights),
        "first_row": _first_row,
        "wraps_around": _wraps_around,
        "skips_zeros": lambda weights: weights.diagonal(-1)[weights.diagonal(-1) > 0].mean(),
        "counts": _counts,
        "all_before": lambda weights: weights.tril(-1).sum(-1)[1:].mean(),
        "share": lambda weights: weights.diagonal(-1).min(),
        "shape": lambda weights: weights.diagonal(-1),
    },
    "15.2": {
        "averaged": lambda weights: _entropy(weights).mean(-1),
        "nats": lambda weights: _entropy(weights, log=torch.log),
        "nan": _looks_for_zeros_at_the_end,
        "query_axis": lambda weights: _entropy(weights, dim=-2),
        "mean_over_keys": lambda weights: _entropy(weights) / weights.shape[-1],
        "drops_small": lambda weights: _entropy(weights.where(weights > 1e-4, 0.0)),
        "clamped": lambda weights: -(weights * weights.clamp(min=1e-3).log2()).sum(-1),
        "relative": lambda weights: _entropy(weights) / math.log2(weights.shape[-1]),
        "sign": lambda weights: -_entropy(weights),
        "bits": _not_normalised,
        "shape": lambda weights: _entropy(weights)[..., None],
    },
    "15.3": {
        "order": lambda attentions: _chain(_mixed(attentions).flip(0)),
        "no_identity": _chain,
        "not_renormalised": lambda attentions: _chain(_mixed(attentions, 1.0, 1.0)),
        "few_layers": lambda attentions: _chain(_mixed(attentions[:3])),
        "last_layer": lambda attentions: attentions[-1],
        "element_wise": lambda attentions: _mixed(attentions).prod(0),
        "mean_of_layers": lambda attentions: attentions.mean(0),
        "transposed": lambda attentions: _chain(_mixed(attentions)).T,
        "rows": lambda attentions: _chain(_mixed(attentions, identity=0.2)),
        "flow": lambda attentions: _chain(_mixed(attentions, identity=0.2, share=0.8)),
        "shape": _mixed,
    },
    "15.4": {
        "mutates_input": _in_place,
        "strided": _zeroed(lambda places, head, heads, size: places % heads == head),
        "counted_from_one": _zeroed(lambda places, head, heads, size: places // size == head - 1),
        "size_is_heads": _zeroed(lambda places, head, heads, size: places // heads == head),
        "nothing": _wrong_division,
        "almost": _almost,
        "touched": _touched,
        "dtype": lambda context, head, num_heads: _zeroed(
            lambda places, head, heads, size: places // size == head
        )(context.float(), head, num_heads),
        "mean": _mean,
        "others": _zeroed(lambda places, head, heads, size: places // size != head),
        "coordinates": _zeroed(lambda places, head, heads, size: places == head * size),
        "token_axis": _token_axis,
        "removed": _removed,
    },
}
