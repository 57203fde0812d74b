"""ULMFiT's tricks: rates by hand, the triangle's peak at its cut, who learns when, pooling over real tokens."""

import pytest
import torch

from course_utils.before import concat_pooling, discriminative_rates, slanted_triangle, unfrozen_layers
from course_utils.before.ulmfit import ulmfit_rates
from course_utils.tasks.train import layer_shares

B, T, C = 3, 11, 7
LENGTHS = [11, 4, 1]
MASK = (torch.arange(T) < torch.tensor(LENGTHS)[:, None]).long()


def drawn(seed=1):
    return torch.randn(B, T, C, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_rates_by_hand():
    assert discriminative_rates(6.76, 3) == pytest.approx([1.0, 2.6, 6.76])
    assert discriminative_rates(0.01, 1) == [0.01]
    assert discriminative_rates(8.0, 4, factor=2) == [1.0, 2.0, 4.0, 8.0]
    assert discriminative_rates(0.5, 5, factor=1) == [0.5] * 5


def test_rates_are_those_that_fine_tuning_has_for_bert():
    shares = layer_shares(7, layer_decay=1 / 2.6)[1:-1]  # without embeddings and head
    assert discriminative_rates(1.0, 7) == pytest.approx(shares, rel=1e-12)


def test_the_triangle_peaks_at_its_cut():
    """T = 1000: cut 100 (eq. 3 with cut_frac 0.1 and ratio 32). By hand: t = 50, p = 0.5; t = 550, p = 1 − 450/900."""
    rates = {step: slanted_triangle(step, 0.01, 1000) for step in range(1, 1001)}
    assert max(rates, key=rates.get) == 100 and rates[100] == 0.01
    assert rates[50] == pytest.approx(0.01 * (1 + 0.5 * 31) / 32) == rates[550]
    assert rates[1000] == pytest.approx(0.01 / 32)


def test_layers_thaw_from_the_top_one_an_epoch():
    assert [unfrozen_layers(epoch, 4) for epoch in range(1, 7)] == [
        [3],
        [2, 3],
        [1, 2, 3],
        *[[0, 1, 2, 3]] * 3,
    ]
    assert unfrozen_layers(1, 1) == [0]


def test_pooling_by_hand():
    states = torch.tensor([[[1.0, -5.0], [4.0, -3.0], [-2.0, -7.0], [100.0, 100.0]]])
    pooled = concat_pooling(states, torch.tensor([[1, 1, 1, 0]]))
    assert pooled.tolist() == [[-2.0, -7.0, 4.0, -3.0, 1.0, -5.0]]  # last, largest, mean
    assert concat_pooling(states).tolist() == [[100.0, 100.0, 100.0, 100.0, 25.75, 21.25]]


def test_pooling_is_that_of_each_text_alone():
    states = drawn()
    pooled = concat_pooling(states, MASK)
    for row, length in enumerate(LENGTHS):
        alone = states[row, :length]
        torch.testing.assert_close(pooled[row], torch.cat([alone[-1], alone.amax(0), alone.mean(0)]))


@pytest.mark.parametrize("worst", [1e30, -1e30, float("nan"), float("inf")])
def test_padding_changes_nothing_in_values_and_gradients(worst):
    states = drawn().requires_grad_()
    spoilt = torch.where(MASK[..., None].bool(), states, torch.tensor(worst, dtype=torch.float64))
    torch.testing.assert_close(concat_pooling(spoilt, MASK), concat_pooling(states, MASK))
    gradient = torch.autograd.grad(concat_pooling(states, MASK).square().sum(), states)[0]
    assert (gradient[MASK == 0] == 0).all() and (gradient[MASK == 1] != 0).any(-1).all()


def test_padding_may_stand_in_front():
    states, mask = drawn().flip(1), MASK.flip(1)
    torch.testing.assert_close(concat_pooling(states, mask)[1, :C], states[1, -1])
    torch.testing.assert_close(concat_pooling(states, mask)[:, C:], concat_pooling(drawn(), MASK)[:, C:])


def test_rates_are_the_tricks_in_one_table():
    plan = dict(updates=40, cut=0.1, ratio=32, epochs=4)
    rates = ulmfit_rates(**plan, gradual=True, layered=True)
    assert (rates > 0).sum(dim=1).tolist() == [10, 20, 30, 40]
    assert rates[:, -1].tolist() == pytest.approx(discriminative_rates(rates[-1, -1].item(), 4))
    flat = ulmfit_rates(**plan, gradual=False, layered=False)
    assert (flat == rates[-1]).all()
