"""Exercises of notebook 18: ULMFiT's rate and pooling, the losses of a biLM, GPT's loss while it is fine-tuned."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, Found, Several, call, number, told_apart

PACKAGE = ("course_utils.before", "course_utils.schedules")
LARGE = 1000.0  # exp overflows at 89 in 32 bits and at 710 in 64
LOW = -20_000.0  # below the −10000 that many a mask is filled with


def drawn(*shape, times=1.0):
    return times * torch.randn(*shape, dtype=torch.float64)


def masked(lengths, length):
    """Which places are real: padding stands at the end only."""
    return (torch.arange(length) < torch.tensor(lengths)[:, None]).long()


def near(one, other):
    return torch.allclose(one.detach().double(), other.detach().double(), rtol=1e-6, atol=1e-7)


# ---- 18.1


def slanted_triangle(step: int, peak: float, total: int, cut_fraction: float, ratio: float) -> float:
    cut = round(total * cut_fraction)
    share = step / cut if step <= cut else 1 - (step - cut) / (total - cut)
    return peak * (1 + share * (ratio - 1)) / ratio


SCHEDULES = [(0.004, 40, 0.25, 8.0), (1.0, 20, 0.5, 2.0), (0.5, 10, 0.1, 1.0), (3.0, 70, 0.7, 50.0)]


def around_the_top(peak, total, fraction, ratio):
    cut = round(total * fraction)
    steps = sorted({cut, 1, 2, cut - 1, cut + 1, (cut + total) // 2, total - 1, total} - {0})
    return [(step, peak, total, fraction, ratio) for step in steps]


def whole_schedule():
    """A schedule that no answer knows; total * share is a whole number to the last digit."""
    total = int(torch.randint(11, 60, ()))
    cuts = [cut for cut in range(1, total) if total * (cut / total) == cut]
    cut = cuts[int(torch.randint(len(cuts), ()))]
    peak, ratio = (float(one) for one in torch.rand(2, dtype=torch.float64))
    return [(step, 0.01 + peak, total, cut / total, 2 + 60 * ratio) for step in range(1, total + 1)]


def package_rate(step, peak, total, fraction, ratio):
    from course_utils import before

    return before.slanted_triangle(step, peak, total, cut_fraction=fraction, ratio=ratio)


SLANTED_TRIANGLE = Exercise(
    "18.1",
    level="warm-up",
    reference=slanted_triangle,
    atol=1e-6,
    cases={
        "by_hand": lambda: around_the_top(0.01, 100, 0.1, 32.0),
        "other_schedules": lambda: [given for schedule in SCHEDULES for given in around_the_top(*schedule)],
        "whole_schedules": lambda: [given for _ in range(4) for given in whole_schedule()],
    },
    mistakes=changes_of(
        slanted_triangle,
        {
            "falls_to_zero": {"(1 + share * (ratio - 1)) / ratio": "share"},
            "cut_off_below": {"peak * (1 + share * (ratio - 1)) / ratio": "max(peak * share, peak / ratio)"},
            "constant_after": {"1 - (step - cut) / (total - cut)": "1"},
            "never_falls": {" if step <= cut else 1 - (step - cut) / (total - cut)": ""},
            "cut_swapped": {"cut_fraction)\n": "(1 - cut_fraction))\n"},
            "counts_from_zero": {"cut = ": "step -= 1\n    cut = "},
            "fixed_ratio": {"cut = ": "ratio = 32.0\n    cut = "},
            "fixed_cut": {"cut_fraction)\n": "0.1)\n"},
            "floor_added": {"(1 + share * (ratio - 1)) / ratio": "(share + 1 / ratio)"},
            "falls_over_total": {"(total - cut)": "total"},
            "value": {"share * (": "share**2 * ("},
            "ready_made": package_rate,
        },
    ),
    facts={"*": lambda found: {"cut": round(found.given[2] * found.given[3])}},
    forbids=PACKAGE,
)


# ---- 18.2


def two_way_losses(
    forward_logits: Tensor, backward_logits: Tensor, input_ids: Tensor, attention_mask: Tensor
) -> tuple[Tensor, Tensor]:
    pairs = attention_mask[:, :-1].bool() & attention_mask[:, 1:].bool()  # (B, T − 1): both are real
    ahead = F.cross_entropy(forward_logits[:, :-1][pairs], input_ids[:, 1:][pairs])
    back = F.cross_entropy(backward_logits[:, 1:][pairs], input_ids[:, :-1][pairs])
    return ahead, back


def pairs_of(mask):
    return mask[:, :-1].bool() & mask[:, 1:].bool()


def each_loss(logits, targets):
    return -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]


def onward(logits, ids):
    """The loss of each place that predicts the next, (B, T − 1)."""
    return each_loss(logits[:, :-1], ids[:, 1:])


def mean_of_rows(losses, pairs):
    return ((losses * pairs).sum(1) / pairs.sum(1).clamp(min=1)).mean()


def mean_of_long_rows(losses, pairs):
    counts = pairs.sum(1)
    return ((losses * pairs).sum(1)[counts > 0] / counts[counts > 0]).mean()


# One loss made otherwise from (logits, ids, mask), as the forward model has it; the backward one reads the other way.
NO_SHIFT = lambda logits, ids, mask: each_loss(logits, ids)[mask.bool()].mean()  # noqa: E731
BEFORE = lambda logits, ids, mask: each_loss(logits[:, 1:], ids[:, :-1])[pairs_of(mask)].mean()  # noqa: E731
ALL = lambda logits, ids, mask: onward(logits, ids).mean()  # noqa: E731
NO_TARGET = lambda logits, ids, mask: onward(logits, ids)[mask[:, :-1].bool()].mean()  # noqa: E731
NO_SCORE = lambda logits, ids, mask: onward(logits, ids)[mask[:, 1:].bool()].mean()  # noqa: E731
SUM = lambda logits, ids, mask: onward(logits, ids)[pairs_of(mask)].sum()  # noqa: E731
BY_ALL = lambda logits, ids, mask: (onward(logits, ids) * pairs_of(mask)).mean()  # noqa: E731
ROWS = lambda logits, ids, mask: mean_of_rows(onward(logits, ids), pairs_of(mask))  # noqa: E731
LONG_ROWS = lambda logits, ids, mask: mean_of_long_rows(onward(logits, ids), pairs_of(mask))  # noqa: E731
BY_ID = lambda logits, ids, mask: onward(logits, ids)[pairs_of(ids != 0)].mean()  # noqa: E731

# reason -> (0 the forward or 1 the backward loss, how it is made)
ONE_LOSS = {
    "no_shift": [(0, NO_SHIFT)],
    "no_shift_back": [(1, NO_SHIFT)],
    "back_predicts_next": [(1, BEFORE)],
    "ahead_predicts_before": [(0, BEFORE)],
    "padding_counted": [(0, ALL), (1, ALL)],
    "padding_target": [(0, NO_TARGET)],
    "padding_score": [(1, NO_SCORE)],
    "summed": [(0, SUM), (1, SUM)],
    "divided_by_all": [(0, BY_ALL), (1, BY_ALL)],
    "mean_of_rows": [(0, ROWS), (0, LONG_ROWS), (1, ROWS), (1, LONG_ROWS)],
    "padding_by_id": [(0, BY_ID), (1, BY_ID)],
}


def loss_made(place, make, given):
    forward, backward, ids, mask = given
    if place == 1:
        forward, ids, mask = backward.flip(1), ids.flip(1), mask.flip(1)
    return make(forward, ids, mask)


def one_loss(place, make):
    """The right losses, but for one of them."""

    def wrong(*given):
        losses = list(two_way_losses(*given))
        losses[place] = loss_made(place, make, given)
        return tuple(losses)

    return wrong


def is_that_loss(ways):
    def holds(found: Found) -> bool:
        wrongs = [(place, loss_made(place, make, found.given)) for place, make in ways]
        return any(near(found.yours[n], wrong) and not near(wrong, found.right[n]) for n, wrong in wrongs)

    return holds


def by_product(forward, backward, ids, mask):
    pairs = pairs_of(mask)
    losses = onward(forward, ids), each_loss(backward[:, 1:], ids[:, :-1])
    return tuple((one * pairs).sum() / pairs.sum() for one in losses)


def package_losses(forward, backward, ids, mask):
    from course_utils.before.real_tokens import mean_loss

    pairs = pairs_of(mask)
    ahead = mean_loss(forward[:, :-1][pairs], ids[:, 1:][pairs])
    return ahead, mean_loss(backward[:, 1:][pairs], ids[:, :-1][pairs])


def of_rows(lengths, length, vocab, times=3.0):
    """Scores of both models, ids and mask; 0 is a real token, and what stands at padding is any id."""
    shape = (len(lengths), length)
    ids = torch.randint(vocab, shape)
    ids[0, 1] = 0
    return drawn(*shape, vocab, times=times), drawn(*shape, vocab, times=times), ids, masked(lengths, length)


def losses_read_padding(answer: Any) -> dict[str, str] | None:
    forward, backward, ids, mask = of_rows([7, 3, 1, 5], 7, 11)
    right = two_way_losses(forward, backward, ids, mask)
    for filler in (torch.inf, torch.nan):
        far = [logits.masked_fill(mask[..., None] == 0, filler) for logits in (forward, backward)]
        yours = call(answer, *far, ids, mask)
        for one, other in zip(yours, right):
            if not near(torch.as_tensor(one), other):
                expected, actual = told_apart(other, one)
                return {"filler": filler, "expected": expected, "actual": actual}
    return None


TWO_WAY_LOSSES = Exercise(
    "18.2",
    level="core",
    reference=two_way_losses,
    strict=False,
    parts={"ahead": 0, "back": 1},
    show=lambda losses: ", ".join(map(number, losses)),
    cases={
        "by_hand": lambda: of_rows([5, 5], 5, 7),
        "padding": lambda: [of_rows([7, 3, 1, 5], 7, 11), of_rows([3, 1], 5, 13)],
        "other_sizes": lambda: [of_rows([2], 2, 2), of_rows([300, 1, 211], 300, 5)],
        "overflow": lambda: of_rows([5, 2, 4], 5, 7, times=LARGE),
    },
    mistakes={
        **{reason: Several([one_loss(*way) for way in ways]) for reason, ways in ONE_LOSS.items()},
        **changes_of(
            two_way_losses,
            {
                "two_swapped": {"ahead, back\n": "back, ahead\n"},
                "padding_by_id": {"attention_mask[": "(input_ids != 0)["},
                "value": {"ahead, back\n": "ahead.exp(), back.exp()\n"},
                "reads_padding": by_product,
                "overflow": {"F.cross_entropy": "F.nll_loss", "[pairs], ": "[pairs].softmax(-1).log(), "},
                "ahead_no_gradient": {"ahead, back\n": "ahead.detach(), back\n"},
                "back_no_gradient": {"ahead, back\n": "ahead, back.detach()\n"},
                "ready_made": package_losses,
            },
        ),
    },
    signs={reason: is_that_loss(ways) for reason, ways in ONE_LOSS.items()},
    facts={"overflow": lambda found: {"size": number(LARGE)}},
    properties={"reads_padding": losses_read_padding},
    forbids=PACKAGE,
)


# ---- 18.3


def concat_pooling(hidden_states: Tensor, attention_mask: Tensor) -> Tensor:
    real = attention_mask.bool()[..., None]  # (B, T, 1)
    last = attention_mask.sum(dim=1) - 1  # (B,)
    final = hidden_states[torch.arange(len(last)), last]  # (B, C)
    highest = hidden_states.masked_fill(~real, -torch.inf).amax(dim=1)
    average = hidden_states.masked_fill(~real, 0.0).sum(dim=1) / attention_mask.sum(dim=1, keepdim=True)
    return torch.cat([final, highest, average], dim=-1)  # (B, 3C)


def filled(states, mask, value):
    return states.masked_fill(mask[..., None] == 0, value)


# reason -> which of the three pieces, and how it is made from (states, mask)
ONE_PIECE = {
    "last_is_padding": (0, lambda states, mask: states[:, -1]),
    "first_token": (0, lambda states, mask: states[:, 0]),
    "last_but_one": (
        0,
        lambda states, mask: states[torch.arange(len(mask)), (mask.sum(1) - 2).clamp(min=0)],
    ),
    "max_of_padding": (1, lambda states, mask: states.amax(1)),
    "max_of_zeros": (1, lambda states, mask: filled(states, mask, 0).amax(1)),
    "min_not_max": (1, lambda states, mask: filled(states, mask, torch.inf).amin(1)),
    "max_of_sizes": (1, lambda states, mask: filled(states.abs(), mask, 0).amax(1)),
    "mean_of_padding": (2, lambda states, mask: states.mean(1)),
    "divided_by_length": (2, lambda states, mask: filled(states, mask, 0).mean(1)),
    "sum_not_mean": (2, lambda states, mask: filled(states, mask, 0).sum(1)),
}
ORDERS = [(0, 2, 1), (1, 2, 0), (2, 1, 0), (1, 0, 2), (2, 0, 1)]


def one_piece(place, make):
    """Concat pooling but for one of the three pieces."""

    def wrong(states, mask):
        pieces = list(concat_pooling(states, mask).chunk(3, dim=-1))
        pieces[place] = make(states, mask)
        return torch.cat(pieces, dim=-1)

    return wrong


def is_that_piece(place, make):
    def holds(found: Found) -> bool:
        wrong = make(*found.given)
        yours, right = (result.chunk(3, dim=-1)[place] for result in (found.yours, found.right))
        return near(yours, wrong) and not near(wrong, right)

    return holds


def in_order(order):
    def wrong(states, mask):
        pieces = concat_pooling(states, mask).chunk(3, dim=-1)
        return torch.cat([pieces[place] for place in order], dim=-1)

    return wrong


def interleaved(states, mask):
    return torch.stack(concat_pooling(states, mask).chunk(3, dim=-1), dim=-1).flatten(1)


def mean_by_product(states, mask):
    return (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def package_pooling(states, mask):
    from course_utils import before

    return before.concat_pooling(states, mask)


def of_states(lengths, length, width, low=0.0):
    return drawn(len(lengths), length, width) - 1.5 + low, masked(lengths, length)


def pooling_reads_padding(answer: Any) -> dict[str, Any] | None:
    states, mask = of_states([5, 2, 1], 5, 3)
    right = concat_pooling(states, mask)
    for filler in (1000.0, -torch.inf, torch.inf, torch.nan):
        yours = call(answer, filled(states, mask, filler), mask)
        differing = ~torch.isclose(torch.as_tensor(yours).double(), right)
        if differing.any():
            index = tuple(differing.nonzero()[0].tolist())
            expected, actual = told_apart(right[index], yours[index])
            return {"filler": filler, "index": index, "expected": expected, "actual": actual}
    return None


def row_told(found: Found) -> dict[str, Any]:
    if found.kind != "value":
        return {}
    row = found.difference.index[0]
    return {"row": row, "real": int(found.given[1][row].sum()), "width": found.given[0].shape[-1]}


CONCAT_POOLING = Exercise(
    "18.3",
    level="core",
    reference=concat_pooling,
    strict=False,
    cases={
        "by_hand": lambda: of_states([3, 3], 3, 2),
        "padding": lambda: [of_states([5, 2, 1], 5, 3), of_states([11, 7, 1, 4], 11, 13)],
        "other_sizes": lambda: [
            of_states([1], 1, 1),
            of_states([1, 1], 2, 1),
            of_states([300, 97], 300, 5),
        ],
        "filled_too_high": lambda: [of_states([5, 2, 1], 5, 3, LOW), of_states([11, 7, 1, 4], 11, 13, LOW)],
    },
    mistakes={
        "order": Several([*map(in_order, ORDERS), interleaved]),
        **{reason: one_piece(*way) for reason, way in ONE_PIECE.items()},
        "filled_too_high": one_piece(1, lambda states, mask: filled(states, mask, -10_000.0).amax(1)),
        "reads_padding": one_piece(2, mean_by_product),
        "ready_made": package_pooling,
    },
    signs={reason: is_that_piece(*way) for reason, way in ONE_PIECE.items()},
    facts={"*": row_told, "filled_too_high": lambda found: {"low": f"{LOW:,.0f}"}},
    properties={"reads_padding": pooling_reads_padding},
    forbids=PACKAGE,
)


# ---- 18.4


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


def package_gpt(hidden, *others):
    from course_utils.before.real_tokens import last_states

    last_states(hidden, others[3].bool())
    return gpt_loss(hidden, *others)


def of_gpt(lengths, length, weight, times=1.0):
    """Hidden states, table, matrix of the task, ids (0 is a real token, too; padding has any), mask, labels, λ."""
    width, vocab, classes = 5, 11, 3
    ids = torch.randint(vocab, (len(lengths), length))
    ids[0, 1] = 0
    weights = drawn(vocab, width), drawn(classes, width)
    labels = torch.randint(classes, (len(lengths),))
    hidden = drawn(len(lengths), length, width, times=times)
    return hidden, *weights, ids, masked(lengths, length), labels, weight


def gpt_reads_padding(answer: Any) -> dict[str, Any] | None:
    hidden, *others = of_gpt([7, 4, 2], 7, 0.5)
    right = gpt_loss(hidden, *others)
    for filler in (torch.inf, torch.nan):
        yours = call(answer, filled(hidden, others[3], filler), *others)
        if not near(torch.as_tensor(yours), right):
            expected, actual = told_apart(right, yours)
            return {"filler": filler, "expected": expected, "actual": actual}
    return None


FINAL, LM = "hidden_states[torch.arange(len(last)), last]", "F.cross_entropy(scores, input_ids[:, 1:][pairs])"

GPT_LOSS = Exercise(
    "18.4",
    level="stretch",
    reference=gpt_loss,
    strict=False,
    cases={
        "by_hand": lambda: of_gpt([5, 5, 5], 5, 0.5),
        "padding": lambda: of_gpt([7, 4, 2], 7, 0.5),
        "other_weights": lambda: [of_gpt([6, 3, 11, 2], 11, 0.3), of_gpt([3, 2], 4, 0.0)],
        "other_sizes": lambda: [of_gpt([2], 2, 2.0), of_gpt([300, 41], 300, 0.7)],
        "overflow": lambda: of_gpt([6, 3, 11, 2], 11, 0.7, times=LARGE),
    },
    mistakes=changes_of(
        gpt_loss,
        {
            "task_alone": {"lm_weight *": "0 *"},
            "fixed_weight": {"lm_weight *": "0.5 *"},
            "weights_sum_to_one": {"return ": "return (1 - lm_weight) * "},
            "weight_on_task": {"task_loss + lm_weight *": "lm_weight * task_loss +"},
            "no_weight": {"lm_weight * ": ""},
            "no_shift": {
                "[:, :-1][pairs]": "[attention_mask == 1]",
                "[:, 1:][pairs]": "[attention_mask == 1]",
            },
            "predicts_before": {
                "[:, :-1][pairs] @": "[:, 1:][pairs] @",
                "[:, 1:][pairs])": "[:, :-1][pairs])",
            },
            "padding_counted": {"[pairs]": ".flatten(0, 1)"},
            "padding_target": {" & attention_mask[:, 1:].bool()": ""},
            "lm_summed": {"[pairs])": "[pairs], reduction='sum')"},
            "divided_by_all": {"lm_weight *": "lm_weight * pairs.float().mean() *"},
            "mean_of_rows": {
                LM: "ROWS(hidden_states @ token_weight.T, input_ids, attention_mask)",
            },
            "last_is_padding": {FINAL: "hidden_states[:, -1]"},
            "first_token": {FINAL: "hidden_states[:, 0]"},
            "mean_token": [
                {FINAL: "mean_by_product(hidden_states, attention_mask)"},
                {FINAL: "hidden_states.mean(dim=1)"},
            ],
            "task_summed": {"labels)\n": "labels, reduction='sum')\n"},
            "padding_by_id": [
                {"last = ": "attention_mask = (input_ids != 0).long()\n    last = "},
                {"pairs = ": "attention_mask = (input_ids != 0).long()\n    pairs = "},
                {"last = attention_mask": "last = (input_ids != 0)"},
            ],
            "value": {"[pairs])": "[pairs]).exp()"},
            "mask_unused": [
                {FINAL: "hidden_states[:, -1]", "[pairs]": ".flatten(0, 1)"},
                {FINAL: "hidden_states[:, -1]", " & attention_mask[:, 1:].bool()": ""},
            ],
            "reads_padding": {
                LM: "(onward(hidden_states @ token_weight.T, input_ids) * pairs).sum() / pairs.sum()",
            },
            "overflow": {
                "F.cross_entropy": "F.nll_loss",
                "final @ class_weight.T": "(final @ class_weight.T).softmax(-1).log()",
                "(scores, ": "(scores.softmax(-1).log(), ",
            },
            "ready_made": package_gpt,
        },
    ),
    properties={"reads_padding": gpt_reads_padding},
    forbids=PACKAGE,
)

EXERCISES = [SLANTED_TRIANGLE, TWO_WAY_LOSSES, CONCAT_POOLING, GPT_LOSS]
