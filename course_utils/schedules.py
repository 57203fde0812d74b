"""Learning rates as plain functions of the step, which counts from 1: without state that a checkpoint could lose."""

from __future__ import annotations

import math


def linear_rate(step: int, peak: float, warmup: int, total: int) -> float:
    """BERT's learning rate: up to `peak` in a straight line, then down to 0 in another (Devlin et al. 2019, A.2).

        peak · step / warmup                        up to step = warmup
        peak · (total − step) / (total − warmup)    from then on

    An update at step `total` would change nothing, so a run of N updates passes total = N + 1: its rate reaches 0 one
    step after the last of them. (BERT's own code counts from 0, which wastes the first update, not the last.)

    Args:
        step: number of the update, from 1.
        peak: highest rate.
        warmup: number of updates that rise; with 0 the rate falls from the first on.
        total: the step from which on the rate is 0.
    """
    if not (step >= 1 and total >= 1 and 0 <= warmup <= total):
        raise ValueError(
            "step and total must be at least 1 and warmup lie in 0 … total; "
            f"got step {step}, warmup {warmup}, total {total}"
        )
    if step <= warmup:
        return peak * step / warmup
    if step >= total:
        return 0.0
    return peak * (total - step) / (total - warmup)


def noam_rate(step: int, hidden_size: int, warmup: int) -> float:
    """The Transformer's learning rate (Vaswani et al. 2017, eq. 3).

        hidden_size^−0.5 · min(step^−0.5, step · warmup^−1.5)

    Args:
        step: number of the update, from 1.
        hidden_size: C.
        warmup: number of updates that rise.
    """
    if min(step, hidden_size, warmup) < 1:
        raise ValueError(
            "step, hidden_size and warmup must be at least 1; "
            f"got step {step}, hidden_size {hidden_size}, warmup {warmup}"
        )
    return hidden_size**-0.5 * min(step**-0.5, step * warmup**-1.5)


def slanted_triangle(
    step: int, peak: float, total: int, *, cut_fraction: float = 0.1, ratio: float = 32.0
) -> float:
    """ULMFiT's learning rate: up in a short straight line, then down in a long one (Howard and Ruder 2018, eq. 3).

        cut = ⌊total · cut_fraction⌋, at least 1
        p = step / cut                                                up to step = cut
        p = 1 − (step − cut) / (cut · (1/cut_fraction − 1)) ≥ 0       from then on
        rate = peak · (1 + p · (ratio − 1)) / ratio

    It begins near peak/ratio and ends there, not at 0. The paper has no "at least 1" and no "≥ 0": they count where
    total · cut_fraction is no whole number, and its formula would divide by 0 or give a rate below peak/ratio. With
    fewer than 1/cut_fraction updates in all, it begins at its peak and ends above peak/ratio.

    Args:
        step: number of the update, from 1.
        peak: highest rate.
        total: number of updates.
        cut_fraction: share of the updates that rise, between 0 and 1.
        ratio: how many times the lowest rate the highest is.
    """
    if not (step >= 1 and total >= 1):
        raise ValueError(f"step and total must be at least 1; got step {step}, total {total}")
    cut = max(1, math.floor(total * cut_fraction))
    if step <= cut:
        share = step / cut
    else:
        share = max(0.0, 1 - (step - cut) / (cut * (1 / cut_fraction - 1)))
    return peak * ((1 + share * (ratio - 1)) / ratio)
