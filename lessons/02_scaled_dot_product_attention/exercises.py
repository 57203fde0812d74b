"""Exercises of notebook 02: scaled dot-product attention."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, call, drawn, number, numbers


# ---- 02.1
def similarity_scores(query: Tensor, key: Tensor) -> Tensor:
    head_size = query.shape[-1]
    return query @ key.T / math.sqrt(head_size)  # (T_q, T_k)


SIZES = [((1, 3), (5, 3)), ((5, 2), (1, 2)), ((4, 1), (2, 1)), ((3, 64), (2, 64)), ((2, 37), (11, 37))]


SIMILARITY = Exercise(
    "02.1",
    level="warm-up",
    reference=similarity_scores,
    cases={
        "by_hand": lambda: (
            torch.tensor([[2.0, 0, 0, 0], [0, 4.0, 0, 0]]),
            torch.tensor([[3.0, 0, 0, 0], [1, 5.0, 0, 0], [0, 1.0, 0, 7]]),
        ),
        "other_sizes": lambda: [
            drawn((7, 5), (3, 5), dtype=torch.float32),
            *(drawn(*sizes) for sizes in SIZES),
        ],
        "large_scores": lambda: [drawn(*sizes, times=1000) for sizes in SIZES],
        "in_float32": lambda: (  # 2³⁰ cancels out, and 1 is left
            torch.tensor([[1.0, -1.0]], dtype=torch.float64),
            torch.tensor([[2.0**30 + 1, 2.0**30]], dtype=torch.float64),
        ),
    },
    mistakes=changes_of(
        similarity_scores,
        {
            "no_scale": {" / math.sqrt(head_size)": ""},
            "divides_by_d": {"math.sqrt(head_size)": "head_size"},
            "sqrt_of_tokens": [{"query.shape[-1]": size} for size in ("query.shape[0]", "key.shape[0]")],
            "softmax_too": lambda query, key: similarity_scores(query, key).softmax(dim=-1),
            "transposed": lambda query, key: similarity_scores(query, key).T,
            "in_float32": lambda query, key: similarity_scores(query.float(), key.float()).to(query.dtype),
            "other_sizes_shape": lambda query, key: similarity_scores(query, key).squeeze(),
            "other_sizes": {"math.sqrt(head_size)": "(2 if head_size == 4 else math.sqrt(5))"},
            "large_scores": lambda query, key: similarity_scores(query, key).clamp(-3000, 3000),
        },
    ),
)


# ---- 02.2
def attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., T_q, T_k)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights  # (..., T_q, D_v), (..., T_q, T_k)


def overflow_replaced(scores):
    weights = scores.exp() / scores.exp().sum(dim=-1, keepdim=True)
    return torch.where(weights.isfinite(), weights, scores.softmax(dim=-1))


def of_batches(dtype):
    fronts = [(2,), (2, 3), (3, 1, 2), (1, 1), ()]
    return [
        drawn(*((*front, *last) for last in [(5, 7), (11, 7), (11, 13)]), dtype=dtype) for front in fronts
    ]


def far_apart() -> list[tuple[Tensor, ...]]:
    """Scores of ±1131: exp() of them, or of their distance from the largest of another row, is infinite or 0; then
    scores near 2¹⁹, 1 and 2 apart."""
    huge = torch.tensor([2.0**10, 2.0**10 - 2.0**-9, 2.0**10 - 2.0**-8, 0.0], dtype=torch.float64)
    first = torch.eye(4, dtype=torch.float64)[:1]
    return [
        (
            torch.tensor([[40.0, 0.0], [-40.0, 0.0]]).double(),
            torch.tensor([[40.0, 0.0], [39.95, 0.0], [38.0, 0.0]]).double(),
            torch.eye(3).double(),
        ),
        (2.0**10 * first, huge[:, None] * first, torch.eye(4).double()),
        drawn((5, 7), (11, 7), (11, 3), times=30),
    ]


WEIGHTS = "scores.softmax(dim=-1)"
CONTEXT = "weights @ value,"

ATTENTION = Exercise(
    "02.2",
    level="core",
    reference=attention,
    parts={"weights": 1, "context": 0},
    cases={
        "by_hand": lambda: (
            torch.tensor([[1.0, 0.0], [0.0, 3.0], [1.0, 1.0], [2.0, 0.0]]),
            torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]),
            6 * torch.eye(3, 5),
        ),
        "batch": lambda: of_batches(torch.float32) + of_batches(torch.float64),
        "batch of length one": lambda: drawn((2, 1, 1), (2, 1, 1), (2, 1, 1)),
        "large_scores": far_apart,
    },
    mistakes=changes_of(
        attention,
        {
            "softmax_over_queries": {"dim=-1": "dim=-2"},
            "rows_do_not_sum_to_one": {WEIGHTS: "scores"},
            "wrong_scale": [
                {"query.shape[-1]": size}
                for size in (
                    "value.shape[-1]",
                    "1",
                    "key.shape[-2]",
                    "query.shape[-2]",
                    "query.shape[-1] ** 2",
                )
            ],
            "swapped": lambda query, key, value: attention(query, key, value)[::-1],
            "softmax_on_context": {CONTEXT: "(weights @ value).softmax(dim=-1),"},
            "context": {CONTEXT: "weights @ value * value.shape[-2],"},
            "batches": {"key.transpose(-2, -1)": "key.permute(*range(key.dim() - 1, -1, -1))"},
            "batch_shape": lambda *given: tuple(part.squeeze() for part in attention(*given)),
            "batch_weights": {"dim=-1": "dim=1 if scores.dim() < 4 else 3"},
            "batch_context": {CONTEXT: "weights @ (value[:1] if value.dim() == 3 else value),"},
            "overflow": {WEIGHTS: "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)"},
            "large_scores": {WEIGHTS: "scores.clamp(-80, 80).softmax(dim=-1)"},
            "nan_gradient": {WEIGHTS: "overflow_replaced(scores)"},
            "weights_detached": {"value, weights": "value, weights.detach()"},
        },
    ),
    signs={
        "softmax_over_queries": lambda found: bool(
            found.case == "by_hand" and (found.yours[1].sum(dim=-2) - 1).abs().max() < 1e-4
        ),
        "rows_do_not_sum_to_one": lambda found: bool(
            found.case == "by_hand" and (found.yours[1].sum(dim=-1) - 1).abs().max() > 1e-4
        ),
        "overflow": lambda found: not found.yours[1].isfinite().all(),
    },
    facts={
        "softmax_over_queries": lambda found: {
            "actual": number(found.yours[1].sum(dim=-1)[0]),
            "columns": number(found.yours[1].sum(dim=-2)[0]),
        },
        "rows_do_not_sum_to_one": lambda found: {"actual": number(found.yours[1].sum(dim=-1)[0])},
        "wrong_scale": lambda found: {
            "expected": number(math.sqrt(found.given[0].shape[-1])),
            "actual": number(scale_of(found.yours[1], *found.given[:2])),
        },
        "overflow": lambda found: first_bad_row(found),
    },
    forbids=("course_utils.attention", "scaled_dot_product_attention", "multi_head_attention_forward"),
)


def scale_of(weights: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """What the scores were divided by: the ratio of the dots' distance to that of the logarithms."""
    dots, logs = query @ key.T, weights.log()
    return (dots[0, 0] - dots[0, 1]) / (logs[0, 0] - logs[0, 1])


