"""Pairs of sentences, English and Korean, drawn from the grammar of dates (dates.py), and what of them is held out.

Where a pair belongs, a hash decides. It sees the day and the time and no word: what is held out was never trained on in
any other wording either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time, timedelta
from itertools import product
from typing import Any

import torch

from course_utils.datasets.dates import (
    FIRST,
    LAST,
    MIDNIGHT,
    NOON,
    STEPS,
    Moment,
    english_days,
    english_times,
    frames,
    korean,
)

SPLITS = ("test", "validation", *["train"] * 8)  # of 10 moments
DAYS = range((LAST - FIRST).days + 1)
# Of 8 moments 2 have no time, 1 is noon or midnight, 3 lie on a multiple of five minutes, 2 anywhere. Were all times
# alike, what is said in words would be rare.
KINDS = ("no time", "no time", "twelve", "fives", "fives", "fives", "any", "any")


@dataclass(frozen=True)
class Pair:
    """One sentence in both languages, and what it says."""

    english: str
    korean: str
    moment: Moment


def split_of(moment: Moment) -> str:
    """Where a moment belongs, "train", "validation" or "test": its own hash decides, so that nobody does."""
    digest = hashlib.sha256(f"{moment.day} {moment.time}".encode()).digest()
    return SPLITS[int.from_bytes(digest[:8], "big") % len(SPLITS)]


def draw_pairs(number: int, *, split: str, generator: torch.Generator) -> list[Pair]:
    """Draw moments of one split, each in one of its wordings: days evenly, times by KINDS, every second with a weekday.

    Args:
        number: how many. A pair may come twice.
        split: "train" (8 of 10 moments), "validation" or "test" (1 each).
        generator: decides everything that is drawn.
    """
    if split not in SPLITS:  # it would be drawn for ever
        raise ValueError(f'split must be "train", "validation" or "test", got {split!r}')
    pairs: list[Pair] = []
    while len(pairs) < number:
        moment = _draw_moment(generator)
        if split_of(moment) == split:
            pairs.append(_draw_wording(moment, generator))
    return pairs


def past_and_to(every: int) -> list[tuple[Pair, Pair]]:
    """Sentences that differ in one word, "ten past nine …" and "ten to nine …", of one day in so many.

    Neither moment is one to train on.
    """
    found = []
    for number, hour, minute in product(DAYS[::every], range(1, 24), [step for step in STEPS if step < 30]):
        day = FIRST + timedelta(days=number)
        past, to = Moment(day, time(hour, minute)), Moment(day, time(hour - 1, 60 - minute))
        said = english_times(past.time)[-1]
        swapped = said.replace(" past ", " to ")
        # "ten past noon": ten to noon is in the morning, another word
        if swapped in english_times(to.time) and "train" not in (split_of(past), split_of(to)):
            ends = ((past, said), (to, swapped))
            pairs = [
                Pair(f"{words} on {english_days(day, False)[0]}", korean(moment, weekday=False), moment)
                for moment, words in ends
            ]
            found.append((pairs[0], pairs[1]))
    return found


def _draw_moment(generator: torch.Generator) -> Moment:
    """Any moment, of whatever split."""
    day, kind = FIRST + timedelta(days=_one_of(DAYS, generator)), _one_of(KINDS, generator)
    if kind == "no time":
        return Moment(day)
    if kind == "twelve":
        return Moment(day, _one_of((MIDNIGHT, NOON), generator))
    minutes = range(0, 60, 5) if kind == "fives" else range(60)
    return Moment(day, time(_one_of(range(24), generator), _one_of(minutes, generator)))


def _draw_wording(moment: Moment, generator: torch.Generator) -> Pair:
    """One of dates.english; frame, time and day are drawn one by one, which is faster than to list them all."""
    weekday = _one_of((False, True), generator)
    words = {"day": _one_of(english_days(moment.day, weekday), generator)}
    if moment.time is not None:
        words["time"] = _one_of(english_times(moment.time), generator)
    english = _one_of(frames(moment), generator).format(**words)
    return Pair(english, korean(moment, weekday=weekday), moment)


def _one_of(choices: Sequence[Any], generator: torch.Generator) -> Any:
    return choices[int(torch.randint(len(choices), (), generator=generator))]
