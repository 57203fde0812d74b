"""One pre-training of a member, from which both comparisons are read: at equal updates, and at equal FLOPs.

A rate that falls to 0 with the last update would make only the end of a run comparable. Here it rises, and stays; what
is measured, and tuned on tasks, is a running mean of the weights, which does what a falling rate does, at any time and
at no cost (Izmailov et al. 2018; Hägele et al. 2024: about as good as a decay of the rate). So every line of a log is
what a run would give that was to end there.

    mean ← mean + (1 − d) · (weights − mean)        d = min(AVERAGE, (1 + n)/(10 + n)) after n updates
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.training.loop import Step, train
from course_utils.training.optim import adamw

AVERAGE = 0.995  # of the running mean: it looks back over about 200 updates


@dataclass
class Racer:
    """A member at the start."""

    model: nn.Module  # what is trained; its output has a loss
    batches: Callable[[int], Any]  # by their number, from 0
    flops: Callable[[Any], int]  # of an update with a batch
    measures: Callable[[nn.Module], dict[str, float]]  # of the running mean, on held-out text
    spent: int = 0  # FLOPs before the first update, such as for a teacher


@dataclass
class Trained:
    """What a run leaves."""

    # A line at each look: update, flops, tokens, loss of the updates since the last, held-out measures.
    log: list[dict[str, float]] = field(default_factory=list)
    kept: dict[int, dict[str, Tensor]] = field(default_factory=dict)  # update -> state of the running mean


def pre_train(
    racer: Racer,
    *,
    updates: int,
    rate: float,
    warmup: int,
    looks: Sequence[int],
    budget: int | None = None,
    seed: int = 0,
) -> Trained:
    """Train a member, look at it now and then, and keep its running mean at the end.

    Args:
        racer: see Racer.
        updates: how many.
        rate: after the warm-up.
        warmup: updates until it is reached.
        looks: updates after which held-out text is measured; the last one always is.
        budget: FLOPs. The last update at which no more were spent is looked at and kept, too.
        seed: of what a model itself draws.
    """
    torch.manual_seed(seed)
    averaged = copy.deepcopy(racer.model).eval()
    means, weights = list(averaged.parameters()), [p.detach() for p in racer.model.parameters()]
    found = Trained()
    state = {"flops": racer.spent, "tokens": 0, "loss": 0.0, "since": 0, "within": True}

    def look(done: int) -> None:
        line = {"update": done, "flops": state["flops"], "tokens": state["tokens"]}
        line |= {"loss": round(state["loss"] / max(state["since"], 1), 4)}
        line |= {name: round(value, 4) for name, value in racer.measures(averaged).items()}
        found.log.append(line)
        state["loss"], state["since"] = 0.0, 0

    def after(step: Step) -> None:
        done = step.done
        with torch.no_grad():
            torch._foreach_lerp_(means, weights, 1.0 - min(AVERAGE, (1 + done) / (10 + done)))
        cost = racer.flops(step.batch)
        state["flops"] += cost
        state["tokens"] += int(step.batch.attention_mask.sum())
        state["loss"] += float(step.output.loss.detach())
        state["since"] += 1
        # The next update may be larger than this one; half an update more or less is not told apart.
        leaves = budget is not None and state["within"] and state["flops"] + cost / 2 > budget
        if leaves:
            state["within"] = False
        if done in looks or done == updates or leaves:
            look(done)
        if done == updates or leaves:
            found.kept[done] = {name: value.clone() for name, value in averaged.state_dict().items()}
            if leaves:
                found.kept[-1] = found.kept[done]  # at equal FLOPs

    train(
        racer.model,
        racer.batches,
        adamw(racer.model, learning_rate=rate),
        learning_rate=lambda step: rate * min(1.0, step / max(warmup, 1)),
        steps=updates,
        after_step=after,
    )
    return found
