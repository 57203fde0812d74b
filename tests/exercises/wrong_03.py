"""Wrong answers to the exercises of notebook 03, each under the reason for which it must fail."""

import math

import torch


def _keys(table):
    return table[:, None, None, :]


def _filled(value, after=lambda weights, mask: weights):
    def masked_softmax(scores, mask):
        return after(scores.masked_fill(~mask, value).softmax(dim=-1), mask)

    return masked_softmax


def _zero_where_masked(weights, mask):
    return weights.masked_fill(~mask, 0.0)


def _renormalised(scores, mask):
    erased = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    return erased / erased.sum(dim=-1, keepdim=True).clamp_min(1e-9)


def _added(scores, mask):
    """Adds −inf and wipes out the NaN afterwards: right in the forward pass, NaN in the backward pass."""
    penalty = torch.zeros_like(scores).masked_fill(~mask, -math.inf)
    return (scores + penalty).softmax(dim=-1).nan_to_num()


def _in_place(scores, mask):
    scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    return _zero_where_masked(scores.softmax(dim=-1), mask)


def _detached(scores, mask):
    return _zero_where_masked(_filled(-math.inf)(scores.detach(), mask), mask)


def _straight_through(scores, mask):
    """The right weights, with the gradient of the scores themselves."""
    right = _zero_where_masked(_filled(torch.finfo(scores.dtype).min)(scores.detach(), mask), mask)
    return right + _zero_where_masked(scores - scores.detach(), mask)


def _penalised(scores, mask):
    """In float16 the penalty becomes −inf without a word, and an empty row's gradient NaN."""
    penalty = torch.where(mask, 0.0, -1e9).to(scores.dtype)
    return _zero_where_masked((scores + penalty).softmax(dim=-1), mask)


def _lowest(scores, mask, axis=-1):
    lowest = torch.finfo(scores.dtype).min
    return _zero_where_masked(scores.masked_fill(~mask, lowest).softmax(dim=axis), mask)


def _axis_of_two_or_four(scores, mask):
    return _lowest(scores, mask, axis=3 if scores.dim() == 4 else 1)


def _in_float32(scores, mask):
    weights = _lowest(scores.float(), mask)
    return weights.half() if scores.dtype == torch.float16 else weights


def _window(rule, axes=True):
    def mask(length, window):
        places = torch.arange(length)
        table = rule(places[:, None] - places[None, :], window)
        return table[None, None] if axes else table

    return mask


def _right(back, window):
    return (back >= 0) & (back < window)


def _eight_bits(length, window):
    places = torch.arange(length).to(torch.int8)
    return _right(places[:, None] - places[None, :], window)[None, None]


WRONG = {
    "03.1": {
        "positive_ids": lambda ids, pad: _keys(ids > 0),
        "zero_is_padding": lambda ids, pad: _keys(ids != 0),
        "greater_than_pad": lambda ids, pad: _keys(ids > pad),
        "negative_is_padding": lambda ids, pad: _keys((ids != pad) & (ids >= 0) if pad >= 0 else ids != pad),
        "inverted": lambda ids, pad: _keys(ids == pad),
        "hides_queries": lambda ids, pad: (ids != pad)[:, None, :, None],
        "no_axes": lambda ids, pad: ids != pad,
        "other_ids": lambda ids, pad: _keys(ids.to(torch.int16) != pad),
        "only_padding": lambda ids, pad: _keys((ids != pad) | (ids == pad).all(dim=-1, keepdim=True)),
    },
    "03.2": {
        "after_softmax": lambda scores, mask: _zero_where_masked(scores.softmax(dim=-1), mask),
        "inverted": lambda scores, mask: _filled(-math.inf)(scores, ~mask),
        "zero_scores": lambda scores, mask: (scores * mask).softmax(dim=-1),
        "loud": _renormalised,
        "not_low_enough": _filled(-12.0, after=_zero_where_masked),
        "empty_row_nan": _filled(-math.inf),
        "empty_row_not_zero": _filled(-1e9),
        "nan_gradient": _added,
        "half": _filled(-1e9, after=_zero_where_masked),
        "half_empty_row": _penalised,
        "gradient": _straight_through,
        "mutates_input": _in_place,
        "no_gradient": _detached,
        "cut_off": lambda scores, mask: _lowest(scores.double().clamp(max=2e30).to(scores.dtype), mask),
        "other_axes": _axis_of_two_or_four,
        "dtype": _in_float32,
    },
    "03.3": {
        "one_too_many": _window(lambda back, window: (back >= 0) & (back <= window)),
        "without_itself": _window(lambda back, window: (back > 0) & (back <= window)),
        "both_sides": _window(lambda back, window: back.abs() < window),
        "only_future": _window(lambda back, window: _right(-back, window)),
        "no_limit": _window(lambda back, window: back >= 0),
        "inverted": _window(lambda back, window: ~_right(back, window)),
        "no_axes": _window(_right, axes=False),
        "other_sizes": _eight_bits,
    },
}
