from fractions import Fraction

import pytest
import torch
from torch import nn

from course_utils.heads import BertForPreTraining
from course_utils.schedules import linear_rate, noam_rate, slanted_triangle
from course_utils.training import optim
from course_utils.training.optim import adamw, parameter_groups
from course_utils.training.settings import Settings, schedule
from tests.small import small_config

CONFIG = small_config(61, hidden_size=22, num_attention_heads=11)


def names_of(group, model):
    by_id = {id(parameter): name for name, parameter in model.named_parameters()}
    return {by_id[id(parameter)] for parameter in group["params"]}


def test_biases_and_layer_norm_never_decay():
    model = BertForPreTraining(CONFIG)
    decays, stays = parameter_groups(model, weight_decay=0.03)
    assert decays["weight_decay"] == 0.03 and stays["weight_decay"] == 0.0
    norms = {
        f"{name}.{part}"
        for name, module in model.named_modules()
        if isinstance(module, nn.LayerNorm)
        for part in ("weight", "bias")
    }
    assert len(norms) == 2 * (1 + 2 * 2 + 1)  # embeddings, two a layer, MLM head
    biases = {name for name, _ in model.named_parameters() if name.endswith("bias")}
    assert names_of(stays, model) == norms | biases
    assert "bert.embeddings.token.weight" in names_of(decays, model)
    assert "bert.encoder.layers.1.attention.query.weight" in names_of(decays, model)


def test_every_parameter_is_in_one_group_and_a_tied_one_once():
    model = BertForPreTraining(CONFIG)
    model.decoder = nn.Linear(22, 61, bias=False)
    model.decoder.weight = model.bert.embeddings.token.weight
    listed = [id(parameter) for group in parameter_groups(model) for parameter in group["params"]]
    assert len(listed) == len(set(listed))
    assert set(listed) == {id(parameter) for parameter in model.parameters()}


def test_a_frozen_parameter_is_in_none():
    model = BertForPreTraining(CONFIG)
    model.bert.embeddings.token.weight.requires_grad_(False)
    listed = {id(parameter) for group in parameter_groups(model) for parameter in group["params"]}
    assert id(model.bert.embeddings.token.weight) not in listed
    assert len(listed) == len(list(model.parameters())) - 1


def test_the_constants_of_the_paper():
    """The steps are torch's, which the optimisers written out are held against."""
    optimizer = adamw(nn.Linear(3, 5), learning_rate=0.007)
    assert type(optimizer) is torch.optim.AdamW
    for group in optimizer.param_groups:
        assert (group["lr"], group["betas"], group["eps"]) == (0.007, (0.9, 0.999), 1e-6)
    assert [group["weight_decay"] for group in optimizer.param_groups] == [0.01, 0.0]


def test_linear_rate_by_hand():
    rates = [linear_rate(step, 0.6, 3, 7) for step in range(1, 10)]
    assert rates == pytest.approx([0.2, 0.4, 0.6, 0.45, 0.3, 0.15, 0.0, 0.0, 0.0])


def test_linear_rate_without_warmup_or_decay():
    assert [linear_rate(step, 1.0, 0, 5) for step in range(1, 7)] == pytest.approx(
        [0.8, 0.6, 0.4, 0.2, 0.0, 0.0]
    )
    assert [linear_rate(step, 1.0, 2, 2) for step in (1, 2, 3)] == [0.5, 1.0, 0.0]
    assert linear_rate(1, peak=1.0, warmup=1, total=1) == 1.0


def test_a_run_of_n_updates_has_no_update_of_rate_zero():
    """As the commands call it: total is one more than the updates."""
    rates = [schedule(Settings(steps=7, warmup=2, peak_rate=0.6))(step) for step in range(1, 9)]
    assert rates == pytest.approx([0.3, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0])
    assert schedule(Settings(steps=3, warmup=3, peak_rate=0.6))(3) == 0.6


def test_noam_rate_by_hand_and_its_peak():
    def rate(step):
        return noam_rate(step, 64, 100)

    assert rate(1) == pytest.approx(1 / 8 / 1000)  # 64^−0.5 · 1 · 100^−1.5
    assert rate(400) == pytest.approx(1 / 8 / 20)  # 64^−0.5 · 400^−0.5
    rates = [rate(step) for step in range(1, 501)]
    assert max(rates) == rates[99] == pytest.approx(1 / 8 / 10)  # at update number `warmup`
    assert rates[:100] == sorted(rates[:100]) and rates[99:] == sorted(rates[99:], reverse=True)


def test_slanted_triangle_by_hand():
    rates = [slanted_triangle(step, 1.0, 10, cut_fraction=0.2, ratio=5) for step in range(1, 13)]
    assert rates == pytest.approx([0.6, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.2, 0.2])


@pytest.mark.parametrize(("total", "one_in", "ratio"), [(1000, 10, 32), (7 * 13, 13, 7), (38, 2, 3)])
def test_slanted_triangle_is_the_papers(total, one_in, ratio):
    """Howard and Ruder 2018, eq. 3, in whole numbers; T · cut_frac is one, so nothing of ours is added."""
    cut, peak = total // one_in, Fraction(1, 100)
    for t in range(1, total + 1):
        p = Fraction(t, cut) if t < cut else 1 - Fraction(t - cut, cut * (one_in - 1))
        paper = peak * (1 + p * (ratio - 1)) / ratio
        ours = slanted_triangle(t, 0.01, total, cut_fraction=1 / one_in, ratio=ratio)
        assert ours == pytest.approx(float(paper), rel=1e-9), t


def test_slanted_triangle_never_falls_below_its_lowest_rate():
    """The paper's formula would be negative at T = 19, and divide by 0 at T = 7."""
    assert [slanted_triangle(step, 0.32, 19) for step in (1, 10, 19)] == pytest.approx([0.32, 0.01, 0.01])
    assert [slanted_triangle(step, 0.32, 7) for step in (1, 7)] == pytest.approx([0.32, 0.01 + 0.31 / 3])


@pytest.mark.parametrize(
    ("function", "numbers", "told"),
    [
        (linear_rate, (0, 1.0, 1, 4), "step 0, warmup 1, total 4$"),
        (linear_rate, (1, 1.0, 5, 4), "step 1, warmup 5, total 4$"),
        (noam_rate, (0, 64, 7), "step 0, hidden_size 64, warmup 7$"),
        (noam_rate, (1, 64, 0), "step 1, hidden_size 64, warmup 0$"),
        (slanted_triangle, (0, 0.1, 20), "step 0, total 20"),
    ],
)
def test_a_step_that_cannot_be(function, numbers, told):
    with pytest.raises(ValueError, match=f"at least 1.*; got {told}"):
        function(*numbers)


def test_the_fixed_address_of_the_rates():
    assert (optim.linear_rate, optim.noam_rate) == (linear_rate, noam_rate)
