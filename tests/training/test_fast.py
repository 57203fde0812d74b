import copy

import pytest
import torch
from torch import nn

from course_utils import heads
from course_utils.attention import MultiHeadAttention
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.encoder import Encoder, EncoderLayer, FeedForward, PreLNEncoder, PreLNEncoderLayer
from course_utils.training import fast
from course_utils.training.fast import FASTER, speed_up
from course_utils.training.fast_layers import PAYS_FROM
from tests.model.every_head import HEADS, SIZES, B, T, batch, in_its_form, targets

QUIET = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-10}


@pytest.fixture(autouse=True)
def every_size(monkeypatch):
    """As if the smallest product paid, on whatever processor."""
    monkeypatch.setitem(PAYS_FROM, torch.backends.cpu.get_cpu_capability(), 0)


def twins(make, dtype=torch.float32, quicken=speed_up):
    """A plain model with every parameter random, and a faster copy."""
    torch.manual_seed(0)
    plain = make().to(dtype).eval()
    with torch.no_grad():
        for parameter in plain.parameters():
            parameter.normal_(std=0.2)
    return plain, quicken(copy.deepcopy(plain))


def bert(**overrides):
    return lambda: BertModel(BertConfig(**(SIZES | QUIET | overrides)))


def same_gradients(models, losses, atol):
    for loss in losses:
        loss.backward()
    for (name, mine), theirs in zip(models[0].named_parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad, rtol=0, atol=atol, msg=name)


# --- the same results and gradients -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("output_attentions", [False, True])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("activation", ["gelu", "relu"])
def test_the_states_and_their_gradients(dtype, masked, output_attentions, training, activation):
    models = [model.train(training) for model in twins(bert(hidden_act=activation), dtype)]
    ids, mask, segments = batch()
    outputs = [model(ids, mask if masked else None, segments, output_attentions) for model in models]
    plain, faster = outputs
    for one, other in zip(plain.hidden_states, faster.hidden_states, strict=True):
        torch.testing.assert_close(other, one, rtol=0, atol=TOLERANCE[dtype])
    torch.testing.assert_close(faster.pooler_output, plain.pooler_output, rtol=0, atol=TOLERANCE[dtype])
    assert (faster.attentions is None) == (plain.attentions is None) == (not output_attentions)
    for one, other in zip(plain.attentions or (), faster.attentions or (), strict=True):
        torch.testing.assert_close(other, one, rtol=0, atol=TOLERANCE[dtype])
        if masked:
            assert not other.masked_select((mask == 0)[:, None, None, :]).any()  # exactly 0
    losses = [output.last_hidden_state.sin().sum() for output in outputs]
    same_gradients(models, losses, atol=200 * TOLERANCE[dtype])


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("output_attentions", [False, True])
def test_the_states_where_no_gradient_is_recorded(masked, output_attentions):
    models = twins(bert())
    ids, mask, segments = batch()
    with torch.inference_mode():
        plain, faster = (m(ids, mask if masked else None, segments, output_attentions) for m in models)
    for one, other in zip(plain.hidden_states, faster.hidden_states, strict=True):
        torch.testing.assert_close(other, one, rtol=0, atol=2e-5)


@pytest.mark.parametrize("name", HEADS)
def test_every_head_its_loss_and_gradients(name):
    models = twins(lambda: getattr(heads, name)(BertConfig(**(SIZES | QUIET))), torch.float64)
    given = in_its_form(name, batch())
    plain, faster = (model.train()(*given, **targets(name)) for model in models)
    torch.testing.assert_close(faster.loss, plain.loss, rtol=0, atol=1e-10)
    torch.testing.assert_close(faster.logits, plain.logits, rtol=0, atol=1e-10)
    same_gradients(models, (plain.loss, faster.loss), atol=1e-9)
    torch.testing.assert_close(
        models[1].eval()(*given).logits, models[0].eval()(*given).logits, rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("shape", [(), (11,), (5, 1), (2, 1, 1, 11), (2, 4, 5, 11), (1, 1, 5, 11)])
def test_attention_takes_every_mask_that_broadcasts(need_weights, shape):
    plain, faster = twins(lambda: MultiHeadAttention(44, 4), torch.float64)
    query, key, value = (torch.randn(2, t, 44, dtype=torch.float64) for t in (5, 11, 11))
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(4)) < 0.6
    before = mask.clone()
    expected, expected_weights = plain(query, key, value, mask)
    context, weights = faster(query, key, value, mask, need_weights=need_weights)
    torch.testing.assert_close(context, expected, rtol=0, atol=1e-10)
    assert torch.equal(mask, before)
    if need_weights:
        torch.testing.assert_close(weights, expected_weights, rtol=0, atol=1e-10)
    else:
        assert weights is None


