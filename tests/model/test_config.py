from dataclasses import FrozenInstanceError

import pytest

from course_utils.config import BertConfig

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
        ({"vocab_size": 0}, "vocab_size must be a positive integer, got 0"),
        ({"num_hidden_layers": 2.0}, "num_hidden_layers must be a positive integer, got 2.0"),
        ({"intermediate_size": -5}, "intermediate_size must be a positive integer, got -5"),
        ({"hidden_dropout_prob": 1.0}, r"hidden_dropout_prob must lie in \[0, 1\), got 1.0"),
        (
            {"attention_probs_dropout_prob": -0.1},
            r"attention_probs_dropout_prob must lie in \[0, 1\), got -0.1",
        ),
    ],
)
def test_impossible_values_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        BertConfig(**wrong)
