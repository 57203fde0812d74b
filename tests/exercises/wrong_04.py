"""Wrong answers to the exercises of notebook 04, each under the reason for which it must fail."""

import math

import torch


def _split(hidden, num_heads):
    return hidden.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def _view(hidden, num_heads):
    batch, length, size = hidden.shape
    return hidden.reshape(batch, num_heads, length, size // num_heads)


def _batch_mixed_in(hidden, num_heads):
    batch, length, size = hidden.shape
    return hidden.reshape(length, batch, num_heads, size // num_heads).permute(1, 2, 0, 3)


def _merge(context):
    return context.transpose(1, 2).flatten(-2)


def _merge_without_transpose(context):
    batch, heads, length, size = context.shape
    return context.reshape(batch, length, heads * size)


def _multi_head(split=_split, merge=_merge, dim=-1, scale=lambda query, q: math.sqrt(q.shape[-1])):
    def multi_head(query, key, value, num_heads):
        q, k, v = (split(hidden, num_heads) for hidden in (query, key, value))
        weights = (q @ k.transpose(-2, -1) / scale(query, q)).softmax(dim=dim)
        return merge(weights @ v), weights

    return multi_head


def _one_head(query, key, value, num_heads):
    weights = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(dim=-1)
    return weights @ value, weights


def _without_softmax(query, key, value, num_heads):
    q, k, v = (_split(hidden, num_heads) for hidden in (query, key, value))
    weights = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return _merge(weights @ v), weights


def _one_length(query, key, value, num_heads):
    batch, length, size = query.shape
    q, k, v = (
        hidden.view(batch, length, num_heads, size // num_heads).transpose(1, 2)
        for hidden in (query, key, value)
    )
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(dim=-1)
    return _merge(weights @ v), weights


def _heads_reversed(query, key, value, num_heads):
    context, weights = _multi_head()(query, key, value, num_heads)
    return context, weights.flip(1)


def _one_by_one(query, key, value, num_heads):
    size = query.shape[-1] // num_heads
    contexts, weights = [], []
    for head in range(num_heads):
        q, k, v = (hidden[..., head * size : (head + 1) * size] for hidden in (query, key, value))
        weights.append((q @ k.transpose(-2, -1) / math.sqrt(size)).softmax(dim=-1))
        contexts.append(weights[-1] @ v)
    return torch.cat(contexts, dim=-1), torch.stack(weights, dim=1)


def _weights_detached(query, key, value, num_heads):
    """The context as it should be, mixed with weights that nothing can be learned from."""
    q, k, v = (_split(hidden, num_heads) for hidden in (query, key, value))
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(dim=-1)
    return _merge(weights.detach() @ v), weights


def _without_gradient(query, key, value, num_heads):
    with torch.no_grad():
        return _multi_head()(query, key, value, num_heads)


def _contributions(context, weight, bias=0.0):
    columns = weight.unflatten(-1, (context.shape[1], -1))
    return torch.einsum("bhtd,chd->bhtc", context, columns) + bias


def _bias_shared_out(context, weight, bias):
    return _contributions(context, weight, bias / context.shape[1])


def _rows(context, weight, bias):
    size = context.shape[-1]
    own = [weight[head * size : (head + 1) * size] for head in range(context.shape[1])]
    return torch.stack([context[:, head] @ rows for head, rows in enumerate(own)], dim=1)


def _interleaved_columns(context, weight, bias):
    heads = context.shape[1]
    return torch.stack([context[:, head] @ weight[:, head::heads].T for head in range(heads)], dim=1)


def _alone(context, weight, bias):
    kept = []
    for head in range(context.shape[1]):
        only = torch.zeros_like(context)
        only[:, head] = context[:, head]
        kept.append(_merge_without_transpose(only) @ weight.T)
    return torch.stack(kept, dim=1)


def _without_the_axis_of_one_token(hidden, num_heads):
    return _split(hidden, num_heads).squeeze(2)


def _raw_exponentials(query, key, value, num_heads):
    q, k, v = (_split(hidden, num_heads) for hidden in (query, key, value))
    powers = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return _merge(weights @ v), weights


def _token_by_token(query, key, value, num_heads):
    answers = [
        _multi_head()(query[:, place : place + 1], key, value, num_heads) for place in range(query.shape[1])
    ]
    return torch.cat([context for context, _ in answers], 1), torch.cat(
        [weights for _, weights in answers], 2
    )


def _always_as_many_rounds(query, key, value, num_heads):
    """A loop over heads that hides behind 24 rounds whatever their number."""
    size = query.shape[-1] // num_heads
    contexts, weights = [], []
    for head in range(24):
        own = slice(min(head, num_heads - 1) * size, (min(head, num_heads - 1) + 1) * size)
        weights.append((query[..., own] @ key[..., own].mT / math.sqrt(size)).softmax(dim=-1))
        contexts.append(weights[-1] @ value[..., own])
    return torch.cat(contexts[:num_heads], dim=-1), torch.stack(weights[:num_heads], dim=1)


def _head_by_head(context, weight, bias):
    size = context.shape[-1]
    heads = range(context.shape[1])
    return torch.stack([context[:, h] @ weight[:, h * size : (h + 1) * size].T for h in heads], dim=1)


def _tokens_joined(context, weight, bias):
    places = range(context.shape[2])
    return torch.cat([_contributions(context[:, :, t : t + 1], weight) for t in places], dim=2)


WRONG = {
    "04.1": {
        "view_without_transpose": _view,
        "heads_on_wrong_axis": lambda hidden, num_heads: hidden.unflatten(-1, (num_heads, -1)),
        "sizes_swapped": lambda hidden, num_heads: hidden.unflatten(-1, (-1, num_heads)).transpose(1, 2),
        "interleaved": lambda hidden, num_heads: hidden.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2),
        "batch": _batch_mixed_in,
        "no_gradient": lambda hidden, num_heads: _split(hidden, num_heads).detach(),
        "dtype": lambda hidden, num_heads: _split(hidden, num_heads).float(),
        "other_sizes": _without_the_axis_of_one_token,
        "gradient": lambda hidden, num_heads: (
            2 * _split(hidden, num_heads) - _split(hidden, num_heads).detach()
        ),
    },
    "04.2": {
        "one_head": _one_head,
        "softmax_over_queries": _multi_head(dim=-2),
        "softmax_over_heads": _multi_head(dim=1),
        "rows_do_not_sum_to_one": _without_softmax,
        "scale_by_hidden_size": _multi_head(scale=lambda query, q: math.sqrt(query.shape[-1])),
        "no_scale": _multi_head(scale=lambda query, q: 1.0),
        "split_without_transpose": _multi_head(split=_view, merge=_merge_without_transpose),
        "weights": _heads_reversed,
        "not_merged": _multi_head(merge=lambda context: context),
        "merge_without_transpose": _multi_head(merge=_merge_without_transpose),
        "cross": _one_length,
        "gradient": _weights_detached,
        "no_gradient": _without_gradient,
        "loop": _one_by_one,
        "large_scores": _raw_exponentials,
        "dtype": lambda *given: tuple(result.float() for result in _multi_head()(*given)),
        "loop_elsewhere": _token_by_token,
        "too_many_calls": _always_as_many_rounds,
    },
    "04.3": {
        "already_summed": lambda context, weight, bias: _merge(context) @ weight.T,
        "bias_in_each_head": _contributions,
        "bias_shared_out": _bias_shared_out,
        "rows_for_columns": _rows,
        "interleaved_columns": _interleaved_columns,
        "merged_without_transpose": _alone,
        "sum": lambda context, weight, bias: 2 * _contributions(context, weight),
        "no_gradient": lambda context, weight, bias: _contributions(context.detach(), weight),
        "dtype": lambda context, weight, bias: _contributions(context.float(), weight.float()),
        "other_sizes": lambda context, weight, bias: _contributions(context, weight).squeeze(2),
        "large": lambda context, weight, bias: _contributions(context.clamp(-9, 9), weight),
        "gradient": lambda context, weight, bias: _contributions(context, weight.detach()),
        "loop": _head_by_head,
        "loop_elsewhere": _tokens_joined,
    },
}
