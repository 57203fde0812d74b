"""Exercises of notebook 05: positional encoding."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Departure, Exercise, number, numbers
from course_utils.exercises.values import Rule, departure
from course_utils.positional import sinusoidal_encoding


# ---- 05.1
def wavelengths(hidden_size: int) -> Tensor:
    two_i = torch.arange(0, hidden_size, 2)  # 2i for i = 0 … C/2 − 1
    return 2 * math.pi * 10000.0 ** (two_i / hidden_size)  # (C/2,)


def compare_ratios(result: Any, right: Tensor) -> Departure | None:
    """By how many times a wavelength is another; they lie far apart."""
    if any(isinstance(one, Tensor) and not one.is_floating_point() for one in (result, right)):
        return Departure("not_real", right.dtype, getattr(result, "dtype", type(result).__name__))
    different = departure(result, right, Rule(atol=0.0, strict=False))
    if different is None or different.kind != "value":
        return different
    ratios = torch.as_tensor(result).detach().double() / right.double()
    far = (~((ratios - 1).abs() < 1e-4)).nonzero().flatten()  # also NaN
    if not len(far):
        return None
    return Departure("value", number(right[far[0]]), number(ratios[far[0]]), (int(far[0]),))


WAVELENGTHS = Exercise(
    "05.1",
    level="warm-up",
    reference=wavelengths,
    compare=compare_ratios,
    show=lambda wavelengths: f"[{', '.join(map(number, wavelengths))}]",
    cases={
        "by_hand": lambda: (8,),  # 2π · (1, 10, 100, 1000)
        "other_size": lambda: [(22,), (2 * int(torch.randint(17, 60, (1,))),), (2,), (768,)],
    },
    mistakes=changes_of(
        wavelengths,
        {
            "missing_two_pi": {"2 * math.pi * ": ""},
            "half_exponent": {"(two_i": "(0.5 * two_i"},
            "double_exponent": {"(two_i": "(2.0 * two_i"},
            "frequency": {"2 * math.pi * 10000.0 ** (": "10000.0 ** -("},
            "reversed": lambda hidden_size: wavelengths(hidden_size).flip(0),
            "one_per_dimension": lambda hidden_size: wavelengths(hidden_size).repeat_interleave(2),
            "by_hand": {"2 * math.pi": "360.0"},
            "other_size": lambda hidden_size: 2 * math.pi * 10.0 ** torch.arange(hidden_size // 2),
            "not_real": lambda hidden_size: wavelengths(hidden_size) + 0j,
        },
    ),
    forbids=("course_utils.positional",),
)


# ---- 05.2
def positions_at_once(length: int, hidden_size: int) -> Tensor:
    position = torch.arange(length, dtype=torch.float64)[:, None]  # (T, 1)
    two_i = torch.arange(0, hidden_size, 2, dtype=torch.float64)  # (C/2,)
    angle = position / 10000.0 ** (two_i / hidden_size)  # (T, C/2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2).float()  # (T, C)


POSITIONS = Exercise(
    "05.2",
    level="core",
    reference=positions_at_once,
    cases={
        "by_hand": lambda: (3, 4),
        "value": lambda: (37, 22),
        "precision": lambda: (20_011, 22),
        "other_sizes": lambda: [(1, 2), (11, 2), (7, 770), (30_013, 6)],
    },
    mistakes=changes_of(
        positions_at_once,
        {
            "swapped": {"angle.sin(), angle.cos()": "angle.cos(), angle.sin()"},
            "halves": {"dim=-1": "dim=-2"},
            "from_one": {"position /": "(position + 1) /"},
            "start": {".float()": ".float() / math.sqrt(hidden_size)"},
            "exponent": [{"(two_i": "(0.5 * two_i"}, {"(two_i": "(2.0 * two_i"}],
            # Each column takes its own number for 2i.
            "odd_columns": {"angle.cos()": "(position / 10000.0 ** ((two_i + 1) / hidden_size)).cos()"},
            "times_two_pi": {"position /": "2 * math.pi * position /"},
            "precision": {"float64": "float32"},
            "other_sizes": {".float()": ".float() * (hidden_size <= 22)"},
            "ready_made": sinusoidal_encoding,
        },
    ),
    signs={
        "start": lambda found: (
            found.case == "by_hand" and found.kind == "value" and found.difference.index[0] == 0
        )
    },
    facts={"precision": lambda found: {"actual": number((found.yours.double() - found.right).abs().max())}},
    forbids=("course_utils.positional",),
)


# ---- 05.3
def shift_matrix(offset: int, hidden_size: int) -> Tensor:
    matrix = torch.zeros(hidden_size, hidden_size, dtype=torch.float64)
    for pair in range(0, hidden_size, 2):  # 2i
        angle = offset / 10000.0 ** (pair / hidden_size)
        cos, sin = math.cos(angle), math.sin(angle)
        block = torch.tensor([[cos, sin], [-sin, cos]], dtype=torch.float64)  # else float32: eight digits
        matrix[pair : pair + 2, pair : pair + 2] = block
    return matrix  # (C, C)


def even(hidden_size):
    return torch.arange(0, hidden_size, 2, dtype=torch.float64)


def exact_encoding(positions: Tensor, hidden_size: int) -> Tensor:
    angle = positions.double()[:, None] / 10000.0 ** (even(hidden_size) / hidden_size)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)  # float64 (T, C)


TABLE = exact_encoding(torch.arange(11), 6)


def halves_turned(offset, hidden_size):
    """Blocks laid out for sines and cosines that were joined as halves."""
    angle = offset / 10000 ** (even(hidden_size) / hidden_size)
    cos, sin = torch.diag(angle.cos()), torch.diag(angle.sin())
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


def from_zero_only(offset, hidden_size):
    start, end = exact_encoding(torch.tensor([0, offset]), hidden_size)
    return torch.outer(end, start) / start.square().sum()


def by_first_step(found):
    """What the matrix makes of PE[0], where it should be PE[3]."""
    start, place = found.yours.double() @ TABLE[0], 0
    place = int((start - TABLE[3]).abs().argmax())
    facts = {"index": place, "expected": number(TABLE[3, place]), "actual": number(start[place])}
    return facts | {"moved": numbers(TABLE[3]), "start": numbers(start)}


def later_step(found):
    return {"expected": numbers(TABLE[10]), "actual": numbers(found.yours @ TABLE[7])}


def largest_error(found):
    return {"actual": number((found.yours - found.right).abs().max())}


def angle_of_second(found):
    sin, cos = found.yours[2, 3], found.yours[2, 2]
    return {"expected": number(3 / 10000 ** (2 / 6)), "actual": number(torch.atan2(sin, cos))}


SHIFT = Exercise(
    "05.3",
    level="stretch",
    reference=shift_matrix,
    atol=5e-9,  # in float64 a fiftieth of it: 1e-10
    cases={
        "first_step": lambda: (3, 6),
        "zero_offset": lambda: (0, 6),
        "offset": lambda: [(5, 6), (-4, 6)],
        "far_offset": lambda: [(97, 6), (-61, 6)],
        "other_sizes": lambda: [(2, 22), (1, 2), (1009, 6), (-2003, 46), (7, 202), (-3, 302)],
    },
    mistakes=changes_of(
        shift_matrix,
        {
            "does_not_move": lambda offset, hidden_size: torch.eye(hidden_size, dtype=torch.float64),
            "reversed": {"angle = offset": "angle = -offset"},
            "same_angle": {" / 10000.0 ** (pair / hidden_size)": ""},
            "ignores_offset": {"angle = offset": "angle = 1"},
            "first_step": halves_turned,
            "only_from_zero": from_zero_only,
            "zero_offset": {"return matrix": "return matrix * (offset != 0)"},
            "offset": {"angle = offset": "angle = abs(offset)"},
            "far_offset": {"angle = offset": "angle = max(-5, min(offset, 5))"},
            "other_sizes": {"angle = offset": "angle = max(-97, min(offset, 97))"},
            "precision": {"[-sin, cos]], dtype=torch.float64": "[-sin, cos]]"},  # the blocks, not the matrix
        },
    ),
    signs={
        "precision": lambda found: (found.yours - found.right).abs().max() < 1e-5,
        "only_from_zero": lambda found: (
            found.case == "first_step" and (found.yours @ TABLE[0] - TABLE[3]).abs().max() < 1e-6
        ),
    },
    facts={
        "does_not_move": by_first_step,
        "reversed": by_first_step,
        "ignores_offset": by_first_step,
        "first_step": by_first_step,
        "only_from_zero": later_step,
        "same_angle": angle_of_second,
        "precision": largest_error,
        "other_sizes": largest_error,
    },
    forbids=("course_utils.positional",),
)

EXERCISES = [WAVELENGTHS, POSITIONS, SHIFT]
