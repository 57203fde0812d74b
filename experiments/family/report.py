"""What the runs come to: means with their 95 % intervals over seeds, and differences paired by seed.

A difference is decided where 0 lies outside of its interval, undecided where not, and with fewer than three seeds. Of a
hundred differences that are none, five are decided so: one by itself, just outside of its interval, says little.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from course_utils.tasks.summaries import Estimate, estimate
from experiments.family.running import NEARLY, name_of
from experiments.family.tasks import best_rate
from experiments.runs import Run, Store

LEAST_SEEDS = 3
# Losses are better when they are smaller, everything else when it is larger.
LOSSES = ("masked_loss_sentences", "masked_loss_full")
# Member, and what it is held against: they differ in what is said.
FAMILY = (
    ("no_next", "bert", "no next sentence"),
    ("full", "no_next", "full rows instead of pairs"),
    ("plain", "no_next", "single sentences instead of pairs"),
    ("large_batch", "bert", "twice the batch"),
    ("roberta", "full", "twice the batch, on full rows"),
    ("roberta", "bert", "all of RoBERTa's that is here"),
    ("dynamic_tenth", "static_tenth", "masks drawn anew, text read many times"),
    ("bert", "dynamic_tenth", "ten times the text"),
    ("albert", "bert", "ALBERT"),
    ("electra", "plain", "ELECTRA"),
    ("spanbert", "full", "SpanBERT"),
    ("distil", "plain", "DistilBERT"),
    ("teacher", "plain", "twice the layers"),
    ("bert", "from_scratch", "pre-training"),
    ("plain", "from_scratch", "pre-training"),
    ("electra", "from_scratch", "pre-training"),
)
SENSES = (
    ("left_to_right", "untrained_left_to_right"),
    ("shallow", "untrained_shallow"),
    ("shallow_blocks", "untrained_shallow_blocks"),
    ("deep", "untrained"),
    ("deep", "shallow"),
    ("deep", "shallow_blocks"),
)
REVIEWS = (
    ("left_to_right", "static"),
    ("shallow", "left_to_right"),
    ("deep", "left_to_right"),
    ("deep", "from_scratch"),
)
DOMAIN = (("domain", "base"), ("domain", "longer"), ("domain", "reviews"))

Values = dict[int, float]  # seed -> value


def report(store: Store, budget: int | None = None) -> dict[str, Any]:
    """Everything that the notebooks show of the runs that are stored."""
    found: dict[str, Any] = {"budget": budget, "family": _family(store, budget)}
    found["senses"] = _senses(store)
    found |= {part: _labelled(store, part) for part in ("reviews", "ulmfit")}
    found["domain"] = _domain(store)
    found["gains"] = list(_gains(store, budget))
    return found


def of(store: Store, part: str) -> list[Run]:
    """The runs of a part, in the order of their names."""
    found = [run for run in store.runs.values() if run["plan"]["part"] == part]
    return sorted(found, key=lambda run: name_of(run["plan"]))


def told(values: Values) -> list[float | None]:
    """[mean, half of the interval]; of one seed the second is None."""
    one = estimate(list(values.values()))
    return [round(one.mean, 4), None if math.isinf(one.half) else round(one.half, 4)]


def paired(ours: Values, theirs: Values) -> Estimate | None:
    shared = sorted(ours.keys() & theirs.keys())
    return estimate([ours[seed] - theirs[seed] for seed in shared]) if shared else None


def chosen(rates: Mapping[str, Mapping[str, float]]) -> float:
    """The test score at the rate that validation chose."""
    return rates[f"{best_rate(rates):g}"]["test"]


def point_of(run: Run, point: str, budget: int | None) -> dict[str, float] | None:
    """A run's line at a point; at equal FLOPs its last one, where it never spends the budget. None: there is none."""
    if point in run["points"]:
        return run["points"][point]
    last = run["points"]["updates"]
    return last if budget is None or last["flops"] <= budget / NEARLY else None


def family_values(store: Store, member: str, measure: str, point: str, budget: int | None) -> Values:
    """Seed -> a measure of a member, at a point."""
    runs = {run["plan"]["seed"]: run for run in of(store, "family") if run["plan"]["member"] == member}
    if measure in LOSSES:
        lines = {seed: point_of(run, point, budget) for seed, run in runs.items()}
        return {seed: line[measure] for seed, line in lines.items() if line and measure in line}
    found = {}
    for run in of(store, "tasks"):
        plan = run["plan"]
        if (plan["member"], plan["task"]) != (member, measure):
            continue
        seed = plan["seed"]
        here = runs.get(seed)
        at = point if here is None or point in here["points"] else "updates"
        there = here is None or point_of(here, point, budget) is not None
        if there and plan["point"] == ("updates" if here is None else at):
            found[seed] = chosen(run["rates"])
    return found


MEASURES = (*LOSSES, "dialect", "parts_of_speech")


