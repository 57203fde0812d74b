"""Convolutional translation: F.glu, nn.Conv1d with the same weights, windows, scaling, start values, positions."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_utils.before.conv_seq2seq import ConvSeq2Seq, GatedConvolution, glu
from tests.before.every_model import SOURCE, TARGET, C, drawn, made

B, T, WIDE = 3, 11, 7


def test_glu_is_torchs_in_values_and_gradients() -> None:
    one, two = (drawn(B, T, 10).requires_grad_() for _ in range(2))
    torch.testing.assert_close(glu(one), F.glu(two))
    (glu(one) * drawn(B, T, 5)).sum().backward()
    (F.glu(two) * drawn(B, T, 5)).sum().backward()
    torch.testing.assert_close(one.grad, two.grad)
    assert glu(torch.tensor([3.0, 0.0])).item() == 1.5  # 3 · σ(0)


@pytest.mark.parametrize(("window", "before"), [(3, 1), (3, 2), (5, 2), (5, 4), (1, 0), (4, 0)])
def test_same_as_conv1d_in_values_and_gradients(window, before) -> None:
    torch.manual_seed(3)
    ours, theirs = (
        GatedConvolution(WIDE, window, before=before).double(),
        nn.Conv1d(WIDE, 2 * WIDE, window).double(),
    )
    with torch.no_grad():
        ours.linear.bias.copy_(drawn(2 * WIDE))
        theirs.bias.copy_(ours.linear.bias)
        theirs.weight.copy_(ours.linear.weight.unflatten(1, (window, WIDE)).transpose(1, 2))
    one, two = (drawn(B, T, WIDE).requires_grad_() for _ in range(2))
    padded = F.pad(two.transpose(1, 2), (before, window - 1 - before))
    expected = F.glu(theirs(padded).transpose(1, 2))
    torch.testing.assert_close(ours(one), expected)
    (ours(one) * drawn(B, T, WIDE)).sum().backward()
    (expected * drawn(B, T, WIDE)).sum().backward()
    torch.testing.assert_close(one.grad, two.grad)
    gradient = theirs.weight.grad.transpose(1, 2).flatten(1)
    torch.testing.assert_close(ours.linear.weight.grad, gradient)


def test_two_blocks_see_five_tokens_of_the_source() -> None:
    model = made(ConvSeq2Seq, num_layers=2)
    real = SOURCE[:1] != 0
    before = model.read(SOURCE[:1], real)[1]
    changed = SOURCE[:1].clone()
    changed[0, 3] = 13
    moved = (model.read(changed, real)[1] - before).abs().amax(-1)[0] > 1e-9
    assert moved.tolist() == [False, True, True, True, True, True, False]


def test_the_decoder_by_hand() -> None:
    """One block, with plain loops over sentences and places."""
    model = made(ConvSeq2Seq, num_layers=1)
    logits = model(SOURCE, TARGET)
    half = math.sqrt(0.5)
    for row, length in enumerate((7, 3, 5)):
        e = model.source_embedding(SOURCE[row, :length]) + model.source_positions.embedding.weight[:length]
        z = (e + windowed(model.encoder[0], e, 1)) * half
        g = model.target_embedding(TARGET[row]) + model.target_positions.embedding.weight[:5]
        h = windowed(model.decoder[0], g, 2)
        for place in range(5):
            d = model.queries[0](h[place]) + g[place]
            weights = torch.stack([d @ z[j] for j in range(length)]).softmax(0)
            c = sum(weights[j] * (z[j] + e[j]) for j in range(length)) * math.sqrt(length)
            expected = model.output((g[place] + (h[place] + c) * half) * half)
            torch.testing.assert_close(logits[row, place], expected)


def windowed(part: GatedConvolution, states: torch.Tensor, before: int) -> torch.Tensor:
    """GLU of a window of three, (T, C) -> (T, C), one place after the other."""
    rows = []
    for place in range(len(states)):
        window = [
            states[at] if 0 <= at < len(states) else torch.zeros(C).double()
            for at in range(place - before, place - before + 3)
        ]
        rows.append(F.glu(part.linear(torch.cat(window)), dim=-1))
    return torch.stack(rows)


def test_start_values_keep_the_variance() -> None:
    """Section 3.5: N(0, √(4p/n)) before a gate, N(0, √(1/n)) elsewhere, embeddings N(0, 0.1), biases 0."""
    torch.manual_seed(1)
    model = ConvSeq2Seq(211, 199, hidden_size=97, window=5, dropout=0.2)
    for part in (*model.encoder, *model.decoder):
        assert part.linear.weight.std().item() == pytest.approx(math.sqrt(4 * 0.8 / (5 * 97)), rel=0.02)
    for part in (*model.queries, model.output):
        assert part.weight.std().item() == pytest.approx(97**-0.5, rel=0.03)
    for part in (model.source_embedding, model.target_positions.embedding):
        assert part.weight.std().item() == pytest.approx(0.1, rel=0.03)
    assert not any(p.any() for name, p in model.named_parameters() if name.endswith("bias"))
    part = GatedConvolution(97, 5, before=4)
    inputs = torch.randn(53, 59, 97)
    # The gate's variance is 4, too: a little more than ¼ passes.
    gate = torch.sigmoid(2.0 * torch.randn(100_003))
    expected = 4.0 * gate.square().mean().item()
    assert part(inputs)[:, 4:].var().item() == pytest.approx(expected, rel=0.03) and 1.0 < expected < 1.5


def test_positions_are_learned_and_end() -> None:
    model = made(ConvSeq2Seq, max_length=7)
    assert model(SOURCE, TARGET).shape == (3, 5, 13)
    with pytest.raises(ValueError, match=r"^length must lie in 1 … 7 \(the positions learned\), got 8$"):
        model(F.pad(SOURCE, (0, 1)), TARGET)
    with pytest.raises(ValueError, match=r"^length must lie in 1 … 7"):
        model(SOURCE, F.pad(TARGET, (0, 3)))
