import pytest
import torch
from torch import nn

from course_utils.config import BertConfig
from course_utils.encoder import Encoder, EncoderLayer, FeedForward, PreLNEncoder, PreLNEncoderLayer
from course_utils.masks import padding_mask

B, T, C, HEADS, WIDE, LAYERS = 2, 11, 21, 3, 37, 3
ENCODERS = [Encoder, PreLNEncoder]


def config(**overrides):
    sizes = dict(
        vocab_size=101,
        hidden_size=C,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=WIDE,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return BertConfig(**(sizes | overrides))


def randomised(module, dtype=torch.float64, seed=0):
    """In eval mode, every parameter random: biases and gains show too."""
    generator = torch.Generator().manual_seed(seed)
    module = module.to(dtype).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(0.4 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return module


def states(length=T, seed=1, dtype=torch.float64, batch=B):
    return torch.randn(
        batch, length, C, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    ).to(dtype)


def padding():
    ids = torch.ones(B, T, dtype=torch.long)
    ids[1, 7:] = 0
    return padding_mask(ids)


def torch_twin(layer, eps, activation="gelu"):
    """nn.TransformerEncoderLayer with the same weights."""
    twin = nn.TransformerEncoderLayer(
        C,
        HEADS,
        WIDE,
        dropout=0.0,
        activation=activation,
        layer_norm_eps=eps,
        batch_first=True,
        norm_first=isinstance(layer, PreLNEncoderLayer),
        dtype=torch.float64,
    )
    attention = layer.attention
    parts = [attention.query, attention.key, attention.value]
    copies = {
        "self_attn.in_proj_weight": torch.cat([part.weight for part in parts]),
        "self_attn.in_proj_bias": torch.cat([part.bias for part in parts]),
        "self_attn.out_proj": attention.output,
        "linear1": layer.feed_forward.expand,
        "linear2": layer.feed_forward.contract,
        "norm1": layer.attention_norm,
        "norm2": layer.feed_forward_norm,
    }
    state = {}
    for name, source in copies.items():
        if isinstance(source, nn.Module):
            state |= {f"{name}.{key}": tensor for key, tensor in source.state_dict().items()}
        else:
            state[name] = source.detach()
    twin.load_state_dict(state)
    return twin.eval()


@pytest.mark.parametrize("layer_class", [EncoderLayer, PreLNEncoderLayer])
@pytest.mark.parametrize("activation", ["gelu", "relu"])
@pytest.mark.parametrize("masked", [False, True])
def test_a_layer_equals_torch_with_gradients(layer_class, activation, masked):
    eps = 0.1  # large enough to be seen
    layer = randomised(layer_class(config(layer_norm_eps=eps, hidden_act=activation)))
    twin = torch_twin(layer, eps, activation)
    mask = padding() if masked else None
    gradients = []
    for run in (
        lambda x: layer(x, mask)[0],
        lambda x: twin(x, src_key_padding_mask=None if mask is None else ~mask[:, 0, 0]),
    ):
        x = states().requires_grad_()
        hidden = run(x)
        gradients.append((hidden, *torch.autograd.grad(hidden.sin().sum(), x)))
    torch.testing.assert_close(gradients[0], gradients[1], rtol=0, atol=1e-10)


def test_feed_forward_by_hand():
    network = FeedForward(
        config(hidden_size=1, num_attention_heads=1, intermediate_size=2, hidden_act="relu")
    )
    for part, weight, bias in [
        (network.expand, [[1.0], [-2.0]], [0.5, 0.5]),
        (network.contract, [[3.0, 5.0]], [7.0]),
    ]:
        part.load_state_dict({"weight": torch.tensor(weight), "bias": torch.tensor(bias)})
    # x = 1: relu(1.5), relu(−1.5) → 3·1.5 + 7 = 11.5.   x = −1: relu(−0.5), relu(2.5) → 5·2.5 + 7 = 19.5.
    assert network(torch.tensor([[[1.0], [-1.0]]])).flatten().tolist() == [11.5, 19.5]


@pytest.mark.parametrize("encoder_class", ENCODERS)
def test_all_parameters_get_a_gradient(encoder_class):
    encoder = randomised(encoder_class(config()))
    encoder(states(), padding()).last_hidden_state.sin().sum().backward()
    for name, parameter in encoder.named_parameters():
        assert parameter.grad is not None, name
        # It shifts all scores of a row alike: softmax cannot see it.
        if not name.endswith("attention.key.bias"):
            assert float(parameter.grad.abs().max()) > 1e-9, name


def test_each_norm_uses_the_eps_of_the_config():
    norms = [m for m in PreLNEncoder(config(layer_norm_eps=0.25)).modules() if isinstance(m, nn.LayerNorm)]
    assert [norm.eps for norm in norms] == [0.25] * (2 * LAYERS + 1)


def test_each_dropout_has_its_own_rate():
    layer = EncoderLayer(config(hidden_dropout_prob=0.2, attention_probs_dropout_prob=0.3))
    assert (layer.dropout.p, layer.attention.dropout.p) == (0.2, 0.3)


@pytest.mark.parametrize("encoder_class", ENCODERS)
def test_the_layers_follow_each_other_and_are_not_shared(encoder_class):
    encoder, x = randomised(encoder_class(config())), states()
    output = encoder(x, padding(), output_attentions=True)
    assert len({id(layer) for layer in encoder.layers}) == len(output.attentions) == LAYERS
    assert len(output.hidden_states) == LAYERS + 1 and torch.equal(output.hidden_states[0], x)
    hidden = x
    for index, layer in enumerate(encoder.layers):
        hidden, weights = layer(hidden, padding())
        torch.testing.assert_close(output.hidden_states[index + 1], hidden, rtol=0, atol=1e-12)
        torch.testing.assert_close(output.attentions[index], weights, rtol=0, atol=1e-12)
    # Nobody looks at padding, in any layer.
    assert all(torch.all(w[1, :, :, 7:] == 0) for w in output.attentions)
    assert encoder(x).attentions is None


def test_the_last_hidden_state_of_pre_ln_is_normalised_once_more():
    encoder = randomised(PreLNEncoder(config()))
    output = encoder(states())
    torch.testing.assert_close(output.last_hidden_state, encoder.final_norm(output.hidden_states[-1]))
    assert not torch.allclose(output.last_hidden_state, output.hidden_states[-1], atol=1e-3)


def test_post_ln_ends_normalised_and_pre_ln_carries_its_input_through():
    torch.manual_seed(0)
    post, pre = EncoderLayer(config()).eval(), PreLNEncoderLayer(config()).eval()
    x = 100 * states(dtype=torch.float32)
    normed, carried = post(x)[0], pre(x)[0]
    torch.testing.assert_close(normed.mean(-1), torch.zeros(B, T), rtol=0, atol=1e-5)
    torch.testing.assert_close(normed.std(-1, correction=0), torch.ones(B, T), rtol=0, atol=1e-4)
    assert float((carried - x).detach().abs().max()) < 10 < float(x.abs().max())


@pytest.mark.parametrize("encoder_class", ENCODERS)
def test_padding_changes_nothing(encoder_class):
    encoder = randomised(encoder_class(config()))
    x = states()
    alone = encoder(x[1:, :7]).last_hidden_state
    together = encoder(x, padding()).last_hidden_state
    torch.testing.assert_close(together[1:, :7], alone, rtol=0, atol=1e-10)


@pytest.mark.parametrize("encoder_class", ENCODERS)
def test_without_positions_a_permutation_only_permutes(encoder_class):
    encoder = randomised(encoder_class(config()))
    x, order = states(), torch.randperm(T, generator=torch.Generator().manual_seed(0))
    permuted = encoder(x[:, order]).last_hidden_state
    torch.testing.assert_close(permuted, encoder(x).last_hidden_state[:, order], rtol=0, atol=1e-10)


@pytest.mark.parametrize("encoder_class", ENCODERS)
def test_a_whole_row_of_padding_gives_no_nan(encoder_class):
    encoder = randomised(encoder_class(config()), torch.float32)
    mask = torch.zeros(B, 1, 1, T, dtype=torch.bool)
    output = encoder(states(dtype=torch.float32), mask)
    output.last_hidden_state.square().sum().backward()
    assert torch.isfinite(output.last_hidden_state).all()
    assert all(torch.isfinite(parameter.grad).all() for parameter in encoder.parameters())


@pytest.mark.parametrize("rates", [(0.5, 0.0), (0.0, 0.5)])
@pytest.mark.parametrize("encoder_class", ENCODERS)
def test_dropout_only_in_training(rates, encoder_class):
    hidden, attention = rates
    overrides = dict(hidden_dropout_prob=hidden, attention_probs_dropout_prob=attention)
    encoder = randomised(encoder_class(config(**overrides)))
    first, second = (encoder(states()).last_hidden_state for _ in range(2))
    assert torch.equal(first, second)
    encoder.train()
    first, second = (encoder(states()).last_hidden_state for _ in range(2))
    assert not torch.allclose(first, second, atol=1e-3)
