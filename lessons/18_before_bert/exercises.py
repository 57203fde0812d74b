"""Exercises of notebook 18: ULMFiT's rate and pooling, the losses of a biLM, GPT's loss while it is fine-tuned."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.core import (
    Exercise,
    Wrong,
    call,
    expect_close,
    expect_tensor,
    expect_tuple,
    number,
)
from course_utils.exercises.forbidden import refuse_ready_made

PACKAGE = ("course_utils.before", "course_utils.schedules")
LARGE = 1000.0  # exp overflows at 89 in 32 bits and at 710 in 64
LOW = -20_000.0  # below the −10000 that many a mask is filled with


def slanted_triangle(step: int, peak: float, total: int, cut_fraction: float, ratio: float) -> float:
    cut = round(total * cut_fraction)
    share = step / cut if step <= cut else 1 - (step - cut) / (total - cut)
    return peak * (1 + share * (ratio - 1)) / ratio


SCHEDULES = [
    (0.01, 100, 0.1, 32.0),
    (0.004, 40, 0.25, 8.0),
    (1.0, 20, 0.5, 2.0),
    (0.5, 10, 0.1, 1.0),
    (3.0, 70, 0.7, 50.0),
]


def check_slanted_triangle(answer: object) -> None:
    for peak, total, fraction, ratio in SCHEDULES:
        cut = round(total * fraction)
        for step in sorted({cut, 1, 2, cut - 1, cut + 1, (cut + total) // 2, total - 1, total} - {0}):
            given = step, peak, total, fraction, ratio
            _expect_rate(_rate(call(answer, *given)), *given)
    for _ in range(4):  # the whole table of schedules that no answer knows
        peak, total, fraction, ratio = _drawn_schedule()
        for step in range(1, total + 1):
            given = step, peak, total, fraction, ratio
            _expect_rate(_rate(call(answer, *given)), *given)
    given = 2, *_drawn_schedule()
    _expect_rate(_rate(_refuse_package(answer, *given)), *given)


def _drawn_schedule() -> tuple[float, int, float, float]:
    """Peak, updates, the share of them that rises (total * share is a whole number to the last digit), ratio."""
    total = int(torch.randint(11, 60, ()))
    cuts = [cut for cut in range(1, total) if total * (cut / total) == cut]
    cut = cuts[int(torch.randint(len(cuts), ()))]
    peak, ratio = (float(drawn) for drawn in torch.rand(2, dtype=torch.float64))
    return 0.01 + peak, total, cut / total, 2 + 60 * ratio


def _expect_rate(found: float, step: int, peak: float, total: int, fraction: float, ratio: float) -> None:
    expected = slanted_triangle(step, peak, total, fraction, ratio)
    if math.isclose(found, expected, rel_tol=1e-6):
        return
    facts = {"step": step, "total": total, "cut": round(total * fraction), "ratio": number(ratio)}
    facts |= {"expected": number(expected), "actual": number(found)}
    for reason, wrong in _likely_rates(step, peak, total, fraction, ratio).items():
        if math.isclose(found, wrong, rel_tol=1e-6, abs_tol=1e-12):
            raise Wrong(reason, **facts)
    raise Wrong("rate", **facts)


def _refuse_package(answer: Any, *args: Any) -> Any:
    return refuse_ready_made(answer, *args, modules=PACKAGE)


def _likely_rates(step: int, peak: float, total: int, fraction: float, ratio: float) -> dict[str, float]:
    cut = round(total * fraction)
    share = step / cut if step <= cut else 1 - (step - cut) / (total - cut)
    falling = total - cut
    turned = step / falling if step <= falling else 1 - (step - falling) / (total - falling)
    from_zero = (step - 1) / cut if step <= cut else 1 - (step - 1 - cut) / (total - cut)
    slant = lambda share, ratio=ratio: peak * (1 + share * (ratio - 1)) / ratio  # noqa: E731
    return {
        "falls_to_zero": peak * share,
        "constant_after": peak,
        "never_falls": slant(step / cut),
        "cut_swapped": slant(turned),
        "counts_from_zero": slant(from_zero),
        "fixed_ratio": slant(share, 32.0),
        "fixed_cut": slanted_triangle(step, peak, total, 0.1, ratio),
        "floor_added": peak * (share + 1 / ratio),
        "falls_over_total": slant(1 - (step - cut) / total),
    }


def _rate(given: object) -> float:
    if isinstance(given, Tensor) and given.numel() == 1:
        given = given.item()
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise Wrong("no_number", actual=type(given).__name__)
    return float(given)


def two_way_losses(
    forward_logits: Tensor, backward_logits: Tensor, input_ids: Tensor, attention_mask: Tensor
) -> tuple[Tensor, Tensor]:
    pairs = attention_mask[:, :-1].bool() & attention_mask[:, 1:].bool()  # (B, T − 1): both are real
    ahead = F.cross_entropy(forward_logits[:, :-1][pairs], input_ids[:, 1:][pairs])
    back = F.cross_entropy(backward_logits[:, 1:][pairs], input_ids[:, :-1][pairs])
    return ahead, back


def check_two_way_losses(answer: object) -> None:
    generator = torch.Generator().manual_seed(7)
    for lengths, length, vocab in (([5, 5], 5, 7), ([7, 3, 1, 5], 7, 11), ([2, 1], 5, 3)):
        shape = (len(lengths), length)
        ids = torch.randint(vocab, shape, generator=generator)
        ids[0, 1] = 0  # a real token; what stands at padding is any id
        mask = (torch.arange(length) < torch.tensor(lengths)[:, None]).long()
        forward, backward = (
            (3 * torch.randn(*shape, vocab, generator=generator, dtype=torch.float64)).requires_grad_()
            for _ in range(2)
        )
        given = expect_tuple(call(answer, forward, backward, ids, mask), 2)
        ahead, back = (expect_tensor(loss, shape=()) for loss in given)
        _check_two_losses(ahead, back, forward, backward, ids, mask)
        _check_gradients(
            ahead + back, two_way_losses(forward, backward, ids, mask), {"": forward, "_back": backward}
        )
        far = [logits.detach().masked_fill(mask[..., None] == 0, torch.inf) for logits in (forward, backward)]
        unread = expect_tuple(call(answer, *far, ids, mask), 2)
        for loss, right in zip(unread, two_way_losses(forward, backward, ids, mask), strict=True):
            expect_close(expect_tensor(loss, shape=()).double(), right, "reads_padding")
    _check_large_scores(answer, generator)


def _check_large_scores(answer: object, generator: torch.Generator) -> None:
    """Scores of which exp is infinite, or 0 for the token that is asked for."""
    ids = torch.randint(7, (3, 5), generator=generator)
    mask = (torch.arange(5) < torch.tensor([[5], [2], [4]])).long()
    forward, backward = (
        (LARGE * torch.randn(3, 5, 7, generator=generator, dtype=torch.float64)).requires_grad_()
        for _ in range(2)
    )
    right = two_way_losses(forward, backward, ids, mask)
    found = expect_tuple(_refuse_package(answer, forward, backward, ids, mask), 2)
    for loss, wanted in zip(found, right, strict=True):
        expect_close(
            expect_tensor(loss, shape=()).double(), wanted, "overflow", atol=1e-3, size=number(LARGE)
        )
    _check_gradients(sum(found), right, {"": forward, "_back": backward})


def _check_two_losses(
    ahead: Tensor, back: Tensor, forward: Tensor, backward: Tensor, ids: Tensor, mask: Tensor
) -> None:
    right = two_way_losses(forward, backward, ids, mask)
    if _near(ahead, right[0]) and _near(back, right[1]):
        return
    facts = {"expected": [number(loss.detach()) for loss in right]}
    facts |= {"actual": [number(ahead.detach()), number(back.detach())]}
    facts = {name: ", ".join(values) for name, values in facts.items()}
    if _near(ahead, right[1]) and _near(back, right[0]):
        raise Wrong("two_swapped", **facts)
    f, b, real = -forward.log_softmax(-1), -backward.log_softmax(-1), mask.bool()
    pairs = real[:, 1:] & real[:, :-1]
    at = lambda losses, targets: losses.gather(-1, targets[..., None])[..., 0]  # noqa: E731
    onward, behind = at(f[:, :-1], ids[:, 1:]), at(b[:, 1:], ids[:, :-1])  # (B, T − 1)
    likely = [
        ("no_shift", at(f, ids)[real].mean(), None),
        ("no_shift_back", None, at(b, ids)[real].mean()),
        ("back_predicts_next", None, at(b[:, :-1], ids[:, 1:])[pairs].mean()),
        ("ahead_predicts_before", at(f[:, 1:], ids[:, :-1])[pairs].mean(), None),
        ("padding_counted", onward.mean(), None),
        ("padding_counted", None, behind.mean()),
        ("padding_target", onward[real[:, :-1]].mean(), None),
        ("summed", onward[pairs].sum(), None),
        ("divided_by_all", (onward * pairs).sum() / pairs.numel(), None),
        ("mean_of_rows", ((onward * pairs).sum(1) / pairs.sum(1).clamp(min=1)).mean(), None),
        ("padding_by_id", two_way_losses(forward, backward, ids, ids != 0)[0], None),
    ]
    for reason, first, second in likely:
        found, wrong, true = (back, second, right[1]) if first is None else (ahead, first, right[0])
        if _near(found, wrong) and not _near(wrong, true):
            raise Wrong(reason, **facts)
    raise Wrong("losses", **facts)


def concat_pooling(hidden_states: Tensor, attention_mask: Tensor) -> Tensor:
    real = attention_mask.bool()[..., None]  # (B, T, 1)
    last = attention_mask.sum(dim=1) - 1  # (B,)
    final = hidden_states[torch.arange(len(last)), last]  # (B, C)
    highest = hidden_states.masked_fill(~real, -torch.inf).amax(dim=1)
    average = hidden_states.masked_fill(~real, 0.0).sum(dim=1) / attention_mask.sum(dim=1, keepdim=True)
    return torch.cat([final, highest, average], dim=-1)  # (B, 3C)


def check_concat_pooling(answer: object) -> None:
    generator = torch.Generator().manual_seed(11)
    for lengths, length, width in (([3, 3], 3, 2), ([5, 2, 1], 5, 3), ([11, 7, 1, 4], 11, 13)):
        states = torch.randn(len(lengths), length, width, generator=generator, dtype=torch.float64) - 1.5
        mask = (torch.arange(length) < torch.tensor(lengths)[:, None]).long()
        states = states.requires_grad_()
        found = expect_tensor(
            call(answer, states, mask), shape=(len(lengths), 3 * width), dtype=torch.float64
        )
        right = concat_pooling(states, mask)
        if not _near(found, right):
            _name_pooling(found, states, mask)
        _check_gradients((found * right.detach()).sum(), ((right * right.detach()).sum(),), {"": states})
        for filler in (1000.0, -torch.inf):
            filled = states.detach().masked_fill(mask[..., None] == 0, filler)
            expect_close(expect_tensor(call(answer, filled, mask), shape=right.shape), right, "reads_padding")
        low = states.detach() + LOW
        found = expect_tensor(_refuse_package(answer, low, mask), shape=right.shape)
        expect_close(found, concat_pooling(low, mask), "filled_too_high", low=f"{LOW:,.0f}")


def _name_pooling(found: Tensor, states: Tensor, mask: Tensor) -> None:
    right = concat_pooling(states, mask).detach()
    last, highest, average = right.chunk(3, dim=-1)
    real, width = mask.bool()[..., None], states.shape[-1]
    plain = states.detach()
    pieces = found.detach().chunk(3, dim=-1)
    if any(
        _near(found.detach(), torch.cat(order, dim=-1))
        for order in (
            (last, average, highest),
            (highest, average, last),
            (average, highest, last),
            (highest, last, average),
            (average, last, highest),
        )
    ):
        raise Wrong("order", width=width)
    likely = [
        ("last_is_padding", 0, plain[:, -1]),
        ("first_token", 0, plain[:, 0]),
        ("max_of_padding", 1, plain.amax(dim=1)),
        ("max_of_zeros", 1, (plain * real).amax(dim=1)),
        ("min_not_max", 1, plain.masked_fill(~real, torch.inf).amin(dim=1)),
        ("max_of_sizes", 1, plain.abs().masked_fill(~real, 0).amax(dim=1)),
        ("mean_of_padding", 2, plain.mean(dim=1)),
        ("divided_by_length", 2, (plain * real).mean(dim=1)),
        ("sum_not_mean", 2, (plain * real).sum(dim=1)),
    ]
    for reason, part, wrong in likely:
        expected = right.chunk(3, dim=-1)[part]
        if _near(pieces[part], wrong) and not _near(wrong, expected):
            row = int((pieces[part] - expected).abs().sum(dim=-1).argmax())
            raise Wrong(
                reason,
                row=row,
                real=int(mask[row].sum()),
                expected=number(expected[row, 0]),
                actual=number(pieces[part][row, 0]),
            )
    expect_close(found.detach(), right)


def gpt_loss(
    hidden_states: Tensor,
    token_weight: Tensor,
    class_weight: Tensor,
    input_ids: Tensor,
    attention_mask: Tensor,
    labels: Tensor,
    lm_weight: float,
) -> Tensor:
    last = attention_mask.sum(dim=1) - 1  # (B,)
    final = hidden_states[torch.arange(len(last)), last]  # (B, C)
    task_loss = F.cross_entropy(final @ class_weight.T, labels)
    pairs = attention_mask[:, :-1].bool() & attention_mask[:, 1:].bool()  # (B, T − 1)
    scores = hidden_states[:, :-1][pairs] @ token_weight.T  # (M, V)
    return task_loss + lm_weight * F.cross_entropy(scores, input_ids[:, 1:][pairs])


def check_gpt_loss(answer: object) -> None:
    generator = torch.Generator().manual_seed(13)
    for lengths, length, weight in (([5, 5, 5], 5, 0.5), ([7, 4, 2], 7, 0.5), ([6, 3, 11, 2], 11, 0.3)):
        given = _gpt_inputs(lengths, length, generator)
        loss = expect_tensor(call(answer, *given.values(), weight), shape=())
        right = gpt_loss(*given.values(), weight)
        if not _near(loss, right):
            _name_gpt_loss(loss, given, weight)
        leaves = {"": given["hidden_states"], "_tied": given["token_weight"], "_head": given["class_weight"]}
        _check_gradients(loss, (right,), leaves)
        hidden = given["hidden_states"].detach()
        filled = hidden.masked_fill(given["attention_mask"][..., None] == 0, torch.inf)
        unread = expect_tensor(call(answer, filled, *list(given.values())[1:], weight), shape=())
        expect_close(unread.double(), right, "reads_padding")
    alone = expect_tensor(call(answer, *given.values(), 0.0), shape=())
    expect_close(alone.double(), gpt_loss(*given.values(), 0.0), "fixed_weight")
    given["hidden_states"] = LARGE * given["hidden_states"].detach()
    far = expect_tensor(_refuse_package(answer, *given.values(), 0.7), shape=())
    expect_close(far.double(), gpt_loss(*given.values(), 0.7), "overflow", atol=1e-3)


def _gpt_inputs(lengths: list[int], length: int, generator: torch.Generator) -> dict[str, Tensor]:
    width, vocab, classes = 5, 11, 3
    shape = (len(lengths), length)
    draw = lambda *sizes: torch.randn(*sizes, generator=generator, dtype=torch.float64).requires_grad_()  # noqa: E731
    mask = (torch.arange(length) < torch.tensor(lengths)[:, None]).long()
    ids = torch.randint(vocab, shape, generator=generator)  # 0 is a real token, too; padding has any id
    ids[0, 1] = 0
    return {
        "hidden_states": draw(*shape, width),
        "token_weight": draw(vocab, width),
        "class_weight": draw(classes, width),
        "input_ids": ids,
        "attention_mask": mask,
        "labels": torch.randint(classes, (len(lengths),), generator=generator),
    }


def _name_gpt_loss(loss: Tensor, given: dict[str, Tensor], weight: float) -> None:
    hidden, tokens, head, ids, mask, labels = (value.detach() for value in given.values())
    real, rows = mask.bool(), torch.arange(len(ids))
    task = lambda vectors: F.cross_entropy(vectors @ head.T, labels)  # noqa: E731
    final = hidden[rows, mask.sum(dim=1) - 1]
    each = -(hidden @ tokens.T).log_softmax(-1)  # (B, T, V)
    at = lambda losses, targets: losses.gather(-1, targets[..., None])[..., 0]  # noqa: E731
    onward, pairs = at(each[:, :-1], ids[:, 1:]), real[:, 1:] & real[:, :-1]
    lm, right_task = onward[pairs].mean(), task(final)
    average = (hidden * real[..., None]).sum(1) / mask.sum(1, keepdim=True)
    likely = {
        "task_alone": right_task,
        "fixed_weight": right_task + 0.5 * lm,
        "weights_sum_to_one": (1 - weight) * right_task + weight * lm,
        "weight_on_task": weight * right_task + lm,
        "no_weight": right_task + lm,
        "no_shift": right_task + weight * at(each, ids)[real].mean(),
        "predicts_before": right_task + weight * at(each[:, 1:], ids[:, :-1])[pairs].mean(),
        "padding_counted": right_task + weight * onward.mean(),
        "padding_target": right_task + weight * onward[real[:, :-1]].mean(),
        "lm_summed": right_task + weight * onward[pairs].sum(),
        "mean_of_rows": right_task + weight * ((onward * pairs).sum(1) / pairs.sum(1)).mean(),
        "last_is_padding": task(hidden[:, -1]) + weight * lm,
        "first_token": task(hidden[:, 0]) + weight * lm,
        "mean_token": task(average) + weight * lm,
        "task_summed": right_task * len(labels) + weight * lm,
    }
    both, task_by_id = (
        gpt_loss(hidden, tokens, head, ids, (ids != 0).long(), labels, factor) for factor in (weight, 0.0)
    )
    by_id = [both, right_task + both - task_by_id, task_by_id + weight * lm]  # both losses, or one of them
    named = [*likely.items(), *(("padding_by_id", wrong) for wrong in by_id)]
    right = gpt_loss(*given.values(), weight).detach()
    facts = {"expected": number(right), "actual": number(loss.detach()), "weight": number(weight)}
    for reason, wrong in named:
        if _near(loss, wrong) and not _near(wrong, right):
            raise Wrong(reason, **facts)
    raise Wrong("loss", **facts)


def _near(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one.detach().double(), other.detach().double(), rtol=1e-6, atol=1e-7)


def _check_gradients(found: Tensor, right: tuple[Tensor, ...], leaves: dict[str, Tensor]) -> None:
    """Of the answer's sum and of ours, with respect to each leaf, whose name ends the reason."""
    expected = torch.autograd.grad(sum(right), list(leaves.values()), retain_graph=True)
    if not found.requires_grad:
        raise Wrong("no_gradient")
    given = torch.autograd.grad(found, list(leaves.values()), allow_unused=True, retain_graph=True)
    for end, actual, wanted in zip(leaves, given, expected, strict=True):
        if actual is None:
            raise Wrong(f"no_gradient{end}")
        expect_close(actual, wanted, f"gradient{end}")


EXERCISES = [
    Exercise("18.1", level="warm-up", check=check_slanted_triangle, solution=slanted_triangle),
    Exercise("18.2", level="core", check=check_two_way_losses, solution=two_way_losses),
    Exercise("18.3", level="core", check=check_concat_pooling, solution=concat_pooling),
    Exercise("18.4", level="stretch", check=check_gpt_loss, solution=gpt_loss),
]
