import pytest
import torch
from torch import nn

from course_utils import heads
from course_utils.config import BertConfig
from course_utils.encoder import Encoder, PreLNEncoder
from course_utils.training.fast import FastEncoder, FastMultiHeadAttention
from course_utils.training.unpadded import ROWS, UnpaddedEncoder, skip_padding
from tests.model.every_head import HEADS, SIZES, B, T, batch, in_its_form, targets
from tests.training.test_fast import QUIET, bert, same_gradients
from tests.training.test_fast import twins as plain_and_faster

READS_PADDING = "BertForQuestionAnswering"


def twins(make):
    """A plain model in float64 with every parameter random, and a copy that skips padding."""
    return plain_and_faster(make, torch.float64, skip_padding)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("long", [False, True], ids=["a few tokens", "more than one block of rows"])
def test_states_and_gradients_at_every_real_token(training, long):
    plain, unpadded = (model.train(training) for model in twins(bert()))
    ids, mask, segments = (tensor.repeat(4, 1) if long else tensor for tensor in batch())
    assert (int(mask.sum()) > ROWS) == long
    outputs = [model(ids, mask, segments) for model in (plain, unpadded)]
    real = mask.bool()
    for one, other in zip(*(output.hidden_states for output in outputs), strict=True):
        torch.testing.assert_close(other[real], one[real], rtol=0, atol=1e-10)
    for states in outputs[1].hidden_states[1:]:
        assert not states[~real].any()  # exactly 0
    one, other = (output.pooler_output[real[:, 0]] for output in outputs)
    torch.testing.assert_close(other, one, rtol=0, atol=1e-10)
    losses = [output.last_hidden_state[real].sin().sum() for output in outputs]
    same_gradients((plain, unpadded), losses, atol=1e-8)


@pytest.mark.parametrize("rows", [[4], [0, 1, 2, 3, 4]], ids=["a row", "the batch"])
def test_what_is_padding_alone(rows):
    plain, unpadded = twins(bert())
    ids, mask, segments = batch()
    mask[rows] = 0
    one, other = (model(ids, mask, segments).last_hidden_state for model in (plain, unpadded))
    torch.testing.assert_close(other[mask.bool()], one[mask.bool()], rtol=0, atol=1e-10)
    assert not other[mask == 0].any()


@pytest.mark.parametrize("name", HEADS)
def test_every_head_its_loss_and_gradients(name):
    models = twins(lambda: getattr(heads, name)(BertConfig(**(SIZES | QUIET))))
    ids, mask, segments = batch()
    mask[:, 0] = 1  # [CLS] is never padding
    labels = targets(name)
    if "labels" in labels and labels["labels"].shape == mask.shape:
        labels["labels"] = labels["labels"].masked_fill(mask == 0, -100)
    given = in_its_form(name, (ids, mask, segments))
    plain, unpadded = (model.train()(*given, **labels) for model in models)
    torch.testing.assert_close(unpadded.loss, plain.loss, rtol=0, atol=1e-10)
    same_gradients(models, (plain.loss, unpadded.loss), atol=1e-9)
    encoder = next(part for part in models[1].modules() if isinstance(part, Encoder))
    assert type(encoder) is (FastEncoder if name == READS_PADDING else UnpaddedEncoder)


def test_no_product_sees_more_than_the_real_tokens():
    """What the whole is for: 64 rows at a time instead of B·T."""
    _, unpadded = twins(bert())
    ids, mask, segments = batch()
    seen = []
    for part in unpadded.encoder.modules():
        if isinstance(part, nn.Linear):
            part.register_forward_pre_hook(lambda part, given: seen.append(given[0].shape[:-1].numel()))
    unpadded(ids, mask, segments)
    assert int(mask.sum()) < ROWS < 4 * B * T and set(seen) == {ROWS}
    seen.clear()
    unpadded(ids, torch.ones_like(mask), segments)
    assert set(seen) == {B * T}  # nothing to leave out


def test_what_asks_for_weights_or_is_not_known_gets_all():
    plain, unpadded = twins(bert())
    outputs = [model(*batch(), True) for model in (plain, unpadded)]
    for one, other in zip(*(output.attentions for output in outputs), strict=True):
        torch.testing.assert_close(other, one, rtol=0, atol=1e-10)
    torch.testing.assert_close(outputs[1].last_hidden_state, outputs[0].last_hidden_state, rtol=0, atol=1e-10)

    class Other(FastMultiHeadAttention):
        pass

    unpadded.encoder.layers[1].attention.__class__ = Other
    mask = batch()[1].bool()
    states = unpadded(*batch()).last_hidden_state
    torch.testing.assert_close(states, outputs[0].last_hidden_state, rtol=0, atol=1e-10)
    assert states[~mask].any()
    pre_ln = skip_padding(PreLNEncoder(BertConfig(**(SIZES | QUIET))))
    assert type(pre_ln) is PreLNEncoder


def test_a_mask_that_differs_from_query_to_query():
    plain, unpadded = twins(lambda: Encoder(BertConfig(**(SIZES | QUIET))))
    x = torch.randn(B, T, SIZES["hidden_size"], dtype=torch.float64)
    causal = torch.ones(T, T, dtype=torch.bool).tril()
    for mask in (causal, causal.expand(B, 1, T, T), torch.ones(1, 1, 1, T, dtype=torch.bool)):
        one, other = (model(x, mask).last_hidden_state for model in (plain, unpadded))
        torch.testing.assert_close(other, one, rtol=0, atol=1e-10)
