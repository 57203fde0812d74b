"""What a forward pass keeps and how long its longest chain is: by hand, and as the models' formulas say."""

import pytest
import torch
from torch import nn

from course_utils.before import AttentionSeq2Seq, ConvSeq2Seq, GRUSeq2Seq
from course_utils.before.costs import longest_chain, saved_bytes
from tests.before.every_model import C, made


def ids(length: int) -> torch.Tensor:
    return torch.full((1, length), 5)


def test_a_chain_by_hand() -> None:
    x = torch.ones(3, requires_grad=True)
    assert longest_chain(x * 2) == 1
    short, long = x * 2, (x * 3).exp().exp()
    assert longest_chain(short + long) == longest_chain(long + short) == 4
    assert longest_chain(((x + 1) * (x + 2)).sum()) == 3
    y = x
    for _ in range(3000):  # deeper than Python's stack, and with two ways at each step
        y = y * y
    assert longest_chain(y) == 3000


@pytest.mark.parametrize("kind", [GRUSeq2Seq, AttentionSeq2Seq])
def test_recurrent_models_wait_for_every_token(kind) -> None:
    model = made(kind)
    chain = {(k, q): longest_chain(model(ids(k), ids(q))) for k in (3, 4, 13) for q in (3, 4, 13)}
    a_source_token, a_target_token = chain[4, 3] - chain[3, 3], chain[3, 4] - chain[3, 3]
    assert a_source_token >= 4 and a_target_token >= 4
    assert chain[13, 3] - chain[3, 3] == 10 * a_source_token
    assert chain[3, 13] - chain[3, 3] == 10 * a_target_token
    assert chain[13, 13] == chain[3, 3] + 10 * (a_source_token + a_target_token)


def test_convolutions_do_not() -> None:
    model = made(ConvSeq2Seq)
    assert longest_chain(model(ids(3), ids(3))) == longest_chain(model(ids(61), ids(61)))
    assert longest_chain(made(ConvSeq2Seq, num_layers=4)(ids(3), ids(3))) > longest_chain(
        model(ids(3), ids(3))
    )


def test_bytes_by_hand() -> None:
    """Tanh keeps what it gives, the second matrix its input, which is the same tensor: 5 · 7 floats in all."""
    model = nn.Sequential(nn.Linear(3, 7), nn.Tanh(), nn.Linear(7, 2))
    x = torch.randn(5, 3)
    assert saved_bytes(model, x) == 5 * 7 * 4
    assert saved_bytes(model.double(), x.double()) == 5 * 7 * 8
    with torch.no_grad():
        assert saved_bytes(model, x.double()) == 5 * 7 * 8
    assert saved_bytes(nn.Linear(3, 7), x) == 0


@pytest.mark.parametrize(("kind", "power"), [(GRUSeq2Seq, 1), (AttentionSeq2Seq, 2), (ConvSeq2Seq, 2)])
def test_how_bytes_grow_with_length(kind, power) -> None:
    """From 32 tokens on, second differences are those of a polynomial of this degree in T."""
    model = made(kind)
    kept = [saved_bytes(model, ids(length), ids(length)) for length in (32, 48, 64, 80)]
    first = [after - before for before, after in zip(kept, kept[1:])]
    second = [after - before for before, after in zip(first, first[1:])]
    assert second[0] == pytest.approx(second[1], rel=0.02)
    assert (second[0] > 0.02 * first[0]) is (power == 2)
    if kind is AttentionSeq2Seq:  # C numbers for each pair of places, under the tanh
        assert second[0] >= 2 * 16**2 * C * 8
