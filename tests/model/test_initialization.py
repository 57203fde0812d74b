import pytest
import torch
from torch import nn

from course_utils.config import BertConfig
from course_utils.initialization import init_weights


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def network():
    return nn.Sequential(
        nn.Embedding(101, 53), nn.Linear(53, 211), nn.LayerNorm(211), nn.Linear(211, 7, bias=False)
    )


@pytest.mark.parametrize("std", [0.02, 0.5])
def test_weights_are_a_normal_cut_at_two_sigma(std):
    layer = nn.Linear(211, 503)
    init_weights(layer, std=std, generator=seeded())
    weight = layer.weight.detach()
    assert 1.99 * std < float(weight.abs().max()) <= 2 * std * (1 + 1e-6)  # cut there, not far within
    assert float(weight.mean()) == pytest.approx(0.0, abs=0.02 * std)
    assert float(weight.std()) == pytest.approx(0.8796 * std, rel=0.01)  # σ of a normal cut at ±2σ
    # A uniform distribution on ±2σ would have 0.25 within ±σ/2, the cut normal has 0.40.
    assert float((weight.abs() < 0.5 * std).float().mean()) == pytest.approx(0.4012, abs=0.01)


def test_the_standard_deviation_is_that_of_bert_unless_told():
    told, untold = nn.Linear(13, 7), nn.Linear(13, 7)
    init_weights(told, std=BertConfig().initializer_range, generator=seeded())
    init_weights(untold, generator=seeded())
    assert torch.equal(told.weight, untold.weight)


def test_embeddings_are_drawn_biases_are_0_and_gains_1():
    module = network()
    for parameter in module.parameters():
        nn.init.constant_(parameter, 3.0)
    init_weights(module, generator=seeded())
    embedding, first, norm, last = module
    for weight in (embedding.weight, first.weight, last.weight):
        assert 0.016 < float(weight.detach().std()) < 0.019
    assert torch.all(first.bias == 0) and torch.all(norm.bias == 0) and torch.all(norm.weight == 1)


def test_the_generator_alone_decides():
    torch.manual_seed(1)
    first, second, other = network(), network(), network()
    state = torch.get_rng_state()
    init_weights(first, generator=seeded(0))
    init_weights(second, generator=seeded(0))
    init_weights(other, generator=seeded(1))
    assert torch.equal(torch.get_rng_state(), state)  # the global generator was not used
    assert torch.equal(first[1].weight, second[1].weight)
    assert not torch.equal(first[1].weight, other[1].weight)
