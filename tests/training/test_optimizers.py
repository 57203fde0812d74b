"""SGD, Adam, AdamW, RAdam and clipping, written out: torch's own as the oracle, and values by hand."""

from __future__ import annotations

import copy
import math
from fractions import Fraction

import pytest
import torch
from torch import nn, optim

from course_utils.training.checkpoint import load_checkpoint, save_checkpoint
from course_utils.training.optim import (
    SGD,
    Adam,
    AdamW,
    RAdam,
    average_length,
    clip_gradients,
    rectification,
    set_learning_rate,
)

# ε so large that its place counts, in one group as in the other.
OURS_AND_TORCHS = [
    (SGD, optim.SGD, {"lr": 0.03, "weight_decay": 0.02}),
    (SGD, optim.SGD, {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.02}),
    (Adam, optim.Adam, {"lr": 0.01}),
    (Adam, optim.Adam, {"lr": 0.01, "betas": (0.8, 0.97), "eps": 0.1, "weight_decay": 0.03}),
    (AdamW, optim.AdamW, {"lr": 0.01}),
    (AdamW, optim.AdamW, {"lr": 0.01, "betas": (0.8, 0.97), "eps": 0.1, "weight_decay": 0.3}),
    (RAdam, optim.RAdam, {"lr": 0.01}),
    (RAdam, optim.RAdam, {"lr": 0.01, "betas": (0.8, 0.97), "eps": 0.1, "weight_decay": 0.03}),
]
IDS = [f"{ours.__name__}-{len(settings)}" for ours, _, settings in OURS_AND_TORCHS]
CLASSES = [SGD, Adam, AdamW, RAdam]
DTYPES = [(torch.float32, 1e-6), (torch.float64, 1e-12)]


def made(dtype=torch.float32):
    """Parameters of prime sizes, a scalar among them; the last one never gets a gradient."""
    generator = torch.Generator().manual_seed(3)
    shapes = [(13, 7), (5,), (3, 11, 2), (), (17,)]
    return [
        nn.Parameter(torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype))
        for shape in shapes
    ]


def grouped(parameters):
    """Two groups; the second has a rate, and no decay, of its own."""
    return [{"params": parameters[:2]}, {"params": parameters[2:], "lr": 0.02, "weight_decay": 0.0}]


def go(optimizer, parameters, steps):
    """Steps with gradients that depend on the parameters, so that a difference would grow; some are missing."""
    for step in steps:
        generator = torch.Generator().manual_seed(step)
        for number, parameter in enumerate(parameters):
            noise = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            gradient = (3 * parameter.detach()).sin() + noise.to(parameter.dtype)
            missing = number == 4 or (number == 2 and step % 3 == 1)
            parameter.grad = None if missing else gradient
        optimizer.step()


def same_state(ours, theirs, tolerance):
    ours, theirs = ours.state_dict()["state"], theirs.state_dict()["state"]
    assert ours.keys() == theirs.keys()
    for number in ours:
        assert ours[number].keys() == theirs[number].keys()
        for name, value in ours[number].items():
            torch.testing.assert_close(value, theirs[number][name], rtol=0, atol=tolerance, msg=name)


@pytest.mark.parametrize(("dtype", "tolerance"), DTYPES)
@pytest.mark.parametrize(("ours", "theirs", "settings"), OURS_AND_TORCHS, ids=IDS)
def test_200_steps_are_torchs(ours, theirs, settings, dtype, tolerance):
    mine, other, start = made(dtype), made(dtype), made(dtype)
    first, second = ours(grouped(mine), **settings), theirs(grouped(other), **settings)
    go(first, mine, range(200))
    go(second, other, range(200))
    for parameter, wanted, before in zip(mine, other, start):
        torch.testing.assert_close(parameter, wanted, rtol=0, atol=tolerance)
        assert (parameter is mine[4]) == torch.equal(parameter, before)
    same_state(first, second, tolerance)
    assert (4 in first.state_dict()["state"]) is False  # no gradient, no state


