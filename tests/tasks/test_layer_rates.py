"""Whose rate is how high: the formula against the optimiser, the whole model, frozen parts."""

from __future__ import annotations

import pytest

from course_utils.tasks.layer_rates import layer_shares, layered_adamw, parts_from_below
from course_utils.training.optim import adamw, set_learning_rate
from tests.tasks.small_tasks import CONFIG, small, small_bert

SETTINGS = [(1.0, 0), (0.5, 0), (0.7, 1), (0.7, 2), (0.5, 3), (0.5, -1)]


def formula(num_layers, layer_decay, frozen):
    """One share after the other, as it is said."""
    shares = []
    for layer in range(num_layers + 1):  # 0: the embeddings
        kept = frozen == -1 or (frozen > 0 and layer <= frozen)
        shares.append(0.0 if kept else layer_decay ** (num_layers - layer))
    return [*shares, 1.0]


def test_the_shares_by_hand():
    assert layer_shares(3, layer_decay=0.5) == [0.125, 0.25, 0.5, 1.0, 1.0]
    assert layer_shares(3, layer_decay=0.5, frozen=1) == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert layer_shares(3, layer_decay=0.5, frozen=-1) == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert layer_shares(2) == [1.0] * 4


@pytest.mark.parametrize(("layer_decay", "frozen"), SETTINGS)
def test_the_optimiser_has_the_rates_of_the_formula(layer_decay, frozen):
    model = small("reviews").new_model(CONFIG)
    shares = formula(3, layer_decay, frozen)
    assert layer_shares(3, layer_decay=layer_decay, frozen=frozen) == pytest.approx(shares)
    optimizer = layered_adamw(model, layer_decay=layer_decay, frozen=frozen)
    set_learning_rate(optimizer, 0.8)
    rate = {id(p): group["lr"] for group in optimizer.param_groups for p in group["params"]}
    decays = {id(p): group["weight_decay"] for group in optimizer.param_groups for p in group["params"]}
    starts = ["bert.embeddings.", *(f"bert.encoder.layers.{number}." for number in range(3))]
    expected = dict(zip(starts, shares)) | {"classifier.": 1.0, "bert.pooler.": 1.0}
    for name, parameter in model.named_parameters():
        (share,) = [value for start, value in expected.items() if name.startswith(start)]
        assert rate.get(id(parameter), 0.0) == pytest.approx(0.8 * share), name
        assert (id(parameter) in rate) == (share > 0), name
        assert decays.get(id(parameter), 0.01 * (parameter.dim() >= 2)) == 0.01 * (parameter.dim() >= 2), name
    assert sum(len(group["params"]) for group in optimizer.param_groups) == len(rate)


def test_all_else_is_as_in_adamw():
    model = small("names").new_model(CONFIG)
    ours, theirs = layered_adamw(model, layer_decay=0.9).defaults, adamw(model).defaults
    groups = layered_adamw(model, layer_decay=0.9).param_groups
    for name in ("betas", "eps", "amsgrad", "maximize"):
        assert {group[name] for group in groups} == {adamw(model).param_groups[0][name]}, name
    assert ours.keys() == theirs.keys()


def test_the_parts_from_below():
    model = small("questions").new_model(CONFIG)
    assert parts_from_below(model) == [model.bert.embeddings, *model.bert.encoder.layers]
    with pytest.raises(ValueError, match="model must be a BertModel with a head, got BertModel"):
        parts_from_below(small_bert())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"layer_decay": 0.0}, "layer_decay must be a finite number, above 0 and at most 1, got 0.0"),
        ({"layer_decay": 1.1}, "layer_decay must be"),
        ({"frozen": 4}, "frozen must be a whole number from -1 to 3, got 4"),
        ({"frozen": -2}, "frozen must be"),
    ],
)
def test_rates_that_cannot_be(given, said):
    with pytest.raises(ValueError, match=said):
        layer_shares(3, **given)
    with pytest.raises(ValueError, match=said):
        layered_adamw(small("reviews").new_model(CONFIG), **given)
