"""The parts of the command. Each makes what is not stored yet of one seed; the command goes through the parts for the
first seed, then for the second: a stopped one is of use.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor, nn

from course_utils.before import BiLM, WordVectors
from course_utils.bert import BertModel
from course_utils.training.measures import measure
from experiments.family import domain as domains
from experiments.family import reviews as film
from experiments.family import senses, tasks
from experiments.family.held import SEED
from experiments.family.later import InSpans
from experiments.family.race import ASKED
from experiments.family.readers import READERS, LanguageModel, SideBySide, Static, Unmasked, piece_vectors
from experiments.family.running import MEMBERS, Runs, parameters

# Each kind of model; other members share bert's rate.
PILOTS = {
    "bert": (1e-3, 2e-3, 4e-3),
    "albert": (1e-3, 2e-3, 4e-3),
    "electra": (1e-3, 2e-3, 4e-3),
    "left_to_right": (1e-3, 2e-3, 4e-3, 8e-3),
    "shallow": (2e-3, 4e-3, 8e-3),
}
PILOT_SEED = 100  # of no other run
# By its own loss on held-out text each pilot is judged.
OWN_LOSS = ("detection_loss", "masked_loss", "language_model_loss")
AGAIN = ("full", "spanbert")
# Tuned at equal FLOPs as well, where that is earlier; of others the loss is told.
AT_FLOPS = ("electra", "roberta")
COMPARED = ("static", "left_to_right", "shallow", "deep")  # on reviews
DOMAIN = ("base", "domain", "longer", "reviews")
# Before the name of a reader: its start values, so that it is told what training adds.
UNTRAINED = "untrained_"
PROBED = (
    *COMPARED,
    "shallow_blocks",
    "untrained",
    *(UNTRAINED + name for name in ("left_to_right", "shallow", "shallow_blocks")),
    "counting",
)
ULMFIT = ("scratch", "no_second_stage", *film.TRICKS)
# Whatever --only may name.
NAMES = tuple(dict.fromkeys((*MEMBERS, "from_scratch", *READERS, *PROBED, *ULMFIT, *DOMAIN)))


def pilot(runs: Runs, seed: int, only: Sequence[str]) -> None:
    """Runs of a seed of their own that choose a rate for each kind of model."""
    if seed:
        return
    for member, rates in PILOTS.items():
        for rate in rates:
            plan = {"part": "pilot", "member": member, "seed": PILOT_SEED, "rate": rate}
            if member in only:
                runs.once(plan, lambda: piloted(runs, member, rate))  # noqa: B023


def piloted(runs: Runs, member: str, rate: float) -> dict[str, Any]:
    """A log, and the loss by which it is judged."""
    given = (runs.race, runs.text, runs.held, PILOT_SEED)
    racer = READERS[member](*given) if member in READERS else MEMBERS[member](*given).racer
    racer.model.to(runs.device)
    log = runs.pre_train(racer, rate, PILOT_SEED).log
    own = next(name for name in OWN_LOSS if name in log[-1])
    return {"log": log, "own": [own, log[-1][own]]}


def family(runs: Runs, seed: int, only: Sequence[str]) -> None:
    for member in wanted(MEMBERS, only):
        runs.trained(member, seed)


def tuned_tasks(runs: Runs, seed: int, only: Sequence[str]) -> None:
    """Tune the two tasks from what each member kept."""
    for member in wanted(("from_scratch", *MEMBERS), only):
        points = ["updates"]
        if member in AT_FLOPS and "flops" in runs.trained(member, seed)["points"]:
            points.append("flops")
        for point in points:
            for name in tasks.RACED:
                tune(runs, member, seed, point, name)


def again(runs: Runs, seed: int, only: Sequence[str]) -> None:
    """SpanBERT and its control, asked in spans as well: as SpanBERT learned."""
    for member in wanted(AGAIN, only):
        plan = {**runs.plan(member, seed), "part": "again"}
        runs.once(plan, lambda: asked_in_spans(runs, plan))  # noqa: B023


def asked_in_spans(runs: Runs, plan: dict[str, Any]) -> dict[str, Any]:
    """The log of a run, and its held-out losses where pieces are masked one by one, and in spans."""
    ready = runs.ready(plan["member"], plan["seed"])
    ready.racer.model.to(runs.device)
    log, model = runs.pre_trained(ready.racer, plan), ready.masked(ready.racer.model)
    asked = runs.held.all(model)
    for name, rows in (("sentences", runs.held.sentences), ("full", runs.held.full)):
        spans = InSpans(rows, runs.text, SEED)
        asked[f"span_loss_{name}"] = measure(model, spans, most=ASKED)["held_out_mlm_loss"]
    return {"log": log, "asked": {name: round(value, 4) for name, value in asked.items()}}


def wanted(names: Sequence[str], only: Sequence[str]) -> list[str]:
    return [name for name in names if name in only]


def tune(runs: Runs, member: str, seed: int, point: str, name: str) -> None:
    """One task from one encoder: with every rate where it is the first seed, and with the better one where not."""
    one = tasks.TUNINGS[name]
    plan = {"part": "tasks", "member": member, "seed": seed, "point": point, "task": name}
    plan |= {"labels": one.labels, "updates": one.updates}

    def make() -> dict[str, Any]:
        bert, rates = encoder_of(runs, member, seed, point), rates_of(runs, plan, tasks.RATES)
        return {"rates": tasks.tuned(bert, name, runs.text.tokenizer, seed, rates)}

    runs.once(plan, make)


def rates_of(runs: Runs, plan: dict[str, Any], rates: Sequence[float]) -> Sequence[float]:
    """All for the first seed; for others the one that was best on validation then."""
    first = runs.store.get({**plan, "seed": 0}) if plan["seed"] else None
    return rates if first is None else (tasks.best_rate(first["rates"]),)


def encoder_of(runs: Runs, member: str, seed: int, point: str) -> BertModel:
    """A member's encoder; from_scratch has plain's start values."""
    if member == "from_scratch":
        ready = runs.ready("plain", seed)
        return copy.deepcopy(ready.bert(ready.racer.model)).to(runs.device)
    return runs.encoder(runs.trained(member, seed), point)


# --- Notebook 18


def readers(runs: Runs, seed: int, only: Sequence[str]) -> None:
    """Pre-train the language models; deep is the family's `plain`."""
    for member in wanted(tuple(READERS), only):
        reader(runs, member, seed)
    for member in wanted(PROBED, only):
        probe(runs, member, seed)


