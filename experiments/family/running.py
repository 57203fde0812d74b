"""Runs one after the other: what is stored is not made again, and what a later run needs is kept as weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from course_utils.bert import BertModel
from experiments.family import later, members
from experiments.family.held import HeldOut, unigram_loss
from experiments.family.members import Ready
from experiments.family.pretraining import Racer, Trained, pre_train
from experiments.family.race import Race
from experiments.family.text import RaceText, race_text
from experiments.runs import Run, Store

# Highest rates that pilot runs chose, each member by its own loss on held-out text (part "pilot" of the file): for
# albert and shallow the highest of those tried. electra's were told last: 1e-3 is ahead of 2e-3 by a loss of 0.002.
RATES = {"albert": 4e-3, "electra": 2e-3, "left_to_right": 4e-3, "right_to_left": 4e-3, "shallow": 8e-3}
RATE = 2e-3  # of all others, which are BERTs
NEARLY = 0.95  # two numbers of updates, or of FLOPs, are one where the smaller is at least this share of the larger
MEMBERS: dict[str, Callable[..., Ready]] = {
    "bert": members.bert,
    "plain": members.plain,
    "full": members.full,
    "electra": later.electra,
    "albert": later.albert,
    "spanbert": later.spanbert,
    "roberta": members.roberta,
    "no_next": members.no_next,
    "large_batch": members.large_batch,
    "dynamic_tenth": members.dynamic_tenth,
    "static_tenth": members.static_tenth,
    "teacher": members.teacher,
    "distil": later.distil,
}


def plan_of(run: Run) -> dict[str, Any]:
    """What tells a run from others: its part, member, seed, and whatever else."""
    return run["plan"]


def name_of(plan: dict[str, Any]) -> str:
    """What the files of a run are called: its plan, in the order given."""
    return "-".join(f"{value:g}" if isinstance(value, float) else str(value) for value in plan.values())


@dataclass
class Runs:
    """Everything that a run needs; `work` is the folder of vocabulary and weights."""

    race: Race
    store: Store
    work: Path
    device: torch.device
    learned: dict[int, Any] = field(default_factory=dict)  # static vectors by seed

    @cached_property
    def text(self) -> RaceText:
        return race_text(self.race.settings, self.work / "vocab.txt")

    @cached_property
    def held(self) -> HeldOut:
        return HeldOut(self.text)

    @cached_property
    def budget(self) -> int:
        """FLOPs that bert spends on all its updates, from the mean of its first batches; three digits of it."""
        ready = members.bert(self.race, self.text, self.held, 0)
        first = [ready.racer.flops(ready.racer.batches(number)) for number in range(200)]
        return int(float(f"{sum(first) / len(first) * self.race.settings.steps:.2e}"))

    @cached_property
    def unigram_loss(self) -> float:
        """What the held-out words cost whoever knows how frequent pieces are, and nothing else."""
        return round(unigram_loss(self.text, self.held), 4)

    def ready(self, member: str, seed: int) -> Ready:
        given = (self.race, self.text, self.held, seed)
        if member == "distil":
            return later.distil(*given, taught=lambda: self.taught(seed), device=self.device)
        return MEMBERS[member](*given)

    def taught(self, seed: int) -> tuple[dict[str, Tensor], int]:
        run = self.trained("teacher", seed)
        return self.weights(run["plan"], "updates"), run["points"]["updates"]["flops"]

    def plan(self, member: str, seed: int) -> dict[str, Any]:
        rate = RATES.get(member, RATE)
        return {"part": "family", "member": member, "seed": seed, "rate": rate}

    def trained(self, member: str, seed: int) -> Run:
        """The pre-training of a member: made, or stored with its weights."""
        plan = self.plan(member, seed)
        found = self.store.get(plan)
        if found and all(self._file(plan, point).is_file() for point in found["points"]):
            return found
        ready = self.ready(member, seed)
        ready.racer.model.to(self.device)
        trained = self.pre_train(ready.racer, plan["rate"], seed, budget=self.budget)
        run = {"plan": plan, "parameters": parameters(ready.racer.model), "spent": ready.racer.spent}
        run |= {"log": trained.log, "points": {}}
        for point, line in points(trained, self.budget).items():
            key = -1 if point == "flops" and line["update"] not in trained.kept else int(line["update"])
            save_file(trained.kept[key], self._ensured(plan, point))
            ready.racer.model.load_state_dict(trained.kept[key])
            masked = ready.masked(ready.racer.model)
            asked = {} if masked is None else self.held.all(masked)
            run["points"][point] = {**line, **{name: round(value, 4) for name, value in asked.items()}}
        return self.keep(run)

    def pre_train(self, racer: Racer, rate: float, seed: int, *, budget: int | None = None) -> Trained:
        """With the updates, warm-up and looks of the race."""
        given = {"updates": self.race.settings.steps, "warmup": self.race.settings.warmup}
        return pre_train(racer, **given, rate=rate, looks=self.race.looks(), budget=budget, seed=seed)

    def encoder(self, run: Run, point: str) -> BertModel:
        plan = run["plan"]
        ready = self.ready(plan["member"], plan["seed"])
        ready.racer.model.load_state_dict(self.weights(plan, point))
        return ready.bert(ready.racer.model).eval().to(self.device)

    def weights(self, plan: dict[str, Any], point: str) -> dict[str, Tensor]:
        return load_file(self._file(plan, point))

    def has(self, plan: dict[str, Any]) -> bool:
        """Whether a run is stored, and its weights are kept."""
        return self.store.get(plan) is not None and self._file(plan, "updates").is_file()

    def pre_trained(
        self, racer: Racer, plan: dict[str, Any], steps: int | None = None
    ) -> list[dict[str, float]]:
        """Pre-train, put the running mean into the model and keep its weights; the log."""
        runs = self if steps is None else replace(self, race=self.race.with_steps(steps))
        trained = runs.pre_train(racer, plan["rate"], plan["seed"])
        racer.model.load_state_dict(trained.kept[runs.race.settings.steps])
        state = {name: value.clone() for name, value in racer.model.state_dict().items()}
        save_file(state, self._ensured(plan, "updates"))
        return trained.log

    def keep(self, run: Run, device: str | None = None) -> Run:
        """Store a run, with the kind of device that made it, and say so."""
        run = {**run, "device": device or self.device.type}
        self.store.add(run)
        print(name_of(run["plan"]), flush=True)
        return run

    def once(
        self, plan: dict[str, Any], make: Callable[[], dict[str, Any]], device: str | None = None
    ) -> Run:
        """The run of a plan: stored, or made now."""
        return self.store.get(plan) or self.keep({"plan": plan, **make()}, device)

    def _file(self, plan: dict[str, Any], point: str) -> Path:
        return self.work / "weights" / f"{name_of(plan)}-{point}.safetensors"

    def _ensured(self, plan: dict[str, Any], point: str) -> Path:
        file = self._file(plan, point)
        file.parent.mkdir(parents=True, exist_ok=True)
        return file


def points(trained: Trained, budget: int) -> dict[str, dict[str, float]]:
    """The two lines of a log that are compared: at the last update, and at the last one within the budget.

    Where a run spends the budget with its last updates, or never, both are the same one and only "updates" is told. A
    run that had spent it before its first update has no second one.
    """
    last = trained.log[-1]
    found = {"updates": last}
    if -1 in trained.kept:
        update = next(number for number, state in trained.kept.items() if state is trained.kept[-1])
        line = next(line for line in trained.log if line["update"] == update)
        if update < NEARLY * last["update"] and line["flops"] <= budget / NEARLY:
            found["flops"] = line
    return found


def parameters(model: nn.Module) -> int:
    """How many numbers are learned; shared ones once."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
