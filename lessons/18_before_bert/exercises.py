"""Exercises of notebook 18: ULMFiT's rate and pooling, the losses of a biLM, GPT's loss while it is fine-tuned."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.exercises.changes import after_calling, changes_of
from course_utils.exercises.core import Exercise, Found, Several, call, number, told_apart

REAL = "course_utils.before.real_tokens"
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


def reads_padding(reference, make, filled, mask, fillers=(torch.inf, torch.nan)):
    """A property: what stands at padding, in the inputs at the places `filled`, changes no result."""

    def broken(answer: Any) -> dict[str, Any] | None:
        given = make()
        padding, right = given[mask][..., None] == 0, reference(*given)
        for filler in fillers:
            far = [one.masked_fill(padding, filler) if at in filled else one for at, one in enumerate(given)]
            found = call(answer, *far)
            for yours, own in zip(found, right) if isinstance(right, tuple) else [(found, right)]:
                yours = torch.as_tensor(yours).detach().double()
                differing = ~torch.isclose(yours, own, rtol=1e-6, atol=1e-7)
                if differing.any():
                    index = tuple(differing.nonzero()[0].tolist())
                    told = zip(("expected", "actual"), told_apart(own[index], yours[index]))
                    return {"filler": filler, "index": index, **dict(told)}
        return None

    return broken


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
            "rises_from_zero": {"* (1 + share": "* (share * ratio if step <= cut else 1 + share"},
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
            "ready_made": after_calling(slanted_triangle, "course_utils.before:slanted_triangle", 1, 1.0, 10),
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


def each_loss(logits, targets):
    return -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]


def mean_of_rows(logits, targets, pairs, least=0):
    """The mean of the rows' means, of those with so many pairs."""
    counts = pairs.sum(dim=1)
    means = (each_loss(logits, targets) * pairs).sum(dim=1) / counts.clamp(min=1)
    return means[counts >= least].mean()


AHEAD = "F.cross_entropy(forward_logits[:, :-1][pairs], input_ids[:, 1:][pairs])"
BACK = "F.cross_entropy(backward_logits[:, 1:][pairs], input_ids[:, :-1][pairs])"


def in_either(change):
    return [{loss: change(loss)} for loss in (AHEAD, BACK)]


# One of the two is another.
ONE_LOSS = changes_of(
    two_way_losses,
    {
        "no_shift": {
            AHEAD: "F.cross_entropy(forward_logits[attention_mask == 1], input_ids[attention_mask == 1])"
        },
        "no_shift_back": {
            BACK: "F.cross_entropy(backward_logits[attention_mask == 1], input_ids[attention_mask == 1])"
        },
        "back_predicts_next": {BACK: AHEAD.replace("forward", "backward")},
        "ahead_predicts_before": {AHEAD: BACK.replace("backward", "forward")},
        "padding_counted": in_either(lambda loss: loss.replace("[pairs]", ".flatten(0, 1)")),
        "padding_target": {AHEAD: AHEAD.replace("pairs", "attention_mask[:, :-1].bool()")},
        "padding_score": {BACK: BACK.replace("pairs", "attention_mask[:, :-1].bool()")},
        "summed": in_either(lambda loss: loss.replace("[pairs])", "[pairs], reduction='sum')")),
        "divided_by_all": in_either(lambda loss: f"{loss} * pairs.double().mean()"),
        "mean_of_rows": [
            {loss: f"mean_of_rows({given}, pairs, {least})"}
            for loss, given in (
                (AHEAD, "forward_logits[:, :-1], input_ids[:, 1:]"),
                (BACK, "backward_logits[:, 1:], input_ids[:, :-1]"),
            )
            for least in (0, 1)
        ],
        "padding_by_id": in_either(
            lambda loss: loss.replace("pairs", "(input_ids[:, 1:] * input_ids[:, :-1] != 0)")
        ),
    },
)


