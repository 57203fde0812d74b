"""Exercises of notebook 03: masks."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise, Found, number, numbers
from course_utils.masks import padding_mask


# ---- 03.1
def mask_of_padding(input_ids: Tensor, pad_token_id: int) -> Tensor:
    return (input_ids != pad_token_id)[:, None, None, :]  # (B, 1, 1, T_k)


REAL, AXES = "(input_ids != pad_token_id)", "[:, None, None, :]"


def signed(pad: int) -> tuple[Tensor, int]:
    """Ids of both signs, the padding's own always among them."""
    return torch.cat([torch.randint(-9, 10, (3, 6)), torch.full((3, 1), pad)], dim=1), pad


def large(pad: int, dtype: torch.dtype) -> tuple[Tensor, int]:
    """Ids that fewer bits cannot tell from the padding's (8, 11, 16, 24 of them)."""
    ids = [pad + 256, pad + 1, pad + 2**16, pad - 1, pad + 1000, -pad, 0, pad]
    return torch.tensor([ids] * 5, dtype=dtype), pad


def first_wrong_row(found: Found) -> dict[str, str]:
    row = found.difference.index[0]
    expected, actual = numbers(found.right[row, 0, 0]), numbers(found.yours[row, 0, 0])
    return {"ids": found.given[0][row].tolist(), "expected": expected, "actual": actual}


MASK_OF_PADDING = Exercise(
    "03.1",
    level="warm-up",
    reference=mask_of_padding,
    cases={
        "by_hand": lambda: (torch.tensor([[5, 6, 7, 0, 0], [8, 9, 0, 0, 0]]), 0),
        "other padding": lambda: [(torch.tensor([[0, 7, 9, 2, 1, 1]]), 1), (torch.tensor([[3, 0, -1]]), -1)],
        "negative_is_padding": lambda: [signed(pad) for pad in (4, 7, -3, -8)],
        "other_ids": lambda: [
            *(large(pad, dtype) for pad in (300, 2**24) for dtype in (torch.int32, torch.int64)),
            (torch.tensor([[7 + 2**32, 8, 7]]), 7),
        ],
        "only_padding": lambda: (torch.tensor([[4, 4, 4], [9, 4, 4]]), 4),
    },
    mistakes=changes_of(
        mask_of_padding,
        {
            "no_axes": {AXES: ""},
            "hides_queries": {AXES: "[:, None, :, None]"},
            "inverted": {"!=": "=="},
            "positive_ids": {REAL: "(input_ids > 0)"},
            "zero_is_padding": {REAL: "(input_ids != 0)"},
            "greater_than_pad": {"!=": ">"},
            "negative_is_padding": {REAL: f"({REAL} & ((input_ids >= 0) | (pad_token_id < 0)))"},
            "other_ids": [
                {"input_ids !=": f"input_ids.to(torch.{to}) !="}
                for to in ("int16", "int32", "float16", "float32")
            ],
            "only_padding": {REAL: f"({REAL} | (input_ids == pad_token_id).all(dim=-1, keepdim=True))"},
            "ready_made": padding_mask,
        },
    ),
    facts={
        **dict.fromkeys(("positive_ids", "zero_is_padding", "greater_than_pad"), first_wrong_row),
        **dict.fromkeys(("negative_is_padding", "other_ids", "only_padding", "inverted"), first_wrong_row),
    },
    forbids=("course_utils.masks.padding_mask",),
)


# ---- 03.2
def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    # Finite: a fully masked row meets no NaN, not even in its gradient.
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)


FILLED, ERASED = "scores.masked_fill(~mask, lowest)", ".masked_fill(~mask, 0.0)"


def renormalised(scores, mask):
    erased = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    return erased / erased.sum(dim=-1, keepdim=True).clamp_min(1e-9)


def added(penalty):
    """Right on the way up, NaN on the way back, where the sum is −∞ in a row with nothing to see."""
    return {
        FILLED: f"(scores + torch.zeros_like(scores).masked_fill(~mask, {penalty}))",
        ERASED: f".nan_to_num(){ERASED}",
    }


