"""Exercises of notebook 08: clipping, the steps of AdamW and RAdam, and a learning rate that rises and falls."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from course_utils.exercises.core import Exercise, Several, number, numbers, told_apart
from course_utils.schedules import linear_rate


# ---- 08.1
def clip_by_norm(gradients: list[Tensor], max_norm: float) -> tuple[list[Tensor], float]:
    norm = float(torch.stack([gradient.norm() for gradient in gradients]).norm())
    factor = max_norm / norm if norm > max_norm else 1.0
    return [gradient * factor for gradient in gradients], norm


def norms_of(gradients):
    return torch.stack([gradient.norm() for gradient in gradients])


def norm_by(norm_of):
    """Tells another norm: and clips rightly, or by it."""

    def clipped_by_it(gradients, max_norm):
        norm = norm_of(norms_of(gradients))
        return [gradient * (max_norm / norm if norm > max_norm else 1.0) for gradient in gradients], norm

    def only_told(gradients, max_norm):
        return clip_by_norm(gradients, max_norm)[0], norm_of(norms_of(gradients))

    return Several(clipped_by_it, only_told)


def scaled_by(factor):
    """Tells the right norm, and multiplies by another factor of it and max_norm."""

    def wrong(gradients, max_norm):
        norm = clip_by_norm(gradients, max_norm)[1]
        return [gradient * factor(norm, max_norm) for gradient in gradients], norm

    return wrong


def each_by(clip):
    """Tells the right norm; each gradient is clipped by itself."""

    def wrong(gradients, max_norm):
        return [clip(one, max_norm) for one in gradients], clip_by_norm(gradients, max_norm)[1]

    return wrong


def by_clip_grad_norm(gradients, max_norm):
    """Ready-made clipping, which works in place, on copies."""
    own = [nn.Parameter(torch.zeros_like(gradient)) for gradient in gradients]
    for parameter, gradient in zip(own, gradients):
        parameter.grad = gradient.clone()
    norm = nn.utils.clip_grad_norm_(own, max_norm)
    return [parameter.grad for parameter in own], norm


def by_hand_gradients():
    return [torch.tensor([12.0]), torch.tensor([[3.0, -4.0]])]  # 12² + 3² + 4² = 13²


def other_gradients():
    """Other shapes and numbers of tensors; long, short, only just too long; in double precision too."""
    several = [torch.randn(shape) for shape in ((3, 5), (7,), (), (2, 1, 3))]
    length = clip_by_norm(several, 1.0)[1]
    return [
        (several, 0.5),
        (several, 1.01 * length),
        (several, 0.999 * length),
        ([9.0 * torch.randn(3, 2) for _ in range(13)], 11.0),
        ([0.2 * gradient / length for gradient in several], 0.1),  # shorter than 1, and too long
        ([0.2 * gradient / length for gradient in several], 0.01),
        ([torch.randn(5, 7, dtype=torch.float64)], 0.5),
        ([torch.randn(11, 2)], 100.0),
        ([torch.randn(1, 1), torch.randn(307)], 3.0),
    ]


def flat(gradients):
    return numbers(torch.cat([gradient.flatten() for gradient in gradients]))


CLIP_BY_NORM = Exercise(
    "08.1",
    level="warm-up",
    reference=clip_by_norm,
    gradients=False,
    parts={"norm": 1, "clipped": 0},
    cases={
        "by_hand": lambda: (by_hand_gradients(), 2.6),
        "short": lambda: (by_hand_gradients(), 26.0),
        "zero": lambda: ([torch.zeros(2), torch.zeros(1, 3)], 1.0),
        "others": other_gradients,
    },
    mistakes={
        "no_norm": lambda *given: clip_by_norm(*given)[0],
        "pair_swapped": lambda *given: clip_by_norm(*given)[::-1],
        "clipped_length": lambda *given: (clip_by_norm(*given)[0][1:], clip_by_norm(*given)[1]),
        "norm_after": lambda *given: (clip_by_norm(*given)[0], min(given[1], clip_by_norm(*given)[1])),
        "norm_squared": norm_by(lambda norms: norms.square().sum()),
        "sum_of_norms": norm_by(torch.sum),
        "one_tensor": Several(*norm_by(lambda norms: norms[-1]), *norm_by(torch.max)),
        "norm": norm_by(lambda norms: norms[:3].norm()),
        "each_by_itself": each_by(lambda one, most: clip_by_norm([one], most)[0][0]),
        "by_value": each_by(lambda one, most: one.clamp(-most, most)),
        "unchanged": Several(
            scaled_by(lambda norm, most: 1.0),
            scaled_by(lambda norm, most: norm / most if 0 < norm < most else 1.0),
        ),
        "unit": scaled_by(lambda norm, most: 1 / norm if norm > most else 1.0),
        "always_scaled": scaled_by(lambda norm, most: most / norm),
        "zero": scaled_by(lambda norm, most: min(1.0, most / norm) if norm else math.nan),
        "zero_raised": scaled_by(lambda norm, most: min(1.0, most / norm)),
        "clipped": Several(
            scaled_by(lambda norm, most: most / norm if norm > max(1.0, most) else 1.0),
            scaled_by(lambda norm, most: max(most, 0.1) / norm if norm > max(most, 0.1) else 1.0),
        ),
        "ready_made": by_clip_grad_norm,
    },
    signs={
        "no_norm": lambda found: (
            [part.shape for part in found.yours] == [gradient.shape for gradient in found.given[0]]
        ),
        "pair_swapped": lambda found: isinstance(found.yours[1], list | tuple),
    },
    facts={
        **dict.fromkeys(
            ("each_by_itself", "by_value", "unchanged", "unit", "always_scaled"),
            lambda found: {"expected": flat(found.right[0]), "actual": flat(found.yours[0])},
        ),
        "no_norm": lambda found: {"actual": len(found.yours)},
        "pair_swapped": lambda found: {"actual": type(found.yours[0]).__name__},
        "zero": lambda found: {"actual": numbers(found.yours[0][0]), "norm": number(found.yours[1])},
        "norm": lambda found: {"count": len(found.given[0])},
        "clipped": lambda found: {
            "count": len(found.given[0]),
            "norm": number(found.right[1]),
            "which": found.difference.index[0],
            "index": found.difference.index[1:],
        },
    },
    forbids=("clip_grad_norm_", "clip_grads_with_norm_", "course_utils.training"),
)


# ---- 08.2
def adamw_step(weight, gradient, m, v, step, rate, beta1, beta2, eps, decay):
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * gradient**2
    m_hat = m / (1 - beta1**step)
    v_hat = v / (1 - beta2**step)
    weight = weight * (1 - rate * decay)  # towards 0, and not divided by √v̂
    return weight - rate * m_hat / (v_hat.sqrt() + eps), m, v


def seen_at(look_at, weight, result):
    """Of the case "moments" only m and v; the others look at the weight."""
    whole = isinstance(result, tuple | list) and len(result) == 3
    return (weight, *result[1:]) if whole and look_at == "moments" else result


def run_adamw(answer, weight, gradient, m, v, step, rate, beta1, beta2, eps, decay, look_at):
    given = weight, gradient, m, v, step, rate, beta1, beta2, eps, decay
    return seen_at(look_at, weight, answer(*given))


def renewed(m=None, v=None):
    """The averages; `m` and `v` may say otherwise how they are renewed."""

    def renew(gradient, m_old, v_old, step, beta1, beta2):
        m_new = beta1 * m_old + (1 - beta1) * gradient
        v_new = beta2 * v_old + (1 - beta2) * gradient**2
        given = {"g": gradient, "m": m_old, "v": v_old, "t": step, "b1": beta1, "b2": beta2, "m_new": m_new}
        return m(**given) if m else m_new, v(**given) if v else v_new

    return renew


PLAIN = renewed()


def stepping(renew=PLAIN, move=None, returned=None, decayed=None):
    """A step with one thing done in another way.

    Args:
        renew: the new averages. move: the step, from these and what came. returned: what is given back.
        decayed: the new weight, from the old one, the step times the rate, the rate and the decay.
    """

    def wrong(weight, gradient, m, v, step, rate, beta1, beta2, eps, decay=0.0):
        m_new, v_new = renew(gradient, m, v, step, beta1, beta2)
        m_hat, v_hat = m_new / (1 - beta1**step), v_new / (1 - beta2**step)
        given = {"g": gradient, "m": m_new, "v": v_new, "t": step, "b1": beta1, "b2": beta2, "eps": eps}
        given |= {"m_old": m, "v_old": v, "m_hat": m_hat, "v_hat": v_hat}
        moved = rate * (move(**given) if move else m_hat / (v_hat.sqrt() + eps))
        new = decayed(weight, moved, rate, decay) if decayed else weight * (1 - rate * decay) - moved
        return returned(new, m_new, v_new, m_hat, v_hat) if returned else (new, m_new, v_new)

    return wrong


def corrected(m_power=lambda t: t, v_power=lambda t: t, of_m=True, of_v=True):
    """The step with corrections to other powers, or without them."""

    def move(m, v, t, b1, b2, eps, **_):
        m = m / (1 - b1 ** m_power(t)) if of_m else m
        v = v / (1 - b2 ** v_power(t)) if of_v else v
        return m / (v.sqrt() + eps)

    return move


def of_m(how):
    return stepping(renewed(m=how))


def of_v(how):
    return stepping(renewed(v=how))


def decaying(how):
    return stepping(decayed=how)


def in_float32(right):
    def wrong(*given):
        lowered = [one.float() if isinstance(one, Tensor) else one for one in given]
        return tuple(part.to(given[0].dtype) for part in right(*lowered))

    return wrong


def decay_divided(weight, gradient, m, v, step, rate, beta1, beta2, eps, decay):
    m, v = PLAIN(gradient, m, v, step, beta1, beta2)
    m_hat, v_hat = m / (1 - beta1**step), v / (1 - beta2**step)
    return weight - rate * (m_hat + decay * weight) / (v_hat.sqrt() + eps), m, v


def known_betas(right, *known):
    """Takes any other β₂ for one of those that are known."""

    def wrong(weight, gradient, m, v, step, rate, beta1, beta2, *rest):
        seen = min(known, key=lambda one: abs(one - beta2))
        return right(weight, gradient, m, v, step, rate, beta1, seen, *rest)

    return wrong


def by_optimizer(kind):
    def wrong(weight, gradient, m, v, step, rate, beta1, beta2, eps, decay=0.0):
        own = weight.clone().requires_grad_()
        own.grad = gradient.clone()
        optimizer = kind([own], lr=rate, betas=(beta1, beta2), eps=eps, weight_decay=decay)
        state = {"step": torch.tensor(float(step - 1)), "exp_avg": m.clone(), "exp_avg_sq": v.clone()}
        optimizer.state[own] = state
        optimizer.step()
        return own.detach(), state["exp_avg"], state["exp_avg_sq"]

    return wrong


# The mistakes in m and v, and in what is returned: of both exercises.
MOMENTS = {
    "only_weight": stepping(returned=lambda weight, *rest: weight),
    "swapped_order": stepping(returned=lambda weight, m, v, *rest: (weight, v, m)),
    "stores_corrected": Several(
        stepping(returned=lambda weight, m, v, m_hat, v_hat: (weight, m_hat, v_hat)),
        stepping(returned=lambda weight, m, v, m_hat, v_hat: (weight, m, v_hat)),
    ),
    "betas_swapped": Several(
        of_m(lambda g, m, b1, **_: (1 - b1) * m + b1 * g),
        of_v(lambda g, v, b2, **_: (1 - b2) * v + b2 * g**2),
    ),
    "sum_not_mean": Several(
        of_m(lambda g, m, b1, **_: b1 * m + g), of_v(lambda g, v, b2, **_: b2 * v + g**2)
    ),
    "other_beta": Several(
        of_v(lambda g, v, b1, **_: b1 * v + (1 - b1) * g**2),
        of_m(lambda g, m, b2, **_: b2 * m + (1 - b2) * g),
    ),
    "v_not_squared": Several(
        of_v(lambda g, v, b2, **_: b2 * v + (1 - b2) * g),
        of_v(lambda g, v, b2, **_: b2 * v + (1 - b2) * g.abs()),
    ),
    "v_of_m": Several(
        of_v(lambda m_new, v, b2, **_: b2 * v + (1 - b2) * m_new**2),
        of_v(lambda m, v, b2, **_: b2 * v + (1 - b2) * m**2),
    ),
    "m": of_m(lambda g, m, b1, **_: b1 * m + (1 - b1) * g.clamp(-1, 1)),
    "v": of_v(lambda g, v, b2, **_: torch.maximum(v, b2 * v + (1 - b2) * g**2)),
}


def whole(found):
    """Of the part that departs its name and, where its values do, the whole of it; where there is none, the error."""
    part = found.difference.part
    if part is None:
        return {"wanted": numbers(found.right[0]), "got": getattr(found.yours, "said", "")}
    facts, right, yours = {"name": ("weight", "m", "v")[part]}, found.right[part], found.yours[part]
    if found.kind != "value":
        return facts
    told = told_apart(right, yours) if right.numel() == 1 else (numbers(right), numbers(yours))
    return facts | dict(zip(("wanted", "got"), told))


def vector(*entries):
    return torch.tensor(entries)


def by_hand_moments(*rest):
    """A third step, where neither correction is 1."""
    given = vector(1.0, 2.0), vector(3.0, -1.0), vector(1.0, 2.0), vector(4.0, 2.0)
    return *given, 3, 0.1, 0.9, 0.99, 1e-8, *rest, "moments"


def always_the_same(step, eps, *rest):
    """A weight of 3 that has seen the gradient 2 in each step before this one; the rate is 1."""
    gradient, before = vector(2.0), step - 1
    m, v = (1 - 0.9**before) * gradient, (1 - 0.999**before) * gradient**2
    return vector(3.0), gradient, m, v, step, 1.0, 0.9, 0.999, eps, *rest, "weight"


def cancelling(*rest):
    """m becomes (2³⁰ + 2)/2 − 2³⁰/2 = 1; in float32 the 2 is lost."""
    given = [torch.tensor([one], dtype=torch.float64) for one in (1.0, -(2.0**30), 2.0**30 + 2, 1.0)]
    return *given, 2, 0.1, 0.5, 0.99, 1e-8, *rest, "weight"


SHAPES = [(3, 5), (7,), (), (2, 1, 3), (1, 1)]


def drawn_steps(settings):
    """Fresh tensors of other shapes, with other settings; the second in float64."""
    steps = []
    for place, (step, *rest) in enumerate(settings):
        dtype = torch.float64 if place == 1 else torch.float32
        weight, gradient, m = torch.randn(3, *SHAPES[place % len(SHAPES)], dtype=dtype)
        steps.append((weight, gradient, m, torch.rand_like(m) + 0.1, step, *rest, "weight"))
    return steps


OPTIMISERS = ("torch.optim", "course_utils.training", "_fused_adam_", "_fused_adamw_")

ADAMW_STEP = Exercise(
    "08.2",
    level="core",
    reference=adamw_step,
    run=run_adamw,
    gradients=False,
    parts={"m": 1, "v": 2, "weight": 0},
    cases={
        "moments": lambda: by_hand_moments(0.0),
        # From m = v = 0 each entry moves by the rate, whatever the size of its gradient.
        "first_step": lambda: (
            *(vector(1.0, 2.0, 3.0), vector(0.5, -4.0, 0.001), torch.zeros(3), torch.zeros(3)),
            *(1, 0.1, 0.9, 0.999, 1e-16, 0.0, "weight"),
        ),
        # Where the gradient has always been the same, the tenth step is as long as the first one.
        "tenth_step": lambda: always_the_same(10, 1e-12, 0.0),
        "eps": lambda: always_the_same(1, 12.0, 0.0),  # m̂ = 2, √v̂ = 2
        "zero_gradient": lambda: (vector(3.0), *torch.zeros(3, 1), 1, 1.0, 0.9, 0.999, 1e-8, 0.0, "weight"),
        # [1, 2] shrinks to [0.9, 1.8]; then the step is ∓0.5.
        "decay": lambda: (
            *(vector(1.0, 2.0), vector(0.5, -4.0), torch.zeros(2), torch.zeros(2)),
            *(1, 0.5, 0.9, 0.999, 1e-16, 0.2, "weight"),
        ),
        "in_float32": lambda: cancelling(0.1),
        "other_settings": lambda: drawn_steps(
            [
                (2, 0.1, 0.9, 0.999, 1e-8, 0.01),
                (7, 0.1, 0.8, 0.95, 1e-3, 1.0),
                (3, 0.01, 0.0, 0.5, 1e-6, 10.0),
                (100, 0.5, 0.95, 0.99, 0.1, 0.1),
                (1000, 0.3, 0.9, 0.999, 1e-8, 0.0),
                (3000, 0.3, 0.999, 0.9995, 1e-8, 0.5),  # far on, and both corrections still count
                (20_000, 0.3, 0.9, 0.999, 1e-8, 0.1),
            ]
        ),
    },
    mistakes=MOMENTS
    | {
        "v_waits": of_v(lambda v, **_: v.clone()),
        "no_correction": stepping(move=corrected(of_m=False, of_v=False)),
        "m_only": stepping(move=corrected(of_v=False)),
        "v_only": stepping(move=corrected(of_m=False)),
        "counts_from_zero": stepping(move=corrected(lambda t: t + 1, lambda t: t + 1)),
        "counts_below_one": stepping(move=corrected(lambda t: t - 1, lambda t: t - 1)),
        "ascends": stepping(move=lambda m_hat, v_hat, eps, **_: -m_hat / (v_hat.sqrt() + eps)),
        "no_denominator": stepping(move=lambda m_hat, **_: m_hat),
        "no_root": stepping(move=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat + eps)),
        "old_moments": stepping(move=lambda m_old, v_old, eps, **_: m_old / (v_old.sqrt() + eps)),
        "corrects_as_first": Several(
            stepping(move=corrected(lambda t: 1, lambda t: 1)),
            stepping(move=corrected(*[lambda t: 1 if t == 1 else 1e9] * 2)),
        ),
        "weight": stepping(
            move=lambda m_hat, v_hat, eps, **_: (m_hat / (v_hat.sqrt() + eps)).clamp(-0.5, 0.5)
        ),
        "eps_inside": stepping(move=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat + eps).sqrt()),
        "no_eps": stepping(move=lambda m_hat, v_hat, **_: m_hat / v_hat.sqrt()),
        "eps_before_correction": Several(
            stepping(move=lambda m_hat, v, t, b2, eps, **_: m_hat * (1 - b2**t) ** 0.5 / (v.sqrt() + eps)),
            stepping(move=lambda m_hat, v, t, b2, eps, **_: m_hat * (1 - b2**t) ** 0.5 / (v + eps).sqrt()),
        ),
        "zero_gradient": stepping(
            move=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat.sqrt() + (eps if eps > 1 else 0.0))
        ),
        "no_decay": decaying(lambda weight, moved, rate, decay: weight - moved),
        "decay_in_gradient": lambda weight, gradient, *rest: adamw_step(
            weight, gradient + rest[-1] * weight, *rest[:-1], 0.0
        ),
        "decay_divided": decay_divided,
        "decay_without_rate": decaying(lambda weight, moved, rate, decay: weight * (1 - decay) - moved),
        "decay_after": decaying(lambda weight, moved, rate, decay: (weight - moved) * (1 - rate * decay)),
        "decay_grows": decaying(lambda weight, moved, rate, decay: weight * (1 + rate * decay) - moved),
        "in_float32": in_float32(adamw_step),
        "other_settings": Several(
            known_betas(adamw_step, 0.99, 0.999),
            stepping(move=corrected(*[lambda t: t if t <= 100 else 1e9] * 2)),
        ),
        "ready_made": by_optimizer(torch.optim.AdamW),
    },
    signs={"only_weight": lambda found: isinstance(found.yours, Tensor)},
    facts={"*": whole},
    forbids=OPTIMISERS,
)


# ---- 08.3
def warmup_rate(step: int, peak_rate: float, warmup_steps: int, total_steps: int) -> float:
    if step <= warmup_steps:
        return peak_rate * step / warmup_steps
    if step >= total_steps:
        return 0.0
    return peak_rate * (total_steps - step) / (total_steps - warmup_steps)


def rates(up=lambda t, w: t / w, down=lambda t, w, n: (n - t) / (n - w), after=lambda t, w, n: 0.0, shift=0):
    """The schedule with one piece drawn in another way, as a share of the peak."""

    def wrong(step, peak_rate, warmup_steps, total_steps):
        step += shift
        if step <= warmup_steps:
            return peak_rate * up(step, warmup_steps)
        if step >= total_steps:
            return peak_rate * after(step, warmup_steps, total_steps)
        return peak_rate * down(step, warmup_steps, total_steps)

    return wrong


def least_of_two(step, peak_rate, warmup_steps, total_steps):
    """Right but where there is no warm-up, or nothing else."""
    up, down = step / warmup_steps, (total_steps - step) / max(1, total_steps - warmup_steps)
    return peak_rate * min(up, max(0.0, down)) if step < total_steps else 0.0


def straight_down(step, peak_rate, warmup_steps, total_steps):
    return peak_rate * (total_steps - step) / (total_steps - warmup_steps) if step < total_steps else 0.0


def drawn_schedules():
    """Schedules as in real runs and tiny ones, and one whose numbers are drawn."""
    warmup = int(torch.randint(2, 90, ()))
    total = warmup + int(torch.randint(5, 200, ()))
    around = (1, warmup - 1, warmup, warmup + 1, warmup + 4, total - 1, total, total + 1)
    return [
        ((1, 2, 3), 1.0, 1, 2),
        ((1, 2), 1.0, 0, 1),
        ((1, 2), 1.0, 1, 1),
        ((1, 9_999, 10_000, 10_001, 500_000, 999_999, 1_000_000), 1e-4, 10_000, 1_000_000),
        (around, 3.0, warmup, total),
    ]


def of_step(found):
    """The step at which it departs; where it stops with an error, the first at which it does."""
    steps, *rest = found.given
    if isinstance(found.yours, tuple):
        return {"step": steps[found.difference.index[0]]} if found.kind == "value" else {}
    for step, rate in zip(steps, found.right):
        try:
            found.answer(step, *rest)
        except Exception:
            return {"step": step, "expected": number(rate), "actual": found.yours.said}
    return {}


WARMUP_RATE = Exercise(
    "08.3",
    level="core",
    reference=warmup_rate,
    run=lambda answer, steps, peak, warmup, total: tuple(answer(step, peak, warmup, total) for step in steps),
    gradients=False,
    atol=1e-7,
    cases={
        "curve": lambda: (tuple(range(1, 13)), 0.4, 4, 12),
        "after_the_end": lambda: ((13, 15, 17, 36, 120), 0.4, 4, 12),
        "warmup_zero": lambda: ((1, 5, 10, 11), 1.0, 0, 10),
        "only_up": lambda: ((3, 20, 21), 1.0, 20, 20),
        "other_schedule": drawn_schedules,
    },
    mistakes={
        "no_peak": lambda t, peak, w, n: warmup_rate(t, 1.0, w, n),
        "no_warmup": Several(
            lambda t, peak, w, n: min(peak, straight_down(t, peak, w, n)),
            straight_down,
            lambda t, peak, w, n: peak * max(0.0, 1 - t / n),
        ),
        "no_decay": rates(down=lambda t, w, n: 1.0, after=lambda t, w, n: 1.0),
        "noam": rates(down=lambda t, w, n: (w / t) ** 0.5, after=lambda t, w, n: (w / t) ** 0.5),
        "decay_from_start": Several(
            rates(down=lambda t, w, n: 1 - t / n),
            lambda t, peak, w, n: peak * (t / w if t < w else max(0.0, 1 - t / n)),
            lambda t, peak, w, n: peak * min(1.0, t / w) * max(0.0, 1 - t / n),
        ),
        "counts_from_zero": rates(shift=-1),
        "one_ahead": rates(shift=1),
        "peak_missed": rates(up=lambda t, w: t / (w + 1)),
        "ends_late": rates(
            down=lambda t, w, n: (n + 1 - t) / (n + 1 - w), after=lambda t, w, n: (t == n) / (n + 1 - w)
        ),
        "cosine": rates(down=lambda t, w, n: (1 + math.cos(math.pi * (t - w) / (n - w))) / 2),
        "whole_numbers": rates(up=lambda t, w: t // w, down=lambda t, w, n: (n - t) // (n - w)),
        "curve": rates(down=lambda t, w, n: 1 / 32 + 31 / 32 * (n - t) / (n - w)),
        "negative": rates(after=lambda t, w, n: (n - t) / (n - w)),
        "restart": lambda t, peak, w, n: warmup_rate((t - 1) % n + 1, peak, w, n),
        "after_the_end": rates(after=lambda t, w, n: 1 / 32 if t > n else 0.0),
        "warmup_zero": Several(least_of_two, lambda t, peak, w, n: warmup_rate(t, peak, max(w, 1), n)),
        "only_up": lambda t, peak, w, n: (
            peak * (t / w if 0 < t < w else (n - t) / (n - w) if t < n or t == w else 0.0)
        ),
        "other_schedule": lambda step, peak_rate, warmup_steps, total_steps: warmup_rate(
            step, peak_rate, warmup_steps if total_steps <= 20 else total_steps // 10, total_steps
        ),
        "ready_made": linear_rate,
    },
    signs={"negative": lambda found: found.case == "after_the_end" and min(map(float, found.yours)) < 0},
    facts={"*": of_step},
    forbids=("course_utils.training", "course_utils.schedules"),
)


# ---- 08.4
def radam_step(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * gradient**2
    m_hat = m / (1 - beta1**step)
    longest = 2 / (1 - beta2) - 1  # ρ_∞
    length = longest - 2 * step * beta2**step / (1 - beta2**step)  # ρ_t
    if length <= 5:
        return weight - rate * m_hat, m, v
    r = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
    return weight - rate * r * m_hat * (1 - beta2**step) ** 0.5 / (v.sqrt() + eps), m, v


def lengths(t, b2):
    """ρ_t and ρ_∞."""
    longest = 2 / (1 - b2) - 1
    return longest - 2 * t * b2**t / (1 - b2**t), longest


def share(length, longest):
    return (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)


def rectified(length, longest):
    return abs(share(length, longest)) ** 0.5  # where a learner's code goes on, not where it stops


def rectifying(
    rho=lambda t, b1, b2: lengths(t, b2),
    factor=rectified,
    threshold=5.0,
    late=None,
    early=None,
    when=None,
    all_m=None,
):
    """RAdam's step; `late` and `early` give other steps, `rho` and `factor` other numbers, `when` another question."""

    def move(m, v, t, b1, b2, eps, **given):
        given |= {"m": m, "v": v, "t": t, "b1": b1, "b2": b2, "eps": eps}
        rho_t, longest = rho(t, b1, b2)
        if when(t) if when else rho_t > threshold:
            root = (1 - b2**t) ** 0.5
            adaptive = late(**given) if late else given["m_hat"] * root / (v.sqrt() + eps)
            return factor(rho_t, longest) * adaptive
        return early(**given) if early else given["m_hat"]

    return stepping(move=move)


