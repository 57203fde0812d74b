import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from course_utils.attention import MultiHeadAttention, attention_weights, scaled_dot_product_attention
from course_utils.masks import causal_mask
from course_utils.training.fast import speed_up

B, H, T_Q, T_K, D, D_V = 2, 3, 5, 11, 7, 13
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def randn(*shape, dtype=torch.float32, seed=0, requires_grad=False):
    drawn = torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return drawn.to(dtype).requires_grad_(requires_grad)


def inputs(dtype=torch.float32, requires_grad=False):
    shapes = [(B, H, T_Q, D), (B, H, T_K, D), (B, H, T_K, D_V)]
    return [randn(*s, dtype=dtype, seed=seed, requires_grad=requires_grad) for seed, s in enumerate(shapes)]


def random_mask(*shape, share=0.6, seed=9):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < share


def mask_with_empty_row():
    """(B, 1, T_Q, T_K): query 2 may attend to nothing."""
    mask = random_mask(B, 1, T_Q, T_K)
    mask[..., 0] = True
    mask[:, :, 2] = False
    return mask


# --- scaled dot-product attention ---------------------------------------------------------------------------


def test_by_hand():
    # One query, two keys, D = 4: scores 2·ln 3 and 0, halved by √4, so the weights are as 3 : 1.
    query = torch.tensor([[2.0, 0.0, 0.0, 0.0]])
    key = torch.tensor([[math.log(3.0), 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]])
    value = torch.tensor([[4.0, 0.0, 8.0], [0.0, 4.0, 8.0]])
    context, weights = scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(weights, torch.tensor([[0.75, 0.25]]))
    torch.testing.assert_close(context, torch.tensor([[3.0, 1.0, 8.0]]))


