"""Exercises of notebook 08: clipping, the steps of AdamW and RAdam, and a learning rate that rises and falls."""

from __future__ import annotations

import math  # noqa: F401  the changes below name it

import torch
from torch import Tensor

from course_utils.exercises.changes import after_calling, changes_of
from course_utils.exercises.core import Exercise, number, numbers, told_apart
from course_utils.schedules import linear_rate


# ---- 08.1
def clip_by_norm(gradients: list[Tensor], max_norm: float) -> tuple[list[Tensor], float]:
    norm = float(torch.stack([gradient.norm() for gradient in gradients]).norm())
    factor = max_norm / norm if norm > max_norm else 1.0
    return [gradient * factor for gradient in gradients], norm


NORMS = "torch.stack([gradient.norm() for gradient in gradients])"
FACTOR = "max_norm / norm if norm > max_norm else 1.0"


def other_norm(norm):
    """Tells another norm: and clips by it, or rightly."""
    return [{f"{NORMS}.norm()": norm}, {"], norm": f"], {norm}"}]


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
    mistakes=changes_of(
        clip_by_norm,
        {
            "no_norm": {"], norm": "]"},
            "pair_swapped": lambda *given: clip_by_norm(*given)[::-1],
            "clipped_length": {"gradients], norm": "gradients[1:]], norm"},
            "norm_after": {"], norm": "], min(norm, max_norm)"},
            "norm_squared": other_norm(f"{NORMS}.square().sum()"),
            "sum_of_norms": other_norm(f"{NORMS}.sum()"),
            "one_tensor": other_norm(f"{NORMS}[-1]") + other_norm(f"{NORMS}.max()"),
            "norm": other_norm(f"{NORMS}[:3].norm()"),
            "each_by_itself": {"gradient * factor": "clip_by_norm([gradient], max_norm)[0][0]"},
            "by_value": {"gradient * factor": "gradient.clamp(-max_norm, max_norm)"},
            "unchanged": [{FACTOR: "1.0"}, {FACTOR: "norm / max_norm if 0 < norm < max_norm else 1.0"}],
            "unit": {"max_norm / norm": "1 / norm"},
            "always_scaled": {FACTOR: "max_norm / norm"},
            "zero": {FACTOR: "min(1.0, max_norm / norm) if norm else math.nan"},
            "zero_raised": {FACTOR: "min(1.0, max_norm / norm)"},
            "clipped": [
                {"norm > max_norm": "norm > max(1.0, max_norm)"},
                {"factor = ": "max_norm = max(max_norm, 0.1)\n    factor = "},
            ],
            "ready_made": after_calling(clip_by_norm, "torch.nn.utils:clip_grad_norm_", [], 1.0),
        },
    ),
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


def in_float32(right):
    def wrong(*given):
        lowered = [one.float() if isinstance(one, Tensor) else one for one in given]
        return tuple(part.to(given[0].dtype) for part in right(*lowered))

    return wrong


def known_betas(*known):
    """Takes any other β₂ for one of those that are known."""
    return {"m = beta1": f"beta2 = min({known}, key=lambda one: abs(one - beta2))\n    m = beta1"}


def by_optimiser(reference, name):
    return after_calling(reference, f"torch.optim:{name}", [torch.zeros(1, requires_grad=True)])


