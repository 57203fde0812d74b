import copy
from fractions import Fraction

import pytest
import torch
from torch import nn

from course_utils.config import BertConfig
from course_utils.heads import BertForPreTraining
from course_utils.schedules import slanted_triangle
from course_utils.training.optim import (
    adamw,
    linear_rate,
    noam_rate,
    parameter_groups,
    set_learning_rate,
)
from course_utils.training.settings import Settings
from course_utils.training.start import schedule

CONFIG = BertConfig(
    vocab_size=61,
    hidden_size=22,
    num_hidden_layers=2,
    num_attention_heads=11,
    intermediate_size=37,
    max_position_embeddings=17,
)


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
    optimizer = adamw(nn.Linear(3, 5), learning_rate=0.007)
    for group in optimizer.param_groups:
        assert (group["lr"], group["betas"], group["eps"]) == (0.007, (0.9, 0.999), 1e-6)
    assert [group["weight_decay"] for group in optimizer.param_groups] == [0.01, 0.0]


def test_three_steps_by_hand():
    """Loshchilov and Hutter 2019, algorithm 2, written down in float64."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 7), nn.LayerNorm(7)).double()
    optimizer = adamw(model, learning_rate=0.013, weight_decay=0.3)
    by_hand = copy.deepcopy(model)
    first = {name: torch.zeros_like(p) for name, p in by_hand.named_parameters()}
    second = {name: torch.zeros_like(p) for name, p in by_hand.named_parameters()}
    for step in (1, 2, 3):
        gradients = {name: torch.randn_like(p) * 1e-5 for name, p in by_hand.named_parameters()}  # ε counts
        for name, parameter in model.named_parameters():
            parameter.grad = gradients[name].clone()
        optimizer.step()
        with torch.no_grad():
            for name, parameter in by_hand.named_parameters():
                gradient = gradients[name]
                first[name] = 0.9 * first[name] + 0.1 * gradient
                second[name] = 0.999 * second[name] + 0.001 * gradient**2
                mean, square = first[name] / (1 - 0.9**step), second[name] / (1 - 0.999**step)
                decay = 0.3 * parameter if name == "0.weight" else 0.0
                parameter -= 0.013 * (mean / (square**0.5 + 1e-6) + decay)
        for name, parameter in model.named_parameters():
            torch.testing.assert_close(parameter, by_hand.get_parameter(name), rtol=0, atol=1e-14)


def test_the_bias_is_corrected():
    """Whatever the gradient, the first step is about the learning rate; uncorrected it would be 3.16 times that."""
    weight = nn.Linear(1, 1, bias=False)
    before = weight.weight.item()
    weight.weight.grad = torch.tensor([[57.0]])
    adamw(weight, learning_rate=0.01, weight_decay=0.0).step()
    assert before - weight.weight.item() == pytest.approx(0.01, rel=1e-4)


def test_what_was_never_used_does_not_decay():
    layer = nn.Linear(3, 2)
    before = layer.weight.clone()
    adamw(layer, weight_decay=0.5).step()  # no gradient
    assert torch.equal(layer.weight, before)


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


@pytest.mark.parametrize(
    ("step", "warmup", "total"), [(0, 1, 4), (-1, 1, 4), (1, 5, 4), (1, -1, 4), (1, 0, 0), (1, 0, -3)]
)
def test_linear_rate_refuses(step, warmup, total):
    with pytest.raises(ValueError, match=rf"at least 1 .*got step {step}, warmup {warmup}, total {total}$"):
        linear_rate(step, 1.0, warmup, total)


def test_noam_rate_by_hand_and_its_peak():
    def rate(step):
        return noam_rate(step, 64, 100)

    assert rate(1) == pytest.approx(1 / 8 / 1000)  # 64^−0.5 · 1 · 100^−1.5
    assert rate(400) == pytest.approx(1 / 8 / 20)  # 64^−0.5 · 400^−0.5
    rates = [rate(step) for step in range(1, 501)]
    assert max(rates) == rates[99] == pytest.approx(1 / 8 / 10)  # at update number `warmup`
    assert rates[:100] == sorted(rates[:100]) and rates[99:] == sorted(rates[99:], reverse=True)


@pytest.mark.parametrize(("step", "hidden_size", "warmup"), [(0, 64, 7), (1, 0, 7), (1, 64, 0)])
def test_noam_rate_refuses(step, hidden_size, warmup):
    told = f"got step {step}, hidden_size {hidden_size}, warmup {warmup}$"
    with pytest.raises(ValueError, match=rf"at least 1; {told}"):
        noam_rate(step, hidden_size, warmup)


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
    assert slanted_triangle(3, 1e308, 5) < 1e308  # no overflow on the way


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"step": 0}, "at least 1; got step 0, total 20$"),
        ({"total": 0}, "at least 1; got step 3, total 0$"),
        ({"step": float("nan")}, "at least 1; got step nan"),
    ],
)
def test_slanted_triangle_refuses(change, told):
    with pytest.raises(ValueError, match=told):
        slanted_triangle(**{"step": 3, "peak": 0.1, "total": 20} | change)


def test_every_group_gets_the_rate():
    optimizer = adamw(nn.Linear(3, 5))
    set_learning_rate(optimizer, 0.123)
    assert [group["lr"] for group in optimizer.param_groups] == [0.123, 0.123]
