"""Exercises of notebook 05: positional encoding."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from course_utils.exercises.core import Exercise, Wrong, call, expect_close, expect_tensor, number, numbers


def wavelengths(hidden_size: int) -> Tensor:
    two_i = torch.arange(0, hidden_size, 2)  # 2i for i = 0 … C/2 − 1
    return 2 * math.pi * 10000.0 ** (two_i / hidden_size)  # (C/2,)


def check_wavelengths(answer: object) -> None:
    found = expect_tensor(call(answer, 8))
    if found.shape == (8,):
        raise Wrong("one_per_dimension", expected=(4,), actual=(8,))
    expect_tensor(found, shape=(4,))
    if not found.is_floating_point():
        raise Wrong("not_real", actual=found.dtype)
    expected = wavelengths(8)  # 2π · (1, 10, 100, 1000)
    pair = torch.arange(4)
    likely = [
        (10000.0 ** (2 * pair / 8), "missing_two_pi"),
        (2 * math.pi * 10000.0 ** (pair / 8), "half_exponent"),
        (2 * math.pi * 10000.0 ** (4 * pair / 8), "double_exponent"),
        (10000.0 ** (-2 * pair / 8), "frequency"),
        (expected.flip(0), "reversed"),
    ]
    for values, reason in likely:
        if torch.allclose(found.double(), values.double(), rtol=1e-4):
            raise Wrong(reason, expected=number(expected[1]), actual=number(found[1]), last=number(found[3]))
    expect_close(found.double() / expected, torch.ones(4), "ratio", atol=1e-4, right=numbers(expected))
    for hands in (11, int(torch.randint(17, 60, (1,))), 1, 384):
        other = expect_tensor(call(answer, 2 * hands), shape=(hands,)).double() / wavelengths(2 * hands)
        expect_close(other, torch.ones(hands), "other_size", atol=1e-4, size=2 * hands)


def positions_at_once(length: int, hidden_size: int) -> Tensor:
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (T, 1)
    two_i = torch.arange(0, hidden_size, 2, dtype=torch.float64)  # (C/2,)
    angle = position / 10000.0 ** (two_i / hidden_size)  # (T, C/2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2).float()  # (T, C)


def check_positions_at_once(answer: object) -> None:
    found = expect_tensor(call(answer, 3, 4), shape=(3, 4))
    start = [0.0, 1.0, 0.0, 1.0]
    by_hand = torch.tensor([start, [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]])
    if not torch.allclose(found[0].double(), by_hand[0].double(), atol=1e-4):
        _explain_start(found)
        raise Wrong("start", expected=numbers(by_hand[0]), actual=numbers(found[0]))
    if not torch.allclose(found[1].double(), by_hand[1].double(), atol=1e-4):
        for exponent in (0.25, 1.0):  # i/C and 4i/C where 2i/C = 1/2 is right
            if math.isclose(float(found[1, 2]), math.sin(10000**-exponent), abs_tol=1e-5):
                raise Wrong("exponent", expected=number(by_hand[1, 2]), actual=number(found[1, 2]))
        if math.isclose(float(found[1, 0]), math.sin(2 * math.pi), abs_tol=1e-4):
            raise Wrong("times_two_pi", expected=number(by_hand[1, 0]), actual=number(found[1, 0]))
    expect_close(found, positions_at_once(3, 4), atol=1e-4)
    wide = expect_tensor(call(answer, 37, 22))
    expect_close(wide, positions_at_once(37, 22), atol=1e-4)
    far = expect_tensor(call(answer, 20_011, 22), shape=(20_011, 22))
    error = (far.double() - positions_at_once(20_011, 22)).abs().max()
    if not error < 1e-5:
        raise Wrong("precision", actual=number(error))
    for table in (found, wide, far):
        expect_tensor(table, dtype=torch.float32)
    for length, size in ((1, 2), (11, 2), (7, 770), (30_013, 6)):
        expected, table = positions_at_once(length, size), expect_tensor(call(answer, length, size))
        if table.shape != expected.shape or not torch.allclose(table, expected, rtol=0, atol=1e-5):
            raise Wrong("other_sizes", length=length, size=size)


def _explain_start(found: Tensor) -> None:
    """Name the known reasons for a wrong row of position 0."""
    likely = [
        ([1.0, 0.0, 1.0, 0.0], "swapped"),
        ([0.0, 0.0, 1.0, 1.0], "halves"),
        ([math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)], "from_one"),
    ]
    for row, reason in likely:
        if torch.allclose(found[0].double(), torch.tensor(row, dtype=torch.float64), atol=1e-4):
            raise Wrong(reason, expected="[0, 1, 0, 1]", actual=numbers(found[0]))


def shift_matrix(offset: int, hidden_size: int) -> Tensor:
    matrix = torch.zeros(hidden_size, hidden_size, dtype=torch.float64)
    for pair in range(0, hidden_size, 2):  # 2i
        angle = offset / 10000.0 ** (pair / hidden_size)
        cos, sin = math.cos(angle), math.sin(angle)
        block = torch.tensor([[cos, sin], [-sin, cos]], dtype=torch.float64)  # else float32: eight digits
        matrix[pair : pair + 2, pair : pair + 2] = block
    return matrix  # (C, C)


def check_shift_matrix(answer: object) -> None:
    def asked(offset: int, size: int = 6) -> Tensor:
        return expect_tensor(call(answer, offset, size), shape=(size, size), dtype=torch.float64)

    table = _exact_encoding(211, 6)
    matrix = asked(3)
    _explain_first_step(matrix, table)
    expect_close(matrix @ table[0], table[3], "first_step", atol=1e-6)
    later = matrix @ table[7]
    if not torch.allclose(later, table[10], atol=1e-6):
        raise Wrong("only_from_zero", expected=numbers(table[10]), actual=numbers(later))
    still = asked(0)
    expect_close(still, torch.eye(6), "zero_offset", atol=1e-6)
    moves = {offset: asked(offset) for offset in (5, -4, 97, -61)}
    for offset, move in moves.items():
        moved = table[70:100] @ move.T
        reason = "offset" if abs(offset) <= 5 else "far_offset"
        expect_close(moved, table[70 + offset : 100 + offset], reason, atol=1e-5, offset=offset)
    wide = asked(2, 22)
    expect_close(wide, shift_matrix(2, 22), atol=1e-5)
    errors = [(wide - shift_matrix(2, 22)).abs().max()]
    errors += [(move - shift_matrix(k, 6)).abs().max() for k, move in {3: matrix, 0: still, **moves}.items()]
    error = max(errors)
    if not error < 1e-10:
        raise Wrong("precision", actual=number(error))
    for offset, size in ((1, 2), (1009, 6), (-2003, 46), (7, 202)):
        error = (asked(offset, size) - shift_matrix(offset, size)).abs().max()
        if not error < 1e-10:
            raise Wrong("other_sizes", offset=offset, size=size, error=number(error))


def _explain_first_step(matrix: Tensor, table: Tensor) -> None:
    """Name the known reasons for a wrong matrix (6, 6) of offset 3."""
    start = matrix @ table[0]
    if torch.allclose(start, table[0], atol=1e-6):
        raise Wrong("does_not_move", expected=numbers(table[3]), actual=numbers(start))
    if torch.allclose(matrix.T @ table[0], table[3], atol=1e-6) and not torch.allclose(
        start, table[3], atol=1e-6
    ):
        raise Wrong("reversed", expected=number(table[3, 0]), actual=number(start[0]))
    one = matrix[:2, :2]
    if torch.allclose(matrix, torch.block_diag(one, one, one), atol=1e-6):
        angle = torch.atan2(one[0, 1], one[0, 0])
        raise Wrong("same_angle", expected=number(3 / 10000 ** (2 / 6)), actual=number(angle))
    if torch.allclose(start, table[1], atol=1e-6):
        raise Wrong("ignores_offset", expected=numbers(table[3]), actual=numbers(start))


def _exact_encoding(length: int, hidden_size: int) -> Tensor:
    """The encoding in float64 (T, C), entry by entry."""
    rows = []
    for t in range(length):
        angles = [t / 10000 ** ((column - column % 2) / hidden_size) for column in range(hidden_size)]
        rows.append([math.cos(a) if column % 2 else math.sin(a) for column, a in enumerate(angles)])
    return torch.tensor(rows, dtype=torch.float64)


EXERCISES = [
    Exercise("05.1", level="warm-up", check=check_wavelengths, solution=wavelengths),
    Exercise("05.2", level="core", check=check_positions_at_once, solution=positions_at_once),
    Exercise("05.3", level="stretch", check=check_shift_matrix, solution=shift_matrix),
]
