"""Exercises of notebook 07: the Transformer."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from types import FrameType
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


def shift_right(target_ids: Tensor, pad_token_id: int) -> tuple[Tensor, Tensor]:
    labels = target_ids[:, 1:]  # (B, T_q): each place's next token
    return target_ids[:, :-1], labels.masked_fill(labels == pad_token_id, -100)


def check_shift_right(answer: object) -> None:
    bos, eos, pad = 1, 2, 0
    ids = torch.tensor([[bos, 5, 6, 7, eos], [bos, 8, eos, pad, pad]])
    parts = expect_tuple(call(answer, ids, pad), 2)
    inputs, labels = (expect_tensor(part, dtype=torch.int64) for part in parts)
    if ids.shape in (inputs.shape, labels.shape):
        raise Wrong("not_cut", expected=(2, 4), inputs=tuple(inputs.shape), labels=tuple(labels.shape))
    inputs, labels = expect_tensor(inputs, shape=(2, 4)), expect_tensor(labels, shape=(2, 4))
    right, right_labels = shift_right(ids, pad)
    place = int((~(labels == right_labels).all(dim=1)).int().argmax())  # the first row whose labels are wrong
    facts = {"ids": ids[place].tolist(), "expected": right_labels[place].tolist()}
    facts |= {"labels": labels[place].tolist(), "inputs": inputs[place].tolist()}
    facts["expected_inputs"] = right[place].tolist()
    if torch.equal(inputs, right_labels) and torch.equal(labels, right):
        raise Wrong("swapped", **facts)
    if (inputs == -100).any():
        raise Wrong("ignored_in_input", inputs=inputs[1].tolist(), expected=right[1].tolist())
    if torch.equal(inputs, labels.where(labels != -100, inputs)):
        raise Wrong("copies", **facts)
    if torch.equal(inputs, ids[:, 1:]):
        raise Wrong("wrong_way", **facts)
    if torch.equal(inputs, right.masked_fill(right == eos, pad)):
        raise Wrong("eos_replaced", inputs=inputs[1].tolist(), expected=right[1].tolist())
    likely = [
        ("pads_counted", ids[:, 1:]),
        ("mask_of_input", ids[:, 1:].masked_fill(right == pad, -100)),
        ("eos_ignored", right_labels.masked_fill(right_labels == eos, -100)),
    ]
    for reason, wrong in likely:
        if torch.equal(inputs, right) and torch.equal(labels, wrong):
            raise Wrong(reason, **facts)
    _expect_shifted(answer, ids, pad)
    _check_other_pads(answer)


def _check_other_pads(answer: object) -> None:
    """Padding that is not 0, a word that is; other ids of <bos> and <eos>, large ones; a single sentence or word."""
    ids = torch.tensor([[9, 0, 4, 8, 3, 3], [9, 2, 5, 0, 6, 8]])
    parts = expect_tuple(call(answer, ids, 3), 2)
    _, labels = (expect_tensor(part, shape=(2, 5), dtype=torch.int64) for part in parts)
    if torch.equal(labels, ids[:, 1:].masked_fill(ids[:, 1:] == 0, -100)):
        expected = shift_right(ids, 3)[1][0].tolist()
        raise Wrong("zero_is_padding", ids=ids[0].tolist(), expected=expected, actual=labels[0].tolist())
    _expect_shifted(answer, ids, 3)
    for batch, length, pad in [(1, 2, 0), (7, 11, 5), (3, 5, 2**24), (5, 3, 2**40)]:
        ids = torch.randint(max(pad - 9, 0), pad + 10, (batch, length))
        ids = ids + (ids >= pad)  # no word has the id of padding
        used = torch.randint(
            2, max(length - 1, 3), (batch, 1)
        )  # <bos> and <eos>, and more padding than needed
        ids = ids.where(torch.arange(length) < used, pad)
        _expect_shifted(answer, ids, pad)


def _expect_shifted(answer: object, ids: Tensor, pad: int) -> None:
    right = shift_right(ids, pad)
    parts = expect_tuple(call(answer, ids, pad), 2)
    found = [expect_tensor(part, shape=tuple(right[0].shape), dtype=torch.int64) for part in parts]
    for row in range(len(ids)):
        if not all(torch.equal(mine[row], part[row]) for mine, part in zip(found, right, strict=True)):
            names = ("inputs", "labels", "actual_inputs", "actual_labels")
            facts = dict(zip(names, [part[row].tolist() for part in (*right, *found)], strict=True))
            raise Wrong("other_ids", ids=ids[row].tolist(), pad=pad, **facts)


def cross_attention(
    hidden_states: Tensor,
    encoded: Tensor,
    query_weight: Tensor,
    key_weight: Tensor,
    value_weight: Tensor,
    source_mask: Tensor,
) -> Tensor:
    query = hidden_states @ query_weight.T  # (B, T_q, D): the decoder asks
    key = encoded @ key_weight.T  # (B, T_k, D): the encoder's output answers,
    value = encoded @ value_weight.T  # (B, T_k, D): with both
    return _attend(query, key, value, source_mask[:, None, :])  # the mask hides keys: (B, 1, T_k)


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (B, T_q, T_k)
    lowest = torch.finfo(scores.dtype).min  # finite: a row without any key meets no NaN
    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ value  # (B, T_q, D)


def check_cross_attention(answer: object) -> None:
    given = _by_hand()
    result = expect_tensor(call(answer, *given), shape=(1, 3, 2), dtype=given[0].dtype)
    expected = cross_attention(*given)  # [[6, 1], [2, 3], [4, 2]]
    facts = {"expected": numbers(expected[0]), "actual": numbers(result[0])}
    for reason, wrong in _likely_attentions(*given):
        if torch.allclose(result, wrong, atol=1e-4):
            raise Wrong(reason, **facts)
    all_seen = cross_attention(*given[:5], torch.ones_like(given[5]))
    if torch.allclose(result[:, :2], all_seen[:, :2], atol=1e-4):
        raise Wrong("masks_queries", **facts)
    expect_close(result, expected, atol=1e-4)
    _check_width(answer)
    _check_other_lengths(answer)
    _check_low_scores(answer)
    _check_empty_source(answer)


def _by_hand() -> tuple[Tensor, ...]:
    """Three tokens on either side, the source's last one padding; the weights of attention are 1/4, 1/2 and 3/4.

    The values of the first two source tokens are [0, 4] and [8, 0].
    """
    hidden_states = torch.tensor([[[2.0, 1.0], [0.0, -1.0], [1.0, 0.0]]])
    encoded = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [-1.0, 2.0]]])
    query_weight = math.sqrt(2) * math.log(3) * torch.eye(2)  # scores differ by log 3, shares by the factor 3
    key_weight, value_weight = torch.tensor([[1.0, 1.0], [0.0, 1.0]]), torch.tensor([[0.0, 8.0], [4.0, 0.0]])
    return hidden_states, encoded, query_weight, key_weight, value_weight, torch.tensor([[True, True, False]])


def _likely_attentions(h: Tensor, e: Tensor, *rest: Tensor) -> list[tuple[str, Tensor]]:
    """The reason, and what a code with this fault gives where both sides have equally many tokens."""
    query_weight, key_weight, value_weight, mask = rest
    q, k, v = h @ query_weight.T, e @ key_weight.T, e @ value_weight.T
    own_k, own_v, e_query = h @ key_weight.T, h @ value_weight.T, e @ query_weight.T
    keys = mask[:, None, :]  # (B, 1, T_k)
    everything, past = torch.ones_like(keys), torch.ones(h.shape[1], h.shape[1]).tril().bool()
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    by_query = scores.masked_fill(~keys, torch.finfo(scores.dtype).min).softmax(dim=-2).masked_fill(~keys, 0)
    likely = [
        ("keys_from_decoder", _attend(q, own_k, v, keys)),
        ("values_from_decoder", _attend(q, k, own_v, keys)),
        ("weights_swapped", _attend(h @ key_weight.T, e_query, v, keys)),
        ("weights_swapped", _attend(q, e @ value_weight.T, k, keys)),
        ("not_transposed", _attend(h @ query_weight, e @ key_weight, e @ value_weight, keys)),
        ("no_scale", _attend(q * math.sqrt(q.shape[-1]), k, v, keys)),
        ("no_mask", _attend(q, k, v, everything)),
        ("inverted", _attend(q, k, v, ~keys)),
        ("after_softmax", scores.softmax(dim=-1).masked_fill(~keys, 0.0) @ v),
        ("zero_scores", scores.masked_fill(~keys, 0.0).softmax(dim=-1) @ v),
        ("no_softmax", scores.masked_fill(~keys, 0.0) @ v),
        ("softmax_over_queries", by_query @ v),
        ("softmax_over_queries", scores.softmax(dim=-2).masked_fill(~keys, 0.0) @ v),
        ("causal", _attend(q, k, v, keys & past)),
        ("causal", _attend(q, k, v, past)),
    ]
    for seen in (keys, everything, past, keys & past):
        likely += [
            ("self_attention", _attend(q, own_k, own_v, seen)),
            ("roles_swapped", _attend(e_query, own_k, own_v, seen)),
            ("only_encoder", _attend(e_query, k, v, seen)),
        ]
    return likely


def _check_width(answer: object) -> None:
    """C = 4 and D = 1: the scores are log 3 and 0, then 0 and 0; the values 8 and 4."""
    first, second = torch.tensor([1.0, 0.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0, 0.0])
    tokens = torch.stack([first, second])[None]  # of both sides
    weights = math.log(3) * first[None], first[None], 8 * first[None] + 4 * second[None]
    given = tokens, tokens, *weights, torch.tensor([[True, True]])
    result = expect_tensor(call(answer, *given), shape=(1, 2, 1))
    if torch.allclose(result[0, 0], 4 + 4 / (1 + torch.tensor(3.0) ** -0.5), atol=1e-4):  # the scores halved
        raise Wrong("scale_by_hidden_size", expected=7, actual=number(result[0, 0]))
    expect_close(result, torch.tensor([[[7.0], [6.0]]]), atol=1e-4)


def _drawn(batch: int, length: int, source_length: int, size: int, width: int) -> dict[str, Tensor]:
    """Fresh arguments in float64, with gradients."""
    shapes = [(batch, length, size), (batch, source_length, size), *[(width, size)] * 3]
    names = ("hidden_states", "encoded", "query_weight", "key_weight", "value_weight")
    drawn = [torch.randn(shape, dtype=torch.float64).requires_grad_() for shape in shapes]
    return dict(zip(names, drawn, strict=True))


def _check_other_lengths(answer: object) -> None:
    """As many sentences as target tokens, but source tokens are more, or fewer; values and gradients."""
    for batch, length, source_length, size, width in [(3, 3, 7, 5, 11), (2, 5, 3, 7, 2), (1, 1, 1, 1, 1)]:
        given = _drawn(batch, length, source_length, size, width)
        used = torch.randint(1, source_length + 1, (batch, 1))
        mask = torch.arange(source_length) < used  # (B, T_k)
        sizes = {"length": length, "source_length": source_length}
        try:
            result = expect_tensor(call(answer, *given.values(), mask), dtype=torch.float64)
        except Wrong as wrong:
            if wrong.reason != "raised":
                raise
            raise Wrong("other_lengths", **sizes, **wrong.facts) from None
        right = cross_attention(*given.values(), mask)
        expect_tensor(result, shape=tuple(right.shape))
        if batch == length and batch > 1 and not torch.allclose(result, right):
            hidden, encoded, query, key, value = given.values()
            across = _attend(hidden @ query.T, encoded @ key.T, encoded @ value.T, mask)  # as if (T_q, T_k)
            if torch.allclose(result, across):
                raise Wrong(
                    "mask_without_axis", mask=tuple(mask.shape), scores=(batch, length, source_length)
                )
        expect_close(result, right)
        _compare_gradients(result, right, given)
        told = {
            "encoded": torch.where(mask[..., None], given["encoded"], 1e3)
        }  # the padding says something else
        again = expect_tensor(call(answer, *(given | told).values(), mask), shape=tuple(right.shape))
        expect_close(again, right, "padding_leaks")


def _check_low_scores(answer: object) -> None:
    """Scores of log 3 − 3·10⁶ and −3·10⁶ mix the values 8 and 4 as 3 : 1; beside a masked 0, a filling of −10⁴ wins."""
    tokens = torch.tensor(
        [[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]], dtype=torch.float64
    )  # the last one is padding
    key_weight = torch.tensor([[math.log(3) - 3e6, -3e6]], dtype=torch.float64)
    value_weight = torch.tensor([[8.0, 4.0]], dtype=torch.float64)
    weights = tokens[0, :1], key_weight, value_weight
    for number_of_tokens, reason in [(2, "underflow"), (3, "filling_not_low")]:
        mask = torch.tensor([[True, True, False]])[:, :number_of_tokens]
        given = tokens[:, :1], tokens[:, :number_of_tokens], *weights, mask
        result = expect_tensor(call(answer, *given), shape=(1, 1, 1), dtype=torch.float64)
        if result.isnan().any() or torch.allclose(result, torch.zeros_like(result), atol=1e-4):
            raise Wrong(reason, expected=7, actual=number(result[0, 0]))
        expect_close(result, torch.full_like(result, 7.0))


def _check_empty_source(answer: object) -> None:
    given = _drawn(2, 3, 5, 7, 2)
    mask = torch.tensor([[True, False, True, True, False], [False] * 5])
    result = expect_tensor(call(answer, *given.values(), mask), shape=(2, 3, 2), dtype=torch.float64)
    if result[1].isnan().any() or bool(result[1].any()):
        raise Wrong("empty_source", actual=numbers(result[1, 0]))
    right = cross_attention(*given.values(), mask)
    expect_close(result, right)
    _compare_gradients(result, right, given)


def _compare_gradients(result: Tensor, right: Tensor, given: dict[str, Tensor]) -> None:
    """The gradient of the result, weighted at random, is that of the right one in each of the given tensors."""
    upstream, tensors = torch.randn_like(right), list(given.values())
    if not result.requires_grad:
        raise Wrong("no_gradient")
    found = torch.autograd.grad(result, tensors, upstream, allow_unused=True, materialize_grads=True)
    expected = torch.autograd.grad(right, tensors, upstream)
    for name, mine, wanted in zip(given, found, expected, strict=True):
        if mine.isnan().any():
            raise Wrong("nan_gradient", of=name)
        expect_close(mine, wanted, "gradient", atol=1e-6, of=name)


def smoothed_loss(logits: Tensor, labels: Tensor, epsilon: float) -> Tensor:
    counted = labels != -100
    logits, labels = logits[counted], labels[counted]  # (N', V), (N',): the rest is not even multiplied by 0
    log_probabilities = logits.log_softmax(dim=-1)
    of_label = log_probabilities.gather(-1, labels[:, None])[:, 0]  # (N',)
    possible = logits > -torch.inf
    # 0 in place of −inf, before anything is multiplied by it
    of_all = log_probabilities.masked_fill(~possible, 0.0).sum(dim=-1) / possible.sum(dim=-1)  # (N',)
    losses = -(1 - epsilon) * of_label - epsilon * of_all
    return losses.sum() / max(len(losses), 1)


def check_smoothed_loss(answer: object) -> None:
    # Probabilities [1/2, 1/4, 1/8, 1/8] and [1/8, 1/8, 1/4, 1/2], so −log p is log 2 times 1, 2 or 3; the mean is 2.25.
    logits = torch.tensor([[4.0, 2.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 2.0, 4.0]]).log()
    labels = torch.tensor([0, -100, 2])
    logits = logits.double().requires_grad_()
    loss = expect_tensor(call(answer, logits, labels, 0.2), shape=(), dtype=logits.dtype)
    expected = smoothed_loss(logits, labels, 0.2)  # (0.8·1.5 + 0.2·2.25)·log 2
    facts = dict(zip(("expected", "actual"), told_apart(expected.detach(), loss.detach()), strict=True))
    for reason, wrong in _likely_losses(logits.detach(), labels, 0.2):
        if math.isclose(float(loss.detach()), wrong, abs_tol=1e-4):
            raise Wrong(reason, **facts)
    expect_close(loss, expected, atol=1e-4)
    gradient = _gradient(loss, logits)
    right = _gradient(expected, logits)  # (p − q)/2 in the two rows that count
    if not torch.allclose(gradient, right, atol=1e-5):
        raise Wrong("gradient", expected=numbers(right[0]), actual=numbers(gradient[0]))
    _check_far_logits(answer)
    _check_none_counted(answer)
    _check_ignored_logits(answer)
    _check_impossible(answer)
    _check_other_losses(answer)


def _gradient(loss: Tensor, logits: Tensor) -> Tensor:
    if not loss.requires_grad:
        raise Wrong("no_gradient")
    return torch.autograd.grad(loss, logits, allow_unused=True, materialize_grads=True)[0]


def _likely_losses(logits: Tensor, labels: Tensor, epsilon: float) -> list[tuple[str, float]]:
    """The reason, and the loss of a code with this fault; two of three rows count."""
    size, counted = logits.shape[-1], labels != -100
    losses = -logits.log_softmax(dim=-1)  # (N, V)
    of_label, mean, total = (
        losses.gather(-1, labels.clamp(min=0)[:, None])[:, 0],
        losses.mean(-1),
        losses.sum(-1),
    )
    one_hot = torch.eye(size, dtype=logits.dtype)[labels.clamp(min=0)]
    smoothed = (1 - epsilon) * one_hot + epsilon / size
    right = (1 - epsilon) * of_label + epsilon * mean
    over_wrong = (1 - epsilon) * of_label + epsilon * (total - of_label) / (size - 1)
    of_logits = -(smoothed * logits).sum(dim=-1)
    likely = [
        ("plain", of_label),
        ("over_wrong_words", over_wrong),
        ("kl", right + (smoothed * smoothed.log()).sum(dim=-1)),
        ("sum", 2 * right),
        ("no_v", (1 - epsilon) * of_label + epsilon * total),
        ("epsilon_swapped", epsilon * of_label + (1 - epsilon) * mean),
        ("added", of_label + epsilon * mean),
        ("not_log_softmax", of_logits),
        ("smoothed_prediction", -((1 - epsilon) * (-of_label).exp() + epsilon / size).log()),
        ("negative", -right),
    ]
    likely = [(reason, float(wrong[counted].mean())) for reason, wrong in likely]
    ignored_smoothed = torch.where(counted, right, epsilon * mean)
    return [
        *likely,
        ("mean_over_all", float(right[counted].sum()) / 3),
        ("ignored_counted", float(right.mean())),  # −100 taken for word 0
        ("ignored_smoothed", float(ignored_smoothed.mean())),
        ("ignored_smoothed", float(ignored_smoothed.sum()) / 2),
        ("ignored_smoothed", float((1 - epsilon) * of_label[counted].mean() + epsilon * mean.mean())),
    ]


def _check_far_logits(answer: object) -> None:
    """−log p is 200, 0, 200, 200, in float32: the loss is 0.8·200 + 0.2·150."""
    logits, labels = torch.tensor([[0.0, 200.0, 0.0, 0.0]]), torch.tensor([0])
    loss = expect_tensor(call(answer, logits, labels, 0.2), shape=(), dtype=logits.dtype)
    if not abs(float(loss) - 190) < 1e-3:  # also NaN
        raise Wrong("underflow", expected=190, actual=number(loss))


def _check_none_counted(answer: object) -> None:
    logits, labels = torch.randn(3, 5, requires_grad=True), torch.full((3,), -100)
    loss = expect_tensor(call(answer, logits, labels, 0.1), shape=(), dtype=logits.dtype)
    if float(loss.detach()) != 0:
        raise Wrong("none_counted", actual=number(loss.detach()))
    if not loss.requires_grad:
        raise Wrong("none_counted_cut")
    if _gradient(loss, logits).count_nonzero():
        raise Wrong("none_counted_gradient")


def _check_ignored_logits(answer: object) -> None:
    """Whatever stands where nothing is counted."""
    for strange in (1e30, torch.inf, -torch.inf, torch.nan):
        logits = torch.tensor([[math.log(3), 0.0], [strange, strange]], requires_grad=True)
        loss = expect_tensor(call(answer, logits, torch.tensor([0, -100]), 0.0), shape=())
        if not abs(float(loss.detach()) - math.log(4 / 3)) < 1e-4:
            raise Wrong("ignored_logits", strange=strange, expected="0.2877", actual=number(loss.detach()))
        gradient = _gradient(loss, logits)
        if bool((gradient[1] != 0).any()):  # NaN is not 0, either
            raise Wrong("ignored_gradient", strange=strange, actual=numbers(gradient[1]))


def _check_impossible(answer: object) -> None:
    """p = [1/2, 1/4, 1/4, 0]: q spreads its share over three words, and the loss is (0.7·1 + 0.3·5/3)·log 2."""
    logits = torch.tensor([[math.log(2), 0.0, 0.0, -torch.inf]], dtype=torch.float64, requires_grad=True)
    loss = expect_tensor(call(answer, logits, torch.tensor([0]), 0.3), shape=(), dtype=logits.dtype)
    facts = {"expected": number(1.2 * math.log(2)), "actual": number(loss.detach())}
    if math.isclose(float(loss.detach()), 1.075 * math.log(2), abs_tol=1e-4):
        raise Wrong("impossible_counted", **facts)
    if not math.isclose(float(loss.detach()), 1.2 * math.log(2), abs_tol=1e-4):
        raise Wrong("impossible", **facts)
    gradient = _gradient(loss, logits)
    if not torch.allclose(gradient, torch.tensor([[-0.3, 0.15, 0.15, 0.0]], dtype=logits.dtype), atol=1e-5):
        raise Wrong("impossible_gradient", actual=numbers(gradient[0]))


def _check_other_losses(answer: object) -> None:
    """Other sizes, shares and labels; some words impossible in some rows; value and gradient."""
    for rows, size, epsilon in [(7, 11, 0.1), (13, 3, 0.5), (5, 2, 0.0), (3, 7, 1.0), (1, 5, 0.3)]:
        labels = torch.randint(size, (rows,))
        impossible = (torch.rand(rows, size) < 0.2) & (torch.arange(size) != labels[:, None])
        logits = (3 * torch.randn(rows, size, dtype=torch.float64)).masked_fill(impossible, -torch.inf)
        labels[1::3] = -100
        logits.requires_grad_()
        loss = expect_tensor(call(answer, logits, labels, epsilon), shape=(), dtype=logits.dtype)
        right = smoothed_loss(logits, labels, epsilon)
        facts = {"rows": rows, "size": size, "epsilon": epsilon}
        expect_close(loss, right, "other_losses", **facts)
        expect_close(_gradient(loss, logits), _gradient(right, logits), "other_gradients", **facts)


Found = list[tuple[tuple[int, ...], float]]


def search_with_beam(
    next_log_probabilities: Any, beam_size: int, end: int, max_length: int, alpha: float
) -> Found:
    beam, ended = [((), 0.0)], []  # pairs (ids, log P)
    for length in range(1, max_length + 1):
        found = [
            ((*ids, token), total + more)
            for ids, total in beam
            for token, more in enumerate(next_log_probabilities(ids))
            if more > -math.inf
        ]
        found = sorted(found, key=lambda pair: -pair[1])[:beam_size]  # of all beams together
        ended += [pair for pair in found if pair[0][-1] == end or length == max_length]
        beam = [pair for pair in found if pair[0][-1] != end]  # whose places are free again
    scored = [(ids, total / ((5 + len(ids)) / 6) ** alpha) for ids, total in ended]
    return sorted(scored, key=lambda pair: -pair[1])[:beam_size]


@dataclass(frozen=True)
class Chain:
    """A toy that writes: the next token's log-probabilities after a beginning; keeps what it was asked, and by whom."""

    end: int
    max_length: int
    probabilities: dict[tuple[int, ...], list[float]] = field(default_factory=dict)  # after these beginnings
    size: int = 3  # V
    seed: int = 0  # of those after all others
    late: float = 0.0  # how much they keep the end back
    asked: list[tuple[int, ...]] = field(default_factory=list, repr=False, compare=False)
    asked_by_package: list[tuple[int, ...]] = field(default_factory=list, repr=False, compare=False)

    def __call__(self, ids: Any) -> list[float]:
        ids = tuple(int(token) for token in ids)
        self.asked.append(ids)
        if _called_from("course_utils.seq2seq"):
            self.asked_by_package.append(ids)
        if len(ids) > self.max_length + 2:
            raise RuntimeError  # an answer that never stops
        return self.after(ids)

    def after(self, ids: tuple[int, ...]) -> list[float]:
        """The V log-probabilities, asked by nobody."""
        seed = 1000 * self.seed + sum((7 * place + 1) * token for place, token in enumerate(ids, start=1))
        drawn = torch.randn(self.size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        drawn[self.end] -= self.late
        probabilities = self.probabilities.get(ids, drawn.softmax(dim=-1).tolist())
        return [math.log(p) if p else -math.inf for p in probabilities]

    def steps(self, ids: tuple[int, ...]) -> list[float]:
        """The log-probability of each of these tokens, after those before it."""
        return [self.after(ids[:place])[token] for place, token in enumerate(ids)]


# Token 0 is the end. What is not listed is drawn, and does not matter.
GREEDY_LOSES = {
    (): [0.1, 0.5, 0.4],
    (1,): [0.3, 0.45, 0.25],
    (2,): [0.9, 0.06, 0.04],
    (1, 1): [0.8, 0.15, 0.05],
}
ONE_PARENT = {(): [0.1, 0.6, 0.3], (1,): [0.5, 0.4, 0.1], (2,): [0.4, 0.35, 0.25]}
LATE_WINNER = {(): [0.35, 0.6, 0.05], (1,): [0.45, 0.5, 0.05], (1, 1): [0.85, 0.1, 0.05]}
EARLY_END = {
    (): [0.2, 0.7, 0.1],
    (1,): [0.05, 0.4, 0.55],
    (1, 1): [0.9, 0.05, 0.05],
    (1, 2): [0.3, 0.4, 0.3],
}
IMPOSSIBLE = {(): [0.0, 1.0, 0.0], (1,): [0.7, 0.0, 0.3]}
PATIENT = {
    (): [0.35, 0.6, 0.05],
    (1,): [0.55, 0.4, 0.05],
    (1, 1): [0.01, 0.98, 0.01],
    (1, 1, 1): [0.01, 0.98, 0.01],
    (1, 1, 1, 1): [0.98, 0.01, 0.01],
}
OTHER_SEARCHES = [  # beam_size, end, V, max_length, alpha, late
    (1, 2, 3, 5, 0.6, 0.0),
    (2, 3, 5, 5, 0.6, 0.0),  # drawn from 18: who stops when the best is certain loses the second best
    (3, 4, 5, 7, 1.0, 1.0),
    (4, 1, 2, 6, 2.0, 1.0),
    (5, 0, 7, 3, 0.0, 0.0),
    (9, 1, 3, 2, 0.3, 0.0),
    (2, 1, 3, 1, 1.0, 0.0),
    (3, 2, 4, 13, 1.5, 3.0),
]


def check_search_with_beam(answer: object) -> None:
    # P(2, 0) = 0.4·0.9 = 0.36, P(1, 1, 0) = 0.5·0.45·0.8 = 0.18
    found, right = _search(answer, chain := Chain(0, 3, GREEDY_LOSES), 2, 0.0)
    only_one = "only_best" if (1, 1) in chain.asked else "stops_early"
    _expect_found(found, right, ("greedy", [(1, 1, 0)]), (only_one, [(2, 0)]))
    # P(1, 0) = 0.6·0.5 = 0.3, P(1, 1) = 0.6·0.4 = 0.24, P(2, 0) = 0.3·0.4 = 0.12
    found, right = _search(answer, Chain(0, 2, ONE_PARENT), 2, 0.0)
    _expect_found(found, right, ("each_alone", [(1, 0), (2, 0)]), ("cut_lost", [(1, 0)]))
    # With α = 1 the scores of (0), (1, 0) and (1, 1, 0) are −1.05, −1.122 and −1.025: the last to end is the best.
    found, right = _search(answer, chain := Chain(0, 4, LATE_WINNER), 2, 1.0)
    too_early = "ranked_before" if (1, 1) in chain.asked else "stops_when_full"
    _expect_found(found, right, (too_early, [(0,), (1, 0)]))
    # (0) ends with 0.2, while (1, 2) and (1, 1) have 0.385 and 0.28; later P(1, 1, 0) = 0.252 and P(1, 2, 1) = 0.154
    found, right = _search(answer, Chain(0, 3, EARLY_END), 2, 0.0)
    ended_lost = ("ended_lost", [(1, 1, 0), (1, 2, 1)]), ("ended_lost", [(1, 1, 0)])
    _expect_found(found, right, *ended_lost, ("place_lost", [(0,), (1, 2, 1)]))
    # (1, 0) has log 0.33 ÷ (7/6) = −0.95, (0) −1.05, and (1, 1), which is open, log 0.24 ÷ (7/6) = −1.223; but what
    # becomes of it, (1, 1, 1, 1, 0), has log 0.2259 ÷ (10/6) = −0.893.
    found, right = _search(answer, Chain(0, 5, PATIENT), 2, 1.0)
    _expect_found(found, right, ("stops_by_today", [(1, 0), (0,)]))
    # With one place (2) is dropped at the first step, and (2, 0) with it.
    found, right = _search(answer, Chain(0, 3, GREEDY_LOSES), 1, 0.0)
    _expect_found(found, right, ("too_wide", [(2, 0)]))
    _expect_found(*_search(answer, Chain(0, 2, IMPOSSIBLE), 3, 0.0))
    for seed, (beam_size, end, size, max_length, alpha, late) in enumerate(OTHER_SEARCHES, start=17):
        chain = Chain(end, max_length, size=size, seed=seed, late=late)
        found, right = _search(answer, chain, beam_size, alpha)
        if sorted(found) != sorted(right):
            facts = {"expected": _told(*right), "actual": _told(*found), "end": end, "size": size}
            raise Wrong("other_searches", beam_size=beam_size, max_length=max_length, alpha=alpha, **facts)
        _expect_found(found, right)


Texts = list[tuple[int, ...]]


def _expect_found(found: Texts, right: Texts, *likely: tuple[str, Texts]) -> None:
    """`likely`: a reason, and the texts that a code with this fault finds."""
    facts = {"expected": _told(*right), "actual": _told(*found)}
    for reason, wrong in likely:
        if found == wrong or (
            wrong[0] != right[0] and found[: len(wrong)] == wrong and len(found) > len(right)
        ):
            raise Wrong(reason, **facts)
    if found != right:
        raise Wrong("order" if sorted(found) == sorted(right) else "found", **facts)


def _search(answer: object, chain: Chain, beam_size: int, alpha: float) -> tuple[Texts, Texts]:
    """The texts that the answer finds, and those it should; what it says of each text is right."""
    given = beam_size, chain.end, chain.max_length, alpha
    right = [ids for ids, _ in search_with_beam(chain.after, *given)]
    try:
        result = call(answer, chain, *given)
    except Wrong as wrong:
        if chain.asked_by_package:
            raise Wrong("ready_made") from None
        if wrong.reason == "raised" and any(len(ids) > chain.max_length for ids in chain.asked):
            raise Wrong("too_long", max_length=chain.max_length, ids=_told(chain.asked[-1])) from None
        raise
    if chain.asked_by_package:
        raise Wrong("ready_made")
    pairs = _pairs(result)
    for ids, score in pairs:
        _check_text(chain, ids)
        _check_score(chain, ids, score, alpha)
    if len(pairs) > beam_size:
        raise Wrong("too_many", beam_size=beam_size, actual=len(pairs))
    return [ids for ids, _ in pairs], right


def _called_from(package: str) -> bool:
    """Whether a function of this package waits for what the caller returns."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if f"{frame.f_globals.get('__name__')}.".startswith(f"{package}."):
            return True
        frame = frame.f_back
    return False


def _pairs(result: Any) -> Found:
    """The result as pairs of a tuple of ids and a score; a list of ids, and tensors of one number, will do."""
    try:
        if not isinstance(result, list | tuple):
            raise TypeError
        return [(tuple(int(token) for token in ids), float(score)) for ids, score in result]
    except (TypeError, ValueError, RuntimeError):
        one = result[0] if isinstance(result, list | tuple) and result else result
        plain = isinstance(one, tuple) and all(isinstance(part, int | float) for part in one)
        raise Wrong("pairs", actual=one if plain else type(one).__name__) from None


def _check_text(chain: Chain, ids: tuple[int, ...]) -> None:
    """A text is made of tokens, ends once, and is neither too short nor too long."""
    facts = {"ids": _told(ids), "end": chain.end, "max_length": chain.max_length}
    if len(ids) > chain.max_length:
        raise Wrong("too_long", **facts)
    if chain.end in ids[:-1]:
        raise Wrong("goes_on_after_end", **facts)
    if not all(0 <= token < chain.size for token in ids):
        raise Wrong("no_token", size=chain.size, **facts)
    if not ids or (ids[-1] != chain.end and len(ids) < chain.max_length):
        raise Wrong("not_ended", **facts)
    if -math.inf in chain.steps(ids):
        raise Wrong("impossible", **facts)


def _check_score(chain: Chain, ids: tuple[int, ...], score: float, alpha: float) -> None:
    """A text's score is its log-probability, divided by the penalty of its length."""
    steps, length = chain.steps(ids), len(ids)
    total, penalty = sum(steps), ((5 + length) / 6) ** alpha
    if abs(score - total / penalty) < 1e-5:
        return
    likely = [
        ("last_token", steps[-1] / penalty),
        ("last_token", steps[-1]),
        ("no_penalty", total),
        ("multiplied", total * penalty),
        ("mean", total / length),
        ("mean", total / length**alpha),
        ("end_not_counted", total / ((4 + length) / 6) ** alpha),
        ("no_six", total / (5 + length) ** alpha),
        ("alpha_unused", total / ((5 + length) / 6)),
        ("probability", math.exp(total)),
        ("probability", math.exp(total) / penalty),
        ("probability", math.exp(total / penalty)),
    ]
    reason = next((name for name, wrong in likely if abs(score - wrong) < 1e-5), "score")
    expected, actual = told_apart(total / penalty, score)
    facts = {"ids": _told(ids), "length": length, "alpha": number(alpha), "total": number(total)}
    raise Wrong(reason, expected=expected, actual=actual, **facts)


def _told(*texts: tuple[int, ...]) -> str:
    """Texts as a learner reads them: "(2, 0), (0)"; one token without the comma that Python asks for."""
    return ", ".join("(" + ", ".join(map(str, ids)) + ")" for ids in texts) or "[]"


EXERCISES = [
    Exercise("07.1", level="warm-up", check=check_shift_right, solution=shift_right),
    Exercise("07.2", level="core", check=check_cross_attention, solution=cross_attention),
    Exercise("07.3", level="core", check=check_smoothed_loss, solution=smoothed_loss),
    Exercise("07.4", level="stretch", check=check_search_with_beam, solution=search_with_beam),
]