@pytest.mark.parametrize(("ours", "theirs", "settings"), OURS_AND_TORCHS, ids=IDS)
def test_a_state_of_torchs_goes_on_in_ours(ours, theirs, settings):
    mine, other = made(torch.float64), made(torch.float64)
    first, second = ours(mine, **settings), theirs(other, **settings)
    go(second, other, range(7))
    with torch.no_grad():
        for parameter, wanted in zip(mine, other):
            parameter.copy_(wanted)
    first.load_state_dict(copy.deepcopy(second.state_dict()))
    go(first, mine, range(7, 19))
    go(second, other, range(7, 19))
    for parameter, wanted in zip(mine, other):
        torch.testing.assert_close(parameter, wanted, rtol=0, atol=1e-12)


def one(value=0.0):
    return nn.Parameter(torch.tensor([value], dtype=torch.float64))


def path(optimizer, parameter, gradients):
    """Where one number goes, given its gradients."""
    places = []
    for gradient in gradients:
        parameter.grad = torch.tensor([gradient], dtype=torch.float64)
        optimizer.step()
        places.append(parameter.item())
    return places


def test_momentum_by_hand():
    point = one()
    assert path(SGD([point], lr=0.1, momentum=0.5), point, [1.0, 1.0, 1.0]) == pytest.approx(
        [-0.1, -0.25, -0.425]  # b = 1, 1.5, 1.75
    )


def test_adam_by_hand():
    point = one()
    # m = 1.5, v = 2.25, m̂ = 3, v̂ = 9; then m = 0.25, v = 1.9375, m̂ = 1/3, v̂ = 31/7
    places = path(Adam([point], lr=0.1, betas=(0.5, 0.75), eps=0.0), point, [3.0, -1.0])
    assert places == pytest.approx([-0.1, -0.1 - 0.1 / 3 / math.sqrt(31 / 7)], abs=1e-12)


@pytest.mark.parametrize("size", [1e-5, 1.0, 1e5])
@pytest.mark.parametrize("kind", [Adam, AdamW])
def test_the_first_step_is_the_rate_whatever_the_gradient(kind, size):
    point = one()
    assert path(kind([point], lr=0.1), point, [-size])[0] == pytest.approx(0.1, rel=2e-3)


def test_decay_beside_the_averages_and_inside_them():
    """A gradient of 0: AdamW takes the share η·λ away, Adam steps by η because the decay is all it sees."""
    beside, inside = one(2.0), one(2.0)
    assert path(AdamW([beside], lr=0.1, weight_decay=0.5), beside, [0.0, 0.0]) == pytest.approx([1.9, 1.805])
    assert path(Adam([inside], lr=0.1, weight_decay=0.5), inside, [0.0])[0] == pytest.approx(1.9)
    other = one(2.0)
    assert path(Adam([other], lr=0.1, weight_decay=5e-4), other, [0.0])[0] == pytest.approx(1.9, abs=1e-5)


def test_radam_takes_five_steps_of_momentum_and_then_small_ones():
    point = one()
    places = path(RAdam([point], lr=0.1), point, [4.0] * 7)
    moves = [after - before for before, after in zip([0.0, *places], places)]
    assert moves[:5] == pytest.approx([-0.4] * 5)  # m̂ = 4
    assert moves[5:] == pytest.approx([-0.1 * rectification(step, 0.999) for step in (6, 7)])
    assert 0.0 < -moves[5] < -moves[6] < 0.01


@pytest.mark.parametrize("beta2", [0.9, 0.98, 0.999])
def test_the_length_is_that_of_the_plain_average_with_the_same_centre(beta2):
    """Liu et al. 2020, section 4.1, before the sums are worked out: (ρ + 1)/2 = Σ i·β₂^(i−1) / Σ β₂^(i−1)."""
    beta = Fraction(str(beta2))
    for step in (1, 2, 5, 6, 31):
        weights = [beta**age for age in range(step)]
        centre = sum((age + 1) * weight for age, weight in enumerate(weights)) / sum(weights)
        assert average_length(step, beta2) == pytest.approx(float(2 * centre - 1), rel=1e-8)


