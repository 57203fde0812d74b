import copy

import pytest
import torch
import transformers
from torch._dynamo.testing import CompileCounter

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.pretrained import MINILM, load_pretrained
from course_utils.pretrained.name_map import reference_name
from course_utils.pretrained.sources import find_model
from course_utils.training.unpadded import skip_padding
from tests.model.every_head import SIZES, B, T, batch


def twins(seed=0, activation="gelu", **overrides):
    """A random reference model and ours with its weights, both in eval mode."""
    torch.manual_seed(seed)
    sizes = SIZES | overrides
    theirs = {"gelu_tanh": "gelu_new"}.get(activation, activation)
    reference = transformers.BertModel(
        transformers.BertConfig(**sizes, hidden_act=theirs, attn_implementation="eager")
    ).eval()
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.normal_(std=0.3)  # biases and gains too
    weights = reference.state_dict()
    ours = BertModel(BertConfig(**sizes, hidden_act=activation)).eval()
    ours.load_state_dict({name: weights[reference_name(name)] for name in ours.state_dict()})
    return ours, reference


def assert_same(ours, reference, atol=1e-5):
    assert len(ours.hidden_states) == len(reference.hidden_states)
    for mine, theirs in zip(ours.hidden_states, reference.hidden_states, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=atol)
    torch.testing.assert_close(ours.last_hidden_state, reference.last_hidden_state, rtol=0, atol=atol)
    torch.testing.assert_close(ours.pooler_output, reference.pooler_output, rtol=0, atol=atol)
    for mine, theirs in zip(ours.attentions or (), reference.attentions or (), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=atol)


@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh", "relu"])
def test_equal_to_the_reference_in_every_layer(activation):
    ours, reference = twins(activation=activation)
    ids, mask, segments = batch()
    with torch.no_grad():
        expected = reference(
            ids, mask, token_type_ids=segments, output_hidden_states=True, output_attentions=True
        )
        actual = ours(ids, mask, segments, output_attentions=True)
    assert len(actual.attentions) == 3 and actual.attentions[0].shape == (B, 11, T, T)
    assert_same(actual, expected)
    assert ours(ids).attentions is None


@pytest.mark.parametrize("given", [(False, False), (False, True), (True, False)])
def test_equal_to_the_reference_without_mask_or_segments(given):
    ours, reference = twins(seed=3)
    ids, mask, segments = batch()
    mask, segments = (value if flag else None for value, flag in zip((mask, segments), given))
    with torch.no_grad():
        expected = reference(
            ids, mask, token_type_ids=segments, output_hidden_states=True, output_attentions=True
        )
        assert_same(ours(ids, mask, segments, True), expected)


def test_gradients_equal_the_reference():
    ours, reference = (model.double() for model in twins(seed=4))
    ids, mask, segments = batch()
    # The reference keeps gradients from the embedding of token 0, which BERT's own code does not.
    ids = ids.clamp(min=1)
    for model in (ours, reference):
        output = model(ids, mask, token_type_ids=segments)
        (output.last_hidden_state[mask == 1].sin().sum() + output.pooler_output.sin().sum()).backward()
    theirs = dict(reference.named_parameters())
    for name, parameter in ours.named_parameters():
        torch.testing.assert_close(
            parameter.grad, theirs[reference_name(name)].grad, rtol=0, atol=1e-9, msg=name
        )


def test_attention_rows_sum_to_one_also_in_training_and_padding_gets_nothing():
    ours, _ = twins(attention_probs_dropout_prob=0.5)
    ids, mask, segments = batch()
    for weights in ours.train()(ids, mask, segments, True).attentions:
        torch.testing.assert_close(weights.sum(-1), torch.ones(B, 11, T))
        assert not weights.masked_select((mask == 0)[:, None, None, :]).any()


def test_what_stands_at_padding_changes_nothing():
    ours, _ = twins()
    ids, mask, segments = batch()
    changed = ids.masked_fill(mask == 0, 77)
    with torch.no_grad():
        one, other = (ours(x, mask, segments).last_hidden_state for x in (ids, changed))
    torch.testing.assert_close(one[mask == 1], other[mask == 1], rtol=0, atol=1e-6)


def test_without_mask_padding_is_not_guessed():
    ours, _ = twins()
    ids = torch.zeros(1, 5, dtype=torch.long)
    assert torch.equal(ours(ids).last_hidden_state, ours(ids, torch.ones_like(ids)).last_hidden_state)


def test_a_bool_mask_is_as_good():
    ours, _ = twins()
    ids, mask, segments = batch()
    assert torch.equal(ours(ids, mask, segments)[0], ours(ids, mask.bool(), segments)[0])
    assert torch.equal(ours(ids, mask, segments)[0], ours(ids, mask.int(), segments)[0])


