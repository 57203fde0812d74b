import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_utils.training import fast_layers
from course_utils.training.fast_layers import PAYS_FROM, FastDropout, FastLinear, linear_gelu

# --- dropout ------------------------------------------------------------------------------------------------------

N = 1_000_003  # prime, so no multiple of four: the last draw is used in part


def drop(x, p, seed=0):
    torch.manual_seed(seed)
    return FastDropout(p)(x)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.83])
def test_the_rate(p):
    share = (drop(torch.ones(N), p) == 0).double().mean().item()
    assert share == pytest.approx(p, abs=4 * (p * (1 - p) / N) ** 0.5 + 1e-5)


@pytest.mark.parametrize("p", [0.1, 1 / 3, 0.7])
def test_the_scale_is_that_of_p_itself(p):
    values = drop(torch.ones(101, dtype=torch.float64), p).unique().tolist()
    assert values == pytest.approx([0.0, 1 / (1 - p)], rel=1e-15)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_what_is_kept_in_few_bits_is_rounded_once(dtype):
    x = torch.linspace(1, 2, 997).to(dtype)
    found = drop(x, 0.1)
    kept = found != 0
    exact = x.double() / (1.0 - 0.1)
    assert 800 < kept.sum() < 997 and torch.equal(found[kept], exact.to(dtype)[kept])


def test_outside_training_nothing_changes():
    x = torch.ones(7, 13)
    torch.manual_seed(0)
    before = torch.get_rng_state()
    assert FastDropout(0.5).eval()(x) is x and FastDropout(0.0)(x) is x
    assert torch.equal(torch.get_rng_state(), before)  # nor are numbers drawn


def test_a_seed_repeats_it_and_calls_differ():
    x = torch.ones(97)
    assert torch.equal(drop(x, 0.5), drop(x, 0.5))
    assert not torch.equal(drop(x, 0.5), drop(x, 0.5, seed=1))
    dropout = FastDropout(0.5)
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


def test_views_are_dropped_in_their_own_order():
    x = torch.ones(13, 7)
    assert torch.equal(drop(x.T, 0.5), drop(torch.ones(7, 13), 0.5))
    assert torch.equal(x, torch.ones(13, 7))  # the caller's tensor stays as it was


@pytest.mark.parametrize("p", [1.0, 0.999999, 1e-6])
def test_a_rate_that_16_bits_cannot_tell_from_0_or_1_is_left_to_torch(p):
    x = torch.ones(101, 103)
    torch.manual_seed(0)
    expected = F.dropout(x, p)
    assert torch.equal(drop(x, p), expected)


def test_in_place_is_left_to_torch():
    x = torch.ones(997)
    dropped = FastDropout(0.5, inplace=True)(x)
    assert dropped is x and 0 in x


# --- linear -------------------------------------------------------------------------------------------------------

LARGE = (23, 29)  # 667 tokens
IN, OUT = 37, 53


pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch without oneDNN")


@pytest.fixture
def every_size(monkeypatch):
    """As if the smallest product paid, on whatever processor."""
    monkeypatch.setitem(PAYS_FROM, torch.backends.cpu.get_cpu_capability(), 0)


@pytest.fixture
def calls(monkeypatch):
    """The number of products that oneDNN was asked for, forward and backward."""
    seen = []
    product = fast_layers._product

    def counted(*factors):
        seen.append(factors)
        return product(*factors)

    monkeypatch.setattr(fast_layers, "_product", counted)
    return seen


def twins(dtype=torch.float32):
    torch.manual_seed(0)
    ours, torchs = FastLinear(IN, OUT, dtype=dtype), nn.Linear(IN, OUT, dtype=dtype)
    torchs.load_state_dict(ours.state_dict())
    return ours, torchs


