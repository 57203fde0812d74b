"""TinyBERT: the layer map, scores before the softmax, and the loss of each layer."""

import copy
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_utils.after.layerwise import LayerwiseLoss
from course_utils.after.tinybert import (
    attention_score_loss,
    attention_scores,
    hidden_loss,
    layer_map,
    prediction_loss,
)
from course_utils.bert import BertModel
from course_utils.datasets.batching import seeded
from course_utils.heads import BertForMaskedLM, BertForSequenceClassification
from course_utils.training.fast import speed_up
from tests.after.models import B, T, V, batch, config, randn, without_dropout


def bert(layers=3, hidden=10, seed=0, **more):
    return BertModel(config(layers, hidden, **more), generator=seeded(seed)).double()


# --- The layer map


def test_four_layers_from_every_third_of_twelve():
    assert layer_map(4, 12) == (0, 3, 6, 9, 12, 13)  # embedding layer, four layers, prediction layer
    assert layer_map(6, 12) == (0, 2, 4, 6, 8, 10, 12, 13)
    assert layer_map(5, 5) == tuple(range(7)) and layer_map(1, 7) == (0, 7, 8)


# --- Scores before the softmax


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("fast", [False, True])
def test_the_softmax_of_the_scores_gives_the_attention_weights(training, fast):
    """Also in training: the weights returned are those before dropout, and queries and keys drop nothing."""
    model = bert(hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.3).train(training)
    model = speed_up(model) if fast else model
    ids, mask, segments, _ = batch()
    output = model(ids, mask, segments, output_attentions=True)
    scores = attention_scores(model, output.hidden_states)
    assert len(scores) == 3
    blocked = (mask == 0)[:, None, None, :]  # (B, 1, 1, T)
    for own, weights in zip(scores, output.attentions, strict=True):
        assert own.shape == (B, 5, T, T)
        torch.testing.assert_close(own.masked_fill(blocked, -math.inf).softmax(-1), weights)


def test_scores_by_hand():
    """One head of size 4, q = W_q h and k = W_k h without biases: A = q·k/2."""
    model = bert(1, hidden=4, num_attention_heads=1)
    states = [randn(1, 2, 4, seed=5), randn(1, 2, 4, seed=6)]
    attention = model.encoder.layers[0].attention
    query = states[0][0, 1] @ attention.query.weight.T + attention.query.bias
    key = states[0][0, 0] @ attention.key.weight.T + attention.key.bias
    assert attention_scores(model, states)[0][0, 0, 1, 0].item() == pytest.approx((query @ key).item() / 2)


def test_the_loss_sees_what_the_softmax_takes_away():
    """A number added to all keys of a query changes no weight: weights agree, scores do not."""
    scores = randn(B, 5, T, T, seed=1)
    moved = scores + 3.0
    torch.testing.assert_close(scores.softmax(-1), moved.softmax(-1))
    assert attention_score_loss(scores, moved).item() == pytest.approx(9.0)


def test_the_score_loss_is_the_mean_over_heads_and_real_pairs():
    student, teacher = randn(B, 5, T, T, seed=1).requires_grad_(), randn(B, 5, T, T, seed=2).requires_grad_()
    by_heads = [F.mse_loss(student[:, head], teacher[:, head]) for head in range(5)]  # eq. 7
    torch.testing.assert_close(attention_score_loss(student, teacher), sum(by_heads) / 5)
    mask = batch()[1]
    total = count = 0.0
    for row in range(B):
        places = mask[row].nonzero()[:, 0].tolist()
        for query in places:
            for key in places:
                total += (student - teacher)[row, :, query, key].square().sum().item()
                count += 5
    loss = attention_score_loss(student, teacher, mask)
    assert loss.item() == pytest.approx(total / count)
    loss.backward()
    assert teacher.grad is None
    assert student.grad[1, :, 4:].abs().max() == 0 and student.grad[1, :, :, 4:].abs().max() == 0


# --- Hidden states and predictions