@settings(derandomize=True, deadline=None, max_examples=40, database=None)
@given(
    leading=st.lists(st.sampled_from([1, 2, 3]), max_size=2),
    sizes=st.tuples(*[st.sampled_from([1, 2, 3, 5, 7, 13]) for _ in range(4)]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    share=st.sampled_from([None, 0.0, 0.3, 0.9]),
    seed=st.integers(0, 2**16),
)
def test_equals_torch(leading, sizes, dtype, share, seed):
    t_q, t_k, d, d_v = sizes
    query = randn(*leading, t_q, d, dtype=dtype, seed=seed)
    key = randn(*leading, t_k, d, dtype=dtype, seed=seed + 1)
    value = randn(*leading, t_k, d_v, dtype=dtype, seed=seed + 2)
    mask = None if share is None else random_mask(*leading, t_q, t_k, share=share, seed=seed)
    context, weights = scaled_dot_product_attention(query, key, value, mask)
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(context, expected, rtol=0, atol=TOLERANCE[dtype])
    assert weights.shape == (*leading, t_q, t_k) and weights.dtype == dtype
    reachable = torch.ones(t_q, t_k, dtype=torch.bool) if mask is None else mask
    torch.testing.assert_close(weights.sum(-1), reachable.any(-1).to(dtype).expand(*leading, t_q))
    assert torch.all(weights.masked_select(~reachable.expand_as(weights)) == 0)  # exactly, not nearly
    assert torch.all(weights >= 0)


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled")
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_a_fully_masked_row_is_zero_and_its_gradient_no_nan(dtype):
    query, key, value = inputs(dtype, requires_grad=True)
    mask = mask_with_empty_row()
    with torch.autograd.detect_anomaly():  # raises at the first NaN of the backward pass
        context, weights = scaled_dot_product_attention(query, key, value, mask)
        gradients = torch.autograd.grad(
            context.float().square().sum() + weights.float().sin().sum(), (query, key, value)
        )
    assert torch.all(weights[:, :, 2] == 0) and torch.all(context[:, :, 2] == 0)
    assert torch.all(weights.masked_select(~mask) == 0)  # exactly, in half precision too
    exact, _ = scaled_dot_product_attention(query.double(), key.double(), value.double(), mask)
    torch.testing.assert_close(context.double(), exact, rtol=0, atol=TOLERANCE[dtype])
    assert all(torch.isfinite(x).all() for x in (context, weights, *gradients))
    assert torch.all(gradients[0][:, :, 2] == 0)  # what sees nothing learns nothing
    assert torch.all(gradients[0][:, :, 0] != 0)


def test_half_precision_holds_scores_that_need_the_scale_first():
    # q·k = 64 · 40 · 40 = 102400 is beyond float16 (65504); divided by √64 it is 12800.
    query = key = torch.full((2, 64), 40.0, dtype=torch.float16)
    assert attention_weights(query, key).tolist() == [[0.5, 0.5], [0.5, 0.5]]


FITTING = [
    (),
    (T_K,),
    (T_Q, 1),
    (1, T_K),
    (B, 1, 1, T_K),
    (B, H, T_Q, T_K),
    (1, B, H, T_Q, T_K),
    (1, 1, 1, T_Q, T_K),
]


@pytest.mark.parametrize("shape", FITTING)
def test_every_mask_that_broadcasts_is_taken(shape):
    query, key, value = inputs(torch.float64)
    mask = random_mask(*shape)
    full = mask.expand(1, B, H, T_Q, T_K)[0] if mask.dim() == 5 else mask.expand(B, H, T_Q, T_K)
    expected, expected_weights = scaled_dot_product_attention(query, key, value, full.clone())
    context, weights = scaled_dot_product_attention(query, key, value, mask)
    assert torch.equal(context, expected) and torch.equal(weights, expected_weights)


def test_the_callers_tensors_are_not_changed():
    query, key, value = inputs()
    mask = mask_with_empty_row()
    given = [query, key, value, mask]
    before = [x.clone() for x in given]
    scaled_dot_product_attention(*given)
    assert all(torch.equal(x, old) for x, old in zip(given, before, strict=True))


def test_a_masked_key_may_hold_anything():
    query, key, value = inputs()
    mask = torch.ones(T_K, dtype=torch.bool)
    mask[3] = False
    expected = scaled_dot_product_attention(query, key, value, mask)
    key[:, :, 3], value[:, :, 3] = math.nan, -1e4
    context, weights = scaled_dot_product_attention(query, key, value, mask)
    assert torch.equal(context, expected[0]) and torch.equal(weights, expected[1])


def test_gradcheck():
    query, key, value = (x[0, 0, :3].detach().requires_grad_() for x in inputs(torch.float64))
    mask = torch.tensor([[True, True, False], [False, False, False], [True, False, True]])
    assert torch.autograd.gradcheck(lambda *x: scaled_dot_product_attention(*x, mask), (query, key, value))


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        # The additive kind.
        (torch.zeros(5, 11), r"mask must be bool \(True = may attend\), got torch.float32"),
        (torch.ones(5, 11, dtype=torch.long), "mask must be bool .* got torch.int64"),
        (random_mask(11, 5), r"\(..., T_q, T_k\) = \(2, 3, 5, 11\), got \(11, 5\)$"),
        (random_mask(2, 5, 11), r"got \(2, 5, 11\)$"),
        (random_mask(2, 11), r"got \(2, 11\); a mask of padding must be \(B, 1, 1, T_k\)"),
        (random_mask(7, 2, 3, 5, 11), r"got \(7, 2, 3, 5, 11\)$"),
    ],
)
@pytest.mark.parametrize("speed", [lambda module: module, speed_up], ids=["plain", "fast"])
def test_a_mask_that_would_hide_the_wrong_keys_is_refused(mask, message, speed):
    query, key, _ = inputs()
    with pytest.raises(ValueError, match=message):
        attention_weights(query, key, mask)
    with pytest.raises(ValueError, match=message):
        speed(multi_head())(randn(2, 5, C), randn(2, 11, C), randn(2, 11, C), mask)


# --- multi-head attention -----------------------------------------------------------------------------------

C, HEADS = 21, 3  # head size 7


def multi_head(dtype=torch.float32, dropout=0.0, heads=HEADS, seed=0):
    torch.manual_seed(seed)
    module = MultiHeadAttention(C, heads, dropout=dropout).to(dtype).eval()
    nn.init.normal_(module.output.bias)  # a bias that shows
    return module


def torch_twin(module):
    """nn.MultiheadAttention with the same weights."""
    twin = nn.MultiheadAttention(C, module.num_heads, batch_first=True).to(module.query.weight.dtype).eval()
    parts = [module.query, module.key, module.value]
    with torch.no_grad():
        twin.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        twin.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        twin.out_proj.weight.copy_(module.output.weight)
        twin.out_proj.bias.copy_(module.output.bias)
    return twin


