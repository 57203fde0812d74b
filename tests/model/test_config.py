import math
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from course_utils.activations import ACTIVATIONS
from course_utils.config import HIDDEN_ACTS, RATES, SIZES, BertConfig

# Layers, hidden size, heads: Devlin et al. 2019 (base, large), Turc et al. 2019 (the others).
WIDTHS = ("initializer_range", "layer_norm_eps")
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


def test_the_activations_that_it_takes_are_those_that_there_are():
    assert sorted(HIDDEN_ACTS) == sorted(ACTIVATIONS)


NO_SIZE = [True, 0, -5, 1.0, "2", None, math.nan]
NO_RATE = [math.nan, math.inf, -1e-12, "1e-12", None, True]
IMPOSSIBLE = (
    [(name, value, "a whole number of at least 1") for name in SIZES for value in NO_SIZE]
    + [(name, value, "a finite number, at least 0") for name in (*RATES, *WIDTHS) for value in NO_RATE]
    + [(name, 1.0, "a finite number, at least 0 and below 1") for name in RATES]
    + [("hidden_act", value, "one of gelu, gelu_tanh, relu") for value in ("swish", "GELU", None, 3, [])]
)


def test_what_a_file_may_say_and_no_model_can_be_is_refused_by_name():
    """A door: config.json comes from anywhere, and NaN as ε, or True as a size, would give numbers."""
    for name, value, wanted in IMPOSSIBLE:
        with pytest.raises(ValueError, match=f"^{name} must be {wanted}"):
            BertConfig(**{name: value})
    with pytest.raises(ValueError, match="multiple of num_attention_heads, got 521 and 8"):
        BertConfig(hidden_size=521, num_attention_heads=8)
    assert {name for name, *_ in IMPOSSIBLE} == {field.name for field in fields(BertConfig)}


def test_numbers_of_numpy_become_plain_ones():
    config = BertConfig(hidden_size=np.int64(36), layer_norm_eps=np.float64(1e-5), hidden_dropout_prob=0)
    found = (type(config.hidden_size), type(config.layer_norm_eps), type(config.hidden_dropout_prob))
    assert found == (int, float, float)
