"""Exercises of notebook 06: the encoder block."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils.activations import gelu, gelu_derivative, relu
from course_utils.exercises.core import Exercise, Wrong, call, expect_close, expect_tensor, number, numbers
from course_utils.exercises.forbidden import refuse_autograd

Function = Callable[[Tensor], Tensor]


def normalise(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)  # divided by C
    return centred / torch.sqrt(variance + eps) * weight + bias


def check_normalise(answer: object) -> None:
    x = torch.tensor([[1.0, 3.0], [10.0, 50.0], [7.0, -7.0]])
    ones, zeros = torch.ones(2), torch.zeros(2)
    y = expect_tensor(call(answer, x, ones, zeros, 1e-12), shape=(3, 2), dtype=x.dtype)
    expected = normalise(x, ones, zeros, 1e-12)
    over_tokens = (x - x.mean(dim=0)) / x.var(dim=0, unbiased=False).sqrt()
    over_all = (x - x.mean()) / x.var(unbiased=False).sqrt()
    likely = [
        (over_tokens, "over_tokens"),
        (over_all, "over_all"),
        (x - x.mean(dim=-1, keepdim=True), "only_centred"),
    ]
    likely += [(expected / 2**0.5, "unbiased"), (over_tokens * (2 / 3) ** 0.5, "over_tokens")]
    for wrong, reason in likely:
        if torch.allclose(y, wrong, atol=1e-4):
            raise Wrong(reason, expected=numbers(expected[0]), actual=numbers(y[0]))
    expect_close(y, expected, atol=1e-4)
    _check_gain_and_shift(answer)
    _check_eps(answer)
    x, weight, bias = torch.randn(2, 3, 5, 7), torch.randn(7), torch.randn(7)
    y = expect_tensor(call(answer, x, weight, bias, 1e-12), shape=(2, 3, 5, 7))
    expect_close(y, normalise(x, weight, bias, 1e-12), atol=1e-4)
    y = expect_tensor(call(answer, x[0, 0, 0], weight, bias, 1e-12))
    if y.shape != (7,) or not torch.allclose(y, normalise(x[0, 0, 0], weight, bias, 1e-12), atol=1e-4):
        raise Wrong("one_token")
    far = torch.tensor([[999.9, 1000.0, 1000.1]])  # in float32 the squares lose what tells these apart
    y = expect_tensor(call(answer, far, torch.ones(3), torch.zeros(3), 1e-12), shape=(1, 3))
    expected = normalise(far, torch.ones(3), torch.zeros(3), 1e-12)
    if not bool((y - expected).abs().max() < 0.1):  # also NaN
        raise Wrong("cancels", expected=numbers(expected[0]), actual=numbers(y[0]))
    expect_close(y, expected, atol=1e-2)
    far = torch.tensor([[-0.1, 0.0, 0.1]], dtype=torch.float64) + 1e8  # and in float64 these
    ones, zeros = torch.ones(3, dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    y, expected = call(answer, far, ones, zeros, 1e-12), normalise(far, ones, zeros, 1e-12)
    if not torch.allclose(expect_tensor(y, shape=(1, 3), dtype=far.dtype), expected, atol=1e-2):
        raise Wrong("single_precision", expected=numbers(expected[0]), actual=numbers(y[0]))
    _check_gradient(answer)


def _check_gradient(answer: object) -> None:
    """Mean and deviation are part of the function, and weight and bias are learned."""
    x = torch.tensor([[1.0, 2.0, 6.0]], dtype=torch.float64, requires_grad=True)
    ones, zeros = torch.ones(3, dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    y = expect_tensor(call(answer, x, ones, zeros, 1e-12), shape=(1, 3), dtype=x.dtype)
    _expect_gradient(y, normalise(x, ones, zeros, 1e-12), x)
    given = [torch.randn(2, 5, dtype=torch.float64), *torch.randn(2, 5, dtype=torch.float64)]
    given = [one.requires_grad_() for one in given]  # x, weight, bias
    upstream = torch.randn(2, 5, dtype=torch.float64)
    y, expected = expect_tensor(call(answer, *given, 1e-12), shape=(2, 5)), normalise(*given, 1e-12)
    expect_close(y.detach(), expected.detach())
    right = torch.autograd.grad(expected, given, upstream)
    options = dict(allow_unused=True, materialize_grads=True)
    found = torch.autograd.grad(y, given, upstream, **options)
    for name, gradient, wanted in zip(("x", "weight", "bias"), found, right, strict=True):
        if not torch.allclose(gradient, wanted, atol=1e-5):
            facts = {"expected": numbers(wanted.flatten()[-5:]), "actual": numbers(gradient.flatten()[-5:])}
            raise Wrong("cut_off", name=name, **facts)


def _expect_gradient(y: Tensor, expected_y: Tensor, x: Tensor) -> None:
    """The same values, and the same gradient of the first one."""
    expect_close(y.detach(), expected_y.detach())
    gradient, expected = torch.zeros_like(x), torch.autograd.grad(expected_y[0, 0], x)[0]
    if y.requires_grad:
        gradient = torch.autograd.grad(y[0, 0], x, allow_unused=True, materialize_grads=True)[0]
    if not torch.allclose(gradient, expected, atol=1e-5):
        raise Wrong("detached", expected=numbers(expected[0]), actual=numbers(gradient[0]))


def _check_gain_and_shift(answer: object) -> None:
    x, weight, bias = (
        torch.tensor([[1.0, 3.0, 5.0]]),
        torch.tensor([2.0, 3.0, 4.0]),
        torch.tensor([10.0, 20.0, 30.0]),
    )
    y = expect_tensor(call(answer, x, weight, bias, 1e-12), shape=(1, 3))
    expected, plain = normalise(x, weight, bias, 1e-12), normalise(x, torch.ones(3), torch.zeros(3), 1e-12)
    for wrong, reason in [(plain, "no_gain"), (plain + bias, "no_gain"), (plain * weight, "no_shift")]:
        if torch.allclose(y, wrong, atol=1e-4):
            raise Wrong(reason, expected=numbers(expected[0]), actual=numbers(y[0]))
    expect_close(y, expected, atol=1e-4)


def _check_eps(answer: object) -> None:
    x = torch.tensor([[2.0, -2.0]], dtype=torch.float64)  # σ = 2, σ² = 4
    ones, zeros = torch.ones(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    y = expect_tensor(call(answer, x, ones, zeros, 12.0), shape=(1, 2), dtype=x.dtype)
    expected = normalise(x, ones, zeros, 12.0)  # 2/√(4 + 12) = 0.5
    for wrong, reason in [(x / (2.0 + 12.0), "eps_outside"), (x / 2.0, "no_eps")]:
        if torch.allclose(y, wrong, atol=1e-6):
            raise Wrong(reason, expected=number(expected[0, 0]), actual=number(y[0, 0]))
    expect_close(y, expected)
    for x in (torch.tensor([[1e-6, -1e-6]], dtype=torch.float64), torch.zeros(1, 2, dtype=torch.float64)):
        y = expect_tensor(call(answer, x, ones, zeros, 1e-12), shape=(1, 2))
        expected = normalise(x, ones, zeros, 1e-12)
        if not torch.allclose(y, expected, atol=1e-4):
            raise Wrong("small_eps", given=numbers(x[0]), expected=numbers(expected[0]), actual=numbers(y[0]))


def post_ln_step(x: Tensor, sublayer: Function, norm: Function, dropout: Function) -> Tensor:
    return norm(x + dropout(sublayer(x)))


def check_post_ln_step(answer: object) -> None:
    x = torch.tensor([[1.0, 2.0, 6.0], [4.0, 0.0, -1.0]])

    def sublayer(x: Tensor) -> Tensor:
        return x.flip(-1) ** 2

    def norm(x: Tensor) -> Tensor:
        return normalise(x, torch.ones(3), torch.zeros(3), 1e-12)

    def dropout(x: Tensor) -> Tensor:
        return x * torch.tensor([0.0, 2.0, 2.0])  # p = 1/2, the first coordinate drawn

    y = expect_tensor(call(answer, x, sublayer, norm, dropout), shape=(2, 3), dtype=x.dtype)
    expected, branch = post_ln_step(x, sublayer, norm, dropout), dropout(sublayer(x))
    likely = [
        ("pre_ln", x + dropout(sublayer(norm(x)))),
        ("no_residual", norm(branch)),
        ("norm_before_add", x + norm(branch)),
        ("dropout_on_sum", norm(dropout(x + sublayer(x)))),
        ("dropout_last", dropout(norm(x + sublayer(x)))),
        ("no_dropout", norm(x + sublayer(x))),
        ("no_norm", x + branch),
    ]
    for reason, wrong in likely:
        if torch.allclose(y, wrong, atol=1e-5):
            raise Wrong(reason, expected=numbers(expected[0]), actual=numbers(y[0]), **_quiet(answer, norm))
    expect_close(y, expected)
    x = x.clone().requires_grad_()
    y = expect_tensor(call(answer, x, sublayer, norm, dropout), shape=(2, 3), dtype=x.dtype)
    _expect_gradient(y, post_ln_step(x, sublayer, norm, dropout), x)
    _check_other_parts(answer)


def _check_other_parts(answer: object) -> None:
    """Functions that undo nothing, and mix the tokens, so that none can be left out, repeated or split."""
    x, called = torch.randn(2, 3, 5), {"sublayer": 0, "norm": 0, "dropout": 0}

    def counted(name: str, function: Function) -> Function:
        def part(x: Tensor) -> Tensor:
            called[name] += 1
            return function(x)

        return part

    parts = {"sublayer": lambda x: x.flip(0, 1).cumsum(1), "norm": lambda x: x + x.square().cumsum(1)}
    parts["dropout"] = lambda x: x.sin() + x.roll(1, dims=1)
    y = call(answer, x, *(counted(name, part) for name, part in parts.items()))
    expected = post_ln_step(x, *parts.values())
    facts = {"expected": numbers(expected[0, 0]), "actual": numbers(expect_tensor(y, shape=(2, 3, 5))[0, 0])}
    if not torch.allclose(y, expected, atol=1e-4):
        raise Wrong("other_parts", **facts)
    for name, times in called.items():
        if times != 1:
            raise Wrong("called", name=name, times=times)


def _quiet(answer: object, norm: Function) -> dict[str, str]:
    """What the answer gives where the sub-layer says nothing: it should be norm(x)."""
    x = torch.tensor([[1.0, 2.0, 6.0]])
    quiet = call(answer, x, torch.zeros_like, norm, lambda x: x)
    return {"quiet": numbers(quiet[0]), "normed": numbers(norm(x)[0])}


def layer_norm_backward(x: Tensor, upstream: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(dim=-1, keepdim=True)
    deviation = torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + eps)
    y = centred / deviation
    through_mean = upstream.mean(dim=-1, keepdim=True)
    through_deviation = y * (upstream * y).mean(dim=-1, keepdim=True)
    return (upstream - through_mean - through_deviation) / deviation


def check_layer_norm_backward(answer: object) -> None:
    x = torch.tensor([[1.0, 2.0, 6.0], [0.0, -4.0, 4.0]], dtype=torch.float64)
    upstream = torch.tensor([[1.0, 0.0, 0.0], [0.0, 3.0, 1.0]], dtype=torch.float64)
    gradient = expect_tensor(call(answer, x, upstream, 1e-12), shape=(2, 3), dtype=x.dtype)
    expected = layer_norm_backward(x, upstream, 1e-12)
    centred = x - x.mean(dim=-1, keepdim=True)
    deviation = centred.square().mean(dim=-1, keepdim=True).sqrt()
    y, no_mean = centred / deviation, upstream - upstream.mean(dim=-1, keepdim=True)
    likely = [
        ("mean_and_deviation_constant", upstream / deviation),
        ("deviation_constant", no_mean / deviation),
        ("mean_constant", (upstream - y * (upstream * y).mean(dim=-1, keepdim=True)) / deviation),
        ("not_divided", expected * deviation),
        (
            "sums_not_means",
            (upstream - upstream.sum(-1, True) - y * (upstream * y).sum(-1, True)) / deviation,
        ),
    ]
    facts = {
        "sum": number(gradient[0].sum()),
        "along": number((gradient * y)[0].sum()),
        "expected": numbers(expected[0]),
    }
    for reason, wrong in likely:
        if torch.allclose(gradient, wrong, atol=1e-6):
            raise Wrong(reason, actual=numbers(gradient[0]), **facts)
    expect_close(gradient, expected)
    x, upstream = torch.randn(3, 5, 7, dtype=torch.float64), torch.randn(3, 5, 7, dtype=torch.float64)
    x[0, 0] *= 1e-6  # where eps matters
    gradient = expect_tensor(call(answer, x, upstream, 1e-12), shape=(3, 5, 7))
    expected = layer_norm_backward(x, upstream, 1e-12)
    expect_close(gradient[1:], expected[1:])
    if not torch.allclose(gradient[0, 0], expected[0, 0], rtol=1e-4):
        raise Wrong("eps", expected=numbers(expected[0, 0, :3]), actual=numbers(gradient[0, 0, :3]))
    expect_close(gradient[0, 1:], expected[0, 1:])
    _check_other_backward(answer)
    refuse_autograd(answer, x, upstream, 1e-12)


def _check_other_backward(answer: object) -> None:
    """Another eps, a single token, equal coordinates, single precision."""
    x, upstream = torch.randn(2, 5, dtype=torch.float64)  # (C,) each
    gradient = expect_tensor(call(answer, x, upstream, 0.5), shape=(5,))
    expected = layer_norm_backward(x, upstream, 0.5)
    if not torch.allclose(gradient, expected, atol=1e-6):
        raise Wrong("other_eps", expected=numbers(expected), actual=numbers(gradient))
    x = torch.full((5,), 2.0, dtype=torch.float64)
    gradient, expected = call(answer, x, upstream, 0.25), layer_norm_backward(x, upstream, 0.25)
    if not torch.allclose(expect_tensor(gradient, shape=(5,)), expected, atol=1e-6):
        raise Wrong("equal_coordinates", expected=numbers(expected), actual=numbers(gradient))
    x, upstream = torch.randn(3, 5) + 100, torch.randn(3, 5)
    gradient = expect_tensor(call(answer, x, upstream, 1e-12), shape=(3, 5), dtype=x.dtype)
    expected = layer_norm_backward(x, upstream, 1e-12)
    if not torch.allclose(gradient, expected, atol=1e-3):
        raise Wrong("differences", expected=numbers(expected[0]), actual=numbers(gradient[0]))


def dead_units(before: Tensor, activation: Function) -> Tensor:
    inputs = before.clone().requires_grad_()  # (N, U)
    slopes = torch.autograd.grad(activation(inputs).sum(), inputs)[0]
    return (slopes.abs() < 1e-3).all(dim=0)  # (U,)


RELU_UNITS = {  # five data each
    "left": [-2.0, -1.0, -3.0, -0.5, -4.0],
    "right": [1.5, 1.5, 1.5, 1.5, 1.5],
    "first": [1.0, -1.0, -2.0, -1.0, -2.0],
    "last": [-1.0, -2.0, -1.0, -2.0, 1.0],
}
GELU_UNITS = {  # six data each
    "gentle": [-0.3, -0.2, -0.1, -0.4, -0.3, -0.2],  # slopes from 0.2 to 0.42
    "falling": [-1.0, -1.5, -2.0, -1.2, -1.8, -1.0],  # slopes from -0.13 to -0.08
    "cancelling": [-1.0, -0.5837, -1.0, -0.5837, -1.0, -0.5837],  # slopes -0.083 and 0.083
    "far": [-6.0, -5.0, -7.0, -5.5, -9.0, -5.0],  # slopes from -7e-6 to -0
}


def check_dead_units(answer: object) -> None:
    found = _dead_among(answer, RELU_UNITS, relu)
    if found == {"right", "first", "last"}:
        raise Wrong("alive")
    if found == {"left", "first", "last"}:
        raise Wrong("any_datum", inputs=RELU_UNITS["first"])
    if found in ({"left", "first"}, {"left", "last"}):
        other = (found - {"left"}).pop()
        raise Wrong("one_datum", inputs=RELU_UNITS[other])
    _expect_dead(found, {"left"}, RELU_UNITS)
    if "left" not in _dead_among(answer, RELU_UNITS, lambda inputs: relu(inputs) + 1):
        raise Wrong("by_value")

    found = _dead_among(answer, GELU_UNITS, gelu)
    slope = number(gelu_derivative(torch.tensor(-1.0)))
    if "gentle" in found:
        raise Wrong("relu_rule", slope=number(gelu_derivative(torch.tensor(-0.3))))
    if "falling" in found:
        raise Wrong("signed", slope=slope)
    if "cancelling" in found:
        raise Wrong("mean_slope", slope=slope)
    if "far" not in found:
        raise Wrong("exactly_zero", slope=number(gelu_derivative(torch.tensor(-5.0))))
    _check_steeper_units(answer)


def _check_steeper_units(answer: object) -> None:
    """Functions that nobody has a cut-off for: GELU(3x) and GELU(x/2), on fresh inputs of other sizes."""
    for steep, units in ((3.0, 7), (0.5, 13)):

        def activation(inputs: Tensor, steep: float = steep) -> Tensor:
            return gelu(steep * inputs)

        before = (torch.randn(11, units) - 6 * torch.rand(units)) / steep  # (N, U)
        before[:, 0] = (-6 - torch.rand(11)) / steep
        expected = dead_units(before, activation)
        found = expect_tensor(call(answer, before, activation), shape=(units,), dtype=torch.bool)
        for unit in (found != expected).nonzero().flatten().tolist():
            largest = (steep * gelu_derivative(steep * before[:, unit])).abs().max()
            raise Wrong("steeper", steep=number(steep), unit=unit, largest=number(largest))
    _check_other_units(answer)


def _check_other_units(answer: object) -> None:
    """Functions that die on the right, on both sides, or nearly, on two thousand data."""
    left = -0.5 - torch.rand(2000)
    once = left.clone()
    once[1234] = 0.5  # one datum of two thousand
    before = torch.stack([left, -left, once, -once], dim=1)  # (N, U)
    functions = {
        "mirrored": lambda inputs: relu(-inputs),
        "both_sides": lambda inputs: inputs.clamp(-0.4, 0.6),
        "threshold": lambda inputs: torch.where(inputs > 0, 0.0012 * inputs, 0.0008 * inputs),
    }
    for reason, activation in functions.items():
        units = before[:, :2] if reason == "mirrored" else before
        expected = dead_units(units, activation)
        found = expect_tensor(call(answer, units, activation), shape=expected.shape, dtype=torch.bool)
        if not torch.equal(found, expected):
            raise Wrong(reason, expected=expected.tolist(), actual=found.tolist())


def _dead_among(answer: object, units: dict[str, list[float]], activation: Function) -> set[str]:
    """The names of the units, a column of inputs each, that the answer calls dead."""
    before = torch.tensor(list(units.values())).T.contiguous()  # (N, U)
    dead = expect_tensor(call(answer, before, activation), shape=(len(units),), dtype=torch.bool)
    return {name for name, is_dead in zip(units, dead.tolist(), strict=True) if is_dead}


def _expect_dead(found: set[str], expected: set[str], units: dict[str, list[float]]) -> None:
    said, right = (torch.tensor([float(name in dead) for name in units]) for dead in (found, expected))
    expect_close(said, right)


EXERCISES = [
    Exercise("06.1", level="warm-up", check=check_normalise, solution=normalise),
    Exercise("06.2", level="core", check=check_post_ln_step, solution=post_ln_step),
    Exercise("06.3", level="stretch", check=check_layer_norm_backward, solution=layer_norm_backward),
    Exercise("06.4", level="core", check=check_dead_units, solution=dead_units),
]
