"""Exercises of notebook 13: the mark that a loss has to beat, clipping, and AdamW by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import torch
from torch import Tensor

from course_utils.exercises.core import (
    Exercise,
    Wrong,
    call,
    expect_close,
    expect_tensor,
    expect_tuple,
    number,
)


def unigram_entropy(counts: Sequence[int]) -> float:
    total = sum(counts)
    shares = [count / total for count in counts if count > 0]
    return -sum(share * math.log(share) for share in shares)


def check_unigram_entropy(answer: object) -> None:
    generator = random.Random(0)
    drawn = [generator.randrange(97) for _ in range(13)]
    rare = [1_000_000, *[1] * 257]
    for counts in ([1, 1], [8, 1, 1], [3, 0, 5, 2], [7], [2] * 11, [991, 2, 0, 5, 1], drawn, rare):
        actual = call(answer, counts)
        if isinstance(actual, Tensor) and actual.numel() == 1:
            actual = actual.item()
        if isinstance(actual, bool) or not isinstance(actual, int | float):
            raise Wrong("no_number", actual=type(actual).__name__)
        expected = unigram_entropy(counts)
        if abs(actual - expected) <= 1e-6:
            continue
        shares = [count / sum(counts) for count in counts if count]
        likely = [
            ("not_finite", not math.isfinite(actual)),
            ("sign", _near(actual, -expected)),
            ("bits", _near(actual, expected / math.log(2))),
            ("perplexity", _near(actual, math.exp(expected))),
            ("not_weighted", _near(actual, -sum(map(math.log, shares)) / len(shares))),
            ("not_weighted", _near(actual, -sum(map(math.log, shares)) / len(counts))),
            *(
                ("drops_rare", _near(actual, -sum(p * math.log(p) for p in shares if p > least)))
                for least in (1e-2, 1e-3, 1e-4, 1e-5)
            ),
            ("first_few", any(_near(actual, unigram_entropy(counts[:few])) for few in (10, 13, 16, 20, 100))),
            ("uniform", _near(actual, math.log(len(counts)))),
        ]
        reason = next((reason for reason, found in likely if found), "value")
        shown = counts if len(counts) < 20 else f"[{', '.join(map(str, counts[:3]))}, …] ({len(counts)})"
        raise Wrong(reason, counts=shown, expected=number(expected), actual=number(actual))


def _near(value: float, other: float) -> bool:
    return abs(value - other) <= 1e-6


def clip_gradients(gradients: list[Tensor], most: float) -> list[Tensor]:
    norm = sum((gradient**2).sum() for gradient in gradients) ** 0.5
    factor = most / norm if norm > most else 1.0
    return [gradient * factor for gradient in gradients]


def check_clip_gradients(answer: object) -> None:
    of_length_3 = [torch.tensor([2.0, -1.0]), torch.tensor([[2.0]])]
    generator = torch.Generator().manual_seed(0)
    drawn = [torch.randn(shape, generator=generator) for shape in ((3, 5), (7,), (2, 1, 3))]
    for gradients, most in (
        (of_length_3, 1.5),
        ([torch.tensor([6.0]), torch.tensor([0.5, 0.0])], 2.0),
        (of_length_3, 10.0),
        (drawn, 0.5),
        (of_length_3, 2.9),  # only just too long
        ([1e4 * torch.randn(shape, generator=generator) for shape in ((), (2, 3), (5,), (1, 7))], 13.0),
        ([torch.zeros(3), torch.zeros(2, 2)], 1.0),
        ([torch.tensor([0.6]), torch.tensor([0.0, 0.3]), torch.tensor([0.6])], 0.25),  # between most and 1
        ([part * 5e-3 for part in of_length_3], 1e-2),  # short, and too long
        ([torch.randn(3, generator=generator) for _ in range(13)], 2.0),
    ):
        _check_clipped(answer, gradients, most)


def _check_clipped(answer: object, gradients: list[Tensor], most: float) -> None:
    result = expect_tuple(call(answer, gradients, most), len(gradients))
    clipped = [expect_tensor(part, shape=tuple(g.shape)) for part, g in zip(result, gradients, strict=True)]
    norm = _norm(gradients)
    right = clip_gradients(gradients, most)
    nearly = 1e-4 * min(norm, 1.0)
    if all(torch.allclose(part, wanted, atol=nearly) for part, wanted in zip(clipped, right, strict=True)):
        return
    facts = {"norm": number(norm), "most": number(most), "actual": number(_norm(clipped))}
    each = [clip_gradients([gradient], most)[0] for gradient in gradients]
    likely = [
        ("not_finite", not all(bool(part.isfinite().all()) for part in clipped)),
        ("scaled_up", norm < most and _norm(clipped) > norm + 1e-4),
        ("unchanged_if_short", most < norm < 0.02 and all(map(torch.equal, clipped, gradients))),
        ("only_far_above", most < norm < 1.1 * most and _same(clipped, gradients)),
        ("element_by_element", _same(clipped, [gradient.clamp(-most, most) for gradient in gradients])),
        ("tensor_by_tensor", _same(clipped, each)),
        ("only_above_one", most < norm < 1 and norm > 0.5 and _same(clipped, gradients)),
        ("some_tensors", len(gradients) > 7 and most * 1.1 < _norm(clipped) < 0.9 * norm),
        ("unchanged", _same(clipped, gradients)),
        ("squared", norm > most and _same(clipped, [gradient * most / norm**2 for gradient in gradients])),
        ("unit", norm > most and _same(clipped, [gradient / norm for gradient in gradients])),
    ]
    raise Wrong(next((reason for reason, found in likely if found), "value"), **facts)


def _norm(tensors: Sequence[Tensor]) -> float:
    return math.sqrt(sum(float(tensor.detach().double().square().sum()) for tensor in tensors))


def _same(tensors: Sequence[Tensor], others: Sequence[Tensor]) -> bool:
    return all(torch.allclose(one, other, atol=1e-4) for one, other in zip(tensors, others, strict=True))


def adamw_step(
    parameter: Tensor,
    gradient: Tensor,
    mean: Tensor,
    square: Tensor,
    count: int,
    rate: float,
    decay: float,
) -> tuple[Tensor, Tensor, Tensor]:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient**2
    corrected_mean = mean / (1 - 0.9**count)
    corrected_square = square / (1 - 0.999**count)
    step = corrected_mean / (corrected_square.sqrt() + 1e-6)
    return parameter - rate * (step + decay * parameter), mean, square


def check_adamw_step(answer: object) -> None:
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    nothing = torch.zeros(3, dtype=torch.float64)
    first = torch.tensor([0.5, -2.0, 1e-3], dtype=torch.float64)
    for case in (
        (nothing, first, nothing, nothing, 1, 0.1, 0.0),  # the first update
        (nothing, 1e-6 * first, nothing, nothing, 1, 0.1, 0.0),  # where epsilon counts
        (draw(5, 3), draw(5, 3), 0.1 * draw(5, 3), draw(5, 3) ** 2, 7, 0.01, 0.0),
        (draw(7), draw(7), 0.1 * draw(7), draw(7) ** 2, 3, 0.1, 0.5),  # with weight decay
        (
            draw(3, 5, 2),
            draw(3, 5, 2),
            0.1 * draw(3, 5, 2),
            draw(3, 5, 2) ** 2,
            211,
            0.03,
            0.2,
        ),  # late, matrices
        (draw(7), draw(7), 0.1 * draw(7), draw(7) ** 2, 2003, 0.03, 0.0),  # very late
        (draw(5), draw(5), 3 + draw(5).abs(), 1e-4 * draw(5) ** 2, 5, 0.01, 0.0),  # long steps
        (draw(7), nothing[:1].expand(7).clone(), *[torch.zeros(7, dtype=torch.float64)] * 2, 1, 0.1, 0.5),
    ):
        _check_adamw(answer, *case)


def _check_adamw(answer: object, *case: object) -> None:
    parameter, gradient, mean, _, count, rate, decay = case
    results = expect_tuple(call(answer, *case), 3)
    now, new_mean, new_square = (expect_tensor(part, shape=tuple(parameter.shape)) for part in results)
    right, right_mean, right_square = adamw_step(*case)
    if decay and _close(new_mean, 0.9 * mean + 0.1 * (gradient + decay * parameter)):
        raise Wrong("decay_in_gradient", decay=decay)
    if _close(new_mean, right_mean / (1 - 0.9**count)) and not _close(new_mean, right_mean):
        raise Wrong("stores_corrected")
    expect_close(new_mean, right_mean, "mean", atol=1e-9)
    expect_close(new_square, right_square, "square", atol=1e-9)
    if _close(now, right):
        return
    corrected_mean, corrected_square = right_mean / (1 - 0.9**count), right_square / (1 - 0.999**count)
    plain = right_mean / (right_square.sqrt() + 1e-6)
    step = corrected_mean / (corrected_square.sqrt() + 1e-6)
    half = corrected_mean / (right_square.sqrt() + 1e-6)
    inside = corrected_mean / (corrected_square + 1e-6).sqrt()
    late = (right_mean / (1 - 0.9 ** (count + 1))) / (
        (right_square / (1 - 0.999 ** (count + 1))).sqrt() + 1e-6
    )
    likely = [
        (
            "stops_correcting" if count > 100 else "no_correction",
            parameter - rate * (plain + decay * parameter),
        ),
        ("square_not_corrected", parameter - rate * (half + decay * parameter)),
        ("epsilon_inside", parameter - rate * (inside + decay * parameter)),
        ("counts_from_zero", parameter - rate * (late + decay * parameter)),
        ("uphill", parameter + rate * (step + decay * parameter)),
        ("no_decay_in_matrices" if parameter.dim() > 1 else "no_decay", parameter - rate * step),
        ("decay_without_rate", parameter - rate * step - decay * parameter),
        *(
            ("step_cut", parameter - rate * (step.clamp(-most, most) + decay * parameter))
            for most in (1.0, 2.0, 5.0, 10.0)
        ),
    ]
    for reason, wrong in likely:
        if _close(now, wrong):
            raise Wrong(reason, count=count, rate=number(rate), decay=number(decay))
    expect_close(now, right, "parameter", atol=1e-9)


def _close(one: Tensor, other: Tensor) -> bool:
    return bool(torch.allclose(one.detach().double(), other.double(), rtol=0, atol=1e-9))


EXERCISES = [
    Exercise("13.1", level="warm-up", check=check_unigram_entropy, solution=unigram_entropy),
    Exercise("13.2", level="core", check=check_clip_gradients, solution=clip_gradients),
    Exercise("13.3", level="stretch", check=check_adamw_step, solution=adamw_step),
]
