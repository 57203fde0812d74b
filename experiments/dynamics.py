"""When does a Transformer learn? Many small trainings that differ in one thing each; data/dynamics.json (notebook 08).

    python -m experiments.dynamics                          every part, 5 seeds: about 45 minutes of one core
    python -m experiments.dynamics --only map --seeds 3     one part
    python -m experiments.dynamics --table                  what has been measured so far

All learn to sort (course_utils/tasks/sorting.py), without dropout. The rate rises in a straight line over a share of
the updates, `warmup`, and falls to 0 in another (or stays: `decay`); over a run its sum is nearly the same whatever
the share.
The parts, and in each what could refute the folklore:

    map        {post-LN, pre-LN} × {warm-up, none} × rates; small rates do without warm-up, too
    warmup     shares of 0, 1, 5, 20 %, RAdam without any, Adam at rates times RAdam's r; pre-LN, and a smaller rate
    decay      a rate that falls to 0 or stays, after the same warm-up; post-LN and pre-LN, a smaller rate
    adaptive   how 1/√v̂_t varies between runs; in a model that never moves, too
    waited     half of the updates at a rate of 0, at which Adam only gathers; then a high one without warm-up, with m
               and v, with v alone, and so that a missing m is no hidden warm-up; with m and v and a warm-up
    sgd        SGD with momentum, clipped or not, and Adam at a rate of 1e-3 that nobody tuned; Adam, tuned
    start      σ of the start values × width; at two rates, for a narrow model may want another
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import groupby, product
from typing import Any

import torch
from torch import Tensor, optim

from course_utils.datasets.batching import seeded
from course_utils.encoder import Encoder, PreLNEncoder
from course_utils.schedules import linear_rate
from course_utils.support.text_width import aligned
from course_utils.tasks.sorting import (
    LENGTH,
    NUMBERS,
    Sorter,
    loss_without_attention,
    random_rows,
    sorting_loss,
)
from course_utils.training.fast import speed_up
from course_utils.training.loop import Step, train
from course_utils.training.optim import rectification
from experiments.runs import ROOT, Store, carry_on, count, parser_of, run_command

OUT = ROOT / "data" / "dynamics.json"
BATCH_SIZE = 16
HELD_OUT = 128  # rows, the same for every training
CURVE = 20  # points
RUNS, EVERY = 32, 61  # of the part `adaptive`: how many runs; every 61st weight of the encoder is watched
UNCLIPPED = 1e30
STACKS = {"post": Encoder, "pre": PreLNEncoder}
RATES = (1e-3, 1.8e-3, 3.2e-3, 5.6e-3, 1e-2, 1.8e-2, 3.2e-2)
PARTS = ("map", "warmup", "decay", "adaptive", "waited", "sgd", "start")
# Of the part `waited`. m at 0, whose correction is over, lets the first steps be 0.1, 0.19, … of their length; the last
# counts this correction from there on.
V_ALONE, V_ALONE_ANEW = "adam, v alone", "adam, v alone, m anew"
TIMES_R = "adam, rate times r"


@dataclass(frozen=True, order=True)
class Run:
    """One training: what it is called in the file, and all that it depends on."""

    part: str
    norm: str = "post"  # or "pre"
    optimizer: str = "adam"  # or "radam", "sgd", TIMES_R, V_ALONE, V_ALONE_ANEW
    rate: float = 1e-3  # the highest, but for the correction of V_ALONE_ANEW
    warmup: float = 0.1  # share of the updates
    decay: bool = True  # to 0 at the end; else the rate stays where the warm-up left it
    clip: float = UNCLIPPED
    start_std: float = 0.1
    depth: int = 12
    width: int = 32
    steps: int = 200
    seed: int = 0

    @property
    def wait(self) -> int:
        """Updates at a rate of 0 before the model moves."""
        return self.steps // 2 if self.part == "waited" else 0


def planned(part: str, seeds: int) -> Iterator[Run]:
    """Every training of a part, one seed after the other."""
    if part == "adaptive":  # RUNS trainings are one measurement; at the rate 0 the model never moves
        runs = (("adam", 1e-3, 0.0), ("adam", 1e-3, 1.0), ("radam", 1e-3, 0.0), ("adam", 0.0, 0.0))
        for name, rate, warmup in runs:
            yield Run(part, optimizer=name, rate=rate, warmup=warmup, decay=False, steps=100)
        return
    for seed in range(seeds):
        if part == "map":
            for norm, warmup, rate in product(STACKS, (0.0, 0.1), RATES):
                yield Run(part, norm, rate=rate, warmup=warmup, seed=seed)
        elif part == "warmup":
            for norm, rate in product(STACKS, (5.6e-3, 1e-2)):
                for share in (0.0, 0.01, 0.05, 0.2):
                    yield Run(part, norm, rate=rate, warmup=share, seed=seed)
                for name in ("radam", TIMES_R):
                    yield Run(part, norm, name, rate=rate, warmup=0.0, seed=seed)
        elif part == "decay":
            for norm, rate, decay in product(STACKS, (3.2e-3, 1e-2), (True, False)):
                yield Run(part, norm, rate=rate, decay=decay, seed=seed)
        elif part == "waited":
            for name in ("adam", V_ALONE, V_ALONE_ANEW):
                yield Run(part, optimizer=name, rate=1e-2, warmup=0.0, seed=seed)
            yield Run(part, rate=1e-2, warmup=0.2, seed=seed)
        elif part == "sgd":
            for clip, rate in product((UNCLIPPED, 1.0), (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)):
                yield Run(part, optimizer="sgd", rate=rate, clip=clip, seed=seed)
            yield Run(part, rate=1e-3, warmup=0.0, seed=seed)
            for rate in RATES[1:5]:
                yield Run(part, rate=rate, seed=seed)
        elif part == "start":
            stds, rates = (0.005, 0.02, 0.05, 0.1, 0.2), (1e-3, 5.6e-3)
            for width, std, rate in product((16, 32, 64, 128), stds, rates):
                yield Run(part, rate=rate, start_std=std, depth=6, width=width, seed=seed)


# --- One training ------------------------------------------------------------------------------------------------


def optimizer_of(run: Run, model: Sorter) -> optim.Optimizer:
    """torch's own, which are faster than those in course_utils/training, and equal to them."""
    if run.optimizer == "sgd":
        return optim.SGD(model.parameters(), lr=run.rate, momentum=0.9)
    if run.optimizer == "radam":
        return optim.RAdam(model.parameters(), lr=run.rate, foreach=True)
    return optim.Adam(model.parameters(), lr=run.rate, fused=True)


