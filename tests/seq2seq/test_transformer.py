"""The decoder and the Transformer: equal to torch's, blind to padding and to the future, the same step by step."""

import copy
import math

import pytest
import torch
from torch import nn

from course_utils.config import BertConfig
from course_utils.positional import sinusoidal_encoding
from course_utils.seq2seq import Transformer
from course_utils.seq2seq.decoder import DecoderLayer
from course_utils.shapes import readable
from tests.small import randomised

B, T_Q, T_K, C, HEADS, WIDE, LAYERS, SOURCES, TARGETS, PAD = 3, 7, 11, 14, 2, 37, 3, 23, 19, 0


def transformer(dtype=torch.float64, **overrides):
    sizes = dict(hidden_size=C, num_heads=HEADS, num_layers=LAYERS, intermediate_size=WIDE, dropout=0.0)
    return randomised(Transformer(SOURCES, TARGETS, **(sizes | overrides)), spread=0.4).to(dtype)


def ids(length, count, lengths, pad=PAD, seed=1):
    """Random ids without padding, but for what lies behind each row's own length."""
    drawn = torch.randint(1, count, (len(lengths), length), generator=torch.Generator().manual_seed(seed))
    for row, own in enumerate(lengths):
        drawn[row, own:] = pad
    return drawn


def sources(lengths=(T_K, 5, 8)):
    return ids(T_K, SOURCES, lengths)


def targets(lengths=(4, T_Q, 6)):
    return ids(T_Q, TARGETS, lengths, seed=2)


def torch_twin(model):
    """nn.Transformer with the same weights, without the norm that it adds behind each stack."""
    options = dict(dropout=0.0, activation="relu", layer_norm_eps=1e-5, batch_first=True, dtype=torch.float64)
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(C, HEADS, WIDE, **options), LAYERS, enable_nested_tensor=False
    )
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(C, HEADS, WIDE, **options), LAYERS)
    twin = nn.Transformer(C, HEADS, custom_encoder=encoder, custom_decoder=decoder, batch_first=True)
    for ours, theirs in pairs(model, twin):
        theirs.data.copy_(ours)
    return twin.double().eval()


def pairs(model, twin):
    """(ours, theirs) of all parameters; of the three projections, ours are put together as theirs are."""
    for part in ("encoder", "decoder"):
        for ours, theirs in zip(getattr(model, part).layers, getattr(twin, part).layers, strict=True):
            attentions = [(ours.attention, theirs.self_attn)]
            norms = [ours.attention_norm, ours.feed_forward_norm]
            if part == "decoder":
                attentions += [(ours.cross_attention, theirs.multihead_attn)]
                norms.insert(1, ours.cross_attention_norm)
            for own, other in attentions:
                projections = (own.query, own.key, own.value)
                yield torch.cat([p.weight for p in projections]), other.in_proj_weight
                yield torch.cat([p.bias for p in projections]), other.in_proj_bias
                yield own.output.weight, other.out_proj.weight
                yield own.output.bias, other.out_proj.bias
            others = [
                theirs.linear1,
                theirs.linear2,
                *(getattr(theirs, f"norm{n + 1}") for n in range(len(norms))),
            ]
            for own, other in zip(
                [ours.feed_forward.expand, ours.feed_forward.contract, *norms], others, strict=True
            ):
                yield own.weight, other.weight
                yield own.bias, other.bias


def gradients_of(model):
    """A copy of the model whose parameters are its gradients: what `pairs` compares."""
    found = copy.deepcopy(model)
    for parameter, original in zip(found.parameters(), model.parameters(), strict=True):
        parameter.data = original.grad
    return found


# --- torch's own ----------------------------------------------------------------------------------------------------


def test_it_equals_torch_with_the_gradient_of_every_parameter():
    model, source_ids, target_ids = transformer(), sources(), targets()
    twin = torch_twin(model)
    source_embedding, target_embedding = (
        nn.Parameter(part.weight.detach().clone())
        for part in (model.source_embedding, model.target_embedding)
    )

    def embedded(embedding, given):
        positions = sinusoidal_encoding(given.shape[1], C).double()
        return embedding[given] * math.sqrt(C) + positions

    hidden = twin(
        embedded(source_embedding, source_ids),
        embedded(target_embedding, target_ids),
        tgt_mask=torch.ones(T_Q, T_Q, dtype=torch.bool).triu(1),  # theirs mean the opposite: True = blocked
        src_key_padding_mask=source_ids == PAD,
        tgt_key_padding_mask=target_ids == PAD,
        memory_key_padding_mask=source_ids == PAD,
    )
    expected = hidden @ target_embedding.T
    logits = model(source_ids, target_ids)
    assert logits.shape == (B, T_Q, TARGETS)
    torch.testing.assert_close(logits, expected, rtol=0, atol=1e-10)
    logits.sin().sum().backward()
    expected.sin().sum().backward()
    for ours, theirs in pairs(gradients_of(model), gradients_of(twin)):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-9)
    torch.testing.assert_close(model.source_embedding.weight.grad, source_embedding.grad, rtol=0, atol=1e-9)
    torch.testing.assert_close(model.target_embedding.weight.grad, target_embedding.grad, rtol=0, atol=1e-9)