@pytest.mark.parametrize("need_weights", [True, False])
def test_a_query_that_may_look_at_nothing(need_weights):
    plain, faster = twins(lambda: MultiHeadAttention(44, 4))
    x = torch.randn(2, 7, 44, requires_grad=True)
    mask = torch.ones(2, 1, 7, 7, dtype=torch.bool)
    mask[1, :, 3] = False
    context, weights = faster(x, x, x, mask, need_weights=need_weights)
    torch.testing.assert_close(context, plain(x, x, x, mask)[0], rtol=0, atol=1e-5)
    torch.testing.assert_close(context[1, 3], faster.output.bias)
    assert weights is None or not weights[1, :, 3].any()
    context.sin().sum().backward()
    assert torch.isfinite(x.grad).all()


def test_the_weights_are_built_only_where_they_are_asked_for_or_a_gradient_needs_them(monkeypatch):
    _, faster = twins(bert())

    def refuse(*factors):
        raise AssertionError("the weights were built")

    monkeypatch.setattr(fast, "attention_weights", refuse)
    with torch.no_grad():
        faster(*batch())
        faster.train()(*batch())  # nothing is dropped here
        with pytest.raises(AssertionError, match="were built"):
            faster(*batch(), output_attentions=True)
    with pytest.raises(AssertionError, match="were built"):
        faster(*batch())


# --- where something is dropped -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rates", [(0.5, 0.0), (0.0, 0.5)])
@pytest.mark.parametrize("output_attentions", [True, False])
def test_dropout_only_in_training(rates, output_attentions):
    hidden, attention = rates
    _, faster = twins(bert(hidden_dropout_prob=hidden, attention_probs_dropout_prob=attention))
    runs = [faster(*batch(), output_attentions).last_hidden_state for _ in range(2)]
    assert torch.equal(*runs)
    faster.train()
    runs = [faster(*batch(), output_attentions).last_hidden_state for _ in range(2)]
    assert not torch.allclose(*runs, atol=1e-3)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("records", [True, False], ids=["with a gradient", "without"])
def test_dropout_of_weights_keeps_the_mean(need_weights, records):
    _, faster = twins(lambda: MultiHeadAttention(44, 4, dropout=0.3))
    x = torch.randn(1, 3, 44, generator=torch.Generator().manual_seed(3)).expand(4001, 3, 44)
    expected, still = faster(x, x, x)
    torch.manual_seed(0)
    with torch.set_grad_enabled(records):
        context, weights = faster.train()(x, x, x, need_weights=need_weights)
    assert not torch.allclose(context[0], context[1], atol=1e-3)
    torch.testing.assert_close(context.mean(0), expected[0], rtol=0, atol=0.05)
    if need_weights:
        torch.testing.assert_close(weights, still)  # those before dropout


# --- the same model -----------------------------------------------------------------------------------------------


def test_everything_that_is_the_models_stays():
    model = heads.BertForPreTraining(BertConfig(**SIZES))
    parts, parameters = list(model.modules()), dict(model.named_parameters())
    state = {name: (tensor, tensor.clone()) for name, tensor in model.state_dict().items()}
    seen = []
    model.bert.encoder.layers[1].attention.output.register_forward_pre_hook(lambda *x: seen.append(x))
    assert speed_up(model) is model
    assert all(one is other for one, other in zip(model.modules(), parts, strict=True))
    assert all(parameters[name] is parameter for name, parameter in model.named_parameters())
    after = model.state_dict()
    assert list(after) == list(state)
    for name, (tensor, value) in state.items():
        assert after[name].data_ptr() == tensor.data_ptr() and torch.equal(after[name], value)
    model(*batch())
    assert len(seen) == 1


def test_a_hook_on_a_product_that_is_computed_along_with_its_gelu():
    _, faster = twins(bert())
    seen = []
    faster.encoder.layers[0].feed_forward.expand.register_forward_hook(lambda *x: seen.append(x))
    with torch.no_grad():
        faster(*batch())
    assert len(seen) == 1