def rate_of(run: Run, step: int) -> float:
    """The rate of an update, counted from 1."""
    if step <= run.wait:
        return 0.0
    if run.wait:
        rate = linear_rate(step - run.wait, run.rate, round(run.warmup * run.wait), run.steps - run.wait + 1)
        anew = (1 - 0.9**step) / (1 - 0.9 ** (step - run.wait))
        return rate * anew if run.optimizer == V_ALONE_ANEW else rate
    if run.optimizer == TIMES_R:
        return linear_rate(step, run.rate, 0, run.steps + 1) * (rectification(step, 0.999) or 0.0)
    warmup = round(run.warmup * run.steps)
    if step > warmup and not run.decay:
        return run.rate
    return linear_rate(step, run.rate, warmup, run.steps + 1)


def carried_out(
    run: Run, *, batches: int, after_step: Callable[[Sorter, optim.Optimizer, Step], None]
) -> Sorter | None:
    """Train a model; None where the loss or a gradient was no finite number any more. `batches` is their seed."""
    model = Sorter(
        STACKS[run.norm],
        depth=run.depth,
        width=run.width,
        start_std=run.start_std,
        generator=seeded(run.seed, 0),
    )
    speed_up(model)
    optimizer = optimizer_of(run, model)
    try:
        train(
            model,
            lambda number: random_rows(BATCH_SIZE, generator=seeded(batches, 1, number)),
            optimizer,
            learning_rate=lambda step: rate_of(run, step),
            steps=run.steps,
            clip=run.clip,
            loss=sorting_loss,
            after_step=lambda step: after_step(model, optimizer, step),
        )
    except FloatingPointError:
        return None
    return model