def states(*shape, dtype=torch.float32):
    x = torch.randn(*shape, IN, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return x.to(dtype)


@pytest.mark.parametrize("shape", [LARGE, (667,), (1, 3), (2, 3, 5)])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("sizes", [(IN, OUT), (OUT, IN), (IN, IN)])
def test_the_same_with_gradients(every_size, calls, shape, bias, sizes):
    torch.manual_seed(0)
    torchs = nn.Linear(*sizes, bias=bias)
    ours = FastLinear(*sizes, bias=bias)
    ours.load_state_dict(torchs.state_dict())
    x = torch.randn(*shape, sizes[0], generator=torch.Generator().manual_seed(1))
    gradients = []
    for layer in (ours, torchs):
        given = x.clone().requires_grad_()
        y = layer(given)
        y.sin().sum().backward()
        gradients.append([y.detach(), given.grad, *(p.grad for p in layer.parameters())])
    assert len(calls) == 3  # forward, and the gradients of x and of the weight
    for mine, theirs in zip(*gradients, strict=True):
        assert mine.shape == theirs.shape and mine.stride() == theirs.stride()
        torch.testing.assert_close(mine, theirs, rtol=0, atol=3e-4 if mine.dim() < 3 else 1e-5)


def test_only_the_gradients_that_are_wanted_are_computed(every_size, calls):
    ours, torchs = twins()
    ours.weight.requires_grad_(False)
    x = states(*LARGE).requires_grad_()
    ours(x).sum().backward()
    assert ours.weight.grad is None and len(calls) == 2
    torch.testing.assert_close(ours.bias.grad, torch.full((OUT,), 667.0))
    torch.testing.assert_close(x.grad, torchs.weight.detach().sum(0).expand_as(x), rtol=0, atol=1e-5)


def test_the_gradient_of_a_gradient(every_size):
    ours, torchs = twins()
    found = []
    for layer in (ours, torchs):
        x = states(3, 5).requires_grad_()
        (first,) = torch.autograd.grad(layer(x).sin().sum(), x, create_graph=True)
        found.append(torch.autograd.grad(first.square().sum(), (x, layer.weight)))
    for mine, theirs in zip(*found, strict=True):
        assert theirs.abs().max() > 1e-3
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-4)


def test_a_product_goes_the_faster_way_from_a_size_on(monkeypatch, calls):
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")
    ours, torchs = twins()
    rows = -(-PAYS_FROM["AVX512"] // (IN * OUT))
    ours(states(1, rows)), ours(states(1, rows - 1))
    assert len(calls) == 1
    with torch.no_grad():
        assert torch.equal(ours(states(1, rows - 1)), torchs(states(1, rows - 1)))
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "DEFAULT")
    ours(states(1, rows))
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("shape", "dtype"), [(LARGE, torch.float64), (LARGE, torch.bfloat16), ((), torch.float32)]
)
def test_all_else_is_left_to_torch(every_size, calls, shape, dtype):
    ours, torchs = twins(dtype)
    x = states(*shape, dtype=dtype)
    assert torch.equal(ours(x), torchs(x)) and not calls


def test_under_autocast_and_without_onednn_too(every_size, calls):
    ours, torchs = twins()
    x = states(*LARGE)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(ours(x), torchs(x)) and ours(x).dtype == torch.bfloat16
    with torch.backends.mkldnn.flags(enabled=False):
        assert torch.equal(ours(x), torchs(x))
    assert not calls


def test_views_give_the_same_as_copies(every_size):
    ours, torchs = twins()
    turned, spread = states(*LARGE).transpose(0, 1), states(1, 29).expand(23, 29, IN)
    for x in (turned, spread):
        torch.testing.assert_close(ours(x), torchs(x), rtol=0, atol=1e-5)
    # The gradient of a sum is one number spread over a whole tensor, without memory of its own.
    for layer in (ours, torchs):
        layer(spread).sum().backward()
    torch.testing.assert_close(ours.weight.grad, torchs.weight.grad, rtol=0, atol=1e-3)


@pytest.mark.parametrize("bias", [True, False])
def test_gelu_along_with_the_product(every_size, bias):
    ours, _ = twins()
    x, offset = 3 * states(*LARGE), ours.bias if bias else None
    expected = F.gelu(F.linear(x, ours.weight, offset))
    with torch.no_grad():
        torch.testing.assert_close(linear_gelu(x, ours.weight, offset), expected, rtol=0, atol=1e-5)
    found = linear_gelu(x, ours.weight, offset)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
    gradients = [torch.autograd.grad(y.sin().sum(), ours.weight)[0] for y in (found, expected)]
    torch.testing.assert_close(*gradients, rtol=0, atol=3e-3)