def counting(step_of):
    """Another step in ρ alone, and in all."""

    def in_all(m, v, t, b1, b2, eps, **_):
        t = max(1, step_of(t))
        (rho, longest), m_hat = lengths(t, b2), m / (1 - b1**t)
        root = (1 - b2**t) ** 0.5
        return rectified(rho, longest) * m_hat * root / (v.sqrt() + eps) if rho > 5 else m_hat

    return [rectifying(rho=lambda t, b1, b2: lengths(max(1, step_of(t)), b2)), stepping(move=in_all)]


def waiting(weight, gradient, m, v, step, rate, beta1, beta2, eps):
    new = radam_step(weight, gradient, m, v, step, rate, beta1, beta2, eps)
    return new if lengths(step, beta2)[0] > 5 else (*new[:2], v)


def eager(root):
    """Finds r_t before it asks for ρ_t: where ρ_∞ = 4 there is a division by 0, below it a negative number."""

    def wrong(weight, gradient, m, v, step, rate, beta1, beta2, eps):
        r = root(share(*lengths(step, beta2)))
        return rectifying(factor=lambda *_: r)(weight, gradient, m, v, step, rate, beta1, beta2, eps)

    return wrong


def adam_for(steps):
    """Adam for some steps."""
    return lambda *given: (stepping() if steps(given[4]) else radam_step)(*given)