def _family(store: Store, budget: int | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    members = dict.fromkeys(run["plan"]["member"] for part in ("family", "tasks") for run in of(store, part))
    for member in members:
        runs = [run for run in of(store, "family") if run["plan"]["member"] == member]
        row: dict[str, Any] = {"seeds": sorted(run["plan"]["seed"] for run in runs)}
        row["parameters"] = runs[0]["parameters"] if runs else None
        for point in ("updates", "flops"):
            lines = [line for run in runs if (line := point_of(run, point, budget))]
            cells = {"update": _mean(lines, "update"), "flops": _mean(lines, "flops")} if lines else {}
            for measure in MEASURES:
                if values := family_values(store, member, measure, point, budget):
                    cells[measure] = told(values)
            row[point] = cells
        found[member] = row
    return found


def _mean(lines: list[dict[str, float]], name: str) -> int:
    return round(sum(line[name] for line in lines) / len(lines))


def sense_values(store: Store, member: str) -> Values:
    runs = [run for run in of(store, "senses") if run["plan"]["member"] == member]
    return {run["plan"]["seed"]: run["mean"] for run in runs if "mean" in run}


def _senses(store: Store) -> dict[str, Any]:
    found: dict[str, Values] = {}
    for run in of(store, "senses"):
        member, seed = run["plan"]["member"], run["plan"]["seed"]
        if "mean" in run:
            found.setdefault(member, {})[seed] = run["mean"]
        for name in ("neighbours", "same_examples"):
            if name in run:
                found.setdefault(f"{member}:{name}", {})[seed] = run[name]["mean"]
    return {name: {"mean": told(values)} for name, values in found.items()}


def label_values(store: Store, part: str, member: str, labels: int) -> Values:
    return {
        run["plan"]["seed"]: chosen(run["rates"])
        for run in of(store, part)
        if (run["plan"]["member"], run["plan"]["labels"]) == (member, labels)
    }


def _labels(store: Store, part: str) -> list[int]:
    return sorted({run["plan"]["labels"] for run in of(store, part)})


def _labelled(store: Store, part: str) -> dict[str, Any]:
    members = dict.fromkeys(run["plan"]["member"] for run in of(store, part))
    return {
        member: {
            str(labels): told(values)
            for labels in _labels(store, part)
            if (values := label_values(store, part, member, labels))
        }
        for member in members
    }


DOMAIN_MEASURES = ("masked_loss", "review_masked_loss", "reviews", "dialect")


def domain_values(store: Store, member: str, measure: str) -> Values:
    found = {}
    for run in of(store, "domain"):
        if run["plan"]["member"] == member:
            value = run["log"][-1][measure] if measure.endswith("loss") else chosen(run[measure])
            found[run["plan"]["seed"]] = value
    return found


def _domain(store: Store) -> dict[str, Any]:
    members = dict.fromkeys(run["plan"]["member"] for run in of(store, "domain"))
    return {
        member: {measure: told(domain_values(store, member, measure)) for measure in DOMAIN_MEASURES}
        for member in members
    }


def _gains(store: Store, budget: int | None) -> Iterable[dict[str, Any]]:
    """Each difference, its interval, and whether it is decided."""
    for member, control, what in FAMILY:
        for point in ("updates", "flops"):
            for measure in MEASURES:
                pair = [family_values(store, one, measure, point, budget) for one in (member, control)]
                told = {"part": "family", "what": what, "member": member, "control": control}
                yield from _gain(pair, **told, point=point, measure=measure)
    for member, control in SENSES:
        pair = [sense_values(store, one) for one in (member, control)]
        yield from _gain(pair, part="senses", member=member, control=control, measure="senses")
    for member, control in REVIEWS:
        for labels in _labels(store, "reviews"):
            pair = [label_values(store, "reviews", one, labels) for one in (member, control)]
            told = {"part": "reviews", "member": member, "control": control, "labels": labels}
            yield from _gain(pair, **told, measure="accuracy")
    for member, control in DOMAIN:
        for measure in DOMAIN_MEASURES:
            pair = [domain_values(store, one, measure) for one in (member, control)]
            yield from _gain(pair, part="domain", member=member, control=control, measure=measure)


def _gain(pair: list[Values], **what: Any) -> Iterable[dict[str, Any]]:
    found = paired(*pair)
    if found is not None:
        half = None if math.isinf(found.half) else round(found.half, 4)
        decided = half is not None and found.seeds >= LEAST_SEEDS and abs(found.mean) > found.half
        yield {**what, "mean": round(found.mean, 4), "half": half, "seeds": found.seeds, "decided": decided}


def table(found: Mapping[str, Any]) -> list[list[str]]:
    """A row for each member of the family, and one for each difference that is decided."""
    rows = [["", "parameters", "FLOPs", *MEASURES]]
    for member, row in found["family"].items():
        for point in ("updates", "flops"):
            cells = [_cell(row[point].get(measure)) for measure in MEASURES]
            spent = f"{row[point]['flops']:.2e}" if "flops" in row[point] else "–"
            rows.append([f"{member}, equal {point}", str(row["parameters"] or "–"), spent, *cells])
    for name, row in found["senses"].items():
        rows.append([f"senses: {name}", "", "", _cell(row["mean"]), "", "", ""])
    for part in ("reviews", "ulmfit", "domain"):
        for member, cells in found[part].items():
            told_ = " ".join(f"{key}: {_cell(cell)}" for key, cell in cells.items())
            rows.append([f"{part}: {member}", "", "", told_, "", "", ""])
    return rows


def _cell(value: list[float | None] | None) -> str:
    if value is None:
        return "–"
    mean, half = value
    return f"{mean:.3f}" + ("" if half is None else f" ± {half:.3f}")