@pytest.mark.parametrize("heads", [1, 3, 7])
@pytest.mark.parametrize("kind", ["self", "cross", "three"])
@pytest.mark.parametrize("masked", [False, True])
def test_equals_nn_multihead_attention(heads, kind, masked):
    module = multi_head(torch.float64, heads=heads)
    query = randn(2, 5, C, dtype=torch.float64)
    key = query if kind == "self" else randn(2, 11, C, dtype=torch.float64, seed=1)
    value = randn(2, 11, C, dtype=torch.float64, seed=2) if kind == "three" else key
    lengths = [key.shape[1], 3]
    mask = (
        torch.arange(key.shape[1])[None, None, None] < torch.tensor(lengths)[:, None, None, None]
        if masked
        else None
    )
    context, weights = module(query, key, value, mask)
    expected, expected_weights = torch_twin(module)(
        query,
        key,
        value,
        key_padding_mask=None if mask is None else ~mask[:, 0, 0],  # there True means blocked
        average_attn_weights=False,
    )
    torch.testing.assert_close(context, expected, rtol=0, atol=1e-10)
    torch.testing.assert_close(weights, expected_weights, rtol=0, atol=1e-10)


def test_gradients_equal_those_of_nn_multihead_attention():
    module = multi_head(torch.float64)
    twin = torch_twin(module)
    hidden = randn(2, 5, C, dtype=torch.float64)
    mask = causal_mask(5)
    module(hidden, hidden, hidden, mask)[0].sin().sum().backward()
    twin(hidden, hidden, hidden, attn_mask=~mask[0, 0])[0].sin().sum().backward()
    parts = torch.cat([part.weight.grad for part in (module.query, module.key, module.value)])
    torch.testing.assert_close(parts, twin.in_proj_weight.grad, rtol=0, atol=1e-10)
    torch.testing.assert_close(module.output.weight.grad, twin.out_proj.weight.grad, rtol=0, atol=1e-10)


def test_splitting_and_merging_by_hand():
    module = MultiHeadAttention(4, 2)
    hidden = torch.arange(12.0).reshape(1, 3, 4)
    heads = module.split_heads(hidden)
    assert heads[0, 0].tolist() == [[0, 1], [4, 5], [8, 9]]
    assert heads[0, 1].tolist() == [[2, 3], [6, 7], [10, 11]]
    assert torch.equal(module.merge_heads(heads), hidden)


def test_with_a_causal_mask_the_future_changes_nothing():
    module = multi_head()
    hidden = randn(2, 11, C)
    before, _ = module(hidden, hidden, hidden, causal_mask(11))
    hidden[:, 7:] = randn(2, 4, C, seed=1)
    after, _ = module(hidden, hidden, hidden, causal_mask(11))
    torch.testing.assert_close(after[:, :7], before[:, :7], rtol=0, atol=1e-6)
    assert not torch.allclose(after[:, 7:], before[:, 7:], atol=1e-3)


def test_dropout_only_in_training_and_the_weights_are_those_before_it():
    module = multi_head(dropout=0.5)
    hidden = randn(2, 5, C)
    still, expected = module(hidden, hidden, hidden)
    assert torch.equal(still, multi_head()(hidden, hidden, hidden)[0])
    dropped, weights = module.train()(hidden, hidden, hidden)
    assert torch.equal(weights, expected)
    assert not torch.allclose(dropped, still, atol=1e-3)  # yet the context was mixed with dropped ones


def test_a_fully_masked_query_gets_the_bias_of_the_output_alone():
    module = multi_head()
    hidden = randn(2, 5, C)
    mask = torch.ones(2, 1, 5, 5, dtype=torch.bool)
    mask[:, :, 2] = False
    context, _ = module(hidden, hidden, hidden, mask)
    torch.testing.assert_close(context[:, 2], module.output.bias.expand(2, C))


def test_the_heads_must_divide_the_hidden_size():
    with pytest.raises(ValueError, match="got 2 heads for size 21"):
        MultiHeadAttention(C, 2)


def test_without_an_axis_for_the_batch_it_is_the_same():
    """(T, C): split at the second axis, heads and coordinates would change places unnoticed."""
    module, hidden = multi_head(), randn(2, 5, C)
    context, weights = module(hidden, hidden, hidden, causal_mask(5))
    alone, own = module(hidden[1], hidden[1], hidden[1], causal_mask(5))
    torch.testing.assert_close((alone, own), (context[1], weights[1]), rtol=0, atol=1e-6)
