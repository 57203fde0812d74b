import math

import pytest
import torch
import torch.nn.functional as F

from course_utils.layer_norm import layer_norm


def parameters(size, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(size, generator=generator, dtype=torch.float64).to(dtype) for _ in range(2)]


def test_by_hand():
    # Mean 3, deviations −2, 0, 2, biased variance 8/3; with ε = 1/3 the root is √3.
    x = torch.tensor([1.0, 3.0, 5.0], dtype=torch.float64)
    result = layer_norm(
        x, torch.tensor([1.0, 1.0, 2.0]).double(), torch.tensor([0.0, 7.0, 0.0]).double(), eps=1 / 3
    )
    expected = torch.tensor([-2 / math.sqrt(3), 7.0, 4 / math.sqrt(3)], dtype=torch.float64)
    torch.testing.assert_close(result, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("dtype", "atol"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
@pytest.mark.parametrize("eps", [1e-12, 0.3])  # 0.3 shows whether ε is inside the root
# 3 coordinates: biased and unbiased differ by 22 %.
@pytest.mark.parametrize("shape", [(3,), (5, 3), (2, 7, 13)])
def test_equals_torch(dtype, atol, eps, shape):
    x = 3 * torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64).to(dtype) + 5
    weight, bias = parameters(shape[-1], dtype)
    expected = F.layer_norm(x, shape[-1:], weight, bias, eps)
    torch.testing.assert_close(layer_norm(x, weight, bias, eps=eps), expected, rtol=0, atol=atol)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("eps", [1e-12, 0.1])
def test_gradients_equal_those_of_torch(dtype, eps):
    results = []
    for norm in (layer_norm, lambda x, w, b, eps: F.layer_norm(x, (7,), w, b, eps)):
        x = (100 * torch.randn(3, 7, generator=torch.Generator().manual_seed(1))).to(dtype).requires_grad_()
        weight, bias = (p.requires_grad_() for p in parameters(7, dtype))
        results.append(torch.autograd.grad(norm(x, weight, bias, eps=eps).sin().sum(), (x, weight, bias)))
    tolerance = max(1e-12, 4 * torch.finfo(dtype).eps)
    torch.testing.assert_close(*results, rtol=tolerance, atol=tolerance)


def test_eps_is_that_of_bert_unless_told():
    # Variance 1e-6: with ε = 1e-5, torch's own default, only 0.30 would be left of 1.
    x = torch.tensor([-1e-3, 1e-3], dtype=torch.float64)
    y = layer_norm(x, torch.ones(2).double(), torch.zeros(2).double())
    torch.testing.assert_close(y, torch.tensor([-1.0, 1.0]).double(), rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    "values",
    [
        [1.0, 500.0, 900.0, 3.0],  # 500² is beyond float16
        [60000.0, -60000.0, 2.0, 7.0],
        [5.0, 5.0, 5.0, 5.0],  # ε = 1e-12 is 0 in float16, and 0/0 no number
        [0.0, 1e-4, 0.0, -3e-4],
    ],
)
def test_half_precision_is_computed_in_float32_as_in_torch(dtype, values):
    x = torch.tensor([values], dtype=dtype)
    weight, bias = parameters(4, dtype)
    result = layer_norm(x, weight, bias)
    assert result.dtype == dtype
    expected = F.layer_norm(x, (4,), weight, bias, 1e-12)
    torch.testing.assert_close(result, expected, rtol=torch.finfo(dtype).eps, atol=torch.finfo(dtype).eps)


def test_integers_are_refused_for_they_would_be_cut_off():
    with pytest.raises(ValueError, match="x must be a float tensor, got torch.int64"):
        layer_norm(torch.tensor([1, 2, 4]), *parameters(3))