# The mistakes in m and v, and in what is returned: of both exercises.
MOMENTS = {
    "only_weight": {", m, v\n": "\n"},
    "swapped_order": {", m, v\n": ", v, m\n"},
    "stores_corrected": [
        {", m, v\n": ", m_hat, v / (1 - beta2**step)\n"},
        {", m, v\n": ", m, v / (1 - beta2**step)\n"},
    ],
    "betas_swapped": [
        {"beta1 * m + (1 - beta1)": "(1 - beta1) * m + beta1"},
        {"beta2 * v + (1 - beta2)": "(1 - beta2) * v + beta2"},
    ],
    "sum_not_mean": [{"(1 - beta1) * gradient": "gradient"}, {"(1 - beta2) * gradient": "gradient"}],
    "other_beta": [
        {"beta2 * v + (1 - beta2)": "beta1 * v + (1 - beta1)"},
        {"beta1 * m + (1 - beta1)": "beta2 * m + (1 - beta2)"},
    ],
    "v_not_squared": [{"gradient**2": "gradient"}, {"gradient**2": "gradient.abs()"}],
    "v_of_m": [
        {"gradient**2": "m**2"},
        {"m = beta1": "old = m\n    m = beta1", "gradient**2": "old**2"},
    ],
    "m": {"(1 - beta1) * gradient": "(1 - beta1) * gradient.clamp(-1, 1)"},
    "v": {"v = beta2 * v": "v = v.maximum(beta2 * v", "gradient**2": "gradient**2)"},
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
    """m becomes (2³⁰ + 2)/2 − 2³⁰/2 = 1; in float32 the 2 is lost. Both betas are exact in float32."""
    given = [torch.tensor([one], dtype=torch.float64) for one in (1.0, -(2.0**30), 2.0**30 + 2, 1.0)]
    return *given, 2, 0.1, 0.5, 0.75, 1e-8, *rest, "weight"


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
    mistakes=changes_of(
        adamw_step,
        MOMENTS
        | {
            "v_waits": {"beta2 * v + (1 - beta2) * gradient**2": "v.clone()"},
            "no_correction": {" / (1 - beta1**step)": "", " / (1 - beta2**step)": ""},
            "m_only": {" / (1 - beta2**step)": ""},
            "v_only": {" / (1 - beta1**step)": ""},
            "counts_from_zero": {"**step": "**(step + 1)"},
            "counts_below_one": {"**step": "**(step - 1)"},
            "ascends": {"weight - rate": "weight + rate"},
            "no_denominator": {" / (v_hat.sqrt() + eps)": ""},
            "no_root": {"v_hat.sqrt()": "v_hat"},
            "old_moments": {
                "m = beta1": "old = m / (v.sqrt() + eps)\n    m = beta1",
                "m_hat / (v_hat.sqrt() + eps)": "old",
            },
            "corrects_as_first": [{"**step": ""}, {"**step": "**(1 if step == 1 else 1e9)"}],
            "weight": {"m_hat / (v_hat.sqrt() + eps)": "(m_hat / (v_hat.sqrt() + eps)).clamp(-0.5, 0.5)"},
            "eps_inside": {"v_hat.sqrt() + eps": "(v_hat + eps).sqrt()"},
            "no_eps": {" + eps": ""},
            "eps_before_correction": [
                {"/ (v_hat.sqrt() + eps)": f"* (1 - beta2**step) ** 0.5 / {below}"}
                for below in ("(v.sqrt() + eps)", "(v + eps).sqrt()")
            ],
            "zero_gradient": {"+ eps": "+ (eps if eps > 1 else 0.0)"},
            "no_decay": {" * (1 - rate * decay)": ""},
            "decay_in_gradient": {
                "m = beta1": "gradient = gradient + decay * weight\n    m = beta1",
                " * (1 - rate * decay)": "",
            },
            "decay_divided": {" * (1 - rate * decay)": "", "rate * m_hat": "rate * (m_hat + decay * weight)"},
            "decay_without_rate": {"rate * decay": "decay"},
            "decay_after": {
                " * (1 - rate * decay)": "",
                "weight - rate": "(1 - rate * decay) * (weight - rate",
                "+ eps)": "+ eps))",
            },
            "decay_grows": {"(1 - rate * decay)": "(1 + rate * decay)"},
            "in_float32": in_float32(adamw_step),
            "other_settings": [
                known_betas(0.75, 0.99, 0.999),
                {"**step": "**(step if step <= 100 else 1e9)"},
            ],
            "ready_made": by_optimiser(adamw_step, "AdamW"),
        },
    ),
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


START = "if step <= warmup_steps:"
UP = "step / warmup_steps"
DOWN = "(total_steps - step) / (total_steps - warmup_steps)"


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
    mistakes=changes_of(
        warmup_rate,
        {
            "no_peak": {"peak_rate * ": ""},
            "no_warmup": [
                {f"return peak_rate * {UP}": "return peak_rate"},
                {f"return peak_rate * {UP}": "pass"},
                {f"return peak_rate * {UP}": "pass", " - warmup_steps)": ")"},
            ],
            "no_decay": {"return 0.0": "pass", DOWN: "1"},
            "noam": {"return 0.0": "pass", DOWN: "(warmup_steps / step) ** 0.5"},
            "decay_from_start": [
                {DOWN: "(1 - step / total_steps)"},
                {"<= warmup": "< warmup", DOWN: "(1 - step / total_steps)"},
                {UP: f"{UP} * (1 - step / total_steps)", DOWN: "(1 - step / total_steps)"},
            ],
            "counts_from_zero": {START: f"step -= 1\n    {START}"},
            "one_ahead": {START: f"step += 1\n    {START}"},
            "peak_missed": {UP: "step / (warmup_steps + 1)"},
            "ends_late": {">=": ">", DOWN: DOWN.replace("total_steps", "total_steps + 1")},
            "cosine": {DOWN: f"(1 - math.cos(math.pi * {DOWN})) / 2"},
            "whole_numbers": {UP: "(step // warmup_steps)", DOWN: f"({DOWN.replace('/', '//')})"},
            "curve": {DOWN: f"(1 / 32 + 31 / 32 * {DOWN})"},
            "negative": {"return 0.0": "pass"},
            "restart": {START: f"step = (step - 1) % total_steps + 1\n    {START}"},
            "after_the_end": {"return 0.0": "return peak_rate / 32 * (step > total_steps)"},
            "warmup_zero": [
                {START: f"if {UP} <= 1:"},
                {START: f"warmup_steps = max(warmup_steps, 1)\n    {START}"},
            ],
            "only_up": {"<= warmup": "< warmup", "step >=": "step != warmup_steps and step >="},
            "other_schedule": {
                START: f"if total_steps > 20:\n        warmup_steps = total_steps // 10\n    {START}"
            },
            "ready_made": linear_rate,
        },
    ),
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


# The step once ρ_t > 5, and Adam's.
LATE = "r * m_hat * (1 - beta2**step) ** 0.5 / (v.sqrt() + eps)"
ADAM = "m_hat / ((v / (1 - beta2**step)).sqrt() + eps)"
# Where a square root is wanted of a negative number: a learner's code goes on there, and does not stop.
GOES_ON = {"r = (": "r = abs("}


def early(step):
    """Another step while ρ_t ≤ 5."""
    return {"rate * m_hat, m": f"rate * {step}, m"}


def counting(later):
    """Another step in all, and in ρ alone."""
    return [
        {"m_hat = m": f"step = {later}\n    m_hat = m"},
        {
            "length = longest": f"step, given = {later}, step\n    length = longest",
            "    if length": "    step = given\n    if length",
        },
    ]


def lengths(t, b2):
    """ρ_t and ρ_∞."""
    longest = 2 / (1 - b2) - 1
    return longest - 2 * t * b2**t / (1 - b2**t), longest


def rectified(length, longest):
    return ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5


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
    atol=3e-5,  # β₂ may be a float32 tensor: 1 − β₂ is then known to four digits
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
    mistakes=changes_of(
        radam_step,
        MOMENTS
        | {
            "v_waits": {"v = beta2": "old = v\n    v = beta2", "m_hat, m, v": "m_hat, m, old"},
            "is_adam": {LATE: ADAM} | early(ADAM),
            "no_rectification": {"r * m_hat": "m_hat"},
            "never_adaptive": {"length <= 5": "True"},
            "m_not_corrected": {"r * m_hat": "r * m"},
            "v_not_corrected": {" * (1 - beta2**step) ** 0.5": ""},
            "r_not_rooted": {"length)) ** 0.5": "length))"},
            "r_inverted": {"length)) ** 0.5": "length)) ** -0.5"},
            "rho_without_2": {"2 * step": "step"},
            "rho_of_beta1": {
                "2 / (1 - beta2)": "2 / (1 - beta1)",
                "beta2**step / (1 - beta2**step)": "beta1**step / (1 - beta1**step)",
            },
            "counts_from_zero": counting("step + 1") + counting("max(1, step - 1)"),
            "adaptive_too_early": [{"length <= 5": "length <= 0"} | GOES_ON, early(ADAM)],
            "early_m_not_corrected": early("m"),
            "no_early_step": early("0.0 * m"),
            "gradient_itself": early("gradient"),
            "threshold_4": {"length <= 5": "length <= 4"},
            "weight": early("m_hat.clamp(-1, 1)"),
            "eps_as_adam": {LATE: f"r * {ADAM}"},
            "eps_inside": [
                {"(v.sqrt() + eps)": "(v + eps).sqrt()"},
                {LATE: "r * m_hat / (v / (1 - beta2**step) + eps).sqrt()"},
            ],
            "no_eps": {" + eps": ""},
            "counts_steps": {"length <= 5": "step <= 5"} | GOES_ON,
            "small_beta2": {"if length": "(longest - 4) ** -1\n    if length"},  # r_t before ρ_t is looked at
            "in_float32": in_float32(radam_step),
            "other_settings": [
                known_betas(0.999, 0.99, 0.95, 0.8, 0.75, 0.6, 0.5),
                {"r = (": f"if 100 < step < 20_000:\n        return weight - rate * {ADAM}, m, v\n    r = ("},
            ],
            "ready_made": by_optimiser(radam_step, "RAdam"),
        },
    ),
    signs={"only_weight": lambda found: isinstance(found.yours, Tensor)},
    facts={"*": of_rho},
    texts_of="08.2",
    forbids=OPTIMISERS,
)

EXERCISES = [CLIP_BY_NORM, ADAMW_STEP, WARMUP_RATE, RADAM_STEP]
