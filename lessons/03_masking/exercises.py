"""Exercises of notebook 03: masks."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from course_utils.exercises.core import Exercise, Wrong, call, expect_close, expect_tensor, number, numbers


def mask_of_padding(input_ids: Tensor, pad_token_id: int) -> Tensor:
    return (input_ids != pad_token_id)[:, None, None, :]  # (B, 1, 1, T_k)


def check_mask_of_padding(answer: object) -> None:
    ids = torch.tensor([[5, 6, 7, 0, 0], [8, 9, 0, 0, 0]])
    mask = expect_tensor(call(answer, ids, 0))
    if mask.shape == ids.shape:
        raise Wrong("no_axes", expected=(2, 1, 1, 5), actual=tuple(mask.shape))
    if mask.shape == (2, 1, 5, 1):
        raise Wrong("hides_queries", expected=(2, 1, 1, 5), actual=tuple(mask.shape))
    expect_tensor(mask, shape=(2, 1, 1, 5), dtype=torch.bool)
    if torch.equal(mask, ~mask_of_padding(ids, 0)):
        raise Wrong("inverted", ids=ids[0].tolist(), actual=mask[0, 0, 0].tolist())
    expect_close(mask, mask_of_padding(ids, 0))

    roberta, odd = torch.tensor([[0, 7, 9, 2, 1, 1]]), torch.tensor([[3, 0, -1]])
    of_roberta, of_odd = (
        expect_tensor(call(answer, ids, pad), shape=(1, 1, 1, ids.shape[1]), dtype=torch.bool)
        for ids, pad in ((roberta, 1), (odd, -1))
    )
    likely = [  # the reason, and the answers of a code that has this fault
        ("positive_ids", roberta > 0, odd > 0),
        ("zero_is_padding", roberta != 0, odd != 0),
        ("greater_than_pad", roberta > 1, odd > -1),
    ]
    for reason, on_roberta, on_odd in likely:
        if torch.equal(of_roberta[:, 0, 0], on_roberta) and torch.equal(of_odd[:, 0, 0], on_odd):
            right = mask_of_padding(roberta, 1)[0, 0, 0]
            facts = {"ids": roberta[0].tolist(), "actual": numbers(on_roberta[0].int())}
            raise Wrong(reason, expected=numbers(right.int()), **facts)
    expect_close(of_roberta, mask_of_padding(roberta, 1))
    expect_close(of_odd, mask_of_padding(odd, -1))
    for pad in (int(torch.randint(-9, 0, ())), int(torch.randint(1, 10, ()))):
        _check_signed(answer, pad)
    _check_large_ids(answer)


def _check_signed(answer: object, pad: int) -> None:
    """Fresh ids of both signs, the padding's own always among them."""
    ids = torch.cat([torch.randint(-9, 10, (3, 6)), torch.full((3, 1), pad)], dim=1)
    right = mask_of_padding(ids, pad)
    mask = expect_tensor(call(answer, ids, pad), shape=(3, 1, 1, 7), dtype=torch.bool)
    taken = (right & ~mask)[:, 0, 0]  # tokens that were taken for padding
    if taken.any() and (ids[taken] < 0).all():
        row = int(taken.any(dim=-1).nonzero()[0])
        facts = {"expected": numbers(right[row, 0, 0].int()), "actual": numbers(mask[row, 0, 0].int())}
        raise Wrong("negative_is_padding", ids=ids[row].tolist(), pad=pad, **facts)
    expect_close(mask, right)


def _check_large_ids(answer: object) -> None:
    """Ids that fewer bits cannot tell from the padding's (8, 11, 16, 24 of them); rows of nothing but padding."""
    for pad in (300, 2**24):
        others = torch.tensor([pad + 256, pad + 1, pad + 2**16, pad - 1, pad + 1000, -pad, 0, pad])
        for dtype in (torch.int32, torch.int64):
            ids = others.to(dtype).repeat(5, 1)
            mask = expect_tensor(call(answer, ids, pad), shape=(5, 1, 1, 8), dtype=torch.bool)
            right = mask_of_padding(ids, pad)
            if not torch.equal(mask, right):
                facts = {"expected": numbers(right[0, 0, 0].int()), "actual": numbers(mask[0, 0, 0].int())}
                raise Wrong("other_ids", ids=ids[0].tolist(), pad=pad, dtype=dtype, **facts)
    empty = torch.tensor([[4, 4, 4], [9, 4, 4]])
    mask = expect_tensor(call(answer, empty, 4), shape=(2, 1, 1, 3), dtype=torch.bool)
    if mask[0].any():
        raise Wrong("only_padding", ids=empty[0].tolist(), actual=numbers(mask[0, 0, 0].int()))
    expect_close(mask, mask_of_padding(empty, 4))


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(
        scores.dtype
    ).min  # finite: a fully masked row meets no NaN, not even in its gradient
    return scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)