# --- what must change nothing ---------------------------------------------------------------------------------------


def test_padding_on_either_side_changes_nothing():
    model, source_ids, target_ids = transformer(), sources(), targets()
    together = model(source_ids, target_ids)
    for row, (of_source, of_target) in enumerate(zip((T_K, 5, 8), (4, T_Q, 6), strict=True)):
        alone = model(source_ids[row : row + 1, :of_source], target_ids[row : row + 1, :of_target])
        torch.testing.assert_close(together[row : row + 1, :of_target], alone, rtol=0, atol=1e-10)


def test_a_later_target_token_changes_no_logit_before_it():
    model, source_ids, target_ids = transformer(), sources(), targets((T_Q,) * B)
    before = model(source_ids, target_ids)
    for position in range(T_Q):
        for new in (target_ids[:, position] % (TARGETS - 1) + 1, PAD):
            changed = target_ids.clone()
            changed[:, position] = new
            after = model(source_ids, changed)
            assert torch.equal(after[:, :position], before[:, :position])
            assert not torch.isclose(after[:, position:], before[:, position:]).all()


def test_what_stands_for_padding_in_the_source_changes_nothing():
    model, source_ids = transformer(), sources()
    before = model(source_ids, targets())
    with torch.no_grad():
        model.source_embedding.weight[PAD] = 1e3
    assert torch.equal(model(source_ids, targets()), before)
    other = transformer(pad_token_id=17)
    replaced = source_ids.where(source_ids != 17, 16)
    shorter = other(replaced.where(replaced != PAD, 17)[:, :5], targets())
    longer = torch.cat([replaced.where(replaced != PAD, 17)[:, :5], torch.full((B, 4), 17)], dim=1)
    torch.testing.assert_close(other(longer, targets()), shorter, rtol=0, atol=1e-10)


# --- cross-attention ------------------------------------------------------------------------------------------------


def test_attend_gives_the_weights_of_every_layer():
    model, source_ids = transformer(), sources()
    weights = model.attend(source_ids, targets())
    assert len(weights) == LAYERS and all(one.shape == (B, HEADS, T_Q, T_K) for one in weights)
    for one in weights:
        torch.testing.assert_close(one.sum(-1), torch.ones(B, HEADS, T_Q, dtype=torch.float64))
        assert (one.movedim(-1, 1)[source_ids == PAD] == 0).all()
    dropping = transformer(dropout=0.5).train().attend(source_ids, targets())[0]  # those before dropout
    torch.testing.assert_close(dropping.sum(-1), torch.ones(B, HEADS, T_Q, dtype=torch.float64))


def test_the_stack_returns_what_each_layer_made():
    model = transformer()
    hidden, encoded = torch.randn(B, T_Q, C).double(), torch.randn(B, T_K, C).double()
    output = model.decoder(hidden, encoded, output_attentions=True)
    assert len(output.hidden_states) == LAYERS + 1 and torch.equal(output.hidden_states[0], hidden)
    assert output.last_hidden_state is output.hidden_states[-1]
    assert [one.shape for one in output.attentions] == [(B, HEADS, T_Q, T_Q)] * LAYERS
    second, own, across = model.decoder.layers[1](output.hidden_states[1], encoded)
    assert torch.equal(second, output.hidden_states[2])
    assert torch.equal(own, output.attentions[1]) and torch.equal(across, output.cross_attentions[1])
    without = model.decoder(hidden, encoded)
    assert without.attentions is None and without.cross_attentions is None


