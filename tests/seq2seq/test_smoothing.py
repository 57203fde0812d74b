"""Label smoothing: torch's own, but for what is ignored or impossible, which meets no NaN."""

import math

import pytest
import torch
import torch.nn.functional as F

from course_utils.seq2seq import smoothed_cross_entropy

B, T, V, PAD = 3, 5, 7, 0


def logits(dtype=torch.float64):
    drawn = torch.randn(B, T, V, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return (2 * drawn).to(dtype).requires_grad_()


def targets():
    ids = torch.randint(1, V, (B, T), generator=torch.Generator().manual_seed(1))
    ids[0, 3:] = PAD
    ids[2, 1:] = PAD
    return ids


def with_gradient(loss, given):
    return loss, *torch.autograd.grad(loss, given)


def test_by_hand():
    # p = (1/2, 1/4, 1/4), ε = 0.3: q = (0.8, 0.1, 0.1), so 0.8·ln 2 + 0.2·ln 4 = 1.2·ln 2.
    loss = smoothed_cross_entropy(torch.tensor([[2.0, 1.0, 1.0]]).log(), torch.tensor([0]), smoothing=0.3)
    assert loss.item() == pytest.approx(1.2 * math.log(2), abs=1e-6)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("ignored", [PAD, -100])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_equals_torch_with_gradients(smoothing, ignored, dtype):
    labels = targets().where(targets() != PAD, ignored)
    x = logits(dtype)
    ours = smoothed_cross_entropy(x, labels, smoothing=smoothing, ignore_index=ignored)
    theirs = F.cross_entropy(
        x.flatten(0, 1), labels.flatten(), label_smoothing=smoothing, ignore_index=ignored
    )
    assert ours.dtype == dtype and ours.shape == ()
    torch.testing.assert_close(with_gradient(ours, x), with_gradient(theirs, x), rtol=0, atol=1e-6)


def test_padding_has_neither_loss_nor_gradient_whatever_stands_there():
    x, labels = logits(), targets()
    spoilt = x.detach().clone()
    spoilt[labels == PAD] = torch.tensor([math.nan, math.inf, -math.inf, 0, 1, 2, 3], dtype=torch.float64)
    spoilt.requires_grad_()
    expected = with_gradient(smoothed_cross_entropy(x, labels, ignore_index=PAD), x)
    actual = with_gradient(smoothed_cross_entropy(spoilt, labels, ignore_index=PAD), spoilt)
    assert torch.equal(actual[0], expected[0]) and torch.equal(actual[1], expected[1])
    assert (actual[1][labels == PAD] == 0).all() and (actual[1][labels != PAD] != 0).all()


def test_all_ignored_gives_nothing():
    x = logits()
    loss, gradient = with_gradient(smoothed_cross_entropy(x, torch.full((B, T), PAD), ignore_index=PAD), x)
    assert loss.item() == 0.0 and (gradient == 0).all()


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.0])
def test_impossible_classes_take_no_part(smoothing):
    """As if their columns were not there; with all the mass on the target, too, 0·(−inf) appears nowhere."""
    x, labels = logits(), targets() % 4
    masked = x.detach().clone()
    masked[..., 5:] = -math.inf
    masked.requires_grad_()
    actual = with_gradient(smoothed_cross_entropy(masked, labels, smoothing=smoothing), masked)
    expected = F.cross_entropy(x[..., :5].flatten(0, 1), labels.flatten(), label_smoothing=smoothing)
    expected = with_gradient(expected, x)
    torch.testing.assert_close(actual, expected, rtol=0, atol=1e-12)
    assert (actual[1][..., 5:] == 0).all()


def test_what_is_smoothed_is_least_where_the_model_says_what_the_target_says():
    """The gradient is p − q: it is 0 at p = (1 − ε + ε/V, ε/V, …)."""
    share = 0.3 / V
    probabilities = torch.full((1, V), share, dtype=torch.float64)
    probabilities[0, 2] += 0.7
    x = probabilities.log().requires_grad_()
    _, gradient = with_gradient(smoothed_cross_entropy(x, torch.tensor([2]), smoothing=0.3), x)
    assert gradient.abs().max() < 1e-15


@pytest.mark.parametrize("smoothing", [-0.1, 1.1, math.nan])
def test_a_share_that_is_none_is_refused(smoothing):
    with pytest.raises(ValueError, match="smoothing must lie in 0 … 1, got"):
        smoothed_cross_entropy(logits(), targets(), smoothing=smoothing)