def is_partly(wrongs, parts=tuple):
    """A sign: one of the parts is that of one of these mistakes, and wrong."""
    wrongs = wrongs if isinstance(wrongs, Several) else [wrongs]

    def holds(found: Found) -> bool:
        yours, right = parts(found.yours), parts(found.right)
        return any(
            near(mine, other) and not near(other, own)
            for wrong in wrongs
            for mine, other, own in zip(yours, parts(wrong(*found.given)), right)
        )

    return holds


def of_rows(lengths, length, vocab, times=3.0):
    """Scores of both models, ids and mask; 0 is a real token, and what stands at padding is any id."""
    shape = (len(lengths), length)
    ids = torch.randint(vocab, shape)
    ids[0, 1] = 0
    return drawn(*shape, vocab, times=times), drawn(*shape, vocab, times=times), ids, masked(lengths, length)


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
        **ONE_LOSS,
        **changes_of(
            two_way_losses,
            {
                "two_swapped": {"ahead, back\n": "back, ahead\n"},
                "padding_by_id": {"attention_mask[": "(input_ids != 0)["},
                "value": {"ahead, back\n": "ahead.exp(), back.exp()\n"},
                "reads_padding": {
                    AHEAD: "(each_loss(forward_logits[:, :-1], input_ids[:, 1:]) * pairs).sum() / pairs.sum()"
                },
                "overflow": {"F.cross_entropy": "F.nll_loss", "[pairs], ": "[pairs].softmax(-1).log(), "},
                "ahead_no_gradient": {"ahead, back\n": "ahead.detach(), back\n"},
                "back_no_gradient": {"ahead, back\n": "ahead, back.detach()\n"},
                "ready_made": after_calling(
                    two_way_losses, f"{REAL}:mean_loss", torch.ones(1, 3), torch.tensor([0])
                ),
            },
        ),
    },
    signs={reason: is_partly(wrongs) for reason, wrongs in ONE_LOSS.items()},
    facts={"overflow": lambda found: {"size": number(LARGE)}},
    properties={
        "reads_padding": reads_padding(two_way_losses, lambda: of_rows([7, 3, 1, 5], 7, 11), (0, 1), 3)
    },
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


FINAL = "hidden_states[torch.arange(len(last)), last]"

# One of the three pieces is another.
ONE_PIECE = changes_of(
    concat_pooling,
    {
        "last_is_padding": {FINAL: "hidden_states[:, -1]"},
        "first_token": {FINAL: "hidden_states[:, 0]"},
        "last_but_one": {"sum(dim=1) - 1": "sum(dim=1).sub(2).relu()"},
        "max_of_padding": {".masked_fill(~real, -torch.inf)": ""},
        "max_of_zeros": {"-torch.inf": "0.0"},
        "min_not_max": {"-torch.inf).amax": "torch.inf).amin"},
        "max_of_sizes": {".masked_fill(~real, -torch.inf)": ".abs().masked_fill(~real, 0.0)"},
        "mean_of_padding": {
            ".masked_fill(~real, 0.0).sum(dim=1) / attention_mask.sum(dim=1, keepdim=True)": ".mean(dim=1)"
        },
        "divided_by_length": {"attention_mask.sum(dim=1, keepdim=True)": "attention_mask.shape[1]"},
        "sum_not_mean": {" / attention_mask.sum(dim=1, keepdim=True)": ""},
    },
)


def of_states(lengths, length, width, low=0.0):
    return drawn(len(lengths), length, width) - 1.5 + low, masked(lengths, length)


def row_told(found: Found) -> dict[str, Any]:
    if found.kind != "value":
        return {}
    row = found.difference.index[0]
    return {"row": row, "real": int(found.given[1][row].sum()), "width": found.given[0].shape[-1]}


PIECES = "torch.cat([final, highest, average], dim=-1)"
ORDERS = list(permutations(["final", "highest", "average"]))