def test_each_part_that_is_known_is_put_in_place_of_its_plain_one():
    model = speed_up(heads.BertForSequenceClassification(BertConfig(**SIZES)))
    found = {type(part) for part in model.modules()}
    assert not found & set(FASTER)
    assert set(FASTER.values()) - found == {FASTER[heads.MaskedLMHead]}
    assert all(issubclass(faster, plain) for plain, faster in FASTER.items())


def test_copies_and_files_of_it(tmp_path):
    plain, faster = twins(bert(), torch.float64)
    expected = plain(*batch()).last_hidden_state
    path = tmp_path / "model.pt"
    torch.save(faster, path)
    for model in (copy.deepcopy(faster), torch.load(path, weights_only=False)):
        assert [type(part) for part in model.modules()] == [type(part) for part in faster.modules()]
        assert not model.eval().training and model.train().training
        torch.testing.assert_close(model.eval()(*batch()).last_hidden_state, expected, rtol=0, atol=1e-10)


# --- what is not known --------------------------------------------------------------------------------------------


class WithoutResidual(EncoderLayer):
    def forward(self, hidden_states, mask=None):
        attended, weights = self.attention(hidden_states, hidden_states, hidden_states, mask)
        return self.feed_forward_norm(self.feed_forward(attended)), weights


@pytest.mark.parametrize("kind", [PreLNEncoderLayer, WithoutResidual])
def test_a_layer_that_is_not_known_works_as_before(kind):
    class Stack(Encoder):
        layer_class = kind

    def make():
        encoder = Encoder(BertConfig(**(SIZES | QUIET)))
        encoder.layers[1] = kind(BertConfig(**(SIZES | QUIET)))
        return encoder

    x = torch.randn(B, T, 44, dtype=torch.float64)
    mask = batch()[1].bool()[:, None, None, :]
    for model in (make, lambda: Stack(BertConfig(**(SIZES | QUIET)))):
        plain, faster = twins(model, torch.float64)
        assert type(faster.layers[1]) is kind
        for flag in (False, True):
            one, other = (m(x, mask, output_attentions=flag) for m in (plain, faster))
            torch.testing.assert_close(other.last_hidden_state, one.last_hidden_state, rtol=0, atol=1e-10)
            assert (other.attentions is None) == (one.attentions is None)


def test_pre_ln_and_parts_alone():
    plain, faster = twins(lambda: PreLNEncoder(BertConfig(**(SIZES | QUIET))), torch.float64)
    assert type(faster) is PreLNEncoder and type(faster.layers[0].feed_forward) is not FeedForward
    x = torch.randn(B, T, 44, dtype=torch.float64)
    torch.testing.assert_close(faster(x).last_hidden_state, plain(x).last_hidden_state, rtol=0, atol=1e-10)
    single = nn.Linear(3, 5)
    assert speed_up(single) is single and type(single) is FASTER[nn.Linear]


def test_the_decoder_multiplies_few_different_numbers_of_rows(monkeypatch):
    """Whatever the number of chosen tokens; and what is added changes no score and no gradient."""
    rows = []
    monkeypatch.setattr(
        fast, "linear", lambda x, *rest: rows.append(len(x)) or nn.functional.linear(x, *rest)
    )
    plain, faster = twins(lambda: heads.MaskedLMHead(BertConfig(**SIZES)), torch.float64)
    embedding = torch.randn(SIZES["vocab_size"], SIZES["hidden_size"], dtype=torch.float64)
    for shape in ((1,), (63,), (64,), (65,), (5, 13)):
        states = torch.randn(*shape, SIZES["hidden_size"], dtype=torch.float64)
        found = []
        for head in (plain, faster):
            inputs = [states.clone().requires_grad_(), embedding.clone().requires_grad_()]
            scores = head(*inputs)
            asked = [*inputs, *head.parameters()]
            found.append([scores, *torch.autograd.grad(scores.sin().sum(), asked)])
        for mine, theirs in zip(*found, strict=True):
            torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-10)
    assert rows == [64, 64, 64, 128, 128]
    assert faster(torch.randn(0, SIZES["hidden_size"], dtype=torch.float64), embedding).shape == (0, 101)