def reader(runs: Runs, member: str, seed: int) -> nn.Module:
    """A reader of notebook 18, trained now or before."""
    if member == "static":
        return Static(static_vectors(runs, seed)[1], runs.race.config)
    if member in ("deep", "untrained"):
        return encoder_of(runs, {"deep": "plain", "untrained": "from_scratch"}[member], seed, "updates")
    if member == UNTRAINED + "shallow_blocks":
        return SideBySide(
            *(reader(runs, UNTRAINED + one, seed) for one in ("left_to_right", "right_to_left"))
        )
    if member.startswith(UNTRAINED):
        start = READERS[member.removeprefix(UNTRAINED)](runs.race, runs.text, runs.held, seed)
        return start.model.eval()
    if member == "shallow_blocks":
        return SideBySide(reader(runs, "left_to_right", seed), reader(runs, "right_to_left", seed))
    plan = {**runs.plan(member, seed), "part": "readers"}
    racer = READERS[member](runs.race, runs.text, runs.held, seed)
    if not runs.has(plan):
        racer.model.to(runs.device)
        log = runs.pre_trained(racer, plan)
        runs.keep({"plan": plan, "parameters": parameters(racer.model), "log": log})
    racer.model.load_state_dict(runs.weights(plan, "updates"))
    return racer.model.eval()


def static_vectors(runs: Runs, seed: int) -> tuple[WordVectors, Tensor]:
    """Learned once for a seed; see readers.piece_vectors."""
    if seed not in runs.learned:
        runs.learned[seed] = piece_vectors(runs.race, runs.text, seed)
    return runs.learned[seed]


def probe(runs: Runs, member: str, seed: int) -> None:
    """Whose vector tells the sense."""
    if member == "counting" and seed:
        return
    tokenizer = runs.text.tokenizer

    def make() -> dict[str, Any]:
        if member == "counting":
            return senses.counted(tokenizer)
        found = senses.probed(reader(runs, member, seed).cpu(), tokenizer)
        if member == "static":
            found["neighbours"] = senses.neighbours(static_vectors(runs, seed)[0], tokenizer)
        return found

    runs.once({"part": "senses", "member": member, "seed": seed}, make, "cpu")


def tuned_reviews(runs: Runs, seed: int, only: Sequence[str]) -> None:
    """Film reviews by number of labels, all readers tuned alike; from_scratch is deep's model without pre-training."""
    for member in wanted((*COMPARED, "from_scratch"), only):
        source = "untrained" if member == "from_scratch" else member
        for labels in film.LABELS:
            review(runs, "reviews", member, seed, labels, film.PLAIN, lambda: reader(runs, source, seed))  # noqa: B023


