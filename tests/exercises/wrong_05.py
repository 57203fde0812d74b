"""Wrong answers to the exercises of notebook 05, each under the reason for which it must fail."""

import math

import torch


def _even(hidden_size):
    return torch.arange(0, hidden_size, 2, dtype=torch.float64)


def _encoding(exponent=1.0, shift=0, factor=1.0, order=("sin", "cos"), join="stack", dtype=torch.float64):
    def positions_at_once(length, hidden_size):
        position = (torch.arange(length) + shift).to(dtype)[:, None] * factor
        angle = position / 10000 ** (exponent * _even(hidden_size).to(dtype) / hidden_size)
        pair = [getattr(torch, name)(angle) for name in order]
        if join == "cat":
            return torch.cat(pair, dim=-1).float()
        return torch.stack(pair, dim=-1).flatten(-2).float()

    return positions_at_once


def _scaled(length, hidden_size):
    return _encoding()(length, hidden_size) / math.sqrt(hidden_size)


def _sizes_looked_up(hidden_size):
    right = 2 * math.pi * 10000 ** (_even(hidden_size) / hidden_size)
    return right if hidden_size in (8, 22) else torch.ones(hidden_size // 2)


def _long_ones_in_float64(length, hidden_size):
    found = _encoding()(length, hidden_size)
    if length > 100:
        angle = torch.arange(length)[:, None] / 10000 ** (_even(hidden_size) / hidden_size)
        return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)
    return found


def _shift(angle=lambda offset, pair, size: offset / 10000 ** (pair / size), sign=1.0, dtype=torch.float64):
    def shift_matrix(offset, hidden_size):
        matrix = torch.zeros(hidden_size, hidden_size, dtype=torch.float64)
        for pair in range(0, hidden_size, 2):
            turn = angle(offset, pair, hidden_size)
            cos, sin = math.cos(turn), sign * math.sin(turn)
            matrix[pair : pair + 2, pair : pair + 2] = torch.tensor([[cos, sin], [-sin, cos]], dtype=dtype)
        return matrix

    return shift_matrix


def _halves_turned(offset, hidden_size):
    """Blocks laid out for sines and cosines that were joined as halves."""
    angle = offset / 10000 ** (_even(hidden_size) / hidden_size)
    cos, sin = torch.diag(angle.cos()), torch.diag(angle.sin())
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


def _from_zero_only(offset, hidden_size):
    table = _encoding()(abs(offset) + 1, hidden_size).double()
    return torch.outer(table[abs(offset)], table[0]) / table[0].square().sum()


def _size_of_offset(offset, hidden_size):
    return _shift()(abs(offset), hidden_size)


def _no_move_is_nothing(offset, hidden_size):
    return _shift()(offset, hidden_size) * (offset != 0)


def _near_only(offset, hidden_size):
    return _shift()(max(-5, min(offset, 5)), hidden_size)


WRONG = {
    "05.1": {
        "missing_two_pi": lambda size: 10000 ** (_even(size) / size),
        "half_exponent": lambda size: 2 * math.pi * 10000 ** (torch.arange(size // 2) / size),
        "double_exponent": lambda size: 2 * math.pi * 10000 ** (2 * _even(size) / size),
        "frequency": lambda size: 10000 ** (-_even(size) / size),
        "reversed": lambda size: (2 * math.pi * 10000 ** (_even(size) / size)).flip(0),
        "one_per_dimension": lambda size: 2 * math.pi * 10000 ** (torch.arange(size) // 2 * 2 / size),
        "ratio": lambda size: 360 * 10000 ** (_even(size) / size),
        "other_size": _sizes_looked_up,
        "not_real": lambda size: 2 * math.pi * 10000 ** (_even(size) / size) + 0j,
    },
    "05.2": {
        "swapped": _encoding(order=("cos", "sin")),
        "halves": _encoding(join="cat"),
        "from_one": _encoding(shift=1),
        "start": _scaled,
        "exponent": _encoding(exponent=0.5),
        "times_two_pi": _encoding(factor=2 * math.pi),
        "precision": _encoding(dtype=torch.float32),
        "dtype": _long_ones_in_float64,
        "other_sizes": lambda length, size: _encoding()(length, size) * (size <= 22),
    },
    "05.3": {
        "does_not_move": lambda offset, size: torch.eye(size, dtype=torch.float64),
        "reversed": _shift(sign=-1.0),
        "same_angle": _shift(angle=lambda offset, pair, size: float(offset)),
        "ignores_offset": _shift(angle=lambda offset, pair, size: 1 / 10000 ** (pair / size)),
        "first_step": _halves_turned,
        "only_from_zero": _from_zero_only,
        "offset": _size_of_offset,
        "zero_offset": _no_move_is_nothing,
        "far_offset": _near_only,
        "other_sizes": lambda offset, size: _shift()(max(-97, min(offset, 97)), size),
        "precision": _shift(dtype=torch.float32),  # the blocks, not the matrix
        "dtype": lambda offset, size: _shift()(offset, size).float(),
    },
}
