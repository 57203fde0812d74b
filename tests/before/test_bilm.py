"""The language models of LSTMs: losses by hand, what each direction sees, padding, what is shared."""

import math

import pytest
import torch
import torch.nn.functional as F

from course_utils.before import BiLM, LSTMLanguageModel
from course_utils.before.lstm_lm import turned
from tests.small import randomised

B, T, V, C, L = 3, 11, 23, 7, 2
LENGTHS = torch.tensor([11, 5, 2])
MASK = (torch.arange(T) < LENGTHS[:, None]).long()
IDS = torch.randint(1, V, (B, T), generator=torch.Generator().manual_seed(1)) * MASK


def made(kind=BiLM):
    return randomised(kind(V, C, L), spread=0.5, seed=3)


def walked(words, softmax, stack, ids):
    """One sentence, token after token, by nn.LSTMCell-like steps: the log-probability of each next token."""
    state = [None] * L
    found = []
    for token, following in zip(ids, ids[1:]):
        hidden = words.weight[token][None, None]
        for number, layer in enumerate(stack.layers):
            out, state[number] = layer(hidden, state[number])
            hidden = out + hidden if number else out
        scores = (softmax.weight @ hidden[0, 0] + softmax.bias).tolist()
        found.append(scores[following] - math.log(sum(map(math.exp, scores))))
    return found


def test_losses_are_those_computed_token_by_token():
    model = made()
    words, softmax = model.ends.words, model.ends.softmax
    forward, backward = [], []
    for row, length in zip(IDS.tolist(), LENGTHS.tolist()):
        forward += walked(words, softmax, model.forwards, row[:length])
        backward += walked(words, softmax, model.backwards, row[:length][::-1])
    assert len(forward) == len(backward) == 10 + 4 + 1
    output = model(IDS, MASK)
    assert output.forward_loss.item() == pytest.approx(-sum(forward) / 15, abs=1e-12)
    assert output.backward_loss.item() == pytest.approx(-sum(backward) / 15, abs=1e-12)
    assert output.loss.item() == pytest.approx(-sum(forward) / 15 - sum(backward) / 15, abs=1e-12)
    assert abs(output.forward_loss.item() - output.backward_loss.item()) > 0.01


def test_a_loss_by_hand():
    """Where the softmax knows only its bias: two targets forward (2, 0), two backward (1, 2)."""
    model = BiLM(3, 5, 1)
    with torch.no_grad():
        model.ends.softmax.weight.zero_()
        model.ends.softmax.bias.copy_(torch.tensor([0.0, math.log(2), math.log(5)]))  # p = 1/8, 2/8, 5/8
    output = model(torch.tensor([[1, 2, 0]]))
    assert output.forward_loss.item() == pytest.approx(-(math.log(5 / 8) + math.log(1 / 8)) / 2, abs=1e-6)
    assert output.backward_loss.item() == pytest.approx(-(math.log(2 / 8) + math.log(5 / 8)) / 2, abs=1e-6)
    alone = model(torch.tensor([[1]]))
    assert alone.loss.item() == 0.0 and len(alone.hidden_states) == 2  # nothing to predict


def test_neither_direction_sees_its_target_or_what_lies_behind_it():
    model = made()
    place = 4
    behind, ahead = IDS[:1].clone(), IDS[:1].clone()
    behind[:, place + 1 :] = 1 + behind[:, place + 1 :] % (V - 1)
    ahead[:, :place] = 1 + ahead[:, :place] % (V - 1)
    states, other, third = (model(ids).hidden_states for ids in (IDS[:1], behind, ahead))
    for layer in range(L + 1):
        assert torch.equal(states[layer][:, : place + 1, :C], other[layer][:, : place + 1, :C])
        assert torch.equal(states[layer][:, place:, C:], third[layer][:, place:, C:])
    for layer in range(1, L + 1):  # while the other half has seen it
        assert (states[layer][:, place, C:] != other[layer][:, place, C:]).any()
        assert (states[layer][:, place, :C] != third[layer][:, place, :C]).any()
    assert torch.equal(states[0][:, place], other[0][:, place])  # layer 0 knows no context


