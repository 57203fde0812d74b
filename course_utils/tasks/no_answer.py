"""When to say that the passage has no answer: a threshold on the margin, chosen on validation questions alone.

An answer is given where ŝ > s_null + τ (Devlin et al. 2019, section 4.3). τ is a parameter like any other: chosen on
the test questions, it would make the test score too good.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from course_utils.support.given import real_number, several

LARGEST = 1e30  # of a margin: sums and middles stay finite


class Threshold(NamedTuple):
    """τ, and the mean score that it reaches on the questions it was chosen on."""

    value: float
    score: float


def validation_threshold(
    margins: Sequence[float], answered: Sequence[float], silent: Sequence[float]
) -> Threshold:
    """The τ with the highest mean score: answered[i] where margin[i] > τ, silent[i] elsewhere.

    All that can make a difference is tried: −inf (answer always), the middle between each two margins, inf (never),
    and 0. Of those that score the same, the one next to 0 is taken: no evidence, no shift.

    Args:
        margins: of each validation question, ŝ − s_null; −inf where there is no legal pair.
        answered: its score if the best span is given, such as F1: 0 for a question without an answer.
        silent: its score if none is given: 1 for a question without an answer, else 0.

    Raises:
        ValueError: if they are not equally many numbers, at least one, or a score lies beyond 0 … 1.
    """
    margins = [_margin(margin) for margin in several("margins", margins, "numbers")]
    answered, silent = (
        [real_number(f"each score of {name}", score, most=1.0) for score in several(name, scores, "numbers")]
        for name, scores in (("answered", answered), ("silent", silent))
    )
    count = len(margins)
    if not count or not count == len(answered) == len(silent):
        raise ValueError(
            "margins, answered and silent must have one number for each question, at least one, "
            f"got {count}, {len(answered)} and {len(silent)}"
        )
    order = sorted(range(count), key=margins.__getitem__)
    rising = [margins[question] for question in order]
    gains = [answered[question] - silent[question] for question in order]
    above = [0.0, *accumulate(reversed(gains))][::-1]  # what answering from each place on adds
    middles = [(low + high) / 2 for low, high in zip(rising, rising[1:]) if low < high]
    scores = {
        threshold: (math.fsum(silent) + above[bisect_right(rising, threshold)]) / count
        for threshold in (0.0, -math.inf, math.inf, *middles)
    }
    best = max(scores, key=lambda threshold: (round(scores[threshold], 9), -abs(threshold)))
    return Threshold(best, scores[best])


def _margin(margin: float) -> float:
    """A finite number, or −inf."""
    return (
        -math.inf
        if margin == -math.inf
        else real_number("each of margins", margin, least=-LARGEST, most=LARGEST)
    )