def test_hidden_loss_by_hand_and_padding():
    projection = nn.Linear(2, 3, bias=False)
    with torch.no_grad():
        projection.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]))
    student = torch.tensor([[[1.0, 2.0], [7.0, 7.0]]])  # projected: (1, 4, 3)
    teacher = torch.tensor([[[0.0, 4.0, 5.0], [7.0, 7.0, 7.0]]])  # less (1, 0, −2)
    mask = torch.tensor([[1, 0]])
    assert hidden_loss(student, teacher, projection, mask).item() == pytest.approx(5 / 3)
    loss = hidden_loss(student, teacher, projection)
    torch.testing.assert_close(loss, F.mse_loss(projection(student), teacher))


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_prediction_loss_is_torchs_soft_cross_entropy(temperature):
    student, teacher = randn(5, V, seed=1).requires_grad_(), randn(5, V, seed=2).requires_grad_()
    ours = prediction_loss(student, teacher, temperature=temperature)
    theirs = F.cross_entropy(student / temperature, (teacher / temperature).softmax(-1))
    torch.testing.assert_close(ours, theirs)
    ours.backward()
    assert teacher.grad is None and student.grad.abs().sum() > 0


# --- All layers


def pair(kind=BertModel):
    """A student of 2 layers, 10 wide, and a teacher of 6, 15 wide; a bare BertModel, or with a head."""
    small, large = config(2, 10), config(6, 15, hidden_dropout_prob=0.5)
    student, teacher = kind(small, generator=seeded(1)), kind(large, generator=seeded(2))
    without_dropout(student)
    return LayerwiseLoss(student, teacher, generator=seeded(3)).double(), teacher.double()


def test_each_layer_copies_its_own():
    loss, teacher = pair()
    assert loss.layer_map == (0, 3, 6, 7)
    ids, mask, segments, _ = batch()
    output = loss(ids, mask, segments)
    own, taught = loss.student(ids, mask, segments), teacher.eval()(ids, mask, segments)
    student_scores = attention_scores(loss.student, own.hidden_states)
    teacher_scores = attention_scores(teacher, taught.hidden_states)
    W_e, W_h = loss.embedding_projection, loss.hidden_projection
    wanted = [hidden_loss(own.hidden_states[0], taught.hidden_states[0], W_e, mask)]
    for m, n in ((1, 3), (2, 6)):
        hidden = hidden_loss(own.hidden_states[m], taught.hidden_states[n], W_h, mask)
        # The third layer is number 2 when counted from 0.
        wanted.append(hidden + attention_score_loss(student_scores[m - 1], teacher_scores[n - 1], mask))
    torch.testing.assert_close(torch.stack(output.layers[:-1]), torch.stack(wanted))
    assert output.layers[-1] is None
    torch.testing.assert_close(output.loss, sum(wanted))


def test_the_prediction_layer_counts_at_real_tokens_or_once_a_row():
    ids, mask, segments, _ = batch()
    loss, teacher = pair(BertForMaskedLM)
    output, real = loss(ids, mask, segments), mask.bool()
    given, wanted = (model(ids, mask, segments).logits[real] for model in (loss.student, teacher.eval()))
    torch.testing.assert_close(output.layers[3], prediction_loss(given, wanted))
    loss, teacher = pair(BertForSequenceClassification)
    output = loss(ids, mask, segments)
    given, wanted = (model(ids, mask, segments).logits for model in (loss.student, teacher.eval()))
    torch.testing.assert_close(output.layers[3], prediction_loss(given, wanted))
    torch.testing.assert_close(output.loss, sum(output.layers))


def test_the_teacher_is_no_part_of_it_and_is_asked_in_eval_mode():
    loss, teacher = pair()
    before = copy.deepcopy(teacher.state_dict())
    ids, mask, segments, _ = batch()
    loss.train()
    teacher.train()
    assert torch.equal(loss(ids, mask, segments).loss, loss(ids, mask, segments).loss)  # nothing was dropped
    loss(ids, mask, segments).loss.backward()
    assert all(parameter.grad is None for parameter in teacher.parameters()) and teacher.training
    names = dict(loss.named_parameters())
    assert {"embedding_projection.weight", "hidden_projection.weight"} < set(names)
    used = [name for name in names if "pooler" not in name and "layers.1.feed" not in name]
    assert all(names[name].grad is not None for name in used)
    assert len(names) == len(list(loss.student.parameters())) + 2
    assert all(torch.equal(tensor, before[name]) for name, tensor in teacher.state_dict().items())


def test_padding_counts_for_nothing():
    ids, mask, segments, _ = batch()
    loss, _ = pair()
    longer = loss(*(F.pad(one, (0, 3)) for one in (ids, mask, segments)))
    other = loss(torch.where(mask == 1, ids, 5), mask, segments)
    for one in (longer, other):
        torch.testing.assert_close(one.loss, loss(ids, mask, segments).loss)