def first_bad_row(found):
    weights, right = found.yours[1].flatten(0, -2), found.right[1].flatten(0, -2)
    row = int((~weights.isfinite()).any(dim=-1).nonzero()[0])
    query, key = found.given[:2]
    largest = (query @ key.mT / math.sqrt(query.shape[-1])).max()
    return {"largest": number(largest), "expected": numbers(right[row]), "actual": numbers(weights[row])}


# ---- 02.3
def softmax_backward(y: Tensor, upstream: Tensor) -> Tensor:
    weighted = (y * upstream).sum(dim=-1, keepdim=True)  # (T_q, 1): what the row would gain on average
    return y * (upstream - weighted)  # (T_q, T_k)


class Largest(TorchDispatchMode):
    """Remembers the largest tensor that is made."""

    numel = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        parts = result if isinstance(result, tuple | list) else [result]
        self.numel = max([self.numel, *(part.numel() for part in parts if isinstance(part, Tensor))])
        return result


def full_matrix(answer: Any) -> dict[str, Any] | None:
    """No T_k × T_k numbers at a time, nor a block of many rows: not as a tensor, and not beside torch either."""
    y, upstream = torch.randn(3, 307).softmax(dim=-1), torch.randn(3, 307)
    with Largest() as largest:
        call(answer, y, upstream)
    if largest.numel > 4 * y.numel():
        return {"size": 307, "actual": largest.numel}
    outside = tracemalloc.is_tracing()
    tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    call(answer, y, upstream)
    peak = tracemalloc.get_traced_memory()[1] - before
    if not outside:
        tracemalloc.stop()
    # Even in float16, two bytes a number, the matrix is as large as that.
    return {"size": 307, "actual": 307 * 307} if peak > 307 * 307 * 2 else None


def half_of_the_matrix_at_a_time(y, upstream):
    middle, gradient = y.shape[-1] // 2, y * upstream
    for part in (slice(None, middle), slice(middle, None)):
        block = y[:, part, None] * y[:, None, :]  # half the rows of the Jacobian's second term
        gradient[:, part] -= (block @ upstream[:, :, None])[..., 0]
    return gradient


def through_the_logarithm(y, upstream):
    scores = y.log().requires_grad_()
    return torch.autograd.grad(scores.softmax(dim=-1), scores, upstream)[0]


def softmaxes(*sizes, times=1.0):
    return [
        (torch.randn(size).double().softmax(dim=-1), times * torch.randn(size).double()) for size in sizes
    ]


SOFTMAX_BACKWARD = Exercise(
    "02.3",
    level="stretch",
    reference=softmax_backward,
    strict=False,
    gradients=False,
    cases={
        "by_hand": lambda: (
            torch.tensor([[0.125, 0.25, 0.625], [0.5, 0.5, 0.0]]),
            torch.tensor([[8.0, 0.0, 0.0], [2.0, 4.0, 6.0]]),
        ),
        "value": lambda: softmaxes((7, 11), (1, 307)),
        "large_upstream": lambda: softmaxes((1, 5), (5, 1), (1, 1), (13, 2), times=1e4),
    },
    mistakes={
        "no_competition": lambda y, upstream: y * upstream,
        "only_diagonal": lambda y, upstream: y * (1 - y) * upstream,
        "no_weight": lambda y, upstream: upstream - (y * upstream).sum(dim=-1, keepdim=True),
        "wrong_axis": lambda y, upstream: y * (upstream - (y * upstream).sum(dim=0, keepdim=True)),
        "sign": lambda y, upstream: -softmax_backward(y, upstream),
        "full_matrix": half_of_the_matrix_at_a_time,
        "large_upstream": lambda y, upstream: softmax_backward(y, upstream.clamp(-1e3, 1e3)),
        "autograd": through_the_logarithm,
    },
    properties={"full_matrix": full_matrix},
    forbids=("autograd",),
)

EXERCISES = [SIMILARITY, ATTENTION, SOFTMAX_BACKWARD]
