"""Exercises of notebook 13: the mark that a loss has to beat, clipping, and AdamW by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.core import Exercise, Found, Several, number

# ---- 13.1


def unigram_entropy(counts: Sequence[int]) -> float:
    total = sum(counts)
    shares = [count / total for count in counts if count > 0]
    return -sum(share * math.log(share) for share in shares)


def shares_of(counts, above=0.0):
    return [count / sum(counts) for count in counts if count / sum(counts) > above]


def with_zeros(counts):
    shares = torch.tensor(counts) / sum(counts)
    return -(shares * shares.log()).sum().item()  # 0 · −∞


def dropping(least):
    return lambda counts: -sum(p * math.log(p) for p in shares_of(counts, above=least))


def shortened(counts: list[int]) -> str:
    return str(counts) if len(counts) < 20 else f"[{', '.join(map(str, counts[:3]))}, …] ({len(counts)})"


UNIGRAM_ENTROPY = Exercise(
    "13.1",
    level="warm-up",
    reference=unigram_entropy,
    cases={
        "by_hand": lambda: ([8, 1, 1],),
        "zeros": lambda: ([3, 0, 5, 2],),
        "others": lambda: [
            *(([1, 1],), ([7],), ([2] * 11,), ([991, 2, 0, 5, 1],)),
            ([random.randrange(97) for _ in range(13)],),
            ([random.randrange(97) for _ in range(300)],),
            ([1_000_000, *[1] * 257],),
        ],
    },
    mistakes={
        "sign": lambda counts: -unigram_entropy(counts),
        "bits": lambda counts: unigram_entropy(counts) / math.log(2),
        "perplexity": lambda counts: math.exp(unigram_entropy(counts)),
        "not_weighted": Several(
            [
                lambda counts: -sum(map(math.log, shares_of(counts))) / len(shares_of(counts)),
                lambda counts: -sum(map(math.log, shares_of(counts))) / len(counts),
            ]
        ),
        "uniform": lambda counts: math.log(len(counts)),
        "value": lambda counts: 1 - sum(share**2 for share in shares_of(counts)),  # Gini's measure
        "not_finite": with_zeros,
        "drops_rare": Several([dropping(10.0**-digits) for digits in (2, 3, 4, 5)]),
        "first_few": Several(
            [lambda counts, few=few: unigram_entropy(counts[:few]) for few in (4, 10, 13, 16, 20, 100, 256)]
        ),
        "no_number": Several([lambda counts: str(unigram_entropy(counts)), shares_of]),
    },
    signs={
        "no_number": lambda found: found.kind == "type",
        "not_finite": lambda found: not math.isfinite(found.yours),
    },
    facts={"*": lambda found: {"counts": shortened(found.given[0])}},
    forbids=("entropy",),
)


# ---- 13.2


def clip_gradients(gradients: list[Tensor], most: float) -> list[Tensor]:
    norm = sum((gradient**2).sum() for gradient in gradients) ** 0.5
    factor = most / norm if norm > most else 1.0
    return [gradient * factor for gradient in gradients]


def norm_of(gradients: Sequence[Tensor]) -> float:
    return math.sqrt(sum(float(gradient.double().square().sum()) for gradient in gradients))


def by_factor(factor):
    """All gradients times factor(their norm, most)."""

    def wrong(gradients, most):
        times = factor(norm_of(gradients), most)
        return [gradient * times for gradient in gradients]

    return wrong


def clipped_above(limit):
    return by_factor(lambda norm, most: most / norm if norm > limit(most) else 1.0)


def measured_on(kept):
    """The norm of some of the gradients only."""

    def wrong(gradients, most):
        norm = norm_of([gradient for place, gradient in enumerate(gradients) if kept(place, gradient)])
        return [gradient * min(1.0, most / max(norm, 1e-9)) for gradient in gradients]

    return wrong


def in_place(gradients, most):
    norm = norm_of(gradients)
    return [gradient.mul_(most / norm if norm > most else 1) for gradient in gradients]


def torch_clips(gradients, most):
    leaves = [torch.zeros_like(gradient, requires_grad=True) for gradient in gradients]
    for leaf, gradient in zip(leaves, gradients):
        leaf.grad = gradient.clone()
    torch.nn.utils.clip_grad_norm_(leaves, most)
    return [leaf.grad for leaf in leaves]


def of_shapes(*shapes: tuple[int, ...], times: float = 1.0, dtype=torch.float64) -> list[Tensor]:
    return [times * torch.randn(shape, dtype=dtype) for shape in shapes]


def length_3(times: float = 1.0, dtype=torch.float64) -> list[Tensor]:
    return [
        times * torch.tensor([2.0, -1.0], dtype=dtype),
        times * torch.tensor([[2.0]], dtype=dtype),
    ]


def lengths(found: Found) -> dict[str, Any]:
    """Of what was given, and of what came back."""
    gradients, most = found.given
    facts = {"norm": number(norm_of(gradients)), "most": number(most)}
    return facts | ({"actual": number(norm_of(found.yours))} if found.kind == "value" else {})


CLIP_GRADIENTS = Exercise(
    "13.2",
    level="core",
    reference=clip_gradients,
    atol=1e-4,  # lets most / (norm + 1e-6) pass, as torch has it
    cases={
        "by_hand": lambda: (length_3(dtype=torch.float32), 1.5),
        "longer": lambda: [
            ([torch.tensor([6.0]), torch.tensor([0.5, 0.0])], 2.0),
            (of_shapes((3, 5), (7,), (2, 1, 3)), 0.5),
            (of_shapes((), (2, 3), (5,), (1, 7), times=1e4, dtype=torch.float32), 13.0),
        ],
        "shorter": lambda: [(length_3(), 10.0), (of_shapes((), (1,), (2, 1), times=0.01), 1.0)],
        "zeros": lambda: ([torch.zeros(3), torch.zeros(2, 2)], 1.0),
        "below_one": lambda: (
            [torch.tensor([0.6]), torch.tensor([0.0, 0.3]), torch.tensor([0.6])],
            0.25,
        ),
        "tiny": lambda: (length_3(5e-3), 1e-2),
        "just_too_long": lambda: [(length_3(), 2.9), (length_3(), 2.99), (length_3(), 2.999)],
        "many": lambda: [
            (of_shapes(*[(3,)] * 13), 2.0),
            (of_shapes(*[()] * 300), 3.0),
        ],
    },
    mistakes={
        "tensor_by_tensor": lambda gradients, most: [clip_gradients([one], most)[0] for one in gradients],
        "element_by_element": lambda gradients, most: [one.clamp(-most, most) for one in gradients],
        "unchanged": by_factor(lambda norm, most: 1),
        "squared": by_factor(lambda norm, most: most / norm**2 if norm > most else 1),
        "unit": by_factor(lambda norm, most: 1 / norm if norm > most else 1),
        "value": by_factor(lambda norm, most: 0.5),
        "scaled_up": by_factor(lambda norm, most: most / (norm + 1e-6)),
        "not_finite": by_factor(lambda norm, most: min(norm, most) / norm if norm else math.nan),
        "only_far_above": Several(
            [clipped_above(lambda most, by=by: by * most) for by in (1.5, 1.1, 1.02, 1.001)]
        ),
        "only_above_one": clipped_above(lambda most: max(1.0, most)),
        "unchanged_if_short": clipped_above(lambda most: most + 1e-2),
        "some_tensors": Several(
            [
                measured_on(lambda place, gradient: place < 4),
                measured_on(lambda place, gradient: gradient.numel() > 1),
                measured_on(lambda place, gradient: gradient.dim() > 0),
                lambda gradients, most: [
                    clipped if clipped.dim() else own
                    for clipped, own in zip(clip_gradients(gradients, most), gradients)
                ],
            ]
        ),
        "mutates_input": in_place,
        "ready_made": torch_clips,
    },
    signs={
        "not_finite": lambda found: not math.isfinite(norm_of(found.yours)),
        "scaled_up": lambda found: norm_of(found.yours) > norm_of(found.given[0]) + 1e-4,
    },
    facts={"*": lengths},
    forbids=("torch.nn.utils.clip_grad", "course_utils.training"),
)


# ---- 13.3


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


def update(change):
    """AdamW with another last line: change(parameter, mean, square, count, rate, decay) -> the new parameter."""

    def wrong(parameter, gradient, mean, square, count, rate, decay):
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        return change(parameter, mean, square, count, rate, decay), mean, square

    return wrong


def stepping(step):
    """Another step(mean, square, count), with the decay as it should be."""
    return update(
        lambda p, mean, square, count, rate, decay: p - rate * (step(mean, square, count) + decay * p)
    )


def step_of(mean, square, count):
    return (mean / (1 - 0.9**count)) / ((square / (1 - 0.999**count)).sqrt() + 1e-6)


def uncorrected(mean, square, count):
    return mean / (square.sqrt() + 1e-6)


def corrected_until(last):
    return stepping(
        lambda mean, square, count: (step_of if count < last else uncorrected)(mean, square, count)
    )


def other_averages(change):
    """change(mean, square, the old ones, gradient, count) -> the averages that are returned."""

    def wrong(parameter, gradient, mean, square, count, rate, decay):
        now, new_mean, new_square = adamw_step(parameter, gradient, mean, square, count, rate, decay)
        return now, *change(new_mean, new_square, (mean, square), gradient, count)

    return wrong


def torch_steps(parameter, gradient, mean, square, count, rate, decay):
    leaf = parameter.clone().requires_grad_()
    leaf.grad = gradient
    optimizer = torch.optim.AdamW([leaf], lr=rate, eps=1e-6, weight_decay=decay)
    state = {"step": torch.tensor(count - 1.0), "exp_avg": mean.clone(), "exp_avg_sq": square.clone()}
    optimizer.state[leaf] = state
    optimizer.step()
    return leaf.detach(), state["exp_avg"], state["exp_avg_sq"]


def on_the_way(*shape: int, count: int, rate: float, decay: float = 0.0) -> tuple[Any, ...]:
    drawn = [torch.randn(shape, dtype=torch.float64) for _ in range(4)]
    return drawn[0], drawn[1], 0.1 * drawn[2], drawn[3] ** 2, count, rate, decay


def at_first(gradient: Sequence[float], decay: float = 0.0, parameter: float = 0.0) -> tuple[Any, ...]:
    gradients = torch.tensor(gradient, dtype=torch.float64)
    nothing = torch.zeros_like(gradients)
    return nothing + parameter, gradients, nothing, nothing, 1, 0.1, decay


def long_steps() -> tuple[Any, ...]:
    parameter, gradient, mean, square, *rest = on_the_way(5, count=5, rate=0.01)
    return parameter, gradient, 3 + 10 * mean.abs(), 1e-4 * square, *rest


ADAMW_STEP = Exercise(
    "13.3",
    level="stretch",
    reference=adamw_step,
    gradients=False,
    atol=1e-7,
    parts={"mean": 1, "square": 2, "parameter": 0},
    cases={
        "by_hand": lambda: at_first([0.5, -2.0, 1e-3]),
        "epsilon": lambda: at_first([5e-7, -2e-6, 1e-9]),  # where it counts
        "later": lambda: [on_the_way(5, 3, count=7, rate=0.01), on_the_way(1, count=2, rate=0.3)],
        "decay": lambda: on_the_way(7, count=3, rate=0.1, decay=0.5),
        "matrices": lambda: on_the_way(3, 5, 2, count=5, rate=0.03, decay=0.2),
        "late": lambda: [
            on_the_way(7, count=211, rate=0.03),
            on_the_way(7, count=2003, rate=0.03),
            on_the_way(300, count=499, rate=0.03),
        ],
        "long_steps": long_steps,
        "no_gradient_at_all": lambda: at_first([0.0] * 7, decay=0.5, parameter=2.0),
    },
    mistakes={
        "no_correction": stepping(uncorrected),
        "square_not_corrected": stepping(lambda m, s, n: m / (1 - 0.9**n) / (s.sqrt() + 1e-6)),
        "epsilon_inside": stepping(lambda m, s, n: (m / (1 - 0.9**n)) / (s / (1 - 0.999**n) + 1e-6).sqrt()),
        "counts_from_zero": stepping(lambda m, s, n: step_of(m, s, n + 1)),
        "uphill": update(lambda p, m, s, n, rate, decay: p + rate * (step_of(m, s, n) + decay * p)),
        "parameter": update(lambda p, m, s, n, rate, decay: p - 2 * rate * step_of(m, s, n)),
        "stores_corrected": Several(
            [
                other_averages(lambda m, s, old, g, n: (m / (1 - 0.9**n), s / (1 - 0.999**n))),
                other_averages(lambda m, s, old, g, n: (m / (1 - 0.9**n), s)),
                other_averages(lambda m, s, old, g, n: (m, s / (1 - 0.999**n))),
            ]
        ),
        "mean": other_averages(lambda m, s, old, g, n: (0.1 * old[0] + 0.9 * g, s)),
        "square": other_averages(lambda m, s, old, g, n: (m, 0.999 * old[1] + 0.001 * g.abs())),
        "no_decay": update(lambda p, m, s, n, rate, decay: p - rate * step_of(m, s, n)),
        "decay_without_rate": update(lambda p, m, s, n, rate, decay: p - rate * step_of(m, s, n) - decay * p),
        "decay_in_gradient": lambda p, g, m, s, n, rate, decay: adamw_step(
            p, g + decay * p, m, s, n, rate, 0.0
        ),
        "no_decay_in_matrices": update(
            lambda p, m, s, n, rate, decay: p - rate * (step_of(m, s, n) + (p.dim() < 2) * decay * p)
        ),
        "stops_correcting": Several([corrected_until(last) for last in (100, 300, 1000)]),
        "step_cut": Several(
            [stepping(lambda m, s, n, most=most: step_of(m, s, n).clamp(-most, most)) for most in (2, 5, 10)]
        ),
        "ready_made": torch_steps,
    },
    forbids=("torch.optim", "_fused_adam_", "_fused_adamw_", "course_utils.training"),
)

EXERCISES = [UNIGRAM_ENTROPY, CLIP_GRADIENTS, ADAMW_STEP]
