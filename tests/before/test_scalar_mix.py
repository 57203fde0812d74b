"""ELMo's mix: a value by hand, equal layers, gradients."""

import math

import pytest
import torch

from course_utils.before import ScalarMix

B, T, C, L = 2, 5, 7, 3


def drawn(count=L + 1, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(B, T, C, generator=generator, dtype=torch.float64) for _ in range(count)]


def made(weights, gamma=1.0):
    mix = ScalarMix(len(weights) - 1).double()
    with torch.no_grad():
        mix.weights.copy_(torch.tensor(weights, dtype=torch.float64))
        mix.gamma.fill_(gamma)
    return mix


def test_a_mix_by_hand():
    """Weights log 1, log 2, log 5: shares 1/8, 2/8, 5/8."""
    mix = made([0.0, math.log(2), math.log(5)], gamma=3.0)
    assert mix.shares().tolist() == pytest.approx([1 / 8, 2 / 8, 5 / 8])
    states = [torch.tensor([[[8.0]]]), torch.tensor([[[-4.0]]]), torch.tensor([[[1.6]]])]
    assert mix([state.double() for state in states]).item() == pytest.approx(3 * (1 - 1 + 1))


def test_it_starts_as_the_mean():
    mix = ScalarMix(L).double()
    torch.testing.assert_close(mix(drawn()), torch.stack(drawn()).mean(0))
    assert [tuple(p.shape) for p in mix.parameters()] == [(L + 1,), ()]


def test_gradients_are_those_of_the_formula():
    """d/dγ = Σ s_j h_j; d/dw_k = γ·s_k·(h_k − Σ s_j h_j), summed against a direction."""
    mix, states, direction = made([0.3, -2.0, 1.5, 0.0], gamma=2.0), drawn(), drawn(1, seed=9)[0]
    (mix(states) * direction).sum().backward()
    shares = torch.tensor([math.exp(w) for w in (0.3, -2.0, 1.5, 0.0)], dtype=torch.float64)
    shares /= shares.sum()
    mean = sum(share * state for share, state in zip(shares, states))
    assert mix.gamma.grad.item() == pytest.approx((mean * direction).sum().item())
    expected = [2 * share * ((state - mean) * direction).sum() for share, state in zip(shares, states)]
    torch.testing.assert_close(mix.weights.grad, torch.stack(expected))