def learned(run: Run) -> dict[str, Any]:
    """What one training came to.

    Returns:
        loss and right, the share of right places, on rows held out, None where it blew up; curve, the mean loss of each
        twentieth of the updates that were made.
    """
    losses: list[float] = []

    def note(model: Sorter, optimizer: optim.Optimizer, step: Step) -> None:
        losses.append(sorting_loss(step.output, step.batch).item())
        if step.done == run.wait and run.optimizer != "adam":
            for state in optimizer.state.values():
                state["exp_avg"].zero_()

    model = carried_out(run, batches=run.seed, after_step=note)
    each = max(1, run.steps // CURVE)
    curve = [statistics.fmean(losses[at : at + each]) for at in range(0, len(losses), each)]
    found: dict[str, Any] = {"loss": None, "right": None, "curve": [round(loss, 3) for loss in curve]}
    if model is not None:
        batch = random_rows(HELD_OUT, generator=seeded(-1))
        with torch.no_grad():
            logits = model.eval()(batch.input_ids)  # (HELD_OUT, T, NUMBERS)
        right = (logits.argmax(-1) == batch.targets).float().mean()
        found |= {"loss": round(sorting_loss(logits, batch).item(), 4), "right": round(right.item(), 4)}
    return found


def adaptive_steps(run: Run) -> dict[str, Any]:
    """log_variance: of ln(1/√v̂_t) over RUNS trainings that start alike and see other batches, at each t.

    It is the mean over every EVERY-th weight of the encoder's matrices. How large a weight's gradients are does not
    count; were they independent draws of N(0, s²), it would be ψ₁(t/2)/4 as long as β₂ᵗ ≈ 1.
    """
    seen = []
    for number in range(RUNS):
        watched: list[Tensor] = []
        model = carried_out(
            run, batches=number, after_step=lambda *given, watched=watched: watched.append(squares(*given))
        )
        if model is None:
            raise ValueError(f"a run at the rate {run.rate} blew up: a smaller one is wanted")
        seen.append(torch.stack(watched))
    scales = 1 / torch.stack(seen).clamp(min=1e-30).sqrt()  # (RUNS, t, weights)
    return {"log_variance": _rounded(scales.log().var(0).mean(-1))}


def squares(model: Sorter, optimizer: optim.Optimizer, step: Step) -> Tensor:
    """v̂ of the weights that are watched: float (weights,)."""
    matrices = [weight for weight in model.encoder.parameters() if weight.dim() == 2]
    averages = torch.cat([optimizer.state[weight]["exp_avg_sq"].flatten() for weight in matrices])[::EVERY]
    return averages / (1 - optimizer.param_groups[0]["betas"][1] ** step.done)


def _rounded(values: Tensor) -> list[float]:
    return [float(f"{value:.4g}") for value in values.tolist()]


# --- The file and the command ------------------------------------------------------------------------------------

FIELDS = [field.name for field in fields(Run)]


def settings() -> dict[str, Any]:
    """What all trainings have in common."""
    return {
        "task": "sort",
        "numbers": NUMBERS,
        "length": LENGTH,
        "batch_size": BATCH_SIZE,
        "held_out": HELD_OUT,
        "adaptive_runs": RUNS,
        "adaptive_every": EVERY,
        "loss_without_attention": round(loss_without_attention(), 4),
    }


def plan_of(row: dict[str, Any]) -> dict[str, Any]:
    """What was planned, of a training that is stored."""
    return {name: row[name] for name in FIELDS}


def made(run: Run) -> dict[str, Any]:
    """A training, or the RUNS of them that are one measurement, as the file has it."""
    return asdict(run) | (adaptive_steps(run) if run.part == "adaptive" else learned(run))


def table(rows: Sequence[dict[str, Any]], part: str) -> list[list[str]]:
    """A row for each setting of a part: what differs, the loss over the seeds, and how many learned anything."""
    found = {Run(**plan_of(row)): row for row in rows if row["part"] == part}
    runs = sorted(found)
    differs = [name for name in FIELDS if name != "seed" and len({getattr(run, name) for run in runs}) > 1]
    told = [[*differs, "loss", "lowest … highest", "learned"]]
    for _, group in groupby(runs, key=lambda run: replace(run, seed=0)):
        group = list(group)
        losses = [found[run]["loss"] for run in group]
        finite = [loss for loss in losses if loss is not None]
        mean = ["–", "–"]  # all blew up
        if finite:
            mean = [f"{statistics.fmean(finite):.2f}", f"{min(finite):.2f} … {max(finite):.2f}"]
        right = sum(loss < loss_without_attention() for loss in finite)
        setting = [_told(getattr(group[0], name)) for name in differs]
        told.append([*setting, *mean, f"{right} of {len(losses)}"])
    return told


def _told(value: Any) -> str:
    return str(value) if isinstance(value, str | bool) else "none" if value == UNCLIPPED else f"{value:g}"


def main(command_line: Sequence[str] | None = None) -> int:
    parser = parser_of("dynamics", __doc__, out=OUT, only=PARTS, seeds=5)
    parser.add_argument("--steps", type=count, help="updates of each (200, adaptive 100): to try it out")
    return run_command(parser, command_line, _work)


def _work(chosen: Any) -> None:
    plan = [run for part in chosen.only for run in planned(part, chosen.seeds)]
    if chosen.steps is not None:
        plan = [replace(run, steps=chosen.steps) for run in plan]
    store = Store(chosen.out, command="python -m experiments.dynamics", key=plan_of, settings=settings())
    if not chosen.table:
        torch.set_num_threads(1)  # so small a model gains nothing from a second core
        carry_on(
            store,
            plan,
            key=asdict,
            make=made,
            tell=lambda row: " ".join([*map(_told, plan_of(row).values()), str(row.get("loss", ""))]),
        )
    print(f"least loss without attention {loss_without_attention():.3f}, of a guess {math.log(NUMBERS):.3f}")
    rows = list(store.runs.values())
    for part in chosen.only:
        if part != "adaptive" and any(row["part"] == part for row in rows):
            print(f"\n{part}\n{aligned(table(rows, part))}")


if __name__ == "__main__":
    sys.exit(main())
