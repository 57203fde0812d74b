"""Exercises of notebook NN. A skeleton: replace the three, their texts and their wrong answers."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from course_utils.exercises.core import Exercise, Wrong, call, expect_close, expect_tensor, number


def rectify(x: Tensor) -> Tensor:
    return torch.where(x > 0, x, 0.0)


def check_rectify(answer: object) -> None:
    x = torch.tensor([[-2.0, -0.5, 3.0], [1.0, 0.0, -1.0]])
    result = expect_tensor(call(answer, x), shape=(2, 3), dtype=x.dtype)
    if torch.equal(result, x.abs()):
        raise Wrong("absolute", actual=number(result[0, 0]))
    if (result < 0).any():
        raise Wrong("negative", actual=number(result.min()))
    expect_close(result, rectify(x))
    large = 10 * torch.randn(7, 13)  # what holds on the example shown must hold on others
    expect_close(expect_tensor(call(answer, large)), rectify(large))


def slope(x: Tensor) -> Tensor:
    return (x > 0).to(x.dtype)


def check_slope(answer: object) -> None:
    x = torch.tensor([-2.0, -0.5, 0.0, 3.0])
    result = expect_tensor(call(answer, x), shape=(4,), dtype=x.dtype)
    if torch.equal(result, rectify(x)):
        raise Wrong("function", expected=1, actual=number(result[3]))
    if result[0] < 0:
        raise Wrong("sign", expected=0, actual=number(result[0]))
    if result[2] != 0:
        raise Wrong("at_zero", expected=0, actual=number(result[2]))
    expect_close(result, slope(x))
    x = torch.randn(7, 13, dtype=torch.float64)
    expect_close(expect_tensor(call(answer, x), dtype=x.dtype), slope(x))


def silent_share(x: Tensor) -> Tensor:
    return (x <= 0).all(dim=0).float().mean()  # (B, C) -> ()


def check_silent_share(answer: object) -> None:
    x = torch.tensor(
        [[-1.0, 2.0, -3.0, 0.0, 1.0], [-1.0, -2.0, 3.0, -1.0, -1.0], [-5.0, 1.0, -1.0, -1.0, 2.0]]
    )
    found = float(expect_tensor(call(answer, x), shape=()))
    likely = [
        (10 / 15, "entries"),
        (0.0, "rows"),
        (1.0, "any"),
        (2.0, "count"),
        (0.6, "active"),
    ]
    for value, reason in likely:
        if math.isclose(found, value, abs_tol=1e-6):
            raise Wrong(reason, expected="0.4", actual=number(found))
    expect_close(torch.tensor(found), torch.tensor(0.4))
    x = torch.randn(3, 37)
    expect_close(expect_tensor(call(answer, x), shape=()).float(), silent_share(x))


EXERCISES = [
    Exercise("NN.1", level="warm-up", check=check_rectify, solution=rectify),
    Exercise("NN.2", level="core", check=check_slope, solution=slope),
    Exercise("NN.3", level="stretch", check=check_silent_share, solution=silent_share),
]
