"""Attention maps: by hand from the parameters, by the model's own account, and by transformers'."""

import math

import pytest
import torch
from torch import nn

from course_utils.bert import BertModel
from course_utils.interpretation import attention_maps
from tests.interpretation.models import HARBOUR, hooks_of, small_model, small_pair, small_tokenizer

TOKENIZER = small_tokenizer()


def test_tokens_and_shapes():
    maps = attention_maps(small_model(), TOKENIZER, HARBOUR)
    assert maps.tokens == (
        *("[CLS]", "나는", "항", "##구에", "들", "##러", "배", "##를", "탔다", ".", "[SEP]"),
    )
    assert maps.weights.shape == (3, 5, 11, 11)
    assert maps.queries.shape == maps.keys.shape == (3, 5, 11, 3)
    assert not maps.weights.requires_grad


def test_queries_keys_and_weights_by_hand():
    """From the parameters alone: h W + b, cut into heads, q·k / √3, exponentials over their sum."""
    model = small_model()
    maps = attention_maps(model, TOKENIZER, HARBOUR)
    ids = torch.tensor([TOKENIZER.encode(HARBOUR).input_ids])
    states = model.bert(ids).hidden_states
    for layer, block in enumerate(model.bert.encoder.layers):
        into = states[layer][0]
        query = into @ block.attention.query.weight.T + block.attention.query.bias  # (T, C)
        key = into @ block.attention.key.weight.T + block.attention.key.bias
        value = into @ block.attention.value.weight.T + block.attention.value.bias
        for head in range(5):
            own = [3 * head, 3 * head + 1, 3 * head + 2]
            torch.testing.assert_close(maps.queries[layer, head], query[:, own], rtol=0, atol=1e-5)
            torch.testing.assert_close(maps.keys[layer, head], key[:, own], rtol=0, atol=1e-5)
            torch.testing.assert_close(maps.values[layer, head], value[:, own], rtol=0, atol=1e-5)
            for place in (0, 6, 10):
                powers = [
                    math.exp(sum(query[place, c].item() * key[other, c].item() for c in own) / math.sqrt(3))
                    for other in range(11)
                ]
                by_hand = torch.tensor([power / sum(powers) for power in powers])
                torch.testing.assert_close(maps.weights[layer, head, place], by_hand, rtol=0, atol=1e-5)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_transformers_own_attentions_with_the_same_weights(attention):
    ours, theirs = small_pair(attention)
    maps = attention_maps(theirs, TOKENIZER, HARBOUR)
    _, eager = small_pair()
    with torch.no_grad():
        ids = torch.tensor([TOKENIZER.encode(HARBOUR).input_ids])
        official = eager(ids, output_attentions=True).attentions
    torch.testing.assert_close(maps.weights, torch.cat(official), rtol=0, atol=1e-5)
    mine = attention_maps(ours, TOKENIZER, HARBOUR)
    for field in ("weights", "queries", "keys"):
        torch.testing.assert_close(getattr(mine, field), getattr(maps, field), rtol=0, atol=1e-4)


@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: model.bert])
def test_the_model_says_the_same(wrap):
    model = small_model()
    maps = attention_maps(wrap(model), TOKENIZER, HARBOUR)
    own = model(torch.tensor([TOKENIZER.encode(HARBOUR).input_ids]), output_attentions=True).attentions
    torch.testing.assert_close(maps.weights, torch.cat(own), rtol=0, atol=1e-5)


@pytest.mark.parametrize("where", [0, 2])
def test_nothing_stays_behind_when_the_model_raises(where, monkeypatch):
    model = small_model(BertModel)

    def fail(*given):
        raise RuntimeError("out of order")

    monkeypatch.setattr(model.encoder.layers[where].feed_forward, "forward", fail)
    with pytest.raises(RuntimeError, match="out of order"):
        attention_maps(model, TOKENIZER, HARBOUR)
    assert hooks_of(model) == 0


def test_the_longest_text_fits_and_a_longer_one_is_refused():
    fits = " ".join(["배"] * 17)
    assert len(attention_maps(small_model(), TOKENIZER, fits).tokens) == 19
    with pytest.raises(ValueError, match="reads 19 tokens, got 20"):
        attention_maps(small_model(), TOKENIZER, fits + " 배")


def test_what_cannot_be_looked_at_is_said():
    with pytest.raises(ValueError, match=r"training mode.*model\.eval\(\)"):
        attention_maps(small_model().train(), TOKENIZER, HARBOUR)
    for empty in ("", "  "):
        with pytest.raises(ValueError, match="at least one word"):
            attention_maps(small_model(), TOKENIZER, empty)


def test_another_kind_of_model_is_refused():
    model = nn.Linear(2, 2).eval()
    model.config = small_model().config
    with pytest.raises(TypeError, match="BertModel of the course or of transformers.*got Linear"):
        attention_maps(model, TOKENIZER, HARBOUR)
