import math

import pytest
import torch
import torch.nn.functional as F

from course_utils.activations import (
    gelu,
    gelu_derivative,
    gelu_tanh,
    gelu_tanh_derivative,
    relu,
    relu_derivative,
)

PAIRS = [(gelu, gelu_derivative), (gelu_tanh, gelu_tanh_derivative), (relu, relu_derivative)]
GRID = (torch.arange(1009, dtype=torch.float64) - 504) / 72  # −7 … 7, and 0 itself


def test_values_from_the_table_of_the_normal_distribution():
    # Φ(1) = 0.841345, hence gelu(1) = Φ(1) and gelu(−1) = −Φ(−1) = −0.158655.
    torch.testing.assert_close(
        gelu(torch.tensor([1.0, -1.0])), torch.tensor([0.841345, -0.158655]), rtol=0, atol=1e-6
    )


def test_gelu_tanh_by_hand():
    for x in (-2.3, -0.5, 0.0, 1.7):
        expected = 0.5 * x * (1.0 + math.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)))
        assert float(gelu_tanh(torch.tensor(x, dtype=torch.float64))) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("dtype", "atol"), [(torch.float32, 2e-6), (torch.float64, 1e-14)])
def test_all_three_equal_torch(dtype, atol):
    x = GRID.to(dtype).reshape(1009, 1)
    torch.testing.assert_close(gelu(x), F.gelu(x), rtol=0, atol=atol)
    torch.testing.assert_close(gelu_tanh(x), F.gelu(x, approximate="tanh"), rtol=0, atol=atol)
    assert torch.equal(relu(x), F.relu(x))
    assert gelu(x).dtype == gelu_tanh(x).dtype == relu(x).dtype == relu_derivative(x).dtype == dtype


def test_the_two_gelus_differ_by_473e_minus_6_at_most():
    x = torch.linspace(-8, 8, 160001, dtype=torch.float64)
    difference = (gelu(x) - gelu_tanh(x)).abs()
    assert float(difference.max()) == pytest.approx(4.73e-4, abs=0.005e-4)
    assert abs(float(x[difference.argmax()])) == pytest.approx(2.699, abs=1e-3)


@pytest.mark.parametrize(("activation", "derivative"), PAIRS, ids=lambda f: f.__name__)
def test_derivatives_equal_autograd(activation, derivative):
    x = GRID.clone().requires_grad_()
    (expected,) = torch.autograd.grad(activation(x).sum(), x)
    torch.testing.assert_close(derivative(GRID), expected, rtol=0, atol=1e-12)