def two_low(low: float, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
    """Two keys with the same low score and a third one, 0, that is masked."""
    return torch.tensor([[low, low, 0.0]], dtype=dtype), torch.tensor([[True, True, False]])


def of_axes(axes, of_mask, dtype=torch.float64):
    mask = torch.rand(of_mask) < 0.6
    mask[..., 0, :] = False
    return 9 * torch.randn(axes, dtype=dtype), mask


MASKED_SOFTMAX = Exercise(
    "03.2",
    level="core",
    reference=masked_softmax,
    cases={
        "by_hand": lambda: (
            torch.tensor([[0.0, math.log(3.0), 2.0], [1.0, 1.0, 1.0]]),
            torch.tensor([[True, True, False], [True, True, True]]),
        ),
        "loud": lambda: (torch.tensor([[0.0, 0.0, 300.0]]), torch.tensor([[True, True, False]])),
        "not_low_enough": lambda: two_low(-3e4),
        "empty_row": lambda: (
            torch.tensor([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]]),
            torch.tensor([[True, True, False], [False, False, False]]),
        ),
        "half": lambda: (torch.tensor([[1.0, 1.0, 5.0]]).half(), torch.tensor([[True, True, False]])),
        "half_empty_row": lambda: [
            (torch.tensor([scores]).half(), torch.tensor([[False, False, False]]))
            for scores in ([1.0, 1.0, 5.0], [-16.0, -100.0, -3e4])
        ],
        "low_empty_row": lambda: (-1e300 * torch.ones(1, 3).double(), torch.zeros(1, 3).bool()),
        "other_axes": lambda: [
            of_axes((2, 3, 5, 7), (2, 1, 5, 7), torch.float32),
            *map(of_axes, *zip(((5, 7), (1, 7)), ((2, 5, 7), (5, 7)), ((3, 1, 7), (3, 1, 7)))),
            of_axes((2, 2, 2, 5, 3), (5, 3)),
        ],
        "not_low_enough far": lambda: two_low(-3e30),
        "cut_off": lambda: (torch.tensor([[3e30, 2e30, 4e30]]), torch.tensor([[True, True, False]])),
    },
    mistakes=changes_of(
        masked_softmax,
        {
            "after_softmax": {FILLED: "scores"},
            "inverted": {"~mask, lowest": "mask, -torch.inf", ERASED: ""},
            "zero_scores": {FILLED: "(scores * mask)", ERASED: ""},
            "loud": renormalised,
            "not_low_enough": {"~mask, lowest": "~mask, -12.0"},
            "empty_row_nan": {"~mask, lowest": "~mask, -torch.inf", ERASED: ""},
            "empty_row_not_zero": {"~mask, lowest": "~mask, -1e9", ERASED: ""},
            "half_raised": {"~mask, lowest": "~mask, -1e9"},
            "nan_gradient": added("-torch.inf"),
            "half_empty_row_nan_gradient": added("lowest"),
            # The right weights, with the gradient of the scores themselves
            "gradient": lambda scores, mask: (
                masked_softmax(scores.detach(), mask) + (scores - scores.detach()).masked_fill(~mask, 0.0)
            ),
            "cut_off": {FILLED: FILLED.replace("scores", "scores.double().clamp(max=2e30).to(scores.dtype)")},
            "wrong_axis": {"dim=-1": "dim=-2"},
            "other_axes": {"dim=-1": "dim=3 if scores.dim() == 4 else 1"},
            "ready_made": lambda scores, mask: torch._safe_softmax(scores.masked_fill(~mask, -math.inf), -1),
        },
    ),
    signs={
        "empty_row_nan": lambda found: found.case == "empty_row" and bool(found.yours[1].isnan().any()),
        "empty_row_not_zero": lambda found: found.case == "empty_row" and bool(found.yours[1].any()),
    },
    facts={
        "after_softmax": lambda found: {"total": number(found.yours[0].sum())},
        "empty_row_not_zero": lambda found: {"total": number(found.yours[1].sum())},
        "not_low_enough": lambda found: {"low": f"{found.given[0][0, 0]:g}"},
    },
    forbids=("course_utils.attention", "scaled_dot_product_attention", "_safe_softmax"),
)


# ---- 03.3
def sliding_window_mask(length: int, window: int) -> Tensor:
    places = torch.arange(length)
    back = places[:, None] - places[None, :]  # how far the key lies behind the query, (T, T)
    return ((back >= 0) & (back < window))[None, None]  # (1, 1, T, T)


def seen(found: Found) -> dict[str, str]:
    """The keys that query 3 may see: "2, 3"."""
    return {"actual": ", ".join(str(int(key)) for key in found.yours[0, 0, 3].nonzero())}


def wrong_place(found: Found) -> dict[str, object]:
    _, _, query, key = found.difference.index
    return {"query": query, "key": key}


SLIDING_WINDOW_MASK = Exercise(
    "03.3",
    level="stretch",
    reference=sliding_window_mask,
    cases={
        "by_hand": lambda: (5, 2),
        "other_sizes": lambda: [
            *((length, window) for length in (1, 2, 5, 6, 7, 9) for window in (1, 2, 3, 4, 5, 6, 8, 12)),
            *((13, 12), (300, 3), (300, 290)),  # 300 places do not fit in eight bits
        ],
    },
    mistakes=changes_of(
        sliding_window_mask,
        {
            "no_axes": {"[None, None]": ""},
            "one_too_many": {"< window": "<= window"},
            "without_itself": [{">= 0": "> 0", "< window": "<= window"}, {">= 0": "> 0"}],
            "both_sides": {"(back >= 0) & (back < window)": "back.abs() < window"},
            "only_future": {">= 0": "<= 0", "< window": "> -window"},
            "no_limit": {" & (back < window)": ""},
            "inverted": {"return (": "return ~("},
            "other_sizes": [
                {"arange(length)": "arange(length, dtype=torch.float64).to(torch.int8)"},
                {"< window": "< min(window, 8)"},
            ],
        },
    ),
    facts={
        **dict.fromkeys(("one_too_many", "without_itself", "both_sides", "only_future"), seen),
        **dict.fromkeys(("no_limit", "inverted"), seen),
        "other_sizes": wrong_place,
    },
)

EXERCISES = [MASK_OF_PADDING, MASKED_SOFTMAX, SLIDING_WINDOW_MASK]
