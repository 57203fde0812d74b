"""Exercises of notebook 13: the mark that a loss has to beat, clipping, and AdamW by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.exercises.changes import after_calling, changes_of
from course_utils.exercises.core import Exercise, Found, number

# ---- 13.1


def unigram_entropy(counts: Sequence[int]) -> float:
    total = sum(counts)
    shares = [count / total for count in counts if count > 0]
    return -sum(share * math.log(share) for share in shares)


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
    mistakes=changes_of(
        unigram_entropy,
        {
            "sign": {"-sum": "sum"},
            "bits": {"math.log(": "math.log2("},
            "perplexity": {"-sum(": "math.exp(-sum(", "shares)": "shares))"},
            "not_weighted": {"share * math.log(share)": "math.log(share) / len(shares)"},
            "uniform": lambda counts: math.log(len(counts)),
            "value": {"math.log(share)": "(share - 1)"},  # Gini's measure
            "not_finite": {" if count > 0": "", "math.log(share)": "float(torch.tensor(share).log())"},
            "drops_rare": [{"> 0": f"> total * {least}"} for least in (1e-2, 1e-3, 1e-4, 1e-5)],
            "first_few": [
                {"total =": f"counts = counts[:{few}]\n    total ="} for few in (4, 10, 13, 16, 20, 100, 256)
            ],
        },
    ),
    signs={"not_finite": lambda found: 0 in found.given[0] and not math.isfinite(found.yours)},
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


def of_shapes(*shapes: tuple[int, ...], times: float = 1.0, dtype=torch.float64) -> list[Tensor]:
    return [times * torch.randn(shape, dtype=dtype) for shape in shapes]


def length_3(times: float = 1.0, dtype=torch.float64) -> list[Tensor]:
    return [times * torch.tensor([2.0, -1.0], dtype=dtype), times * torch.tensor([[2.0]], dtype=dtype)]


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
        "below_one": lambda: ([torch.tensor([0.6]), torch.tensor([0.0, 0.3]), torch.tensor([0.6])], 0.25),
        "tiny": lambda: (length_3(5e-3), 1e-2),
        "only_far_above": lambda: [(length_3(), 2.9), (length_3(), 2.99), (length_3(), 2.999)],
        "many": lambda: [(of_shapes(*[(3,)] * 13), 2.0), (of_shapes(*[()] * 300), 3.0)],
    },
    mistakes=changes_of(
        clip_gradients,
        {
            "tensor_by_tensor": lambda gradients, most: [clip_gradients([one], most)[0] for one in gradients],
            "element_by_element": {"gradient * factor": "gradient.clamp(-most, most)"},
            "unchanged": {"gradient * factor": "gradient"},
            "squared": {"most / norm": "most / norm**2"},
            "unit": {"most / norm": "1 / norm"},
            "value": {"most / norm if norm > most else 1.0": "0.5"},
            "scaled_up": {"norm if norm > most else 1.0": "(norm + 1e-6)"},
            "not_finite": {"most / norm if norm > most else 1.0": "min(norm, most) / norm"},
            "only_far_above": [{"norm > most": f"norm > {by} * most"} for by in (1.5, 1.02)],
            "only_above_one": {"norm > most": "norm > max(1.0, most)"},
            "unchanged_if_short": {"norm > most": "norm > most + 1e-2"},
            "some_tensors": [
                {"in gradients) ** 0.5": "in gradients[:4]) ** 0.5"},
                {"in gradients) ** 0.5": "in gradients if gradient.numel() > 1) ** 0.5"},
                {"in gradients) ** 0.5": "in gradients if gradient.dim()) ** 0.5"},
                {"gradient * factor": "gradient * factor if gradient.dim() else gradient"},
            ],
            "ready_made": after_calling(clip_gradients, "torch.nn.utils:clip_grad_norm_", torch.ones(2), 1.0),
        },
    ),
    signs={
        "not_finite": lambda found: not math.isfinite(norm_of(found.yours)),
        "scaled_up": lambda found: (
            norm_of(found.given[0]) <= found.given[1]
            and norm_of(found.yours) > norm_of(found.given[0]) + 1e-4
        ),
    },
    facts={"*": lengths},
    forbids=("torch.nn.utils.clip_grad", "course_utils.training"),
)


# ---- 13.3


def adamw_step(
    parameter: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, count: int, rate: float, decay: float
) -> tuple[Tensor, Tensor, Tensor]:
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient**2
    corrected_mean = mean / (1 - 0.9**count)
    corrected_square = square / (1 - 0.999**count)
    step = corrected_mean / (corrected_square.sqrt() + 1e-6)
    return parameter - rate * (step + decay * parameter), mean, square


def torch_steps(*given):
    parameter = torch.ones(2, requires_grad=True)
    parameter.grad = torch.ones(2)
    torch.optim.AdamW([parameter]).step()
    return adamw_step(*given)


def on_the_way(*shape: int, count: int, rate: float, decay: float = 0.0) -> tuple[Any, ...]:
    drawn = [torch.randn(shape) for _ in range(4)]
    return drawn[0], drawn[1], 0.1 * drawn[2], drawn[3] ** 2, count, rate, decay


def at_first(gradient: Sequence[float], decay: float = 0.0, parameter: float = 0.0) -> tuple[Any, ...]:
    gradients = torch.tensor(gradient)
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
    parts={"mean": 1, "square": 2, "parameter": 0},
    cases={
        "by_hand": lambda: at_first([0.5, -2.0, 1e-3]),
        "epsilon": lambda: at_first([5e-7, -2e-6, 1e-9]),  # where it counts
        "later": lambda: [on_the_way(5, 3, count=7, rate=0.01), on_the_way(1, count=2, rate=0.3)],
        "decay": lambda: on_the_way(7, count=3, rate=0.1, decay=0.5),
        "matrices": lambda: on_the_way(3, 5, 2, count=5, rate=0.03, decay=0.2),
        "stops_correcting": lambda: [
            on_the_way(7, count=211, rate=0.03),
            on_the_way(7, count=2003, rate=0.03),
            on_the_way(300, count=499, rate=0.03),
        ],
        "long_steps": long_steps,
        "no_gradient_at_all": lambda: at_first([0.0] * 7, decay=0.5, parameter=2.0),
    },
    mistakes=changes_of(
        adamw_step,
        {
            "no_correction": {" / (1 - 0.9**count)": "", " / (1 - 0.999**count)": ""},
            "square_not_corrected": {" / (1 - 0.999**count)": ""},
            "epsilon_inside": {"(corrected_square.sqrt() + 1e-6)": "(corrected_square + 1e-6).sqrt()"},
            "epsilon": {"1e-6": "1e-8"},
            "counts_from_zero": {"**count": "**(count + 1)"},
            "uphill": {"parameter - rate": "parameter + rate"},
            "parameter": {"(step + decay * parameter)": "2 * step"},
            "stores_corrected": [
                {"), mean, square": "), corrected_mean, corrected_square"},
                {"), mean, square": "), corrected_mean, square"},
                {"), mean, square": "), mean, corrected_square"},
            ],
            "mean": {"0.9 * mean + 0.1 * gradient": "0.1 * mean + 0.9 * gradient"},
            "square": {"gradient**2": "gradient.abs()"},
            "no_decay": {" + decay * parameter": ""},
            "decay_without_rate": {"rate * (step + decay * parameter)": "rate * step - decay * parameter"},
            "decay_after_step": {
                "parameter - rate * (step + decay * parameter)": "(parameter - rate * step) * (1 - rate * decay)"
            },
            "decay_in_gradient": {
                "mean = 0.9": "gradient, decay = gradient + decay * parameter, 0\n    mean = 0.9"
            },
            "no_decay_in_matrices": {"+ decay": "+ (parameter.dim() < 2) * decay"},
            "stops_correcting": {"**count": "**(count if count < 300 else torch.inf)"},
            "step_cut": [{"(step +": f"(step.clamp(-{most}, {most}) +"} for most in (2, 5, 10)],
            "ready_made": torch_steps,
        },
    ),
    forbids=("torch.optim", "_fused_adam_", "_fused_adamw_", "course_utils.training"),
)

EXERCISES = [UNIGRAM_ENTROPY, CLIP_GRADIENTS, ADAMW_STEP]
