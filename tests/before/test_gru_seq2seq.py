"""The GRU by hand: torch's nn.GRU with the same weights, a value by hand, padding, start values."""

import math

import pytest
import torch
from torch import nn

from course_utils.before import GRU, GRUSeq2Seq
from tests.before.every_model import SOURCE, TARGET, drawn, made

B, T, C_IN, C = 3, 11, 5, 7


def twins() -> tuple[GRU, nn.GRU]:
    torch.manual_seed(3)
    ours, theirs = GRU(C_IN, C).double(), nn.GRU(C_IN, C, batch_first=True, dtype=torch.float64)
    pairs = {"weight_ih": ours.input.weight, "bias_ih": ours.input.bias}
    pairs |= {"weight_hh": ours.hidden.weight, "bias_hh": ours.hidden.bias}
    with torch.no_grad():
        for name, parameter in pairs.items():
            parameter.copy_(0.7 * drawn(*parameter.shape, seed=len(name) + parameter.dim()))
            getattr(theirs, f"{name}_l0").copy_(parameter)
    return ours, theirs


@pytest.mark.parametrize("with_state", [False, True])
def test_same_as_torch_in_values_and_gradients(with_state) -> None:
    ours, theirs = twins()
    state = drawn(B, C, seed=2) if with_state else None
    inputs = [drawn(B, T, C_IN).requires_grad_() for _ in range(2)]
    states = ours(inputs[0], state)
    expected, last = theirs(inputs[1], None if state is None else state[None])
    torch.testing.assert_close(states, expected)
    torch.testing.assert_close(states[:, -1], last[0])
    direction = drawn(B, T, C, seed=5)
    (states * direction).sum().backward()
    (expected * direction).sum().backward()
    torch.testing.assert_close(inputs[0].grad, inputs[1].grad)
    for part, name in ((ours.input, "ih"), (ours.hidden, "hh")):
        torch.testing.assert_close(part.weight.grad, getattr(theirs, f"weight_{name}_l0").grad)
        torch.testing.assert_close(part.bias.grad, getattr(theirs, f"bias_{name}_l0").grad)
    assert (
        sum(p.numel() for p in ours.parameters())
        == sum(p.numel() for p in theirs.parameters())
        == 3 * C * (C_IN + C + 2)
    )


def test_padding_is_what_packing_does() -> None:
    ours, theirs = twins()
    lengths = torch.tensor([11, 3, 7])
    inputs, real = drawn(B, T, C_IN), torch.arange(T) < lengths[:, None]
    packed = nn.utils.rnn.pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
    out, last = theirs(packed)
    expected, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
    states = ours(inputs, real=real)
    torch.testing.assert_close(states[real], expected[real])
    torch.testing.assert_close(states[:, -1], last[0])
    torch.testing.assert_close(states[1, 3:], states[1, 2].expand(8, C))  # held
    # Padding in front is waited through as well: the state is zero until the sentence begins.
    behind = ours(inputs.flip(1)[1:2, 8:])
    torch.testing.assert_close(ours(inputs.flip(1), real=real.flip(1))[1:2, 8:], behind)


def test_one_step_by_hand() -> None:
    """C_in = C = 1: x = 2, h = 0.5; r, z, n have the weights 1, −1, 0.5 on x and 2, 1, −1 on h."""
    gru = GRU(1, 1).double()
    with torch.no_grad():
        gru.input.weight.copy_(torch.tensor([[1.0], [-1.0], [0.5]]))
        gru.hidden.weight.copy_(torch.tensor([[2.0], [1.0], [-1.0]]))
        gru.input.bias.copy_(torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64))
        gru.hidden.bias.copy_(torch.tensor([0.0, 0.0, 0.4], dtype=torch.float64))
    sigmoid = lambda a: 1 / (1 + math.exp(-a))  # noqa: E731
    r, z = sigmoid(2.0 + 0.1 + 1.0), sigmoid(-2.0 + 0.2 + 0.5)
    n = math.tanh(1.0 + 0.3 + r * (-0.5 + 0.4))
    state = gru(torch.tensor([[[2.0]]], dtype=torch.float64), torch.tensor([[0.5]], dtype=torch.float64))
    assert state.item() == pytest.approx((1 - z) * n + z * 0.5, abs=1e-12)
    paper = math.tanh(1.0 + 0.3 + 0.4 - r * 0.5)  # Cho et al. reset before the product: another candidate
    assert abs(state.item() - ((1 - z) * paper + z * 0.5)) > 0.003


def test_start_values_are_those_of_torch() -> None:
    torch.manual_seed(0)
    ours, theirs = GRU(101, 97), nn.GRU(101, 97)
    bound = 97**-0.5
    for parameter in (*ours.parameters(), *theirs.parameters()):
        assert parameter.abs().max() <= bound
        assert parameter.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.1)


def test_the_decoder_gets_one_vector_and_nothing_else(monkeypatch) -> None:
    model = made(GRUSeq2Seq)
    expected, summary = model(SOURCE, TARGET), model.encode(SOURCE)
    assert summary.shape == (3, 6)
    monkeypatch.setattr(model, "encode", lambda source_ids: summary)
    torch.testing.assert_close(model(torch.ones_like(SOURCE), TARGET), expected)
