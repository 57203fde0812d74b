"""Exercises of notebook 02: scaled dot-product attention."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from course_utils.exercises.core import (
    Exercise,
    Wrong,
    call,
    expect_close,
    expect_tensor,
    expect_tuple,
    number,
    numbers,
)
from course_utils.exercises.forbidden import refuse_autograd


def similarity_scores(query: Tensor, key: Tensor) -> Tensor:
    head_size = query.shape[-1]
    return query @ key.T / math.sqrt(head_size)  # (T_q, T_k)


def check_similarity_scores(answer: object) -> None:
    query = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 4.0, 0.0, 0.0]])
    key = torch.tensor([[3.0, 0.0, 0.0, 0.0], [1.0, 5.0, 0.0, 0.0], [0.0, 1.0, 0.0, 7.0]])
    scores = expect_tensor(call(answer, query, key))
    expected = similarity_scores(query, key)
    if scores.shape == expected.T.shape:
        raise Wrong("transposed", expected=tuple(expected.shape), actual=tuple(scores.shape))
    expect_tensor(scores, shape=tuple(expected.shape), dtype=expected.dtype)
    dots = query @ key.T
    likely = [
        (1, "no_scale"),
        (4, "divides_by_d"),
        (math.sqrt(2), "sqrt_of_tokens"),
        (math.sqrt(3), "sqrt_of_tokens"),
    ]
    for divisor, reason in likely:
        if torch.allclose(scores, dots / divisor, atol=1e-5):
            raise Wrong(reason, expected=number(expected[0, 0]), actual=number(scores[0, 0]))
    if torch.allclose(scores, expected.softmax(dim=-1), atol=1e-5):
        raise Wrong("softmax_too", expected=number(expected[0, 0]), actual=number(scores[0, 0]))
    expect_close(scores, expected)
    query, key = torch.randn(7, 5), torch.randn(3, 5)
    expect_close(expect_tensor(call(answer, query, key)), similarity_scores(query, key))
    _check_other_sizes(answer)


def _check_other_sizes(answer: object) -> None:
    """One row, one key, one dimension, many of them; float64; scores in the thousands; gradients."""
    for queries, keys, head_size in [(1, 5, 3), (5, 1, 2), (4, 2, 1), (3, 2, 64), (2, 11, 37)]:
        query = torch.randn(queries, head_size, dtype=torch.float64, requires_grad=True)
        key = torch.randn(keys, head_size, dtype=torch.float64, requires_grad=True)
        shapes = {"query": tuple(query.shape), "key": tuple(key.shape)}
        scores = expect_tensor(call(answer, query, key), dtype=query.dtype)
        expected = similarity_scores(query, key)
        if scores.shape != expected.shape:
            raise Wrong("other_shape", expected=tuple(expected.shape), actual=tuple(scores.shape), **shapes)
        expect_close(scores, expected, "other_sizes", atol=1e-6, **shapes)
        large = call(answer, 30 * query.detach(), 30 * key.detach())
        expect_close(expect_tensor(large), 900 * expected, "large_scores", atol=1e-2)
        direction = torch.randn_like(expected)
        if not scores.requires_grad:
            raise Wrong("no_gradient")
        right = torch.autograd.grad((expected * direction).sum(), [query, key])
        found = torch.autograd.grad((scores * direction).sum(), [query, key], allow_unused=True)
        for name, gradient, wanted in zip(("query", "key"), found, right, strict=True):
            if gradient is None:
                raise Wrong("detached", name=name)
            expect_close(gradient, wanted, "gradient", atol=1e-6, name=name)


def attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (..., T_q, T_k)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights  # (..., T_q, D_v), (..., T_q, T_k)


def check_attention(answer: object) -> None:
    query = torch.tensor([[1.0, 0.0], [0.0, 3.0]])
    key = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    value = torch.tensor([[6.0, 0.0, 0.0, 0.0, 0.0], [0.0, 6.0, 0.0, 0.0, 0.0], [0.0, 0.0, 6.0, 0.0, 0.0]])
    context, weights = expect_tuple(call(answer, query, key, value), 2)
    weights, context = expect_tensor(weights, dtype=query.dtype), expect_tensor(context, dtype=query.dtype)
    if context.shape == (2, 3) and weights.shape == (2, 5):
        raise Wrong("swapped", expected=(2, 5), actual=(2, 3))
    _check_weights(query, key, expect_tensor(weights, shape=(2, 3)))
    expect_tensor(context, shape=(2, 5))
    right_context, _ = attention(query, key, value)
    if torch.allclose(context, right_context.softmax(dim=-1), atol=1e-5):
        raise Wrong("softmax_on_context", expected=numbers(right_context[0]), actual=numbers(context[0]))
    expect_close(context, right_context, "context", row=numbers(weights[0]))
    _check_batches(answer)
    _check_large_scores(answer)
    _check_gradients(answer)


def _check_weights(query: Tensor, key: Tensor, weights: Tensor) -> None:
    sums = weights.sum(dim=-1)
    if not torch.allclose(sums, torch.ones_like(sums), atol=1e-4):
        columns = weights.sum(dim=-2)
        over_queries = torch.allclose(columns, torch.ones_like(columns), atol=1e-4)
        reason = "softmax_over_queries" if over_queries else "rows_do_not_sum_to_one"
        raise Wrong(reason, actual=number(sums[0]), columns=number(columns[0]))
    dots, head_size = query @ key.T, query.shape[-1]
    right = (dots / math.sqrt(head_size)).softmax(dim=-1)
    for size in (1, head_size**2, key.shape[0], 5, query.shape[0] * head_size):  # 5: the width of the values
        if size != head_size and torch.allclose(weights, (dots / math.sqrt(size)).softmax(dim=-1), atol=1e-4):
            raise Wrong("wrong_scale", expected=number(math.sqrt(head_size)), actual=number(math.sqrt(size)))
    expect_close(weights, right, atol=1e-4)


def _check_batches(answer: object) -> None:
    """Any number of axes in front, axes of length 1 among them, in both dtypes."""
    for front in [(2, 3), (2,), (3, 1, 2), (1, 1), ()]:
        given = [torch.randn(*front, *last, dtype=torch.float64) for last in [(5, 7), (11, 7), (11, 13)]]
        _check_one_batch(answer, *(tensor.float() for tensor in given))
        _check_one_batch(answer, *given, atol=2e-7)
    _check_one_batch(answer, torch.randn(2, 1, 1), torch.randn(2, 1, 1), torch.randn(2, 1, 1))


def _check_one_batch(answer: object, query: Tensor, key: Tensor, value: Tensor, atol: float = 1e-5) -> None:
    shapes = {"query": tuple(query.shape), "key": tuple(key.shape)}
    try:
        context, weights = expect_tuple(call(answer, query, key, value), 2)
    except Wrong as wrong:
        if wrong.reason != "raised":
            raise
        raise Wrong("batches", **shapes, **wrong.facts) from None
    right_context, right_weights = attention(query, key, value)
    for found, right in [(weights, right_weights), (context, right_context)]:
        if expect_tensor(found, dtype=query.dtype).shape != right.shape:
            facts = {"expected": tuple(right.shape), "actual": tuple(found.shape)}
            raise Wrong("batch_shape", **shapes, **facts)
    expect_close(weights, right_weights, "batch_weights", atol=atol, **shapes)
    expect_close(context, right_context, "batch_context", atol=atol, **shapes)


def _check_large_scores(answer: object) -> None:
    """Scores of ±1131: exp() of them, or of their distance from the largest of another row, is infinite or 0."""
    query = torch.tensor([[40.0, 0.0], [-40.0, 0.0]])
    key, value = torch.tensor([[40.0, 0.0], [39.95, 0.0], [38.0, 0.0]]), torch.eye(3)
    context, weights = expect_tuple(call(answer, query, key, value), 2)
    right_context, right = attention(query, key, value)
    for row, found in zip(right, expect_tensor(weights, shape=(2, 3)), strict=True):
        if not torch.isfinite(found).all():
            largest = number((query @ key.T / math.sqrt(2)).max())
            raise Wrong("overflow", largest=largest, expected=numbers(row), actual=numbers(found))
    expect_close(weights, right, "large_scores", atol=1e-4)
    expect_close(expect_tensor(context), right_context)
    query = torch.tensor([[2.0**20, 0.0, 0.0, 0.0]], dtype=torch.float64)  # scores near 2³⁹, 1 and 2 apart
    key = torch.tensor([2.0**20, 2.0**20 - 2.0**-19, 2.0**20 - 2.0**-18, 0.0], dtype=torch.float64)[:, None]
    key, value = key * torch.tensor([1.0, 0.0, 0.0, 0.0], dtype=torch.float64), torch.eye(4).double()
    _, weights = expect_tuple(call(answer, query, key, value), 2)
    expect_close(expect_tensor(weights), attention(query, key, value)[1], "large_scores", atol=1e-6)


def _check_gradients(answer: object) -> None:
    """Through the context, with scores of usual size and with scores of some hundreds, and through the weights."""
    for size in (1.0, 30.0):
        given = [torch.randn(*shape) for shape in [(5, 7), (11, 7), (11, 3)]]
        _check_gradients_of(answer, [(size * tensor).requires_grad_() for tensor in given])


def _check_gradients_of(answer: object, given: list[Tensor]) -> None:
    direction, of_weights = torch.randn(5, 3), torch.randn(5, 11)
    right_context, right_weights = attention(*given)
    right = torch.autograd.grad((right_context * direction).sum(), given, retain_graph=True)
    right_for_query = torch.autograd.grad((right_weights * of_weights).sum(), given[0])[0]
    context, weights = expect_tuple(call(answer, *given), 2)
    context = expect_tensor(context)
    expect_close(expect_tensor(weights).detach(), right_weights.detach())
    expect_close(context.detach(), right_context.detach())
    if not context.requires_grad:
        raise Wrong("no_gradient")
    found = torch.autograd.grad((context * direction).sum(), given, retain_graph=True, allow_unused=True)
    for name, gradient, expected in zip(("query", "key", "value"), found, right, strict=True):
        if gradient is None:
            raise Wrong("detached", name=name)
        if not gradient.isfinite().all():
            raise Wrong("gradient_nan", name=name)
        expect_close(
            gradient, expected, "gradient", atol=1e-5 * max(1, float(expected.abs().max())), name=name
        )
    if not weights.requires_grad:
        raise Wrong("weights_detached")
    (found_for_query,) = torch.autograd.grad((weights * of_weights).sum(), given[0], allow_unused=True)
    if found_for_query is None:
        raise Wrong("weights_detached")
    expect_close(found_for_query, right_for_query, "gradient", atol=1e-4, name="query")


def softmax_backward(y: Tensor, upstream: Tensor) -> Tensor:
    weighted = (y * upstream).sum(dim=-1, keepdim=True)  # (T_q, 1): what the row would gain on average
    return y * (upstream - weighted)  # (T_q, T_k)


def check_softmax_backward(answer: object) -> None:
    y = torch.tensor([[0.125, 0.25, 0.625], [0.5, 0.5, 0.0]])
    upstream = torch.tensor([[8.0, 0.0, 0.0], [2.0, 4.0, 6.0]])
    gradient = expect_tensor(call(answer, y, upstream), shape=(2, 3), dtype=y.dtype)
    expected = softmax_backward(y, upstream)  # [[0.875, −0.25, −0.625], [−0.5, 0.5, 0]]
    likely = [
        (y * upstream, "no_competition"),
        (y * (1 - y) * upstream, "only_diagonal"),
        (upstream - (y * upstream).sum(dim=-1, keepdim=True), "no_weight"),
        (y * (upstream - (y * upstream).sum(dim=0, keepdim=True)), "wrong_axis"),
        (-expected, "sign"),
    ]
    for mistaken, reason in likely:
        if torch.allclose(gradient, mistaken, atol=1e-5):
            raise Wrong(reason, expected=numbers(expected[0]), actual=numbers(gradient[0]))
    expect_close(gradient, expected)
    scores, upstream = (
        torch.randn(7, 11, dtype=torch.float64, requires_grad=True),
        torch.randn(7, 11).double(),
    )
    y = scores.softmax(dim=-1)
    (by_autograd,) = torch.autograd.grad(y, scores, upstream)
    expect_close(expect_tensor(call(answer, y.detach(), upstream)), by_autograd, atol=1e-10)
    for queries, keys in [(1, 5), (5, 1), (1, 1), (13, 2)]:
        y = torch.randn(queries, keys).double().softmax(dim=-1)
        upstream = 1e4 * torch.randn(queries, keys).double()
        gradient = expect_tensor(call(answer, y, upstream), shape=(queries, keys), dtype=y.dtype)
        expect_close(gradient, softmax_backward(y, upstream), "large_upstream", atol=1e-8)
    _check_memory(answer)
    refuse_autograd(answer, y, upstream)


class _Largest(TorchDispatchMode):
    """Remembers the largest tensor that is made, and whether torch's own way back through a softmax was called."""

    def __init__(self) -> None:
        super().__init__()
        self.numel = 0
        self.backward = False

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.backward |= "softmax_backward" in str(function)
        result = function(*args, **(kwargs or {}))
        parts = result if isinstance(result, tuple | list) else [result]
        self.numel = max([self.numel, *(part.numel() for part in parts if isinstance(part, Tensor))])
        return result