@pytest.mark.parametrize("kind", [BiLM, LSTMLanguageModel])
def test_padding_changes_nothing(kind):
    model = made(kind)
    output = model(IDS, MASK)
    longer = model(F.pad(IDS, (0, 3), value=9), F.pad(MASK, (0, 3)))
    noise = model(torch.where(MASK.bool(), IDS, 17), MASK)
    assert longer.loss.item() == pytest.approx(output.loss.item(), abs=1e-12)
    assert noise.loss.item() == pytest.approx(output.loss.item(), abs=1e-12)
    for row, length in enumerate(LENGTHS.tolist()):
        alone = model(IDS[row : row + 1, :length])
        for layer, state in enumerate(alone.hidden_states):
            for padded in (output, longer, noise):
                torch.testing.assert_close(padded.hidden_states[layer][row, :length], state[0])


def test_hidden_states_are_forward_then_backward_above_the_doubled_tokens():
    model = made()
    states = model(IDS, MASK).hidden_states
    assert [tuple(state.shape) for state in states] == [(B, T, 2 * C)] * (L + 1)
    token = model.ends.words(IDS)
    torch.testing.assert_close(states[0], torch.cat([token, token], dim=-1))
    first = model.forwards.layers[0](token)[0]
    torch.testing.assert_close(states[1][..., :C], first)
    torch.testing.assert_close(states[2][..., :C], model.forwards.layers[1](first)[0] + first)
    row = token[1:2, :5].flip(1)
    torch.testing.assert_close(states[1][1:2, :5, C:], model.backwards.layers[0](row)[0].flip(1))
    assert model(IDS, MASK).last_hidden_state.shape == (B, T, 2 * C)


def test_logits_are_those_of_the_losses():
    model = made()
    output = model(IDS, MASK)
    ahead, back = model.logits(output.last_hidden_state)
    chosen = MASK[:, 1:].bool()
    forward = F.cross_entropy(ahead[:, :-1][chosen], IDS[:, 1:][chosen])
    backward = F.cross_entropy(back[:, 1:][chosen], IDS[:, :-1][chosen])
    torch.testing.assert_close(torch.stack([forward, backward]), torch.stack(output[1:3]))


def test_the_directions_share_words_and_softmax():
    """Parameters by hand: an LSTM layer has 4·C·(2·C + 2), the ends V·C and V·C + V."""
    lstm, ends = L * 4 * C * (2 * C + 2), 2 * V * C + V
    elmo = BiLM(V, C, L)
    assert sum(p.numel() for p in elmo.parameters()) == 2 * lstm + ends
    assert sum(p.numel() for p in LSTMLanguageModel(V, C, L).parameters()) == lstm + ends
    elmo(IDS, MASK).backward_loss.backward()
    assert elmo.ends.words.weight.grad is not None and elmo.ends.softmax.weight.grad is not None
    assert all(p.grad is None for p in elmo.forwards.parameters())


def test_turned_by_hand():
    real = torch.tensor([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]]).bool()
    values = torch.tensor([[5, 6, 7, 8]] * 4)
    expected = [[7, 6, 5, 8], [5, 6, 7, 8], [8, 7, 6, 5], [5, 6, 7, 8]]
    assert turned(values, real).tolist() == expected
    assert turned(turned(values, real), real).tolist() == values.tolist()


@pytest.mark.parametrize("kind", [BiLM, LSTMLanguageModel])
def test_it_starts_from_its_generator_near_the_entropy_of_the_vocabulary(kind):
    one, two = (kind(V, 64, L, generator=torch.Generator().manual_seed(5)) for _ in range(2))
    for mine, other in zip(one.parameters(), two.parameters()):
        assert torch.equal(mine, other)
    halves = 1 if kind is LSTMLanguageModel else 2
    assert one(IDS, MASK).loss.item() == pytest.approx(halves * math.log(V), rel=0.1)