def test_rectification_by_hand():
    # β₂ = 0.9: ρ_∞ = 19, ρ_2 = 19 − 4·0.81/0.19 = 37/19
    assert average_length(1, 0.9) == pytest.approx(1.0)
    assert average_length(2, 0.9) == pytest.approx(37 / 19)
    length = 19 - 20 * 0.9**10 / (1 - 0.9**10)
    expected = math.sqrt((length - 4) * (length - 2) * 19 / (15 * 17 * length))
    assert rectification(10, 0.9) == pytest.approx(expected) == pytest.approx(0.4927, abs=1e-4)
    assert [rectification(step, 0.5) for step in (1, 10, 1000)] == [None] * 3  # ρ_∞ = 3
    assert rectification(10**6, 0.999) == pytest.approx(1.0)


# --- clipping ----------------------------------------------------------------------------------------------------


def with_gradients(*gradients):
    found = []
    for gradient in gradients:
        found.append(nn.Parameter(torch.zeros_like(gradient)))
        found[-1].grad = gradient.clone()
    return [*found, nn.Parameter(torch.zeros(3))]  # and one without


def test_clipping_by_hand():
    parameters = with_gradients(torch.tensor([3.0, 0.0]), torch.tensor([[-4.0]]))
    assert float(clip_gradients(parameters, 2.5)) == pytest.approx(5.0)
    assert parameters[0].grad.tolist() == pytest.approx([1.5, 0.0])
    assert parameters[1].grad.item() == pytest.approx(-2.0)  # by value it would be −2.5
    assert parameters[2].grad is None


@pytest.mark.parametrize("most", [0.01, 1.0, 30.0])
def test_clipping_is_torchs(most):
    torch.manual_seed(5)
    gradients = [torch.randn(13, 7), torch.randn(5), torch.randn(())]
    mine, other = with_gradients(*gradients), with_gradients(*gradients)
    norm = clip_gradients(iter(mine), most)
    torch.testing.assert_close(norm, nn.utils.clip_grad_norm_(other, most))
    for parameter, wanted, gradient in zip(mine, other, gradients):
        torch.testing.assert_close(parameter.grad, wanted.grad, rtol=1e-6, atol=0)
        if most == 30.0:
            assert torch.equal(parameter.grad, gradient)  # short enough: untouched


def test_clipping_what_is_not_finite_or_not_there():
    parameters = with_gradients(torch.tensor([1.0, math.nan]), torch.ones(2))
    assert math.isnan(clip_gradients(parameters, 1.0)) and bool(parameters[1].grad.isnan().all())
    assert float(clip_gradients([nn.Parameter(torch.ones(2))], 1.0)) == 0.0
    assert float(clip_gradients(with_gradients(torch.zeros(2)), 1.0)) == 0.0


@pytest.mark.parametrize("most", [0.0, -1.0])
def test_clipping_refuses_a_length(most):
    with pytest.raises(ValueError, match="max_norm must be a finite number, above 0"):
        clip_gradients(with_gradients(torch.ones(2)), most)


# --- what they refuse, and how they work with the rest -----------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (SGD, {"momentum": 1.0}),
        (Adam, {"betas": (0.9, 1.0)}),
        (RAdam, {"betas": (-0.1, 0.9)}),
    ],
)
def test_numbers_that_would_climb_or_divide_by_nothing(kind, wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"{name} must be a finite number, at least 0"):
        kind([one()], **wrong)


def test_the_rate_of_the_schedule_and_the_loss_of_a_closure():
    left, right = one(1.0), one(1.0)
    optimizer = SGD([{"params": [left]}, {"params": [right], "share": 0.5}])
    set_learning_rate(optimizer, 0.2)

    def closure():
        optimizer.zero_grad()
        loss = (left**2 + right**2).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 2.0
    assert (left.item(), right.item()) == pytest.approx((0.6, 0.8))


@pytest.mark.parametrize("kind", CLASSES)
def test_a_run_that_was_stopped_goes_on_bit_for_bit(kind, tmp_path):
    more = {"momentum": 0.9} if kind is SGD else {}
    whole, half, again = (nn.ParameterList(made()) for _ in range(3))
    go(kind(whole, **more), whole, range(17))
    stopped, resumed = kind(half, **more), kind(again, **more)
    go(stopped, half, range(8))
    save_checkpoint(tmp_path / "run", half, stopped, step=8, settings={})
    assert load_checkpoint(tmp_path / "run", again, resumed, settings={}) == 8
    go(resumed, again, range(8, 17))
    assert all(torch.equal(parameter, wanted) for parameter, wanted in zip(again, whole))
