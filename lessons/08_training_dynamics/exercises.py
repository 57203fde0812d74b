"""Exercises of notebook 08: clipping, the steps of Adam and RAdam, and a learning rate that rises and falls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

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
    numbers,
    told_apart,
)
from course_utils.exercises.forbidden import refuse_ready_made

Step = tuple[Tensor, Tensor, Tensor]  # weight, m, v


def clip_by_norm(gradients: list[Tensor], max_norm: float) -> tuple[list[Tensor], Tensor]:
    norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
    factor = max_norm / norm if norm > max_norm else 1.0
    return [gradient * factor for gradient in gradients], norm


def check_clip_by_norm(answer: object) -> None:
    gradients = [torch.tensor([12.0]), torch.tensor([[3.0, -4.0]])]  # 12² + 3² + 4² = 13²
    clipped, norm = _clipped(answer, gradients, 2.6)
    likely = [
        ("norm_after", 2.6),
        ("norm_squared", 169.0),
        ("sum_of_norms", 17.0),
        ("one_tensor", 5.0),
        ("one_tensor", 12.0),
    ]
    for reason, wrong in likely:
        if math.isclose(norm, wrong, rel_tol=1e-4):
            raise Wrong(reason, actual=number(norm))
    _expect_norm(norm, 13.0, gradients, 2.6)
    whole, parts = torch.cat([part.flatten() for part in clipped]), torch.tensor([12.0, 3.0, -4.0])
    alone = torch.cat([part.flatten() for one in gradients for part in clip_by_norm([one], 2.6)[0]])
    ways = [
        ("each_by_itself", alone),
        ("by_value", parts.clamp(-2.6, 2.6)),
        ("unchanged", parts),
        ("unit", parts / 13.0),
    ]
    for reason, wrong in ways:
        if torch.allclose(whole, wrong, atol=1e-4):
            raise Wrong(reason, expected=numbers(parts / 5.0), actual=numbers(whole))
    _expect_clipped(clipped, gradients, 2.6)

    clipped, norm = _clipped(answer, gradients, 26.0)
    whole = torch.cat([part.flatten() for part in clipped])
    if torch.allclose(whole, 2 * parts, atol=1e-3):
        raise Wrong("always_scaled", actual=numbers(whole))
    _expect_norm(norm, 13.0, gradients, 26.0)
    _expect_clipped(clipped, gradients, 26.0)

    zeros = [torch.zeros(2), torch.zeros(1, 3)]
    clipped, norm = _clipped(answer, zeros, 1.0)
    if norm != 0.0 or any(bool((part != 0).any()) for part in clipped):  # NaN is not 0
        raise Wrong("zero", actual=numbers(clipped[0]), norm=number(norm))
    _check_other_gradients(answer)


def _check_other_gradients(answer: object) -> None:
    """Other shapes and numbers of tensors; long, short, only just too long; in double precision too.

    Then nobody else may have clipped them.
    """
    several = [torch.randn(shape) for shape in ((3, 5), (7,), (), (2, 1, 3))]
    length = float(clip_by_norm(several, 1.0)[1])
    alike = [torch.randn(3, 2) for _ in range(13)]
    cases = [
        (several, 0.5),
        (several, 1.01 * length),
        (several, 0.999 * length),
        ([9.0 * gradient for gradient in alike], 11.0),
        ([0.2 * gradient / length for gradient in several], 0.1),  # shorter than 1, and too long
        ([0.2 * gradient / length for gradient in several], 0.01),
        ([torch.randn(5, 7, dtype=torch.float64)], 2.0),
        ([torch.randn(11, 2)], 100.0),
    ]
    for gradients, max_norm in cases:
        clipped, norm = _clipped(answer, gradients, max_norm)
        _expect_norm(norm, float(clip_by_norm(gradients, max_norm)[1]), gradients, max_norm)
        _expect_clipped(clipped, gradients, max_norm)
    refuse_ready_made(answer, *cases[0])


def _clipped(answer: object, gradients: list[Tensor], max_norm: float) -> tuple[list[Tensor], float]:
    """The two things that an answer returned, of the right kinds and shapes."""
    result = call(answer, gradients, max_norm)
    shapes = [tuple(gradient.shape) for gradient in gradients]
    if isinstance(result, tuple | list) and [tuple(getattr(part, "shape", "")) for part in result] == shapes:
        raise Wrong("no_norm", actual=len(shapes))
    parts, norm = expect_tuple(result, 2)
    if isinstance(norm, tuple | list):
        raise Wrong("pair_swapped", actual=type(parts).__name__)
    if not isinstance(parts, tuple | list):
        raise Wrong("type", expected="(list, float)", actual=f"({type(parts).__name__}, …)")
    if len(parts) != len(gradients):
        raise Wrong("count", expected=len(gradients), actual=len(parts))
    clipped = [
        expect_tensor(part, shape=tuple(gradient.shape), dtype=gradient.dtype)
        for part, gradient in zip(parts, gradients, strict=True)
    ]
    return clipped, _number(norm)


def _expect_norm(norm: float, expected: float, gradients: list[Tensor], max_norm: float) -> None:
    if not math.isclose(norm, expected, rel_tol=1e-5, abs_tol=1e-6):
        right, given = told_apart(expected, norm)
        facts = {"count": len(gradients), "max_norm": number(max_norm)}
        raise Wrong("norm", expected=right, actual=given, **facts)


def _expect_clipped(clipped: list[Tensor], gradients: list[Tensor], max_norm: float) -> None:
    right, norm = clip_by_norm(gradients, max_norm)
    facts = {"norm": number(norm), "max_norm": number(max_norm), "count": len(gradients)}
    for place, (part, expected) in enumerate(zip(clipped, right, strict=True)):
        expect_close(part, expected, "clipped", atol=1e-4 * min(1.0, float(norm)), which=place, **facts)


def _number(result: Any) -> float:
    """A number, or a tensor with nothing but one number in it."""
    if isinstance(result, Tensor) and result.dim() == 0 and not result.is_complex():
        result = result.item()
    if isinstance(result, bool) or not isinstance(result, int | float):
        raise Wrong("type", expected="float", actual=type(result).__name__)
    return float(result)


def adam_step(
    weight: Tensor,
    gradient: Tensor,
    m: Tensor,
    v: Tensor,
    step: int,
    rate: float,
    beta1: float,
    beta2: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * gradient**2
    m_hat = m / (1 - beta1**step)
    v_hat = v / (1 - beta2**step)
    return weight - rate * m_hat / (v_hat.sqrt() + eps), m, v


def check_adam_step(answer: object) -> None:
    _check_moments(answer, adam_step)
    _check_first_step(answer)
    _check_tenth_step(answer)
    _check_adam_eps(answer)
    _check_other_steps(
        answer,
        adam_step,
        [
            (2, 0.1, 0.9, 0.999, 1e-8),
            (7, 1.0, 0.8, 0.95, 1e-3),
            (3, 0.01, 0.0, 0.5, 1e-6),
            (100, 0.5, 0.95, 0.99, 0.1),
            (1000, 0.3, 0.9, 0.999, 1e-8),
            (3000, 0.3, 0.999, 0.9995, 1e-8),  # far on, and both corrections still count
            (20_000, 0.3, 0.9, 0.999, 1e-8),
        ],
    )


def _vector(*entries: float) -> Tensor:
    return torch.tensor(entries, dtype=torch.float64)


def _stepped(answer: object, weight: Tensor, *rest: Any) -> Step:
    """What an answer returned: three tensors, each as large and of the same dtype as the weight."""
    result = call(answer, weight, *rest)
    if isinstance(result, Tensor):
        raise Wrong("only_weight")
    parts = expect_tuple(result, 3)
    return tuple(expect_tensor(part, shape=tuple(weight.shape), dtype=weight.dtype) for part in parts)


def _moved(
    answer: object, right: Callable[..., Step], weight: Tensor, given: tuple[Any, ...]
) -> tuple[Tensor, Tensor]:
    """The weight that an answer returned, its m and v being right, and the right weight."""
    (moved, m, v), (expected, m_right, v_right) = _stepped(answer, weight, *given), right(weight, *given)
    expect_close(m, m_right, "m", atol=1e-8)
    expect_close(v, v_right, "v", atol=1e-8)
    return moved, expected


def _check_moments(answer: object, right: Callable[..., Step]) -> None:
    """m and v after a third step, where neither correction is 1."""
    weight, gradient, m, v = _vector(1.0, 2.0), _vector(3.0, -1.0), _vector(1.0, 2.0), _vector(4.0, 2.0)
    given = (gradient, m, v, 3, 0.1, 0.9, 0.99, 1e-8)
    _, m_new, v_new = _stepped(answer, weight, *given)
    _, m_right, v_right = right(weight, *given)
    if _near(m_new, v_right) and _near(v_new, m_right):
        raise Wrong("swapped_order")
    likely = [
        ("stores_corrected", m_right / (1 - 0.9**3)),
        ("betas_swapped", 0.1 * m + 0.9 * gradient),
        ("sum_not_mean", 0.9 * m + gradient),
        ("other_beta", 0.99 * m + 0.01 * gradient),
    ]
    _raise_likely(likely, m_new, m_right, name="m")
    expect_close(m_new, m_right, "m", atol=1e-8)
    likely = [
        ("stores_corrected", v_right / (1 - 0.99**3)),
        ("betas_swapped", 0.01 * v + 0.99 * gradient**2),
        ("sum_not_mean", 0.99 * v + gradient**2),
        ("other_beta", 0.9 * v + 0.1 * gradient**2),
        ("v_not_squared", 0.99 * v + 0.01 * gradient),
        ("v_not_squared", 0.99 * v + 0.01 * gradient.abs()),
        ("v_of_m", 0.99 * v + 0.01 * m_right**2),
        ("v_of_m", 0.99 * v + 0.01 * m**2),
        ("v_waits", v),
    ]
    _raise_likely(likely, v_new, v_right, name="v")
    expect_close(v_new, v_right, "v", atol=1e-8)


def _check_first_step(answer: object) -> None:
    """From m = v = 0 each entry moves by the rate, whatever the size of its gradient."""
    weight, gradient, zeros = _vector(1.0, 2.0, 3.0), _vector(0.5, -4.0, 0.001), torch.zeros(3).double()
    given = (gradient, zeros, zeros, 1, 0.1, 0.9, 0.999, 1e-16)
    moved, right = _moved(answer, adam_step, weight, given)
    sign, root = gradient.sign(), 0.001**0.5  # m = 0.1 g, √v = root · |g|
    likely = [
        ("no_correction", weight - 0.1 * sign * 0.1 / root),
        ("m_only", weight - 0.1 * sign / root),
        ("v_only", weight - 0.1 * sign * 0.1),
        ("counts_from_zero", weight - 0.1 * sign * (0.1 / 0.19) / (root / (1 - 0.999**2) ** 0.5)),
        ("ascends", weight + 0.1 * sign),
        ("no_denominator", weight - 0.1 * gradient),
        ("no_root", weight - 0.1 * gradient / (gradient**2 + 1e-16)),
        ("old_moments", weight),
    ]
    if bool(moved.isnan().any()):
        raise Wrong("counts_below_one", actual=numbers(moved))
    _raise_likely(likely, moved, right)
    expect_close(moved, right, "weight", atol=1e-6, step=1)


def _check_tenth_step(answer: object) -> None:
    """Where the gradient has always been the same, the tenth step is as long as the first one."""
    weight, given = _always_the_same(10)
    moved, right = _moved(answer, adam_step, weight, given)
    share, root = 1 - 0.9**10, (1 - 0.999**10) ** 0.5
    likely = [
        ("corrects_as_first", 3.0 - (share / 0.1) / (root / 0.001**0.5)),
        ("corrects_as_first", 3.0 - share / root),  # as if only the first step had to be corrected
    ]
    _raise_likely([(reason, _vector(wrong)) for reason, wrong in likely], moved, right)
    expect_close(moved, right, "weight", atol=1e-6, step=10)


def _always_the_same(step: int, eps: float = 1e-12) -> tuple[Tensor, tuple[Any, ...]]:
    """A weight of 3 that has seen the gradient 2 in each step before this one; the rate is 1."""
    gradient, before = _vector(2.0), step - 1
    m, v = (1 - 0.9**before) * gradient, (1 - 0.999**before) * gradient**2
    return _vector(3.0), (gradient, m, v, step, 1.0, 0.9, 0.999, eps)


def _check_adam_eps(answer: object) -> None:
    weight, given = _always_the_same(1, eps=12.0)  # m̂ = 2, √v̂ = 2
    moved, right = _moved(answer, adam_step, weight, given)
    root = 0.001**0.5
    likely = [
        ("eps_inside", 3.0 - 2.0 / (4.0 + 12.0) ** 0.5),
        ("no_eps", 2.0),
        ("eps_before_correction", 3.0 - 2.0 * root / (2.0 * root + 12.0)),
        ("eps_before_correction", 3.0 - 2.0 * root / (4.0 * 0.001 + 12.0) ** 0.5),
    ]
    _raise_likely([(reason, _vector(wrong)) for reason, wrong in likely], moved, right)
    expect_close(moved, right, "weight", step=1)
    quiet = _vector(0.0)
    moved, right = _moved(answer, adam_step, weight, (quiet, quiet, quiet, 1, 1.0, 0.9, 0.999, 1e-8))
    if not _near(moved, right):
        raise Wrong("zero_gradient", actual=number(moved))


def _check_other_steps(answer: object, right: Callable[..., Step], settings: Sequence[tuple]) -> None:
    """Fresh tensors of other shapes, with other settings; then nobody else may have made the step."""
    shapes = [(3, 5), (7,), (), (2, 1, 3), (1, 1)]
    for place, (step, *rest) in enumerate(settings):
        dtype = torch.float32 if place == 1 else torch.float64
        weight, gradient, m = torch.randn(3, *shapes[place % len(shapes)], dtype=dtype)
        given = (gradient, m, torch.rand_like(m) + 0.1, step, *rest)
        facts = dict(zip(("rate", "beta1", "beta2", "eps"), map(number, rest), strict=True), step=step)
        pairs = zip(
            ("weight", "m", "v"), _stepped(answer, weight, *given), right(weight, *given), strict=True
        )
        for name, actual, expected in pairs:
            expect_close(actual, expected, "other_settings", name=name, **facts)
    refuse_ready_made(answer, weight, *given)


def _near(actual: Tensor, expected: Tensor) -> bool:
    return torch.allclose(actual, expected, rtol=0.0, atol=1e-6)


def _raise_likely(
    likely: Sequence[tuple[str, Tensor]], actual: Tensor, expected: Tensor, **facts: Any
) -> None:
    """Raise the first reason whose values the answer has, unless these are also the right ones."""
    for reason, wrong in likely:
        if _near(actual, wrong) and not _near(wrong, expected):
            right, given = numbers(expected), numbers(actual)
            if expected.numel() == 1:
                right, given = told_apart(expected, actual)
            raise Wrong(reason, expected=right, actual=given, **facts)


def warmup_rate(step: int, peak_rate: float, warmup_steps: int, total_steps: int) -> float:
    if step <= warmup_steps:
        return peak_rate * step / warmup_steps
    if step >= total_steps:
        return 0.0
    return peak_rate * (total_steps - step) / (total_steps - warmup_steps)


def check_warmup_rate(answer: object) -> None:
    peak, warmup, total = 0.4, 4, 12
    steps = range(1, total + 1)
    rates = [_number(call(answer, step, peak, warmup, total)) for step in steps]
    right = [warmup_rate(step, peak, warmup, total) for step in steps]
    if not _alike(rates, right):
        _raise_likely_rate(rates, right, peak, warmup, total)
    for step in (total + 1, total + 3, total + 5, 3 * total, 10 * total):
        rate = _number(call(answer, step, peak, warmup, total))
        if abs(rate) > 1e-9 or rate != rate:
            again = warmup_rate((step - 1) % total + 1, peak, warmup, total)
            reasons = ["negative"] * (rate < 0) + ["restart"] * _alike([rate], [again])
            raise Wrong([*reasons, "after_the_end"][0], step=step, actual=number(rate))
    _check_no_warmup(answer)
    for step, expected in ((3, 0.15), (20, 1.0), (21, 0.0)):
        rate = _settled(answer, "only_up", step, 1.0, 20, 20)
        if not _alike([rate], [expected]):
            raise Wrong("only_up", step=step, expected=number(expected), actual=number(rate))
    _check_other_schedules(answer)


def _raise_likely_rate(rates: list[float], right: list[float], peak: float, warmup: int, total: int) -> None:
    """The reason whose whole curve the answer has, told at the first step where it leaves the right one."""
    steps = range(1, total + 1)
    up = [min(1.0, step / warmup) for step in steps]
    down = [(total - step) / (total - warmup) for step in steps]
    late = [(total + 1 - step) / (total + 1 - warmup) for step in steps]
    waves = [(1 + math.cos(math.pi * (step - warmup) / (total - warmup))) / 2 for step in steps]
    rising = [step <= warmup for step in steps]
    shares: list[tuple[str, list[float]]] = [
        ("no_peak", [rate / peak**2 for rate in right]),
        ("no_warmup", [min(1.0, rate) for rate in down]),
        ("no_warmup", down),
        ("no_warmup", [1 - step / total for step in steps]),
        ("no_decay", up),
        ("noam", [min(step / warmup, (warmup / step) ** 0.5) for step in steps]),
        ("decay_from_start", [u if r else 1 - s / total for u, r, s in zip(up, rising, steps, strict=True)]),
        ("decay_from_start", [s / warmup if s < warmup else 1 - s / total for s in steps]),
        ("decay_from_start", [u * (1 - step / total) for u, step in zip(up, steps, strict=True)]),
        ("counts_from_zero", [warmup_rate(step - 1, 1.0, warmup, total) for step in steps]),
        ("one_ahead", [warmup_rate(step + 1, 1.0, warmup, total) for step in steps]),
        ("peak_missed", [s / (warmup + 1) if r else d for s, r, d in zip(steps, rising, down, strict=True)]),
        ("ends_late", [u if r else d for u, r, d in zip(up, rising, late, strict=True)]),
        ("cosine", [u if r else w for u, r, w in zip(up, rising, waves, strict=True)]),
        ("whole_numbers", [float(step == warmup) for step in steps]),
    ]
    step = next(step for step in steps if not _alike([rates[step - 1]], [right[step - 1]]))
    expected, actual = told_apart(right[step - 1], rates[step - 1])
    found = (reason for reason, share in shares if _alike(rates, [peak * part for part in share]))
    raise Wrong(next(found, "curve"), step=step, expected=expected, actual=actual)


def _check_no_warmup(answer: object) -> None:
    for step, expected in ((1, 0.9), (5, 0.5), (10, 0.0), (11, 0.0)):
        rate = _settled(answer, "warmup_zero", step, 1.0, 0, 10)
        if not _alike([rate], [expected]):
            raise Wrong("warmup_zero", step=step, expected=number(expected), actual=number(rate))


def _settled(answer: object, reason: str, *given: Any) -> float:
    """The rate; where the answer stops with an error, this reason instead of that for any exercise."""
    try:
        return _number(call(answer, *given))
    except Wrong as wrong:
        if wrong.reason != "raised":
            raise
        expected = number(warmup_rate(*given))
        raise Wrong(reason, step=given[0], expected=expected, actual=wrong.facts["error"]) from None


def _check_other_schedules(answer: object) -> None:
    """Schedules as in real runs and tiny ones, and one whose numbers are drawn."""
    warmup = int(torch.randint(2, 90, ()))
    total = warmup + int(torch.randint(5, 200, ()))
    schedules = [
        (1.0, 1, 2, (1, 2, 3)),
        (1.0, 0, 1, (1, 2)),
        (1.0, 1, 1, (1, 2)),
        (1e-4, 10_000, 1_000_000, (1, 9_999, 10_000, 10_001, 500_000, 999_999, 1_000_000)),
        (3.0, warmup, total, (1, warmup - 1, warmup, warmup + 1, warmup + 4, total - 1, total, total + 1)),
    ]
    for peak, warmup, total, steps in schedules:
        for step in steps:
            rate = _number(call(answer, step, peak, warmup, total))
            right = warmup_rate(step, peak, warmup, total)
            if not math.isclose(rate, right, rel_tol=1e-6, abs_tol=1e-9 * peak):
                facts = {"step": step, "peak": number(peak), "warmup": warmup, "total": total}
                expected, actual = told_apart(right, rate)
                raise Wrong("other_schedule", expected=expected, actual=actual, **facts)


def _alike(rates: Sequence[float], others: Sequence[float]) -> bool:
    return all(math.isclose(one, other, abs_tol=1e-7) for one, other in zip(rates, others, strict=True))


def radam_step(
    weight: Tensor,
    gradient: Tensor,
    m: Tensor,
    v: Tensor,
    step: int,
    rate: float,
    beta1: float,
    beta2: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * gradient**2
    m_hat = m / (1 - beta1**step)
    longest = 2 / (1 - beta2) - 1  # ρ_∞
    length = longest - 2 * step * beta2**step / (1 - beta2**step)  # ρ_t
    if length <= 5:
        return weight - rate * m_hat, m, v
    r = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
    return weight - rate * r * m_hat * (1 - beta2**step) ** 0.5 / (v.sqrt() + eps), m, v


def check_radam_step(answer: object) -> None:
    _check_moments(answer, radam_step)
    _check_tenth_radam_step(answer)
    _check_early_steps(answer)
    _check_radam_eps(answer)
    _check_small_beta2(answer)
    _check_other_steps(
        answer,
        radam_step,
        [
            (2, 0.1, 0.9, 0.999, 1e-8),
            (9, 1.0, 0.8, 0.95, 1e-3),
            (6, 0.5, 0.9, 0.99, 1e-6),
            (100, 0.5, 0.95, 0.99, 0.1),
            (5, 0.3, 0.0, 0.97, 1e-8),
            (6, 0.1, 0.9, 0.85, 1e-8),  # ρ_t = 5.07
            (40, 0.3, 0.5, 0.75, 1e-8),
            (1000, 0.3, 0.9, 0.999, 1e-8),
            (3000, 0.3, 0.999, 0.9995, 1e-8),
            (20_000, 0.3, 0.9, 0.999, 1e-8),
        ],
    )


def _check_tenth_radam_step(answer: object) -> None:
    """Where the gradient has always been the same, Adam moves by the rate and RAdam by the rate times r_t."""
    weight, given = _always_the_same(10)
    moved, right = _moved(answer, radam_step, weight, given)
    factor, share, root = 3.0 - float(right), 1 - 0.9**10, (1 - 0.999**10) ** 0.5
    longest, far = 1999.0, 10 * 0.999**10 / (1 - 0.999**10)
    likely = [
        ("no_rectification", 1.0),
        ("never_adaptive", 2.0),
        ("m_not_corrected", factor * share),
        ("v_not_corrected", factor / root),
        ("r_not_rooted", factor**2),
        ("r_inverted", 1.0 / factor),
        ("rho_without_2", _factor(longest - far, longest)),
        ("rho_of_beta1", _factor(19 - 20 * 0.9**10 / share, 19.0)),
        ("counts_from_zero", _move_at(11, factor_only=True)),
        ("counts_from_zero", _move_at(9, factor_only=True)),
        ("counts_from_zero", _move_at(11)),
        ("counts_from_zero", _move_at(9)),
    ]
    facts = {"r": number(factor)}
    if _near(moved, _vector(2.0)) and _is_adam(answer):
        raise Wrong("is_adam", expected=number(right), actual=number(moved), **facts)
    _raise_likely([(reason, _vector(3.0 - wrong)) for reason, wrong in likely], moved, right, **facts)
    expect_close(moved, right, "weight", atol=1e-7, step=10)


def _factor(length: float, longest: float) -> float:
    """r_t for ρ_t and ρ_∞."""
    return ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5


def _move_at(step: int, *, factor_only: bool = False) -> float:
    """How far the tenth step of `_check_tenth_radam_step` would go if it were taken for this one."""
    length = 1999.0 - 2 * step * 0.999**step / (1 - 0.999**step)
    factor = _factor(length, 1999.0)
    if factor_only:
        return factor
    share, root = (1 - 0.9**10) / (1 - 0.9**step), ((1 - 0.999**step) / (1 - 0.999**10)) ** 0.5
    return factor * share * root


def _is_adam(answer: object) -> bool:
    weight, given = _first_of_two()
    return _near(_stepped(answer, weight, *given)[0], weight - 0.1 * given[0].sign())


def _first_of_two() -> tuple[Tensor, tuple[Any, ...]]:
    """The first step of two weights; Adam would move each of them by 0.1."""
    zeros = torch.zeros(2).double()
    return _vector(1.0, 2.0), (_vector(0.5, -4.0), zeros, zeros, 1, 0.1, 0.9, 0.999, 1e-12)


def _check_early_steps(answer: object) -> None:
    """Up to ρ_t = 5 the step is m̂ times the rate: the first, the fourth and the fifth step for β₂ = 0.999."""
    weight, given = _first_of_two()
    moved, right = _moved(answer, radam_step, weight, given)
    gradient = given[0]
    rectified = _factor(1.0, 1999.0)
    likely = [
        ("adaptive_too_early", weight - 0.1 * gradient.sign()),
        ("adaptive_too_early", weight - 0.1 * rectified * gradient.sign()),
        ("early_m_not_corrected", weight - 0.01 * gradient),
        ("no_early_step", weight),
    ]
    _raise_likely(likely, moved, right)
    expect_close(moved, right, "weight", atol=1e-7, step=1)
    weight, gradient, m, v = _vector(1.0, 2.0), _vector(3.0, -1.0), _vector(1.0, 2.0), _vector(0.004, 0.002)
    for step in (4, 5):
        given = (gradient, m, v, step, 1.0, 0.9, 0.999, 1e-12)
        moved, right = _moved(answer, radam_step, weight, given)
        _raise_likely([("gradient_itself", weight - gradient)], moved, right, step=step)
        m_hat = weight - right
        v_hat = (0.999 * v + 0.001 * gradient**2) / (1 - 0.999**step)
        rho = 1999.0 - 2 * step * 0.999**step / (1 - 0.999**step)
        paper = weight - _factor(rho, 1999.0) * m_hat / v_hat.sqrt() if rho > 4 else right
        _raise_likely([("threshold_4", paper)], moved, right, rho=number(rho))
        expect_close(moved, right, "weight", atol=1e-7, step=step)


def _check_radam_eps(answer: object) -> None:
    weight, given = _always_the_same(10, eps=0.1)
    moved, right = _moved(answer, radam_step, weight, given)
    factor, root = _move_at(10), (1 - 0.999**10) ** 0.5
    likely = [
        ("eps_as_adam", 3.0 - factor * 2.0 / (2.0 + 0.1)),
        ("eps_inside", 3.0 - factor * 2.0 * root / ((2.0 * root) ** 2 + 0.1) ** 0.5),
        ("eps_inside", 3.0 - factor * 2.0 / (4.0 + 0.1) ** 0.5),
        ("no_eps", 3.0 - factor),
    ]
    likely = [(reason, _vector(wrong)) for reason, wrong in likely]
    _raise_likely(likely, moved, right, root=number(2.0 * root))
    expect_close(moved, right, "weight", atol=1e-7, step=10)


def _check_small_beta2(answer: object) -> None:
    """ρ_t and the number of the step part where β₂ is small; ρ_∞ is 9, 4 and 3 here."""
    weight, gradient, m, v = _vector(1.0, 2.0), _vector(3.0, -1.0), _vector(1.0, 2.0), _vector(4.0, 2.0)
    for beta2, step, reason in ((0.8, 6, "counts_steps"), (0.6, 50, "small_beta2"), (0.5, 50, "small_beta2")):
        given = (gradient, m, v, step, 0.1, 0.9, beta2, 1e-12)
        rho = 2 / (1 - beta2) - 1 - 2 * step * beta2**step / (1 - beta2**step)
        expected = radam_step(weight, *given)[0]
        facts = {"beta2": number(beta2), "step": step, "rho": number(rho), "expected": numbers(expected)}
        try:
            moved, _ = _moved(answer, radam_step, weight, given)
        except Wrong as wrong:
            if wrong.reason != "raised":
                raise
            raise Wrong(reason, actual=wrong.facts["error"], **facts) from None
        if not _near(moved, expected):
            raise Wrong(reason, actual=numbers(moved), **facts)


EXERCISES = [
    Exercise("08.1", level="warm-up", check=check_clip_by_norm, solution=clip_by_norm),
    Exercise("08.2", level="core", check=check_adam_step, solution=adam_step),
    Exercise("08.3", level="core", check=check_warmup_rate, solution=warmup_rate),
    Exercise("08.4", level="stretch", check=check_radam_step, solution=radam_step),
]
