import pytest
import torch
from torch import nn

from course_utils.linear import TOKENS, Linear

LARGE = (23, 29)  # 667 tokens
IN, OUT = 37, 53

needs_onednn = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch without oneDNN")


@pytest.fixture(autouse=True)
def on_a_wide_processor(monkeypatch):
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")


def twins(dtype=torch.float32):
    torch.manual_seed(0)
    ours, torchs = Linear(IN, OUT, dtype=dtype), nn.Linear(IN, OUT, dtype=dtype)
    torchs.load_state_dict(ours.state_dict())
    return ours, torchs


def states(*shape, dtype=torch.float32):
    x = torch.randn(*shape, IN, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return x.to(dtype)


def took_the_convolution(output):
    """Whether a convolution stands in the graph behind the output."""
    nodes, names = [output.grad_fn], set()
    while nodes:
        node = nodes.pop()
        names.add(type(node).__name__)
        nodes += [before for before, _ in node.next_functions if before is not None]
    return "ConvolutionBackward0" in names


def test_a_large_batch_gives_the_same_with_gradients():
    ours, torchs = twins()
    x, same = (states(*LARGE).requires_grad_() for _ in range(2))
    y, expected = ours(x), torchs(same)
    assert y.shape == (*LARGE, OUT) and y.is_contiguous()
    torch.testing.assert_close(y, expected, rtol=0, atol=1e-5)
    y.sin().sum().backward()
    expected.sin().sum().backward()
    torch.testing.assert_close(x.grad, same.grad, rtol=0, atol=1e-5)
    torch.testing.assert_close(ours.weight.grad, torchs.weight.grad, rtol=0, atol=1e-3)  # sums of 667 terms
    torch.testing.assert_close(ours.bias.grad, torchs.bias.grad, rtol=0, atol=1e-3)


@needs_onednn
def test_a_large_batch_goes_the_faster_way():
    ours, _ = twins()
    assert took_the_convolution(ours(states(*LARGE)))
    assert took_the_convolution(ours(states(1, TOKENS)))
    assert not took_the_convolution(ours(states(1, TOKENS - 1)))


def test_a_narrower_processor_is_left_to_torch(monkeypatch):
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    ours, torchs = twins()
    x = states(*LARGE)
    assert torch.equal(ours(x), torchs(x)) and not took_the_convolution(ours(x))


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((2, 5), torch.float32),
        (LARGE, torch.float64),
        (LARGE, torch.bfloat16),
        ((667,), torch.float32),
        ((), torch.float32),
    ],
)
def test_all_else_is_left_to_torch(shape, dtype):
    ours, torchs = twins(dtype)
    x = states(*shape, dtype=dtype)
    assert torch.equal(ours(x), torchs(x)) and not took_the_convolution(ours(x))


def test_without_gradients_and_under_autocast_too():
    ours, torchs = twins()
    x = states(*LARGE)
    with torch.no_grad():
        assert torch.equal(ours(x), torchs(x))
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(ours(x), torchs(x)) and ours(x).dtype == torch.bfloat16
        assert not took_the_convolution(ours(x))


def test_views_give_the_same_as_copies():
    ours, _ = twins()
    turned = states(*LARGE).transpose(0, 1)
    torch.testing.assert_close(ours(turned), ours(turned.contiguous()), rtol=0, atol=1e-5)
    assert ours(turned).shape == (29, 23, OUT)


def test_twice_the_same_is_the_same_bit_for_bit():
    ours, _ = twins()
    runs = [torch.autograd.grad(ours(states(*LARGE)).sin().sum(), ours.weight)[0] for _ in range(3)]
    assert torch.equal(runs[0], runs[1]) and torch.equal(runs[0], runs[2])


def test_without_a_bias():
    torch.manual_seed(0)
    ours = Linear(IN, OUT, bias=False)
    x = states(*LARGE)
    torch.testing.assert_close(ours(x), x @ ours.weight.T, rtol=0, atol=1e-5)


def test_it_is_an_nn_linear_to_everyone_else():
    ours, torchs = twins()
    assert isinstance(ours, nn.Linear) and repr(ours) == repr(torchs)
    assert ours.state_dict().keys() == torchs.state_dict().keys()
