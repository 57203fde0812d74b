"""Additive attention: by hand, by an einsum that shares no line with it, masks, and the encoder seen from both ends."""

import math

import pytest
import torch
from torch import nn

from course_utils.before import AdditiveAttention, AttentionSeq2Seq
from course_utils.before.additive_attention import masked_softmax
from tests.before.every_model import SOURCE, TARGET, C, drawn, made

B, T_Q, T_K, WIDE = 2, 3, 5, 7


def attention() -> AdditiveAttention:
    torch.manual_seed(3)
    return AdditiveAttention(WIDE).double()


def test_two_queries_and_two_keys_by_hand() -> None:
    """C = 1, W = 2, U = −1, v = 3; queries 0.5 and −0.25, keys 1 and 2, values 10 and 20."""
    small = AdditiveAttention(1).double()
    with torch.no_grad():
        for part, number in ((small.query, 2.0), (small.key, -1.0), (small.score, 3.0)):
            part.weight.fill_(number)
    column = lambda *numbers: torch.tensor(numbers, dtype=torch.float64)[None, :, None]  # noqa: E731
    context, weights = small(column(0.5, -0.25), column(1.0, 2.0), column(10.0, 20.0))
    for row, query in enumerate((0.5, -0.25)):
        one, two = (math.exp(3 * math.tanh(2 * query - key)) for key in (1.0, 2.0))
        assert weights[0, row].tolist() == pytest.approx([one / (one + two), two / (one + two)])
        assert context[0, row].item() == pytest.approx((10 * one + 20 * two) / (one + two))


def test_same_as_an_einsum_in_values_and_gradients() -> None:
    part = attention()
    query, key, value = drawn(B, T_Q, WIDE), drawn(B, T_K, WIDE, seed=2), drawn(B, T_K, WIDE, seed=4)
    mask = torch.tensor([[True] * 5, [True, True, False, True, False]])[:, None]
    context, weights = part(query, key, value, mask)
    W, U, v = (p.weight.detach().clone().requires_grad_() for p in (part.query, part.key, part.score))
    hidden = torch.tanh(
        torch.einsum("bqi,ai->bqa", query, W)[:, :, None] + torch.einsum("bki,ai->bka", key, U)[:, None]
    )
    scores = torch.einsum("bqka,a->bqk", hidden, v[0]).exp() * mask
    expected = scores / scores.sum(-1, keepdim=True)
    torch.testing.assert_close(weights, expected)
    torch.testing.assert_close(context, torch.einsum("bqk,bkc->bqc", expected, value))
    direction = drawn(B, T_Q, WIDE, seed=6)
    (context * direction).sum().backward()
    (torch.einsum("bqk,bkc->bqc", expected, value) * direction).sum().backward()
    for ours, theirs in ((part.query, W), (part.key, U), (part.score, v)):
        torch.testing.assert_close(ours.weight.grad, theirs.grad)
    assert [name for name, _ in part.named_parameters()] == ["query.weight", "key.weight", "score.weight"]


def test_masked_keys_get_exactly_nothing() -> None:
    part = attention()
    query, key = drawn(B, T_Q, WIDE), drawn(B, T_K, WIDE, seed=2)
    mask = torch.tensor([[True, True, True, False, False], [False] * 5])[:, None]
    context, weights = part(query, key, key, mask)
    assert torch.equal(weights[0, :, 3:], torch.zeros(T_Q, 2).double()) and not weights[1].any()
    torch.testing.assert_close(weights[0].sum(-1), torch.ones(T_Q).double())
    torch.testing.assert_close(context[:1], part(query[:1], key[:1, :3], key[:1, :3])[0])
    key = key.clone().requires_grad_()
    part(query, key, key, mask)[0].sum().backward()
    assert key.grad.isfinite().all() and not key.grad[0, 3:].any() and not key.grad[1].any()


def test_masked_softmax_of_large_scores() -> None:
    weights = masked_softmax(torch.tensor([[1e4, 1e4, 3e4]]), torch.tensor([[True, True, False]]))
    assert weights.tolist() == [[0.5, 0.5, 0.0]]


def test_the_encoder_is_torchs_bidirectional_gru() -> None:
    model = made(AttentionSeq2Seq)
    twin = nn.GRU(C, C // 2, bidirectional=True, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for part, end in ((model.forwards, ""), (model.backwards, "_reverse")):
            for ours, name in ((part.input, "ih"), (part.hidden, "hh")):
                getattr(twin, f"weight_{name}_l0{end}").copy_(ours.weight)
                getattr(twin, f"bias_{name}_l0{end}").copy_(ours.bias)
    real = SOURCE != 0
    annotations, state = model.read(SOURCE, real)
    embedded = model.source_embedding(SOURCE)
    packed = nn.utils.rnn.pack_padded_sequence(embedded, real.sum(-1), batch_first=True, enforce_sorted=False)
    out, last = twin(packed)
    expected, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
    torch.testing.assert_close(annotations[real], expected[real])
    torch.testing.assert_close(state, torch.tanh(model.bridge(torch.cat([last[0], last[1]], dim=-1))))


def test_each_step_asks_with_the_state_before_it() -> None:
    """The decoder again, step by step, with torch's GRUCell."""
    model = made(AttentionSeq2Seq)
    logits, weights = model.align(SOURCE, TARGET)
    torch.testing.assert_close(logits, model(SOURCE, TARGET))
    cell = nn.GRUCell(2 * C, C, dtype=torch.float64)
    pairs = {"weight_ih": model.decoder.input.weight, "bias_ih": model.decoder.input.bias}
    pairs |= {"weight_hh": model.decoder.hidden.weight, "bias_hh": model.decoder.hidden.bias}
    cell.load_state_dict(pairs)
    real = SOURCE != 0
    annotations, state = model.read(SOURCE, real)
    for place in range(TARGET.shape[1]):
        context, looks = model.attention(state[:, None], annotations, annotations, real[:, None])
        state = cell(torch.cat([model.target_embedding(TARGET[:, place]), context[:, 0]], -1), state)
        expected = model.output(torch.cat([state, context[:, 0]], dim=-1))
        torch.testing.assert_close(logits[:, place], expected)
        torch.testing.assert_close(weights[:, place], looks[:, 0])
    assert not weights[~real[:, None].expand_as(weights)].any()