# --- step by step ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "near"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
@pytest.mark.parametrize("padded", [False, True])
def test_step_by_step_the_logits_are_those_of_the_whole(dtype, near, padded):
    """A model may also write padding: both hide it from the tokens after."""
    model, source_ids, target_ids = transformer(dtype), sources(), targets()
    if padded:
        target_ids[:, 0], target_ids[0, 3] = PAD, PAD
    whole, state = model(source_ids, target_ids), model.encode(source_ids)
    for position in range(T_Q):
        logits, state = model.step(target_ids[:, position], state)
        torch.testing.assert_close(logits, whole[:, position], rtol=0, atol=near)
        assert state.layers[0].keys.shape == (B, HEADS, position + 1, C // HEADS)


def test_the_sources_keys_and_values_are_computed_once():
    model, calls = transformer(), []
    for layer in model.decoder.layers:
        for part in (layer.cross_attention.key, layer.cross_attention.value):
            part.register_forward_hook(lambda *_: calls.append("source"))
        layer.attention.key.register_forward_hook(lambda _, given, output: calls.append(given[0].shape[1]))
    state = model.encode(sources())
    assert calls == ["source"] * 2 * LAYERS
    for token in targets((T_Q,) * B).T:
        _, state = model.step(token, state)
    assert calls[2 * LAYERS :] == [1] * LAYERS * T_Q  # one key for each layer and token


def test_a_step_does_not_change_the_state_before_it():
    model, target_ids = transformer(), targets()
    _, state = model.step(target_ids[:, 0], model.encode(sources()))
    first, _ = model.step(target_ids[:, 1], state)
    model.step(target_ids[:, 2], state)
    again, _ = model.step(target_ids[:, 1], state)
    assert torch.equal(first, again)


def test_positions_go_on_beyond_those_at_hand(monkeypatch):
    expected = transformer()(sources(), targets())
    monkeypatch.setattr("course_utils.seq2seq.transformer.POSITIONS", 3)
    model = transformer()
    assert len(model.positions) == 3
    torch.testing.assert_close(model(sources(), targets()), expected, rtol=0, atol=1e-7)
    assert len(model.positions) >= T_K
    assert "positions" not in model.state_dict()


# --- parameters -----------------------------------------------------------------------------------------------------


def test_the_number_of_parameters_by_hand():
    attention, feed_forward = 4 * C * (C + 1), WIDE * (C + 1) + C * (WIDE + 1)
    encoder = attention + feed_forward + 2 * 2 * C
    decoder = 2 * attention + feed_forward + 3 * 2 * C
    embeddings = (SOURCES + TARGETS) * C  # the generator has none of its own
    assert sum(p.numel() for p in transformer().parameters()) == LAYERS * (encoder + decoder) + embeddings


def test_which_weights_are_one():
    model = transformer()
    assert model.generator.weight is model.target_embedding.weight
    assert model.source_embedding.weight is not model.target_embedding.weight
    joint = Transformer(TARGETS, TARGETS, hidden_size=C, num_heads=HEADS, num_layers=1, shared=True)
    assert joint.source_embedding.weight is joint.target_embedding.weight is joint.generator.weight


def test_the_start_values():
    given = dict(hidden_size=64, num_heads=2, num_layers=1, intermediate_size=211)
    first, second = (
        Transformer(997, 499, **given, generator=torch.Generator().manual_seed(3)) for _ in range(2)
    )
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    for embedding in (first.source_embedding, first.target_embedding):
        assert embedding.weight.std().item() == pytest.approx(64**-0.5, rel=0.05)
    expand = first.decoder.layers[0].feed_forward.expand
    bound = math.sqrt(6 / (64 + 211))  # Glorot's
    assert 0.98 * bound < expand.weight.abs().max().item() <= bound
    assert (expand.bias == 0).all()


def test_dropout_only_in_training_and_on_the_embeddings_too():
    model = transformer(dropout=0.5)
    assert torch.equal(model(sources(), targets()), model(sources(), targets()))
    model.train()
    assert not torch.allclose(model(sources(), targets()), model(sources(), targets()), atol=1e-3)
    seen = []
    for stack in (model.encoder, model.decoder):
        stack.register_forward_pre_hook(lambda _, given: seen.append((given[0] == 0).double().mean().item()))
    model(sources(), targets())
    assert len(seen) == 2 and all(0.35 < share < 0.65 for share in seen)


def test_each_sub_layer_has_its_dropout_and_its_residual():
    config = BertConfig(
        hidden_size=C, num_attention_heads=HEADS, intermediate_size=WIDE, hidden_dropout_prob=0.999999,
        attention_probs_dropout_prob=0.0, hidden_act="relu", layer_norm_eps=1e-5,
    )  # fmt: skip
    layer = DecoderLayer(config).double().train()
    hidden, encoded = torch.randn(B, T_Q, C).double(), torch.randn(B, T_K, C).double()
    # With every sub-layer's output dropped, only the residual path is left.
    expected = layer.feed_forward_norm(layer.cross_attention_norm(layer.attention_norm(hidden)))
    actual, _, _ = layer(hidden, encoded)
    torch.testing.assert_close(actual, expected, rtol=0, atol=1e-10)


# --- elsewhere ------------------------------------------------------------------------------------------------------


def test_it_runs_on_the_meta_device():
    with torch.device("meta"):
        model = Transformer(
            SOURCES, TARGETS, hidden_size=C, num_heads=HEADS, num_layers=1, intermediate_size=WIDE
        )
    source_ids = sources().to("meta")
    assert not readable(source_ids)
    assert model(source_ids, targets().to("meta")).shape == (B, T_Q, TARGETS)


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source_ids", "target_ids", "message"),
    [
        (torch.full((2, 3), SOURCES), torch.ones(2, 3).long(), r"source_ids must lie in 0 … 22, got 23"),
        (torch.ones(2, 3).long(), torch.full((2, 3), -1), r"target_ids must lie in 0 … 18, got -1"),
        (torch.tensor([[1, 0], [0, 0]]), torch.ones(2, 3).long(), r"got padding alone in row 1"),
    ],
)
def test_ids_of_another_vocabulary_and_empty_sources_are_told(source_ids, target_ids, message):
    with pytest.raises(ValueError, match=message):
        transformer()(source_ids, target_ids)


def test_a_shared_vocabulary_has_one_size():
    with pytest.raises(ValueError, match="a shared vocabulary must have one size, got 23 and 19"):
        transformer(shared=True)
