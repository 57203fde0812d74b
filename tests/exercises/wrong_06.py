"""Wrong answers to the exercises of notebook 06, each under the reason for which it must fail."""

import torch

from course_utils.activations import relu


def _norm(dim=-1, unbiased=False, gain=True, shift=True, scaled=True, eps_at="inside"):
    def normalise(x, weight, bias, eps):
        axes = tuple(range(x.dim())) if dim is None else dim
        centred = x - x.mean(dim=axes, keepdim=True)
        variance = x.var(dim=axes, keepdim=True, unbiased=unbiased)
        deviation = {
            "inside": torch.sqrt(variance + eps),
            "outside": torch.sqrt(variance) + eps,
            "nowhere": torch.sqrt(variance),
        }[eps_at]
        y = centred / deviation if scaled else centred
        return (y * weight if gain else y) + (bias if shift else 0.0)

    return normalise


def _backward(mean=True, deviation=True, divide=True, reduce=torch.mean, eps_used=True):
    def layer_norm_backward(x, upstream, eps):
        centred = x - x.mean(dim=-1, keepdim=True)
        root = torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + (eps if eps_used else 0.0))
        y = centred / root
        gradient = upstream
        if mean:
            gradient = gradient - reduce(upstream, dim=-1, keepdim=True)
        if deviation:
            gradient = gradient - y * reduce(upstream * y, dim=-1, keepdim=True)
        return gradient / root if divide else gradient

    return layer_norm_backward


def _squares(x, weight, bias, eps):
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.square().mean(dim=-1, keepdim=True) - mean.square()
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


def _constant_statistics(x, weight, bias, eps):
    variance = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - x.mean(dim=-1, keepdim=True).detach()) / torch.sqrt(variance.detach() + eps) * weight + bias


def _by_autograd(x, upstream, eps):
    with torch.enable_grad():
        x = x.clone().requires_grad_()
        y = torch.nn.functional.layer_norm(x, x.shape[-1:], eps=eps)
        return torch.autograd.grad(y, x, upstream)[0]


def _slopes(before, activation):
    inputs = before.clone().requires_grad_()
    return torch.autograd.grad(activation(inputs).sum(), inputs)[0]


def _by_differences(x, upstream, eps):
    """What x loses as it is moved in its own precision; the rest in double, so that every processor says the same."""
    gradient, norm = torch.zeros_like(x), _norm()
    width = 1e-4 * (x.double().var(dim=-1, keepdim=True, unbiased=False) + eps).sqrt().to(x.dtype)
    for place in range(x.shape[-1]):
        step = torch.zeros_like(x)
        step[..., place : place + 1] = width
        above, below = (norm(moved.double(), 1.0, 0.0, eps) for moved in (x + step, x - step))
        gradient[..., place] = ((above - below) / (2 * width) * upstream).sum(dim=-1).to(x.dtype)
    return gradient


def _constant_is_nan(x, upstream, eps):
    return _backward()(x, upstream, eps) / (x != x[..., :1]).any(dim=-1, keepdim=True).to(x.dtype)


def _by_rows(x, sublayer, norm, dropout):
    return torch.stack([norm(row + dropout(sublayer(row))) for row in x])


def _twice(x, sublayer, norm, dropout):
    drawn = dropout(sublayer(x))
    return norm(x + (dropout(sublayer(x)) + drawn) / 2)


def _dead(judge):
    return lambda before, activation: judge(_slopes(before, activation))


def _by_cut_off(before, activation):
    """Asks which of the two functions it is, and remembers where each ends."""
    is_relu = torch.equal(activation(before).diff(dim=0), relu(before).diff(dim=0))
    return (before <= (0.0 if is_relu else -4.1)).all(dim=0)


WRONG = {
    "06.1": {
        "over_tokens": _norm(dim=0),
        "over_all": _norm(dim=None),
        "only_centred": _norm(scaled=False),
        "unbiased": _norm(unbiased=True),
        "no_gain": _norm(gain=False),
        "no_shift": _norm(shift=False),
        "eps_outside": _norm(eps_at="outside"),
        "no_eps": _norm(eps_at="nowhere"),
        "cancels": _squares,
        "detached": _constant_statistics,
        "one_token": lambda x, weight, bias, eps: _norm()(x, weight, bias, eps) if x.dim() > 1 else x,
        "small_eps": lambda x, weight, bias, eps: _norm()(x, weight, bias, eps if eps > 1e-3 else 0.0),
        "single_precision": lambda x, *rest: _norm()(x.float(), *rest).to(x.dtype),
        "cut_off": lambda x, weight, bias, eps: _norm()(x, weight.detach(), bias, eps),
    },
    "06.2": {
        "pre_ln": lambda x, sublayer, norm, dropout: x + dropout(sublayer(norm(x))),
        "no_residual": lambda x, sublayer, norm, dropout: norm(dropout(sublayer(x))),
        "norm_before_add": lambda x, sublayer, norm, dropout: x + norm(dropout(sublayer(x))),
        "dropout_on_sum": lambda x, sublayer, norm, dropout: norm(dropout(x + sublayer(x))),
        "dropout_last": lambda x, sublayer, norm, dropout: dropout(norm(x + sublayer(x))),
        "no_dropout": lambda x, sublayer, norm, dropout: norm(x + sublayer(x)),
        "no_norm": lambda x, sublayer, norm, dropout: x + dropout(sublayer(x)),
        "detached": lambda x, sublayer, norm, dropout: norm(x.detach() + dropout(sublayer(x))),
        "other_parts": _by_rows,
        "called": _twice,
    },
    "06.3": {
        "mean_and_deviation_constant": _backward(mean=False, deviation=False),
        "deviation_constant": _backward(deviation=False),
        "mean_constant": _backward(mean=False),
        "not_divided": _backward(divide=False),
        "sums_not_means": _backward(reduce=torch.sum),
        "eps": _backward(eps_used=False),
        "autograd": _by_autograd,
        "other_eps": lambda x, upstream, eps: _backward()(x, upstream, 1e-12),
        "equal_coordinates": _constant_is_nan,
        "differences": _by_differences,
        "dtype": lambda x, upstream, eps: _backward()(x.double(), upstream.double(), eps),
    },
    "06.4": {
        "alive": _dead(lambda slopes: ~(slopes.abs() < 1e-3).all(dim=0)),
        "any_datum": _dead(lambda slopes: (slopes.abs() < 1e-3).any(dim=0)),
        "one_datum": _dead(lambda slopes: slopes[0].abs() < 1e-3),
        "by_value": lambda before, activation: (activation(before).abs() < 1e-3).all(dim=0),
        "relu_rule": lambda before, activation: (before <= 0).all(dim=0),
        "signed": _dead(lambda slopes: (slopes < 1e-3).all(dim=0)),
        "mean_slope": _dead(lambda slopes: slopes.mean(dim=0).abs() < 1e-3),
        "exactly_zero": _dead(lambda slopes: (slopes == 0).all(dim=0)),
        "steeper": _by_cut_off,
        "mirrored": lambda before, activation: (
            (_slopes(before, activation).abs() < 1e-3).all(dim=0) & (before < 0).all(dim=0)
        ),
        "both_sides": lambda before, activation: (
            _slopes(torch.stack(before.aminmax(dim=0)), activation).abs() < 1e-3
        ).all(dim=0),
        "threshold": _dead(lambda slopes: (slopes.abs() < 2e-3).all(dim=0)),
        "shape": _dead(lambda slopes: (slopes.abs() < 1e-3).all(dim=1)),
    },
}
