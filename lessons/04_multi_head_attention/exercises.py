"""Exercises of notebook 04: multi-head attention."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

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


def split_heads(hidden: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden_size = hidden.shape
    pieces = hidden.view(batch, length, num_heads, hidden_size // num_heads)  # (B, T, H, D)
    return pieces.transpose(1, 2)  # (B, H, T, D)


def check_split_heads(answer: object) -> None:
    # The tens say which token, the units which coordinate: (B, T, C) = (1, 4, 6), two heads of size 3.
    tokens = 10.0 * torch.arange(1, 5)[:, None] + torch.arange(1, 7)  # (T, C)
    expected = split_heads(tokens[None], 2)
    result = expect_tensor(call(answer, tokens[None], 2), dtype=tokens.dtype)
    if result.shape == (1, 4, 2, 3):
        raise Wrong("heads_on_wrong_axis", expected=tuple(expected.shape), actual=tuple(result.shape))
    if result.shape in ((1, 3, 4, 2), (1, 4, 3, 2)):
        raise Wrong("sizes_swapped", expected=tuple(expected.shape), actual=tuple(result.shape))
    expect_tensor(result, shape=tuple(expected.shape))
    facts = {"expected": numbers(expected[0, 0]), "actual": numbers(result[0, 0])}
    if torch.equal(result, tokens.reshape(1, 2, 4, 3)):
        raise Wrong("view_without_transpose", **facts)
    if torch.equal(result, tokens[None].unflatten(-1, (3, 2)).permute(0, 3, 1, 2)):
        raise Wrong("interleaved", **facts)
    expect_close(result, expected)
    batch = torch.randn(2, 7, 15, requires_grad=True)
    result = expect_tensor(call(answer, batch, 5))
    expect_close(result.detach(), split_heads(batch.detach(), 5), "batch")
    if not result.requires_grad:
        raise Wrong("no_gradient")
    for batch, length, size, num_heads in [
        (3, 5, 8, 1),
        (3, 5, 8, 8),
        (1, 1, 6, 2),
        (5, 1, 12, 3),
        (4, 11, 10, 5),
    ]:
        hidden = (1e6 * torch.randn(batch, length, size, dtype=torch.float64)).requires_grad_()
        result = expect_tensor(call(answer, hidden, num_heads), dtype=hidden.dtype)
        right = split_heads(hidden, num_heads)
        if result.shape != right.shape:
            given = {"hidden": tuple(hidden.shape), "heads": num_heads}
            raise Wrong("other_sizes", expected=tuple(right.shape), actual=tuple(result.shape), **given)
        expect_close(result, right, atol=0.0)
        _compare_gradients(result, right, {"hidden": hidden})


def _compare_gradients(result: Tensor, right: Tensor, inputs: dict[str, Tensor]) -> None:
    """The gradient of the result, weighted at random, is that of the right one in each of the inputs."""
    upstream = torch.randn_like(right)
    if not result.requires_grad:
        raise Wrong("no_gradient")
    given = list(inputs.values())
    found = torch.autograd.grad(result, given, upstream, allow_unused=True)
    expected = torch.autograd.grad(right, given, upstream)
    for name, mine, wanted in zip(inputs, found, expected, strict=True):
        expect_close(
            torch.zeros_like(wanted) if mine is None else mine, wanted, "gradient", atol=1e-6, of=name
        )


def multi_head(query: Tensor, key: Tensor, value: Tensor, num_heads: int) -> tuple[Tensor, Tensor]:
    q, k, v = (hidden.unflatten(-1, (num_heads, -1)).transpose(1, 2) for hidden in (query, key, value))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, H, T_q, T_k), divided by √D
    weights = scores.softmax(dim=-1)
    context = (weights @ v).transpose(1, 2).flatten(-2)  # (B, H, T_q, D) -> (B, T_q, H, D) -> (B, T_q, C)
    return context, weights


def check_multi_head(answer: object) -> None:
    hidden = torch.randn(1, 5, 6)
    context, weights = expect_tuple(call(answer, hidden, hidden, hidden, 2), 2)
    weights, context = expect_tensor(weights, dtype=hidden.dtype), expect_tensor(context, dtype=hidden.dtype)
    right_context, right_weights = multi_head(hidden, hidden, hidden, 2)
    if weights.shape in ((1, 5, 5), (1, 1, 5, 5)):
        raise Wrong("one_head", expected=tuple(right_weights.shape), actual=tuple(weights.shape))
    expect_tensor(weights, shape=tuple(right_weights.shape))
    _check_weights(hidden, weights, right_weights)
    if context.shape == (1, 2, 5, 3):
        raise Wrong("not_merged", expected=tuple(right_context.shape), actual=tuple(context.shape))
    expect_tensor(context, shape=tuple(right_context.shape))
    heads = right_context.unflatten(-1, (2, 3)).transpose(1, 2)  # (B, H, T, D)
    if torch.allclose(context, heads.reshape(1, 5, 6), atol=1e-5):
        raise Wrong(
            "merge_without_transpose", expected=numbers(right_context[0, 0]), actual=numbers(context[0, 0])
        )
    expect_close(context, right_context)
    _check_cross_attention(answer)
    _check_large_scores(answer)
    _check_gradient(answer)
    _check_loop(answer)


def _check_large_scores(answer: object) -> None:
    """One head of size 1 up to as many heads as coordinates, in float64, with scores far beyond what exp can hold."""
    for batch, length, size, num_heads in [(3, 4, 6, 1), (3, 4, 6, 6), (1, 1, 6, 2)]:
        given = [torch.randn(batch, length, size, dtype=torch.float64) for _ in range(3)]
        for times in (1.0, 100.0):
            query, key, value = times * given[0], times * given[1], given[2]
            context, weights = expect_tuple(call(answer, query, key, value, num_heads), 2)
            right_context, right_weights = multi_head(query, key, value, num_heads)
            expect_tensor(weights, shape=tuple(right_weights.shape), dtype=query.dtype)
            expect_tensor(context, shape=tuple(right_context.shape), dtype=query.dtype)
            largest = number((query.unflatten(-1, (num_heads, -1)).square().sum(-1)).max())
            reason = "weights" if times == 1 else "large_scores"
            expect_close(weights, right_weights, reason, atol=1e-6 if times == 1 else 1e-2, largest=largest)
            expect_close(context, right_context, atol=1e-5 if times == 1 else 5e-2)


def _check_weights(hidden: Tensor, weights: Tensor, right_weights: Tensor) -> None:
    sums = weights.sum(dim=-1)
    if not torch.allclose(sums, torch.ones_like(sums), atol=1e-4):
        for axis, reason in ((-2, "softmax_over_queries"), (1, "softmax_over_heads")):
            if torch.allclose(weights.sum(dim=axis), torch.ones(()), atol=1e-4):
                raise Wrong(reason, actual=number(sums[0, 0, 0]))
        raise Wrong("rows_do_not_sum_to_one", actual=number(sums[0, 0, 0]))
    q = hidden.unflatten(-1, (2, 3)).transpose(1, 2)  # (B, H, T, D)
    dots = q @ q.transpose(-2, -1)
    for divisor, reason in ((math.sqrt(6), "scale_by_hidden_size"), (1.0, "no_scale")):
        if torch.allclose(weights, (dots / divisor).softmax(dim=-1), atol=1e-5):
            raise Wrong(reason, expected=number(math.sqrt(3)), actual=number(divisor))
    mixed = hidden.reshape(1, 2, 5, 3)
    if torch.allclose(weights, (mixed @ mixed.transpose(-2, -1) / math.sqrt(3)).softmax(dim=-1), atol=1e-5):
        raise Wrong("split_without_transpose")
    expect_close(weights, right_weights, "weights")


def _check_cross_attention(answer: object) -> None:
    query, key, value = torch.randn(2, 3, 10), torch.randn(2, 7, 10), torch.randn(2, 7, 10)
    try:
        context, weights = expect_tuple(call(answer, query, key, value, 5), 2)
    except Wrong as wrong:
        if wrong.reason != "raised":
            raise
        raise Wrong("cross", query=tuple(query.shape), key=tuple(key.shape), **wrong.facts) from None
    right_context, right_weights = multi_head(query, key, value, 5)
    expect_close(expect_tensor(weights), right_weights, "weights")
    expect_close(expect_tensor(context), right_context)


def _check_gradient(answer: object) -> None:
    """The gradient of context and weights together is that of the reference, in query, key and value."""
    inputs = [torch.randn(2, length, 12, requires_grad=True) for length in (3, 5, 5)]
    found = []
    for run in (lambda *given: call(answer, *given, 3), lambda *given: multi_head(*given, 3)):
        context, weights = expect_tuple(run(*inputs), 2)
        loss = context.square().sum() + weights.square().sum()
        if not loss.requires_grad:
            raise Wrong("no_gradient")
        found.append(torch.autograd.grad(loss, inputs, allow_unused=True))
    for name, mine, right in zip(("query", "key", "value"), *found, strict=True):
        expect_close(torch.zeros_like(right) if mine is None else mine, right, "gradient", atol=1e-4, of=name)


class _Count(TorchFunctionMode):
    """Counts the calls into torch within a block."""

    calls = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.calls += 1
        return func(*args, **(kwargs or {}))


def _check_loop(answer: object) -> None:
    """All heads, tokens and sentences at once: as many calls into torch for few as for many."""
    counts = []
    for batch, length, num_heads in [(1, 5, 2), (1, 5, 12), (1, 9, 2), (3, 5, 2)]:
        given = *torch.randn(3, batch, length, 24), num_heads
        (context, weights), calls = _counted(answer, *given)
        right_context, right_weights = multi_head(*given)
        expect_close(expect_tensor(weights), right_weights, "weights")
        expect_close(expect_tensor(context), right_context)
        counts.append(calls)
    few, heads, tokens, sentences = counts
    if heads > few:
        raise Wrong("loop", few=few, many=heads)
    if max(tokens, sentences) > few:
        raise Wrong("loop_elsewhere", few=few, tokens=tokens, sentences=sentences)
    if few > 60:
        raise Wrong("too_many_calls", calls=few)


def _counted(answer: Any, *given: Any) -> tuple[Any, int]:
    """What an answer returns, and how often it called into torch."""

    def watched(*copies: Any) -> tuple[Any, int]:
        with _Count() as count:
            result = answer(*copies)
        return result, count.calls

    return call(watched, *given)


def head_contributions(context: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    num_heads, head_size = context.shape[1], context.shape[-1]
    columns = weight.unflatten(-1, (num_heads, head_size))  # (C, H, D): the D columns of each head
    return torch.einsum("bhtd,chd->bhtc", context, columns)  # (B, H, T, C)


def check_head_contributions(answer: object) -> None:
    context, weight, bias = torch.randn(1, 2, 3, 2), torch.randn(4, 4), torch.randn(4)
    result = expect_tensor(call(answer, context, weight, bias), dtype=context.dtype)
    expected = head_contributions(context, weight, bias)
    if result.shape == (1, 3, 4):
        raise Wrong("already_summed", expected=tuple(expected.shape), actual=tuple(result.shape))
    expect_tensor(result, shape=tuple(expected.shape))
    facts = {"expected": numbers(expected.sum(dim=1)[0, 0]), "actual": numbers(result.sum(dim=1)[0, 0])}
    rows = torch.einsum("bhtd,hdc->bhtc", context, weight.unflatten(0, (2, 2)))
    interleaved = torch.einsum("bhtd,cdh->bhtc", context, weight.unflatten(-1, (2, 2)))
    without_transpose = _as_if_merged_without_transpose(context, weight)
    likely = [
        (expected + bias, "bias_in_each_head"),
        (expected + bias / 2, "bias_shared_out"),
        (rows, "rows_for_columns"),
        (interleaved, "interleaved_columns"),
        (without_transpose, "merged_without_transpose"),
    ]
    for wrong, reason in likely:
        if torch.allclose(result, wrong, atol=1e-5):
            raise Wrong(reason, **facts)
    if not torch.allclose(result.sum(dim=1), expected.sum(dim=1), atol=1e-5):
        raise Wrong("sum", **facts)
    expect_close(result, expected)
    context, weight, bias = torch.randn(2, 3, 7, 5, requires_grad=True), torch.randn(15, 15), torch.randn(15)
    result = expect_tensor(call(answer, context, weight, bias))
    expect_close(result.detach(), head_contributions(context.detach(), weight, bias))
    if not result.requires_grad:
        raise Wrong("no_gradient")
    counts = []
    for batch, num_heads, length, size in [
        (1, 2, 3, 4),
        (1, 6, 3, 2),
        (1, 2, 7, 4),
        (3, 1, 1, 5),
        (2, 5, 4, 1),
    ]:
        inputs = {
            "context": (100 * torch.randn(batch, num_heads, length, size).double()).requires_grad_(),
            "weight": torch.randn(num_heads * size, num_heads * size).double().requires_grad_(),
        }
        given = *inputs.values(), torch.randn(num_heads * size).double()
        result, calls = _counted(answer, *given)
        right = head_contributions(*given)
        if expect_tensor(result, dtype=right.dtype).shape != right.shape:
            raise Wrong("other_sizes", expected=tuple(right.shape), actual=tuple(result.shape))
        expect_close(result, right, "large", atol=1e-6)
        _compare_gradients(result, right, inputs)
        counts.append(calls)
    if counts[1] > counts[0]:
        raise Wrong("loop", few=counts[0], many=counts[1])
    if counts[2] > counts[0]:
        raise Wrong("loop_elsewhere", few=counts[0], tokens=counts[2])


def _as_if_merged_without_transpose(context: Tensor, weight: Tensor) -> Tensor:
    """One head at a time, the others 0, joined by reshape alone: each token gets numbers of others."""
    batch, num_heads, length, head_size = context.shape
    alone = torch.eye(num_heads)[:, None, :, None, None] * context  # (one kept, B, H, T, D)
    joined = alone.reshape(num_heads, batch, length, num_heads * head_size)
    return (joined @ weight.T).transpose(0, 1)  # (B, H, T, C)


EXERCISES = [
    Exercise("04.1", level="warm-up", check=check_split_heads, solution=split_heads),
    Exercise("04.2", level="core", check=check_multi_head, solution=multi_head),
    Exercise("04.3", level="stretch", check=check_head_contributions, solution=head_contributions),
]