def review(
    runs: Runs,
    part: str,
    member: str,
    seed: int,
    labels: int,
    recipe: film.Recipe,
    make_reader: Callable[[], nn.Module],
) -> None:
    plan = {"part": part, "member": member, "seed": seed, "labels": labels, "updates": film.UPDATES}

    def make() -> dict[str, Any]:
        made, found = make_reader().to(runs.device), {}
        for rate in rates_of(runs, plan, film.RATES):
            model = copy.deepcopy(made)
            size = runs.race.settings.hidden * (2 if isinstance(model, BiLM | SideBySide) else 1)
            plain = film.States(model) if isinstance(model, LanguageModel) else model
            given = {"labels": labels, "rate": rate, "recipe": recipe, "seed": seed}
            std = runs.race.settings.start_std
            found[f"{rate:g}"] = film.tuned(plain, size, runs.text.tokenizer, **given, std=std)
        return {"rates": found}

    runs.once(plan, make)


def ulmfit(runs: Runs, seed: int, only: Sequence[str]) -> None:
    """The left-to-right model: from scratch, with either stage, with both, and with each trick switched off."""
    starts: dict[str, Callable[[], nn.Module]] = {
        "scratch": lambda: READERS["left_to_right"](runs.race, runs.text, runs.held, seed).model,
        "no_second_stage": lambda: reader(runs, "left_to_right", seed),
        **dict.fromkeys(film.TRICKS, lambda: second_stage(runs, seed)),
    }
    for name in wanted(ULMFIT, only):
        recipe = film.TRICKS.get(name, film.TRICKS["all_tricks"])
        if name == "scratch":
            recipe = film.PLAIN  # tricks that keep what is there have nothing to keep
        for labels in film.LABELS:
            review(runs, "ulmfit", name, seed, labels, recipe, starts[name])


def second_stage(runs: Runs, seed: int) -> nn.Module:
    """The left-to-right model goes on with the texts of reviews, without labels, for half as many updates."""
    plan = {**runs.plan("left_to_right", seed), "part": "second_stage"}
    racer = READERS["left_to_right"](runs.race, runs.text, runs.held, seed)
    if not runs.has(plan):
        racer.model.to(runs.device)
        racer.model.load_state_dict(reader(runs, "left_to_right", seed).state_dict())
        size, steps = 2 * runs.race.settings.batch_size, runs.race.settings.steps
        racer.batches = Unmasked(
            domains.review_rows(runs.race, runs.text, "train", batch_size=size, seed=seed)
        )
        runs.keep({"plan": plan, "log": runs.pre_trained(racer, plan, steps // 2)})
    racer.model.load_state_dict(runs.weights(plan, "updates"))
    return racer.model.eval()


# --- Notebook 19, the domain


def domain(runs: Runs, seed: int, only: Sequence[str]) -> None:
    """Go on with film reviews; what is learned, and what is forgotten."""
    for name in wanted(DOMAIN, only):
        plan = {"part": "domain", "member": name, "seed": seed}
        runs.once(plan, lambda: in_domain(runs, plan, name, seed))  # noqa: B023


def in_domain(runs: Runs, plan: dict[str, Any], name: str, seed: int) -> dict[str, Any]:
    """A log, and what the model knows in the end."""
    model, log = going_on(runs, name, seed)
    found: dict[str, Any] = {"log": log}
    for task in ("reviews", "dialect"):
        rates = tasks.RATES if not seed else (first_rate(runs, plan, task),)
        found[task] = tasks.tuned(model.bert, task, runs.text.tokenizer, seed, rates)
    return found


def going_on(runs: Runs, name: str, seed: int) -> tuple[nn.Module, list[dict[str, float]]]:
    """The model of experiments/family/domain.py with that name, trained now or before, and its log."""
    ready = runs.ready("plain", seed)
    model = ready.racer.model.to(runs.device)
    on_reviews = name in ("domain", "reviews")
    racer = domains.going_on(runs.race, runs.text, runs.held, ready.racer, seed, reviews=on_reviews)
    plan = {"part": "going_on", "member": name, "seed": seed, "rate": runs.plan("plain", seed)["rate"]}
    if name != "base" and runs.has(plan):
        model.load_state_dict(runs.weights(plan, "updates"))
        return model, runs.store.get(plan)["log"]
    if name != "reviews":
        model.load_state_dict(runs.weights(runs.trained("plain", seed)["plan"], "updates"))
    log = [{"update": 0, **{key: round(value, 4) for key, value in racer.measures(model).items()}}]
    if name == "base":
        return model, log
    log += runs.pre_trained(racer, plan, runs.race.settings.steps * (2 if name == "reviews" else 1))
    return model, runs.keep({"plan": plan, "log": log})["log"]


def first_rate(runs: Runs, plan: dict[str, Any], task: str) -> float:
    first = runs.store.get({**plan, "seed": 0})
    return tasks.RATES[0] if first is None else tasks.best_rate(first[task])


PARTS: dict[str, Callable[[Runs, int, Sequence[str]], None]] = {
    "pilot": pilot,
    "family": family,
    "tasks": tuned_tasks,
    "readers": readers,
    "reviews": tuned_reviews,
    "ulmfit": ulmfit,
    "domain": domain,
    "again": again,
}
