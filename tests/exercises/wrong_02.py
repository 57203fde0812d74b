"""Wrong answers to the exercises of notebook 02, each under the reason for which it must fail."""

import math

import torch


def _scores_divided_by(divisor):
    return lambda query, key: query @ key.T / divisor(query, key)


def _attention(
    scale=lambda query, key, value: math.sqrt(query.shape[-1]), dim=-1, after=lambda context: context
):
    def attention(query, key, value):
        weights = (query @ key.transpose(-2, -1) / scale(query, key, value)).softmax(dim=dim)
        return after(weights @ value), weights

    return attention


def _dot_t(query, key, value):
    weights = (query @ key.T / math.sqrt(query.shape[-1])).softmax(dim=-1)
    return weights @ value, weights


def _swapped(query, key, value):
    context, weights = _attention()(query, key, value)
    return weights, context


def _without_softmax(query, key, value):
    weights = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return weights @ value, weights


def _sum_of_values(query, key, value):
    _, weights = _attention()(query, key, value)
    return (weights @ value) * value.shape[-2], weights


def _raw_exponentials(query, key, value):
    powers = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return weights @ value, weights


def _clamped(query, key, value):
    """Nothing overflows, and every large score is the same."""
    powers = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).clamp(-80, 80).exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return weights @ value, weights


def _nothing_flows(query, key, value):
    context, weights = _attention()(query, key, value)
    return context.detach(), weights


def _weights_detached(query, key, value):
    weights = _attention()(query, key, value)[1].detach()
    return weights @ value, weights


def _squeezed(query, key):
    return (query @ key.T / math.sqrt(query.shape[-1])).squeeze()


def _only_the_sizes_shown(query, key):
    return query @ key.T / (2 if query.shape[-1] == 4 else math.sqrt(5))


def _key_of_scores_detached(query, key):
    return query @ key.detach().T / math.sqrt(query.shape[-1])


def _gradient_doubled(query, key):
    scores = query @ key.T / math.sqrt(query.shape[-1])
    return 2 * scores - scores.detach()


def _in_float32(query, key, value):
    return tuple(result.to(query.dtype).float() for result in _attention()(query, key, value))


def _nothing_of_length_one(query, key, value):
    return tuple(result.squeeze() for result in _attention()(query, key, value))


def _last_axis_of_two_or_four(query, key, value):
    axis = 1 if query.dim() < 4 else 3
    weights = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(dim=axis)
    return weights @ value, weights


def _values_of_the_first(query, key, value):
    context, weights = _attention()(query, key, value)
    return (weights @ value[:1] if value.dim() == 3 else context), weights


def _overflow_replaced(query, key, value):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    powers = scores.exp()
    weights = powers / powers.sum(dim=-1, keepdim=True)
    weights = torch.where(weights.isfinite(), weights, scores.softmax(dim=-1))
    return weights @ value, weights


def _returned_weights_detached(query, key, value):
    context, weights = _attention()(query, key, value)
    return context, weights.detach()


def _key_detached_in_part(query, key, value):
    context, weights = _attention()(
        query, torch.cat([key[..., :1, :].detach(), key[..., 1:, :]], dim=-2), value
    )
    return context, weights


def _half_of_the_matrix_at_a_time(y, upstream):
    middle, gradient = y.shape[-1] // 2, y * upstream
    for part in (slice(None, middle), slice(middle, None)):
        block = y[:, part, None] * y[:, None, :]  # half the rows of the Jacobian's second term
        gradient[:, part] -= (block @ upstream[:, :, None])[..., 0]
    return gradient


def _through_the_logarithm(y, upstream):
    scores = y.log().requires_grad_()
    return torch.autograd.grad(scores.softmax(dim=-1), scores, upstream)[0]


def _backward(y, upstream, axis=-1):
    return y * (upstream - (y * upstream).sum(dim=axis, keepdim=True))


WRONG = {
    "02.1": {
        "no_scale": lambda query, key: query @ key.T,
        "divides_by_d": _scores_divided_by(lambda query, key: query.shape[-1]),
        "sqrt_of_tokens": _scores_divided_by(lambda query, key: math.sqrt(query.shape[0])),
        "softmax_too": lambda query, key: (query @ key.T / math.sqrt(query.shape[-1])).softmax(dim=-1),
        "transposed": lambda query, key: key @ query.T / math.sqrt(query.shape[-1]),
        "dtype": lambda query, key: query.float() @ key.float().T / math.sqrt(query.shape[-1]),
        "other_shape": _squeezed,
        "other_sizes": _only_the_sizes_shown,
        "large_scores": lambda query, key: (query @ key.T / math.sqrt(query.shape[-1])).clamp(-20, 20),
        "no_gradient": lambda query, key: (query @ key.T / math.sqrt(query.shape[-1])).detach(),
        "detached": _key_of_scores_detached,
        "gradient": _gradient_doubled,
    },
    "02.2": {
        "softmax_over_queries": _attention(dim=-2),
        "rows_do_not_sum_to_one": _without_softmax,
        "wrong_scale": _attention(scale=lambda query, key, value: math.sqrt(value.shape[-1])),
        "swapped": _swapped,
        "softmax_on_context": _attention(after=lambda context: context.softmax(dim=-1)),
        "context": _sum_of_values,
        "batches": _dot_t,
        "dtype": _in_float32,
        "batch_shape": _nothing_of_length_one,
        "batch_weights": _last_axis_of_two_or_four,
        "batch_context": _values_of_the_first,
        "overflow": _raw_exponentials,
        "large_scores": _clamped,
        "no_gradient": _nothing_flows,
        "detached": _weights_detached,
        "gradient": _key_detached_in_part,
        "gradient_nan": _overflow_replaced,
        "weights_detached": _returned_weights_detached,
    },
    "02.3": {
        "no_competition": lambda y, upstream: y * upstream,
        "only_diagonal": lambda y, upstream: y * (1 - y) * upstream,
        "no_weight": lambda y, upstream: upstream - (y * upstream).sum(dim=-1, keepdim=True),
        "wrong_axis": lambda y, upstream: _backward(y, upstream, axis=0),
        "sign": lambda y, upstream: -_backward(y, upstream),
        "full_matrix": _half_of_the_matrix_at_a_time,
        "large_upstream": lambda y, upstream: _backward(y, upstream.clamp(-1e3, 1e3)),
        "autograd": _through_the_logarithm,
    },
}
