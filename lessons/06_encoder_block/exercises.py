"""Exercises of notebook 06: the encoder block."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils.activations import gelu, relu
from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, call, number, numbers
from course_utils.exercises.forbidden import no_differences

Function = Callable[[Tensor], Tensor]


# ---- 06.1
def normalise(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)  # divided by C
    return centred / torch.sqrt(variance + eps) * weight + bias


VARIANCE = "centred.square().mean(dim=-1, keepdim=True)"
ROOT = "torch.sqrt(variance + eps)"


def plain(*coordinates, eps=1e-12, dtype=torch.float32):
    """Inputs that are neither stretched nor shifted."""
    x = torch.tensor(coordinates, dtype=dtype)
    return x, torch.ones_like(x[0]), torch.zeros_like(x[0]), eps


def drawn(*shape, eps=1e-12, dtype=torch.float64):
    return *(torch.randn(one, dtype=dtype) for one in (shape, shape[-1:], shape[-1:])), eps


STEPS = torch.tensor([-1.0, -0.5, 0.5, 1.0], dtype=torch.float64)  # sums of them are exact

NORMALISE = Exercise(
    "06.1",
    level="warm-up",
    reference=normalise,
    cases={
        "by_hand": lambda: plain([1, 2, 6], [10, 50, 30], [7, -7, 1]),
        "gain": lambda: (
            torch.tensor([[1.0, 3.0, 5.0]]),
            torch.tensor([2.0, 3.0, 4.0]),
            torch.tensor([10.0, 20.0, 30.0]),
            1e-12,
        ),
        "eps": lambda: plain([2, -2], eps=12.0, dtype=torch.float64),  # σ = 2, σ² = 4
        "small_eps": lambda: [
            plain(x, dtype=torch.float64) for x in ([1e-6, -1e-6], [0.0, 0.0], [5e-6, -5e-6])
        ],
        "other_sizes": lambda: [
            drawn(2, 3, 5, 7, dtype=torch.float32),
            *(drawn(*shape) for shape in [(1, 768), (300, 3), (5, 2), (2, 1, 11)]),
        ],
        "one_token": lambda: [drawn(7), drawn(13, dtype=torch.float32)],
        # In float32 the squares lose what tells these apart; a bias of 1000 allows for what honest forms lose.
        "cancels": lambda: (
            (1000 + STEPS.float() / 4)[None],
            torch.ones(4),
            torch.tensor([1000.0, 0.0, 0.0, 0.0]),
            1e-12,
        ),
        "single_precision": lambda: plain((1e8 + STEPS).tolist(), dtype=torch.float64),
    },
    mistakes=changes_of(
        normalise,
        {
            "over_tokens": [
                {"dim=-1": "dim=0"},
                {VARIANCE: "x.var(dim=-1, keepdim=True)", "dim=-1": "dim=0"},
            ],
            "over_all": {"dim=-1, keepdim=True": ""},
            "only_centred": {f" / {ROOT}": ""},
            "unbiased": {VARIANCE: "x.var(dim=-1, keepdim=True)"},
            "no_root": {ROOT: "(variance + eps)"},
            # As many tokens as coordinates: each coordinate gets the mean and deviation of another token.
            "no_keepdim": {VARIANCE: "x.var(dim=-1, unbiased=False)", ", keepdim=True": ""},
            "no_gain": [{" * weight": ""}, {" * weight + bias": ""}],
            "no_shift": {" + bias": ""},
            "eps_outside": {ROOT: "(variance.sqrt() + eps)"},
            "no_eps": {" + eps": ""},
            "small_eps": [{"+ eps": "+ (eps if eps > 1e-3 else 0.0)"}, {"+ eps": "+ max(eps, 1e-5)"}],
            "one_token": lambda x, weight, bias, eps: normalise(x, weight, bias, eps) if x.dim() > 1 else x,
            "cancels": {
                VARIANCE: "x.square().mean(dim=-1, keepdim=True) - x.mean(dim=-1, keepdim=True) ** 2"
            },
            "single_precision": lambda x, *rest: normalise(x.float(), *rest).to(x.dtype),
            "gradient": {"+ bias": "+ bias + (x.detach() - x)"},
            "ready_made": lambda x, weight, bias, eps: torch.nn.functional.layer_norm(
                x, weight.shape, weight, bias, eps
            ),
        },
    ),
    forbids=(
        "course_utils.layer_norm",
        "layer_norm",
        "native_layer_norm",
        "group_norm",
        "native_group_norm",
        "batch_norm",
        "native_batch_norm",
        "instance_norm",
    ),
)


# ---- 06.2
def post_ln_step(x: Tensor, sublayer: Function, norm: Function, dropout: Function) -> Tensor:
    return norm(x + dropout(sublayer(x)))


def plain_norm(x: Tensor) -> Tensor:
    size = x.shape[-1]
    return normalise(x, torch.ones(size, dtype=x.dtype), torch.zeros(size, dtype=x.dtype), 1e-12)


# Functions that undo nothing, and mix the tokens, so that none can be left out, repeated or split.
MIXING = (
    lambda x: x.flip(0, 1).cumsum(1) / x.shape[1],
    lambda x: x + x.square().cumsum(1) / x.shape[1],
    lambda x: x.sin() + x.roll(1, dims=1),
)


def called_more_than_once(answer):
    times = {"sublayer": 0, "norm": 0, "dropout": 0}

    def counted(name, function):
        def part(x):
            times[name] += 1
            return function(x)

        return part

    call(answer, torch.randn(2, 3, 5), *(counted(*named) for named in zip(times, MIXING)))
    return next(({"name": name, "times": often} for name, often in times.items() if often != 1), None)


def where_nothing_is_said(found):
    """What the answer gives where the sub-layer says nothing: it should be norm(x)."""
    x = torch.tensor([[1.0, 2.0, 6.0]])
    quiet = call(found.answer, x, torch.zeros_like, plain_norm, lambda x: x)
    return {"quiet": numbers(quiet[0]), "normed": numbers(plain_norm(x)[0])}


def dropout_drawn_twice(x, sublayer, norm, dropout):
    drawn = dropout(sublayer(x))
    return norm(x + (dropout(sublayer(x)) + drawn) / 2)


POST_LN_STEP = Exercise(
    "06.2",
    level="core",
    reference=post_ln_step,
    cases={
        "by_hand": lambda: (
            torch.tensor([[1.0, 2.0, 6.0], [4.0, 0.0, -1.0]]),
            lambda x: x.flip(-1) ** 2,
            plain_norm,
            lambda x: x * torch.tensor([0.0, 2.0, 2.0]),  # p = 1/2, the first coordinate drawn
        ),
        "other_parts": lambda: [
            (torch.randn(shape, dtype=torch.float64), *MIXING)
            for shape in [(2, 3, 5), (1, 1, 1), (1, 300, 2)]
        ],
    },
    mistakes={
        "pre_ln": lambda x, sublayer, norm, dropout: x + dropout(sublayer(norm(x))),
        "no_residual": lambda x, sublayer, norm, dropout: norm(dropout(sublayer(x))),
        "norm_before_add": lambda x, sublayer, norm, dropout: x + norm(dropout(sublayer(x))),
        "dropout_on_sum": lambda x, sublayer, norm, dropout: norm(dropout(x + sublayer(x))),
        "dropout_first": lambda x, sublayer, norm, dropout: norm(x + sublayer(dropout(x))),
        "dropout_last": lambda x, sublayer, norm, dropout: dropout(norm(x + sublayer(x))),
        "no_dropout": lambda x, sublayer, norm, dropout: norm(x + sublayer(x)),
        "no_norm": lambda x, sublayer, norm, dropout: x + dropout(sublayer(x)),
        "other_parts": lambda x, sublayer, norm, dropout: plain_norm(x + dropout(sublayer(x))),
        "gradient": lambda x, sublayer, norm, dropout: norm(x.detach() + dropout(sublayer(x))),
        "called": dropout_drawn_twice,
    },
    properties={"called": called_more_than_once},
    facts={"no_residual": where_nothing_is_said, "norm_before_add": where_nothing_is_said},
)


# ---- 06.3
def layer_norm_backward(x: Tensor, upstream: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    deviation = torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)
    y = centred / deviation
    through_mean = upstream.mean(dim=-1, keepdim=True)
    through_deviation = y * (upstream * y).mean(dim=-1, keepdim=True)
    return (upstream - through_mean - through_deviation) / deviation


def only_unequal(x, upstream, eps):
    """NaN where all coordinates are equal."""
    unequal = (x != x[..., :1]).any(dim=-1, keepdim=True)
    return layer_norm_backward(x, upstream, eps) / unequal.to(x.dtype)


def by_autograd(x, upstream, eps):
    with torch.enable_grad():
        x = x.clone().requires_grad_()
        y = torch.nn.functional.layer_norm(x, x.shape[-1:], eps=eps)
        return torch.autograd.grad(y, x, upstream)[0]


def moved(x: Tensor, by: Tensor | complex) -> Tensor:
    """x with each coordinate moved in turn: (C, ..., C)."""
    size = x.shape[-1]
    return x + torch.eye(size, dtype=x.dtype).reshape(size, *[1] * (x.dim() - 1), size) * by


def by_differences(x, upstream, eps):
    width = 1e-4 * (x.var(dim=-1, keepdim=True, unbiased=False) + eps).sqrt().to(x.dtype)
    above, below = (normalise(moved(x, by), 1.0, 0.0, eps) for by in (width, -width))
    return ((above - below) / (2 * width) * upstream).sum(dim=-1).movedim(0, -1).to(x.dtype)


def sum_and_product(found):
    """Of the first row: the sum, and the dot product with y; both should be 0."""
    gradient, y = found.yours[0], plain_norm(found.given[0])[0]
    return {"sum": number(gradient.sum()), "along": number(gradient @ y)}


LAYER_NORM_BACKWARD = Exercise(
    "06.3",
    level="stretch",
    reference=layer_norm_backward,
    gradients=False,
    cases={
        "by_hand": lambda: (
            torch.tensor([[1.0, 2.0, 6.0], [0.0, -4.0, 4.0]], dtype=torch.float64),
            torch.tensor([[1.0, 0.0, 0.0], [0.0, 3.0, 1.0]], dtype=torch.float64),
            1e-12,
        ),
        "other_sizes": lambda: [
            (*torch.randn(2, *shape, dtype=torch.float64), 1e-12)
            for shape in [(3, 5, 7), (5,), (1, 1, 11), (300, 2)]
        ],
        "eps": lambda: (  # σ² is as small as eps
            1e-6 * torch.tensor([[1.0, -2.0, 1.0]], dtype=torch.float64),
            torch.tensor([[1.0, 0.0, 2.0]], dtype=torch.float64),
            1e-12,
        ),
        "other_eps": lambda: [(*torch.randn(2, 2, 5, dtype=torch.float64), eps) for eps in (0.5, 1e-5)],
        "equal_coordinates": lambda: (
            torch.full((1, 5), 2.0, dtype=torch.float64),
            torch.tensor([[1.0, 0.0, 0.0, 2.0, 2.0]], dtype=torch.float64),
            0.25,
        ),
        "differences": lambda: (100 + STEPS.float()[None], torch.tensor([[1.0, 0.0, 0.0, 2.0]]), 1e-12),
    },
    mistakes=changes_of(
        layer_norm_backward,
        {
            "mean_and_deviation_constant": {" - through_mean - through_deviation": ""},
            "deviation_constant": {" - through_deviation": ""},
            "mean_constant": {" - through_mean": ""},
            "not_divided": {") / deviation": ")"},
            "sums_not_means": {"upstream.mean(": "upstream.sum(", "* y).mean(": "* y).sum("},
            "eps": {" + eps": ""},
            "other_eps": {"+ eps": "+ 1e-12"},
            "equal_coordinates": only_unequal,
            "differences": [
                by_differences,
                lambda x, upstream, eps: by_differences(x.double(), upstream.double(), eps).to(x.dtype),
            ],
            "autograd": by_autograd,
        },
    ),
    properties={
        "differences": no_differences(layer_norm_backward, lambda: (*torch.randn(2, 3, 7).double(), 1e-12))
    },
    facts={
        "mean_and_deviation_constant": sum_and_product,
        "deviation_constant": sum_and_product,
        "mean_constant": sum_and_product,
        "sums_not_means": sum_and_product,
    },
    forbids=("autograd",),
)


# ---- 06.4
def dead_units(before: Tensor, activation: Function) -> Tensor:
    inputs = before.clone().requires_grad_()  # (N, U)
    slopes = torch.autograd.grad(activation(inputs).sum(), inputs)[0]
    return (slopes.abs() < 1e-3).all(dim=0)  # (U,)


def units(*inputs):
    """A column of inputs for each unit: (N, U)."""
    return torch.tensor(inputs).T.contiguous()


RELU_UNITS = [
    [-2.0, -1.0, -3.0, -0.5, -4.0],
    [1.5, 1.5, 1.5, 1.5, 1.5],
    [1.0, -1.0, -2.0, -1.0, -2.0],  # lives by its first datum
    [-1.0, -2.0, -1.0, -2.0, 1.0],  # by its last
]
GELU_UNITS = [
    [-0.3, -0.2, -0.1, -0.4, -0.3, -0.2],  # slopes from 0.2 to 0.42
    [-1.0, -1.5, -2.0, -1.2, -1.8, -1.0],  # from -0.13 to -0.08
    [-1.0, -0.5837, -1.0, -0.5837, -1.0, -0.5837],  # -0.083 and 0.083
    [-6.0, -5.0, -7.0, -5.5, -9.0, -5.0],  # from -7e-6 to -0: dead
]


def two_thousand() -> Tensor:
    """Units left and right of 0, and two that cross it for one datum of two thousand."""
    left = -0.5 - torch.rand(2000)
    once = left.clone()
    once[1234] = 0.5
    return torch.stack([left, -left, once, -once], dim=1)


DEAD = "(slopes.abs() < 1e-3).all(dim=0)"


def of_this_unit(found):
    return {"inputs": found.given[0][:, found.difference.index[0]].tolist()}


DEAD_UNITS = Exercise(
    "06.4",
    level="core",
    reference=dead_units,
    gradients=False,
    show=lambda units: str(units.tolist()),
    cases={
        "relu": lambda: (units(*RELU_UNITS), relu),
        "by_value": lambda: (units(*RELU_UNITS), lambda inputs: relu(inputs) + 1),
        "gelu": lambda: (units(*GELU_UNITS), gelu),
        "mirror": lambda: (two_thousand()[:, :2], lambda inputs: relu(-inputs)),
        "both_sides": lambda: (two_thousand(), lambda inputs: inputs.clamp(-0.4, 0.6)),
        "threshold": lambda: (
            two_thousand(),
            lambda inputs: torch.where(inputs > 0, 0.0012 * inputs, 0.0008 * inputs),
        ),
        "one datum": lambda: (torch.tensor([[-1.0, 2.0, 0.5]], dtype=torch.float64), relu),
    },
    mistakes=changes_of(
        dead_units,
        {
            "alive": {DEAD: f"~{DEAD}"},
            "any_datum": {".all(": ".any("},
            "one_datum": [{DEAD: f"slopes[{place}].abs() < 1e-3"} for place in (0, -1)],
            "by_value": lambda before, activation: (activation(before).abs() < 1e-3).all(dim=0),
            "relu_rule": lambda before, activation: (before <= 0).all(dim=0),
            "signed": {"slopes.abs()": "slopes"},
            "mean_slope": {DEAD: "slopes.mean(dim=0).abs() < 1e-3"},
            "mean_of_outputs": {".sum()": ".mean()"},
            "exactly_zero": {"slopes.abs() < 1e-3": "slopes == 0"},
            "mirrored": {DEAD: f"{DEAD} & (before < 0).all(dim=0)"},
            "both_sides": lambda before, activation: dead_units(
                torch.stack(before.aminmax(dim=0)), activation
            ),
            "threshold": {DEAD: "slopes.abs().mean(dim=0) < 1e-3"},
        },
    ),
    facts={"any_datum": of_this_unit, "one_datum": of_this_unit},
)

EXERCISES = [NORMALISE, POST_LN_STEP, LAYER_NORM_BACKWARD, DEAD_UNITS]
