import pytest
import torch
from torch import nn

from course_utils.dropout import Dropout

N = 1_000_003  # prime, so no multiple of four: the last draw is used in part


def drop(x, p, seed=0):
    torch.manual_seed(seed)
    return Dropout(p)(x)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.83])
def test_the_rate(p):
    share = (drop(torch.ones(N), p) == 0).double().mean().item()
    assert share == pytest.approx(p, abs=4 * (p * (1 - p) / N) ** 0.5 + 1e-5)


@pytest.mark.parametrize("p", [0.1, 1 / 3, 0.7])
def test_the_scale_is_that_of_p_itself(p):
    values = drop(torch.ones(101, dtype=torch.float64), p).unique().tolist()
    assert values == pytest.approx([0.0, 1 / (1 - p)], rel=1e-15)


def test_what_stays_is_scaled_as_by_torch():
    x = torch.randn(13, 7, generator=torch.Generator().manual_seed(0))
    dropped = drop(x, 0.25)
    kept = dropped != 0
    assert 0 < kept.sum() < x.numel()
    torch.testing.assert_close(dropped[kept], x[kept] / 0.75)
    assert set(drop(torch.ones(997), 0.25).tolist()) == set(nn.Dropout(0.25)(torch.ones(997)).tolist())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_the_mean_stays(dtype):
    dropped = drop(torch.full((N,), 3.0, dtype=dtype), 0.1)
    assert dropped.dtype == dtype
    # 3/0.9 itself is rounded by up to 2⁻⁸ in bfloat16, hence the tolerance.
    expected = float(torch.tensor(3 / 0.9, dtype=dtype)) * 0.9
    assert dropped.double().mean().item() == pytest.approx(expected, abs=4 * 3 * (1 / 9 / N) ** 0.5 + 1e-4)


def test_outside_training_nothing_changes():
    x = torch.ones(7, 13)
    torch.manual_seed(0)
    before = torch.get_rng_state()
    assert Dropout(0.5).eval()(x) is x and Dropout(0.0)(x) is x
    assert torch.equal(torch.get_rng_state(), before)  # nor are numbers drawn


def test_a_seed_repeats_it_and_calls_differ():
    x = torch.ones(97)
    assert torch.equal(drop(x, 0.5), drop(x, 0.5))
    assert not torch.equal(drop(x, 0.5), drop(x, 0.5, seed=1))
    dropout = Dropout(0.5)
    assert not torch.equal(dropout(x), dropout(x))


def test_the_four_entries_of_one_draw_are_independent():
    kept = (drop(torch.ones(4 * 250_007), 0.3) != 0).double().view(-1, 4)
    correlation = torch.corrcoef(kept.T) - torch.eye(4)
    assert correlation.abs().max().item() < 5 / 250_007**0.5
    assert kept.mean(0).tolist() == pytest.approx([0.7] * 4, abs=0.005)


def test_the_gradient_flows_through_what_stays():
    x = torch.randn(11, 13, dtype=torch.float64, requires_grad=True)
    dropped = drop(x, 0.4)
    (gradient,) = torch.autograd.grad(dropped.sum(), x)
    torch.testing.assert_close(gradient, torch.where(dropped != 0, gradient.max(), 0.0))
    assert 1 - 1 / gradient.max().item() == pytest.approx(0.4, abs=1e-5)


@pytest.mark.parametrize("shape", [(), (1,), (2, 3, 5, 7), (0, 3)])
def test_any_shape(shape):
    assert drop(torch.ones(shape), 0.5).shape == shape


def test_views_are_dropped_in_their_own_order():
    x = torch.ones(13, 7)
    assert torch.equal(drop(x.T, 0.5), drop(torch.ones(7, 13), 0.5))
    assert torch.equal(x, torch.ones(13, 7))  # the caller's tensor stays as it was


@pytest.mark.parametrize("p", [-0.1, 1.0, 1.5, 0.999999])
def test_a_rate_that_is_none_is_refused(p):
    with pytest.raises(ValueError, match=r"p must lie in \[0, 1 − 1/65536\]"):
        Dropout(p)


def test_it_prints_as_nn_dropout_does_but_for_what_that_adds():
    assert repr(Dropout(0.1)) == "Dropout(p=0.1)"
