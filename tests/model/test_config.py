from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from course_utils.activations import ACTIVATIONS
from course_utils.config import HIDDEN_ACTS, RATES, SIZES, BertConfig

# Layers, hidden size, heads: Devlin et al. 2019 (base, large), Turc et al. 2019 (the others).
PUBLISHED = {
    "tiny": (2, 128, 2),
    "mini": (4, 256, 4),
    "small": (4, 512, 8),
    "medium": (8, 512, 8),
    "base": (12, 768, 12),
    "large": (24, 1024, 16),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_presets_have_the_published_sizes(name):
    config = getattr(BertConfig, name)()
    sizes = (config.num_hidden_layers, config.hidden_size, config.num_attention_heads)
    assert sizes == PUBLISHED[name]
    assert config.intermediate_size == 4 * config.hidden_size
    assert config.hidden_size // config.num_attention_heads == 64  # every published size has heads of 64


def test_defaults_are_bert_base_uncased():
    config = BertConfig()
    assert config == BertConfig.base()
    assert (config.vocab_size, config.max_position_embeddings, config.type_vocab_size) == (30522, 512, 2)
    assert (config.hidden_act, config.initializer_range, config.layer_norm_eps) == ("gelu", 0.02, 1e-12)
    assert (config.hidden_dropout_prob, config.attention_probs_dropout_prob) == (0.1, 0.1)


def test_a_preset_takes_overrides():
    config = BertConfig.tiny(vocab_size=8009, hidden_dropout_prob=0.0)
    assert (config.vocab_size, config.hidden_dropout_prob, config.hidden_size) == (8009, 0.0, 128)


def test_a_config_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        BertConfig().hidden_size = 13


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"hidden_size": 521, "num_attention_heads": 8}, "multiple of num_attention_heads, got 521 and 8"),
        ({"vocab_size": 0}, "vocab_size must be a whole number of at least 1, got 0"),
        ({"num_hidden_layers": 2.0}, "num_hidden_layers must be a whole number of at least 1, got 2.0"),
        ({"intermediate_size": -5}, "intermediate_size must be a whole number of at least 1, got -5"),
        (
            {"hidden_dropout_prob": 1.0},
            "hidden_dropout_prob must be a finite number, at least 0 and below 1, got 1.0",
        ),
        ({"attention_probs_dropout_prob": -0.1}, "attention_probs_dropout_prob must be .* below 1, got -0.1"),
    ],
)
def test_impossible_values_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        BertConfig(**wrong)


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("value", [True, 0, 1.0, "2", None, float("nan")])
def test_what_is_no_size(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be a whole number of at least 1, got "):
        BertConfig(**{name: value})


@pytest.mark.parametrize("name", [*RATES, "initializer_range", "layer_norm_eps"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1e-12, "1e-12", None, True])
def test_what_is_no_rate(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be a finite number, at least 0"):
        BertConfig(**{name: value})


@pytest.mark.parametrize("value", ["swish", "GELU", None, 3, []])
def test_an_unknown_activation_is_refused(value):
    with pytest.raises(ValueError, match="^hidden_act must be one of gelu, gelu_tanh, relu, got "):
        BertConfig(hidden_act=value)


def test_the_activations_that_it_takes_are_those_that_there_are():
    assert sorted(HIDDEN_ACTS) == sorted(ACTIVATIONS)


def test_every_field_is_checked():
    checked = {*SIZES, *RATES, "initializer_range", "layer_norm_eps", "hidden_act"}
    assert checked == {field.name for field in fields(BertConfig)}


def test_numbers_of_numpy_become_plain_ones():
    config = BertConfig(hidden_size=np.int64(36), layer_norm_eps=np.float64(1e-5), hidden_dropout_prob=0)
    assert (type(config.hidden_size), type(config.layer_norm_eps), type(config.hidden_dropout_prob)) == (
        int,
        float,
        float,
    )
    assert config == BertConfig(hidden_size=36, layer_norm_eps=1e-5, hidden_dropout_prob=0.0)