def _check_memory(answer: object) -> None:
    """No T_k × T_k numbers at a time, nor a block of many rows: not as a tensor, and not beside torch either."""
    y, upstream = torch.randn(3, 307).softmax(dim=-1), torch.randn(3, 307)
    with _Largest() as largest:
        gradient = expect_tensor(call(answer, y, upstream))
    expect_close(gradient, softmax_backward(y, upstream))
    if largest.backward:
        raise Wrong("autograd")
    if largest.numel > 4 * y.numel():
        raise Wrong("full_matrix", size=307, actual=largest.numel)
    outside = tracemalloc.is_tracing()
    tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    gradient = expect_tensor(call(answer, y, upstream))
    peak = tracemalloc.get_traced_memory()[1] - before
    if not outside:
        tracemalloc.stop()
    expect_close(gradient, softmax_backward(y, upstream))
    if peak > 307 * 307 * 2:  # even in float16, two bytes a number, the matrix is as large as that
        raise Wrong("full_matrix", size=307, actual=307 * 307)


EXERCISES = [
    Exercise("02.1", level="warm-up", check=check_similarity_scores, solution=similarity_scores),
    Exercise("02.2", level="core", check=check_attention, solution=attention),
    Exercise("02.3", level="stretch", check=check_softmax_backward, solution=softmax_backward),
]