def check_masked_softmax(answer: object) -> None:
    scores = torch.tensor([[0.0, math.log(3.0), 2.0], [1.0, 1.0, 1.0]])
    mask = torch.tensor([[True, True, False], [True, True, True]])
    weights = expect_tensor(call(answer, scores, mask), shape=(2, 3), dtype=scores.dtype)
    facts = {"expected": numbers(masked_softmax(scores, mask)[0]), "actual": numbers(weights[0])}
    if torch.allclose(weights, scores.softmax(dim=-1).masked_fill(~mask, 0.0)):
        raise Wrong("after_softmax", total=number(weights[0].sum()), **facts)
    if weights[0, :2].abs().max() < 1e-6 and weights[0, 2] > 0.99:
        raise Wrong("inverted", **facts)
    if torch.allclose(weights, scores.masked_fill(~mask, 0.0).softmax(dim=-1)):
        raise Wrong("zero_scores", **facts)
    expect_close(weights, masked_softmax(scores, mask))

    loud = expect_tensor(call(answer, torch.tensor([[0.0, 0.0, 300.0]]), mask[:1]), shape=(1, 3))
    if not torch.allclose(loud, torch.tensor([[0.5, 0.5, 0.0]])):
        raise Wrong("loud", actual=numbers(loud[0]))
    _check_quiet(answer, -3e4, "-30000")
    _check_empty_row(answer)
    _check_half(answer)
    _check_fresh(answer)
    _check_quiet(answer, -3e30, "-3e30")
    far = expect_tensor(call(answer, torch.tensor([[3e30, 2e30, 4e30]]), mask[:1]), shape=(1, 3))
    if not torch.allclose(far, torch.tensor([[1.0, 0.0, 0.0]])):
        raise Wrong("cut_off", actual=numbers(far[0]))


def _check_quiet(answer: object, low: float, written: str) -> None:
    """Two keys with the same low score and a third one, 0, that is masked."""
    scores, mask = torch.tensor([[low, low, 0.0]]), torch.tensor([[True, True, False]])
    quiet = expect_tensor(call(answer, scores, mask), shape=(1, 3))
    if not torch.allclose(quiet, torch.tensor([[0.5, 0.5, 0.0]])):
        raise Wrong("not_low_enough", low=written, actual=numbers(quiet[0]))


def _check_empty_row(answer: object) -> None:
    scores = torch.tensor([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]], requires_grad=True)
    mask = torch.tensor([[True, True, False], [False, False, False]])
    weights = expect_tensor(call(answer, scores, mask), shape=(2, 3))
    if weights[1].isnan().any():
        raise Wrong("empty_row_nan", actual=numbers(weights[1]))
    if weights[1].any():
        raise Wrong("empty_row_not_zero", actual=numbers(weights[1]), total=number(weights[1].detach().sum()))
    if not weights.requires_grad:
        raise Wrong("no_gradient")
    (gradient,) = torch.autograd.grad((weights * torch.tensor([1.0, 2.0, 4.0])).sum(), scores)
    if gradient.isnan().any():
        raise Wrong("nan_gradient", actual=numbers(gradient[1]))


def _check_half(answer: object) -> None:
    scores, mask = torch.tensor([[1.0, 1.0, 5.0]]).half(), torch.tensor([[True, True, False]])
    try:
        weights = expect_tensor(call(answer, scores, mask), shape=(1, 3), dtype=torch.float16)
    except Wrong as wrong:
        if wrong.reason != "raised":
            raise
        raise Wrong("half", **wrong.facts) from None
    expect_close(weights, torch.tensor([[0.5, 0.5, 0.0]]), atol=2e-3)
    empty = scores.detach().requires_grad_()
    weights = expect_tensor(call(answer, empty, mask & False), shape=(1, 3), dtype=torch.float16)
    (gradient,) = torch.autograd.grad(weights.sum(), empty)
    if weights.any() or gradient.isnan().any():  # NaN counts as any, too
        raise Wrong("half_empty_row", actual=numbers(weights[0]), gradient=numbers(gradient[0]))


