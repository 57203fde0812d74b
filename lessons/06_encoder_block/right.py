"""Right answers to the exercises of notebook 06, in forms that learners write."""

import numpy as np
import torch

from tests.exercises.audit import forms


def my_layer_norm(x, weight, bias, eps=1e-12):
    """The notebook's own."""
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


def by_loop(x, weight, bias, eps):
    rows = []
    for row in x.reshape(-1, x.shape[-1]):
        centred = row - row.sum() / len(row)
        rows.append(weight * centred / ((centred**2).sum() / len(row) + eps) ** 0.5 + bias)
    return torch.stack(rows).reshape(x.shape)


def by_var_mean(x, weight, bias, eps):
    variance, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return torch.addcmul(bias, (x - mean) * torch.rsqrt(variance + eps), weight)


def by_distances(x, weight, bias, eps):
    size = x.shape[-1]
    centred = x - torch.einsum("...c->...", x)[..., None] / size
    return (
        centred / (torch.einsum("...c,...c->...", centred, centred)[..., None] / size + eps).sqrt() * weight
        + bias
    )


def scaled_and_shifted(x, weight, bias, eps):
    """As batch normalization is folded: one factor, one summand."""
    factor = weight / (x.var(-1, unbiased=False, keepdim=True) + eps).sqrt()
    return x * factor + (bias - x.mean(-1, keepdim=True) * factor)


def step_by_step(x, sublayer, norm, dropout):
    branch = sublayer(x)
    branch = dropout(branch)
    total = torch.add(x, branch)
    return norm(total)


def in_place(x, sublayer, norm, dropout):
    total = x.clone()
    total += dropout(sublayer(x))
    return norm(total)


class Step(torch.nn.Module):
    def forward(self, x, sublayer, norm, dropout):
        return norm(dropout(sublayer(x)) + x)


def keeps_residual(x, sublayer, norm, dropout):
    residual = x
    x = sublayer(x)
    x = dropout(x)
    return norm(residual + x)


def jacobian(x, upstream, eps):
    """Row by row, by the matrix (I − 1/C − y yᵀ/C) / s."""
    rows = []
    size = x.shape[-1]
    for row, up in zip(x.reshape(-1, size), upstream.reshape(-1, size)):
        centred = row - row.mean()
        s = (centred.square().mean() + eps).sqrt()
        y = centred / s
        rows.append((torch.eye(size, dtype=x.dtype) - 1 / size - torch.outer(y, y) / size) @ up / s)
    return torch.stack(rows).reshape(x.shape)


def three_ways(x, upstream, eps):
    size = x.shape[-1]
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred**2).mean(-1, keepdim=True) + eps
    to_variance = (upstream * centred).sum(-1, keepdim=True) * -0.5 * variance**-1.5
    to_mean = -(upstream / variance.sqrt()).sum(-1, keepdim=True)
    return upstream / variance.sqrt() + to_variance * 2 * centred / size + to_mean / size


def numpy_backward(x, upstream, eps):
    x, g = x.numpy(), upstream.numpy()
    s = np.sqrt(x.var(-1, keepdims=True) + eps)
    y = (x - x.mean(-1, keepdims=True)) / s
    return torch.from_numpy((g - g.mean(-1, keepdims=True) - y * (g * y).mean(-1, keepdims=True)) / s).to(
        upstream.dtype
    )


def size_times(x, upstream, eps):
    size, s = x.shape[-1], torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + eps)
    y = (x - x.mean(-1, keepdim=True)) / s
    total = size * upstream - upstream.sum(-1, keepdim=True) - y * (upstream * y).sum(-1, keepdim=True)
    return total / (size * s)


def einsum_backward(x, upstream, eps):
    size = x.shape[-1]
    c = x - x.mean(-1, keepdim=True)
    s = (c.square().mean(-1, keepdim=True) + eps).sqrt()
    along = torch.einsum("...c,...c->...", upstream, c / s)[..., None] / size
    return (upstream - upstream.mean(-1, keepdim=True) - c / s * along) / s


def in_float64(x, upstream, eps):
    return three_ways(x.double(), upstream.double(), eps).to(x.dtype)


def by_backward(before, activation):
    inputs = before.detach().clone().requires_grad_(True)
    activation(inputs).backward(torch.ones_like(inputs))
    return (inputs.grad.abs() < 0.001).all(dim=0)


def by_largest(before, activation):
    inputs = before.clone().requires_grad_()
    activation(inputs).sum().backward()
    return inputs.grad.abs().max(dim=0).values < 1e-3


def unit_by_unit(before, activation):
    dead = []
    for unit in range(before.shape[1]):
        column = before[:, unit].clone().requires_grad_()
        slopes = torch.autograd.grad(activation(column).sum(), column)[0]
        dead.append(all(abs(slope) < 0.001 for slope in slopes.tolist()))
    return torch.tensor(dead)


def by_any(before, activation):
    inputs = before.clone().requires_grad_()
    (slopes,) = torch.autograd.grad(activation(inputs), inputs, torch.ones_like(inputs))
    return ~(slopes.abs() >= 1e-3).any(dim=0)


def numpy_slopes(before, activation):
    inputs = before.clone().requires_grad_()
    activation(inputs).sum().backward()
    return torch.from_numpy(np.all(np.abs(inputs.grad.numpy()) < 1e-3, axis=0))


def by_vjp(before, activation):
    _, pull = torch.func.vjp(activation, before)
    return pull(torch.ones_like(before))[0].abs().lt(1e-3).all(0)


RIGHT = {
    "06.1": forms(my_layer_norm, by_loop, by_var_mean, by_distances, scaled_and_shifted)
    | {"float64": lambda x, weight, bias, eps: my_layer_norm(x.double(), weight, bias, eps).to(x.dtype)},
    "06.2": forms(step_by_step, in_place, keeps_residual)
    | {
        "module": Step(),
        "one line": lambda x, sublayer, norm, dropout: norm(dropout(sublayer(x)) + x),
        "a copy": lambda x, sublayer, norm, dropout: norm(x.clone() + dropout(sublayer(x.clone()))),
    },
    "06.3": forms(jacobian, three_ways, numpy_backward, size_times, einsum_backward, in_float64),
    "06.4": forms(by_backward, by_largest, unit_by_unit, by_any, numpy_slopes, by_vjp),
}