R_10 = rectified(*lengths(10, 0.999))


def of_rho(found):
    _, _, _, _, step, _, _, beta2, *_ = found.given
    facts = {"r": number(R_10), "rho": number(lengths(step, beta2)[0])}
    return facts | {"root": number(2.0 * (1 - 0.999**10) ** 0.5)} | whole(found)


def early_steps(*steps):
    given = vector(1.0, 2.0), vector(3.0, -1.0), vector(1.0, 2.0), vector(0.004, 0.002)
    return [(*given, step, 1.0, 0.9, 0.999, 1e-12, "weight") for step in steps]


def small_beta2(beta2, step):
    given = vector(1.0, 2.0), vector(3.0, -1.0), vector(1.0, 2.0), vector(4.0, 2.0)
    return *given, step, 0.1, 0.9, beta2, 1e-12, "weight"


RADAM_STEP = Exercise(
    "08.4",
    level="stretch",
    reference=radam_step,
    run=lambda answer, weight, gradient, m, v, step, rate, beta1, beta2, eps, look_at: seen_at(
        look_at, weight, answer(weight, gradient, m, v, step, rate, beta1, beta2, eps)
    ),
    gradients=False,
    parts={"m": 1, "v": 2, "weight": 0},
    cases={
        "moments": by_hand_moments,
        # Where the gradient has always been the same, Adam moves by the rate and RAdam by the rate times r_t.
        "tenth_step": lambda: always_the_same(10, 1e-12),
        # Up to ρ_t = 5 the step is m̂ times the rate: the first, the fourth and the fifth step for β₂ = 0.999.
        "first_step": lambda: (
            *(vector(1.0, 2.0), vector(0.5, -4.0), torch.zeros(2), torch.zeros(2)),
            *(1, 0.1, 0.9, 0.999, 1e-12, "weight"),
        ),
        "early_steps four": lambda: early_steps(4),
        "early_steps five": lambda: early_steps(5),
        "eps": lambda: always_the_same(10, 0.1),
        # ρ_∞ is 9, 4 and 3
        "counts_steps": lambda: small_beta2(0.8, 6),
        "small_beta2": lambda: small_beta2(0.6, 50),
        "small_beta2 smaller": lambda: small_beta2(0.5, 50),
        "in_float32": cancelling,
        "other_settings": lambda: drawn_steps(
            [
                (2, 0.1, 0.9, 0.999, 1e-8),
                (9, 0.1, 0.8, 0.95, 1e-3),
                (6, 0.5, 0.9, 0.99, 1e-6),
                (100, 0.5, 0.95, 0.99, 0.1),
                (5, 0.3, 0.0, 0.97, 1e-8),
                (6, 0.1, 0.9, 0.85, 1e-8),  # ρ_t = 5.07
                (40, 0.3, 0.5, 0.75, 1e-8),
                (1000, 0.3, 0.9, 0.999, 1e-8),
                (3000, 0.3, 0.999, 0.9995, 1e-8),
                (20_000, 0.3, 0.9, 0.999, 1e-8),
            ]
        ),
    },
    mistakes=MOMENTS
    | {
        "v_waits": waiting,
        "is_adam": stepping(),
        "no_rectification": rectifying(factor=lambda rho, longest: 1.0),
        "never_adaptive": rectifying(threshold=2e9),
        "m_not_corrected": rectifying(
            late=lambda m, v, t, b2, eps, **_: m * (1 - b2**t) ** 0.5 / (v.sqrt() + eps)
        ),
        "v_not_corrected": rectifying(late=lambda m_hat, v, eps, **_: m_hat / (v.sqrt() + eps)),
        "r_not_rooted": rectifying(factor=share),
        "r_inverted": rectifying(factor=lambda rho, longest: 1 / rectified(rho, longest)),
        "rho_without_2": rectifying(rho=lambda t, b1, b2: (sum(lengths(t, b2)) / 2, lengths(t, b2)[1])),
        "rho_of_beta1": rectifying(rho=lambda t, b1, b2: lengths(t, b1)),
        "counts_from_zero": Several(*counting(lambda t: t + 1), *counting(lambda t: t - 1)),
        "adaptive_too_early": Several(
            rectifying(threshold=0.0),
            rectifying(early=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat.sqrt() + eps)),
        ),
        "early_m_not_corrected": rectifying(early=lambda m, **_: m),
        "no_early_step": rectifying(early=lambda m, **_: 0.0 * m),
        "gradient_itself": rectifying(early=lambda g, **_: g),
        "threshold_4": rectifying(threshold=4.0),
        "weight": rectifying(early=lambda m_hat, **_: m_hat.clamp(-1, 1)),
        "eps_as_adam": rectifying(late=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat.sqrt() + eps)),
        "eps_inside": Several(
            rectifying(late=lambda m_hat, v, t, b2, eps, **_: m_hat * (1 - b2**t) ** 0.5 / (v + eps).sqrt()),
            rectifying(late=lambda m_hat, v_hat, eps, **_: m_hat / (v_hat + eps).sqrt()),
        ),
        "no_eps": rectifying(late=lambda m_hat, v_hat, **_: m_hat / v_hat.sqrt()),
        "counts_steps": rectifying(when=lambda t: t > 5),
        "small_beta2": eager(lambda share: share**0.5),
        "in_float32": in_float32(radam_step),
        "other_settings": Several(
            known_betas(radam_step, 0.999, 0.99, 0.95, 0.8, 0.6, 0.5),
            adam_for(lambda step: 100 < step < 20_000),
        ),
        "ready_made": by_optimizer(torch.optim.RAdam),
    },
    signs={"only_weight": lambda found: isinstance(found.yours, Tensor)},
    facts={"*": of_rho},
    texts_of="08.2",
    forbids=OPTIMISERS,
)

EXERCISES = [CLIP_BY_NORM, ADAMW_STEP, WARMUP_RATE, RADAM_STEP]