def _check_fresh(answer: object) -> None:
    """Other shapes, an empty row among them; the gradient, too, is that of the reference."""
    scores, mask = torch.randn(2, 3, 5, 7, requires_grad=True), torch.rand(2, 1, 5, 7) < 0.6
    mask[1, 0, 2] = False
    weights = expect_tensor(call(answer, scores, mask), shape=(2, 3, 5, 7))
    right, upstream = masked_softmax(scores, mask), torch.randn(2, 3, 5, 7)
    expect_close(weights.detach(), right.detach())
    mine, expected = (
        torch.autograd.grad(result, scores, upstream, allow_unused=True)[0] for result in (weights, right)
    )
    if mine is None:
        raise Wrong("no_gradient")
    expect_close(mine, expected, "gradient")
    for axes, of_mask in [
        ((5, 7), (1, 7)),
        ((2, 5, 7), (5, 7)),
        ((3, 1, 7), (3, 1, 7)),
        ((2, 2, 2, 5, 3), (5, 3)),
    ]:
        scores, mask = 9 * torch.randn(axes, dtype=torch.float64), torch.rand(of_mask) < 0.6
        weights = expect_tensor(call(answer, scores, mask), shape=axes, dtype=scores.dtype)
        right = masked_softmax(scores, mask)
        facts = {"scores": axes, "mask": of_mask}
        expect_close(weights, right, "other_axes", atol=1e-6, **facts)


def sliding_window_mask(length: int, window: int) -> Tensor:
    places = torch.arange(length)
    back = places[:, None] - places[None, :]  # how far the key lies behind the query, (T, T)
    return ((back >= 0) & (back < window))[None, None]  # (1, 1, T, T)


def check_sliding_window_mask(answer: object) -> None:
    mask = expect_tensor(call(answer, 5, 2))
    if mask.shape == (5, 5):
        raise Wrong("no_axes", expected=(1, 1, 5, 5), actual=(5, 5))
    expect_tensor(mask, shape=(1, 1, 5, 5), dtype=torch.bool)
    places = torch.arange(5)
    back = places[:, None] - places[None, :]
    likely = [
        ("one_too_many", (back >= 0) & (back <= 2)),
        ("without_itself", (back > 0) & (back <= 2)),
        ("without_itself", (back > 0) & (back < 2)),
        ("both_sides", back.abs() < 2),
        ("only_future", (back <= 0) & (back > -2)),
        ("no_limit", back >= 0),
        ("inverted", ~((back >= 0) & (back < 2))),
    ]
    for reason, table in likely:
        if torch.equal(mask[0, 0], table):
            raise Wrong(reason, actual=_seen(mask, 3))
    expect_close(mask, sliding_window_mask(5, 2))
    for length, window in ((7, 1), (7, 3), (5, 5), (3, 11), (1, 1)):
        mask = expect_tensor(call(answer, length, window), shape=(1, 1, length, length), dtype=torch.bool)
        expect_close(mask, sliding_window_mask(length, window))
    small = [(length, window) for length in (2, 6, 9) for window in (1, 2, 4, 5, 6, 8, 12)]
    for length, window in [*small, (13, 12), (300, 3), (300, 290)]:  # 300 places do not fit in eight bits
        mask = expect_tensor(call(answer, length, window), shape=(1, 1, length, length), dtype=torch.bool)
        right = sliding_window_mask(length, window)
        if not torch.equal(mask, right):
            query, key = map(int, (mask != right)[0, 0].nonzero()[0])
            facts = {"length": length, "window": window, "query": query, "key": key}
            raise Wrong("other_sizes", expected=bool(right[0, 0, query, key]), **facts)


def _seen(mask: Tensor, query: int) -> str:
    """The keys that one query may see: "2, 3"."""
    return ", ".join(str(int(key)) for key in mask[0, 0, query].nonzero())


EXERCISES = [
    Exercise("03.1", level="warm-up", check=check_mask_of_padding, solution=mask_of_padding),
    Exercise("03.2", level="core", check=check_masked_softmax, solution=masked_softmax),
    Exercise("03.3", level="stretch", check=check_sliding_window_mask, solution=sliding_window_mask),
]
