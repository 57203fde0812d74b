"""What measurements of fine-tuning come to: the setting chosen on validation, the test score with its interval.

A setting is a rate, a batch size and a number of epochs. The one with the highest mean on validation, over the seeds,
is told, with what it reached on the test part; no number of the test part chooses anything.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from course_utils.tasks.measurements import Measurement, main_value

# Student's t: 95 % lie within ±t, for 1, 2, … degrees of freedom (Fisher and Yates 1963, table III).
T95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)  # fmt: skip


class Estimate(NamedTuple):
    """A mean over seeds, and half of its 95 % interval: mean ± half."""

    mean: float
    half: float  # inf of one seed
    seeds: int


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and 95 % interval by Student's t, which holds where the values are about normal:

        mean ± t(n − 1) · s / √n        s² = Σ (value − mean)² / (n − 1)

    Args:
        values: one of each seed, at least one.

    Source: Student 1908.
    """
    mean, free = statistics.fmean(values), len(values) - 1
    if not free:
        return Estimate(mean, math.inf, 1)
    # Beyond the table: the first term of the series about the normal quantile z, (z³ + z)/(4·free).
    t = T95[free - 1] if free <= len(T95) else 1.95996 + 2.37227 / free
    return Estimate(mean, t * statistics.stdev(values) / math.sqrt(len(values)), len(values))


def best_setting(
    measurements: Sequence[Measurement], task: str, start: str, labels: int
) -> list[Measurement]:
    """What was measured with the setting whose main measure is best on validation, on average; by seed.

    Settings are compared over the seeds that every one of them was measured with: a run that was stopped compares what
    can be compared, and all settings may be tried with one seed, the best of them with more. Told are all its seeds.

    Args:
        measurements: see read_measurements.
        task, start, labels: whose.

    Returns:
        [] where nothing of it was measured.
    """
    by_setting: dict[tuple[float, int, int], dict[int, Measurement]] = {}
    for one in measurements:
        if (one.task, one.start, one.labels) == (task, start, labels):
            by_setting.setdefault(one.setting, {})[one.seed] = one
    shared = sorted(set.intersection(*map(set, by_setting.values()))) if by_setting else []
    if not shared:
        return []

    def on_validation(setting: tuple[float, int, int]) -> float:
        compared = (by_setting[setting][seed] for seed in shared)
        return statistics.fmean(main_value(one.validation) for one in compared)

    chosen = max(sorted(by_setting), key=on_validation)
    return [one for _, one in sorted(by_setting[chosen].items())]


def summary(measurements: Sequence[Measurement], task: str, start: str, labels: int) -> Estimate | None:
    """The main measure on the test part, over the seeds, with the setting of best_setting; None where there is none."""
    found = best_setting(measurements, task, start, labels)
    return estimate([main_value(one.test) for one in found]) if found else None


def gain(
    measurements: Sequence[Measurement], task: str, start: str, other: str, labels: int
) -> Estimate | None:
    """By how much one start is better than another on the test part: the mean of the differences, seed by seed.

    Both had the same labels, so what a lucky draw gives to both is not taken for noise. None where they share no seed.
    """
    ours, theirs = (
        {one.seed: main_value(one.test) for one in best_setting(measurements, task, name, labels)}
        for name in (start, other)
    )
    shared = sorted(ours.keys() & theirs.keys())
    return estimate([ours[seed] - theirs[seed] for seed in shared]) if shared else None