CONCAT_POOLING = Exercise(
    "18.3",
    level="core",
    reference=concat_pooling,
    strict=False,
    cases={
        "by_hand": lambda: of_states([3, 3], 3, 2),
        "padding": lambda: [of_states([5, 2, 1], 5, 3), of_states([11, 7, 1, 4], 11, 13)],
        "other_sizes": lambda: [of_states([1], 1, 1), of_states([1, 1], 2, 1), of_states([300, 97], 300, 5)],
        "filled_too_high": lambda: [of_states([5, 2, 1], 5, 3, LOW), of_states([11, 7, 1, 4], 11, 13, LOW)],
    },
    mistakes=ONE_PIECE
    | changes_of(
        concat_pooling,
        {
            "order": [
                *({PIECES: f"torch.cat([{', '.join(order)}], dim=-1)"} for order in ORDERS[1:]),
                {PIECES: "torch.stack([final, highest, average], dim=-1).flatten(1)"},
            ],
            "filled_too_high": [{"-torch.inf": "-3.0"}, {"-torch.inf": "-10_000.0"}],
            "reads_padding": {".masked_fill(~real, 0.0).sum": ".mul(real).sum"},
            "ready_made": after_calling(
                concat_pooling,
                "course_utils.before:concat_pooling",
                torch.ones(1, 2, 3),
                torch.ones(1, 2).long(),
            ),
        },
    ),
    signs={
        reason: is_partly(wrong, lambda pooled: pooled.chunk(3, dim=-1))
        for reason, wrong in ONE_PIECE.items()
    },
    facts={"*": row_told, "filled_too_high": lambda found: {"low": f"{LOW:,.0f}"}},
    properties={
        "reads_padding": reads_padding(
            *(concat_pooling, lambda: of_states([5, 2, 1], 5, 3), (0,), 1),
            fillers=(1000.0, -torch.inf, torch.inf, torch.nan),
        )
    },
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


def of_gpt(lengths, length, weight, times=1.0):
    """Hidden states, table, matrix of the task, ids (0 is a real token, too; padding has any), mask, labels, λ."""
    width, vocab, classes = 5, 11, 3
    ids = torch.randint(vocab, (len(lengths), length))
    ids[0, 1] = 0
    weights = drawn(vocab, width), drawn(classes, width)
    labels = torch.randint(classes, (len(lengths),))
    hidden = drawn(len(lengths), length, width, times=times)
    return hidden, *weights, ids, masked(lengths, length), labels, weight


LM = "F.cross_entropy(scores, input_ids[:, 1:][pairs])"

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
                LM: "mean_of_rows(hidden_states[:, :-1] @ token_weight.T, input_ids[:, 1:], pairs)"
            },
            "last_is_padding": {FINAL: "hidden_states[:, -1]"},
            "first_token": {FINAL: "hidden_states[:, 0]"},
            "mean_token": [
                {
                    FINAL: "(hidden_states * attention_mask[..., None]).sum(dim=1) / attention_mask.sum(dim=1)[:, None]"
                },
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
                LM: (
                    "(each_loss(hidden_states[:, :-1] @ token_weight.T, input_ids[:, 1:]) * pairs).sum() / pairs.sum()"
                )
            },
            "overflow": {
                "F.cross_entropy": "F.nll_loss",
                "final @ class_weight.T": "(final @ class_weight.T).softmax(-1).log()",
                "(scores, ": "(scores.softmax(-1).log(), ",
            },
            "ready_made": after_calling(
                gpt_loss, f"{REAL}:last_states", torch.ones(1, 2, 3), torch.ones(1, 2).bool()
            ),
        },
    ),
    properties={"reads_padding": reads_padding(gpt_loss, lambda: of_gpt([7, 4, 2], 7, 0.5), (0,), 4)},
    forbids=PACKAGE,
)

EXERCISES = [SLANTED_TRIANGLE, TWO_WAY_LOSSES, CONCAT_POOLING, GPT_LOSS]
