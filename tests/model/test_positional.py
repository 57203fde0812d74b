import math

import pytest
import torch

from course_utils.positional import LearnedPositionEmbedding, sinusoidal_encoding


def formula(position, column, hidden_size):
    """Vaswani et al. 2017, section 3.5, one entry."""
    angle = position / 10000 ** ((column - column % 2) / hidden_size)
    return math.cos(angle) if column % 2 else math.sin(angle)


@pytest.mark.parametrize(("length", "hidden_size"), [(1, 1), (11, 2), (7, 6), (37, 16), (13, 7)])
def test_every_entry_follows_the_formula(length, hidden_size):
    encoding = sinusoidal_encoding(length, hidden_size)
    assert encoding.shape == (length, hidden_size) and encoding.dtype == torch.float32
    for position in range(length):
        for column in range(hidden_size):
            assert float(encoding[position, column]) == pytest.approx(
                formula(position, column, hidden_size), abs=1e-7
            )


def test_by_hand():
    encoding = sinusoidal_encoding(2, 4)
    assert encoding[0].tolist() == [0.0, 1.0, 0.0, 1.0]  # position 0: sin 0, cos 0
    # Position 1: angle 1, then 1/100.
    torch.testing.assert_close(
        encoding[1], torch.tensor([0.841471, 0.540302, 0.01, 0.99995]), rtol=0, atol=1e-5
    )


def test_far_positions_stay_exact():
    # Here the angle is about 4642: kept in float32 it would be off by up to 2e-4.
    encoding = sinusoidal_encoding(100_003, 6)
    for position in range(99_991, 100_003):
        assert float(encoding[position, 2]) == pytest.approx(formula(position, 2, 6), abs=1e-7)


def test_a_shift_is_a_rotation_that_does_not_depend_on_the_position():
    shift, hidden_size = 5, 6
    encoding = sinusoidal_encoding(31, hidden_size).double()
    rotation = torch.zeros(hidden_size, hidden_size, dtype=torch.float64)
    for pair in range(0, hidden_size, 2):
        angle = shift / 10000 ** (pair / hidden_size)
        cos, sin = math.cos(angle), math.sin(angle)
        rotation[pair : pair + 2, pair : pair + 2] = torch.tensor([[cos, sin], [-sin, cos]])
    torch.testing.assert_close(encoding[shift:], encoding[:-shift] @ rotation.T, rtol=0, atol=1e-6)


def test_learned_positions_are_the_first_rows_in_order():
    embedding = LearnedPositionEmbedding(13, 7)
    assert torch.equal(embedding(5), embedding.embedding.weight[:5])
    assert torch.equal(embedding(13), embedding.embedding.weight)
    assert torch.equal(embedding(1), embedding.embedding.weight[:1])
    assert embedding.embedding.weight.shape == (13, 7)


@pytest.mark.parametrize("length", [14, 0, -1])
def test_there_is_no_learned_position_beyond_the_last(length):
    with pytest.raises(ValueError, match=rf"1 … 13 \(the positions learned\), got {length}"):
        LearnedPositionEmbedding(13, 7)(length)