def test_without_pooler():
    model = BertModel(BertConfig(**SIZES), pooler=False).eval()
    assert model(*batch()).pooler_output is None
    assert not any("pooler" in name for name in model.state_dict())


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (torch.zeros(B, T), "must be integers .* got torch.float32"),  # the additive kind
        (torch.full((B, T), -10000), "only 1 .token. and 0 .padding."),
        (torch.ones(B, T - 1, dtype=torch.bool), r"= \(5, 11, 13, 13\), got \(5, 1, 1, 12\)"),
        (torch.ones(B, 1, 1, T, dtype=torch.bool), r"got \(5, 1, 1, 1, 1, 13\)"),  # a padding_mask
    ],
)
def test_a_mask_that_would_hide_the_wrong_tokens_is_refused(mask, message):
    with pytest.raises(ValueError, match=message):
        twins()[0](batch()[0], mask)


# --- real weights ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def minilm():
    return *load_pretrained(MINILM), find_model(MINILM).folder


def reference_of(folder, implementation):
    return transformers.BertModel.from_pretrained(folder, attn_implementation=implementation).eval()


def test_real_weights_equal_the_reference_in_every_layer(minilm):
    model, tokenizer, folder = minilm
    pairs = [
        ("He sat down on the bank of the river.", "The water was cold."),
        ("The bank lent us money.", None),
        ("배를 타고 바다로 나갔다.", "배가 고프다."),
        ("", None),
    ]
    encodings = [tokenizer.encode(text, pair) for text, pair in pairs]
    longest = max(map(len, encodings))

    def padded(name):
        return torch.tensor([[*getattr(e, name), *[0] * (longest - len(e))] for e in encodings])

    ids, mask, segments = (padded(name) for name in ("input_ids", "attention_mask", "token_type_ids"))
    eager, exact = reference_of(folder, "eager"), reference_of(folder, "sdpa").double()
    twice = copy.deepcopy(model).double()
    for flip in (False, True):  # padding on the right, then on the left
        ids, mask, segments = (x.flip(1) if flip else x for x in (ids, mask, segments))
        given = {"attention_mask": mask, "token_type_ids": segments}
        real = mask == 1  # what stands at padding looks at the same keys, but nobody reads it
        with torch.no_grad():
            expected = eager(ids, **given, output_hidden_states=True, output_attentions=True)
            actual = model(ids, **given, output_attentions=True)
            for mine, theirs in zip(actual.hidden_states, expected.hidden_states, strict=True):
                torch.testing.assert_close(mine[real], theirs[real], rtol=0, atol=1e-5)
            for mine, theirs in zip(actual.attentions, expected.attentions, strict=True):
                rows = [weights.transpose(1, 2)[real] for weights in (mine, theirs)]
                torch.testing.assert_close(*rows, rtol=0, atol=1e-5)
            # At padding too; in float64, for there float32's rounding grows.
            expected = exact(ids, **given, output_hidden_states=True)
            assert_same(twice(ids, **given), expected, atol=1e-10)


@pytest.mark.rare
def test_real_weights_equal_the_reference_over_512_positions(minilm):
    model, _, folder = minilm
    ids = torch.randint(0, 30522, (1, 512), generator=torch.Generator().manual_seed(0))
    exact = reference_of(folder, "sdpa").double()
    with torch.no_grad():
        assert_same(copy.deepcopy(model).double()(ids), exact(ids, output_hidden_states=True), atol=1e-10)


# --- where values cannot be looked at -------------------------------------------------------------------------


class States(torch.nn.Module):
    """What is exported: from tensors to a tensor."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *given):
        return self.model(*given).last_hidden_state


@pytest.mark.slow
def test_lengths_may_vary_where_it_is_exported():
    ours, _ = twins()
    rows, length = torch.export.Dim("rows", min=2, max=61), torch.export.Dim("length", min=2, max=47)
    exported = torch.export.export(States(ours), batch(), dynamic_shapes=(((rows, length),) * 3,)).module()
    for given in (batch(), tuple(part[:3, :7] for part in batch())):
        torch.testing.assert_close(exported(*given), ours(*given).last_hidden_state, rtol=0, atol=1e-6)


@pytest.mark.slow
def test_lengths_may_vary_where_it_is_compiled():
    """One graph for the first length and one for all others: as few as transformers' BertModel makes."""
    ours, reference = twins()
    graphs = []
    for model in (ours, skip_padding(copy.deepcopy(ours)), reference):
        torch._dynamo.reset()
        counter = CompileCounter()
        compiled = torch.compile(model, backend=counter)
        with torch.no_grad():
            for length in (3, 5, 8, 12):  # of all 13 the memory would be laid out in another way
                ids, mask, _ = (part[:, :length] for part in batch())
                actual, expected = compiled(ids, mask), ours(ids, mask)
            torch.testing.assert_close(actual[0][mask == 1], expected[0][mask == 1], rtol=0, atol=2e-5)
        graphs.append(counter.frame_count)
    assert graphs == [2, 2, 2]
