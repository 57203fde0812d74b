"""Four ways to translate dates, at an equal number of updates; becomes data/translations.json (notebook 07).

    python experiments/translations.py                                     every run, about half an hour on one core
    python experiments/translations.py --only gru,transformer --seeds 2
    python experiments/translations.py --table                             what is stored so far, as a table
    python experiments/translations.py --recipes --out runs/recipes.json   recipes of the one trained live

A GRU that passes on one vector, a GRU with additive attention, convolutions and the Transformer, of nearly as many
parameters. A seed gives all of them the same pairs in the same batches; none is read twice, and none is held out.
Each is trained with every rate of RATES. The rate that gets most of the validation pairs right, over all seeds, is
reported, on the test pairs: by length of the source, with the 95 % interval of a share (Wilson). All seeds are asked
the same pairs, so that their sum holds more answers than different sentences.

What a model costs is counted and measured: steps that must wait for one another, bytes that an update keeps, and the
time of an update, as a ratio to the Transformer's on the machine that the command ran on.

Each run is stored when it ends; the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_utils.before.costs import longest_chain, saved_bytes  # noqa: E402
from course_utils.contextual.evaluation import wilson_interval  # noqa: E402
from course_utils.datasets.date_tokens import EOS  # noqa: E402
from course_utils.support.commands import add_debug, carry_out  # noqa: E402
from course_utils.support.files import write_atomically  # noqa: E402
from course_utils.support.foreign_json import read_object  # noqa: E402
from course_utils.support.given import shown, whole_number  # noqa: E402
from course_utils.support.text_width import aligned  # noqa: E402
from course_utils.training.device import available_device  # noqa: E402
from course_utils.training.settings import MOST_THREADS  # noqa: E402
from experiments.translation_runs import (  # noqa: E402
    KINDS,
    VALIDATION,
    Plan,
    batch_of,
    loss_of,
    new_model,
    one_run,
    training_batches,
)

DATA = ROOT / "data" / "translations.json"
RATES = (1e-3, 3e-3)
LENGTHS = (8, 16, 32, 64, 128, 256)  # of both sides, at which costs are measured
GROUPS = ((6, 8), (9, 11), (12, 14), (15, 17), (18, 19))  # tokens of the source
ALL = (GROUPS[0][0], GROUPS[-1][1])
TIMED = 9  # updates of each model, in turn

LIVE = Plan("transformer", KINDS["transformer"].sizes, peak_rate=3e-3)
WIDE = {"hidden_size": 96, "num_heads": 4, "num_layers": 2, "intermediate_size": 384}
WIDER = {"hidden_size": 128, "num_heads": 4, "num_layers": 2, "intermediate_size": 512}
ONE_LAYER = {"hidden_size": 64, "num_heads": 4, "num_layers": 1, "intermediate_size": 256}
SLIM = {"hidden_size": 64, "num_heads": 4, "num_layers": 2, "intermediate_size": 128}


def recipes() -> list[Plan]:
    """LIVE, and what differs from it in one thing, with about as much work."""
    changes: list[dict[str, Any]] = [
        *({"peak_rate": rate} for rate in (1e-3, 2e-3, 3e-3, 5e-3)),
        *({"batch_size": 16, "updates": 1700, "peak_rate": rate} for rate in (2e-3, 3e-3)),
        {"batch_size": 64, "updates": 600},
        *({"updates": updates} for updates in (800, 1200)),
        *({"warmup": warmup} for warmup in (30, 300)),
        *({"smoothing": smoothing} for smoothing in (0.0, 0.05)),
        {"dropout": 0.1},
        {"sizes": WIDE, "updates": 700, "peak_rate": 2e-3},
        {"sizes": WIDER, "updates": 500, "peak_rate": 2e-3},
        {"sizes": ONE_LAYER, "updates": 1700},
        {"sizes": SLIM, "updates": 1200},
    ]
    return [Plan(**asdict(LIVE) | change) for change in changes]


def chosen_rate(runs: Sequence[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The runs of a kind with the rate that has most validation pairs right, per seed; by seed."""
    here = [run for run in runs if run["plan"]["kind"] == kind]
    by_rate: dict[float, list[dict[str, Any]]] = {}
    for run in here:
        by_rate.setdefault(run["plan"]["peak_rate"], []).append(run)
    if not by_rate:
        return []
    best = max(by_rate.values(), key=lambda some: statistics.mean(run["validation"] for run in some))
    return sorted(best, key=lambda run: run["seed"])


def by_groups(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Exact matches of all seeds together, by length of the source, with their intervals; the last row is all."""
    rows = []
    for first, last in (*GROUPS, ALL):
        counts = [
            count for run in runs for length, count in run["test"].items() if first <= int(length) <= last
        ]
        good, number = sum(count[0] for count in counts), sum(count[1] for count in counts)
        if number:
            low, high = wilson_interval(good, number)
            row = {"tokens": [first, last], "right": good, "number": number}
            rows.append(row | {"low": round(max(0.0, low), 4), "high": round(min(1.0, high), 4)})
    return rows


def report(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What notebook 07 shows of the runs."""
    found = {}
    for kind in KINDS:
        if best := chosen_rate(runs, kind):
            found[kind] = {
                "peak_rate": best[0]["plan"]["peak_rate"],
                "seeds": [run["seed"] for run in best],
                "parameters": best[0]["parameters"],
                "exact": by_groups(best),
            }
    return found


def costs() -> dict[str, Any]:
    """Of each kind: steps by formula, the longest chain of operations and the bytes kept, for one pair by length."""
    found = {}
    for name, kind in KINDS.items():
        longer = {"max_length": LENGTHS[-1]} if "max_length" in kind.sizes else {}
        model = new_model(Plan(name, kind.sizes | longer), seed=0)
        row: dict[str, Any] = {
            "formula": kind.formula,
            "why": kind.why,
            "steps": {},
            "chain": {},
            "bytes": {},
        }
        for length in LENGTHS:
            ids = torch.full((1, length), EOS + 2)
            row["steps"][str(length)] = kind.steps(length, length)
            row["chain"][str(length)] = longest_chain(model(ids, ids))
            row["bytes"][str(length)] = saved_bytes(model, ids, ids)
        found[name] = row
    return found


def times(device: torch.device, batch_size: int) -> dict[str, float]:
    """The time of an update as a ratio to the Transformer's: medians of updates that the models make in turn."""
    batches = training_batches(0, TIMED + 2, batch_size)
    models = {name: new_model(Plan(name, kind.sizes), seed=0).to(device) for name, kind in KINDS.items()}
    optimizers = {name: torch.optim.Adam(model.parameters(), fused=True) for name, model in models.items()}
    taken: dict[str, list[float]] = {name: [] for name in KINDS}
    for pairs in batches:
        batch = batch_of(pairs)
        for name, model in models.items():
            begin = time.perf_counter()
            loss = loss_of(model(*(ids.to(device) for ids in batch.inputs().values())), batch, 0.1)
            optimizers[name].zero_grad()
            loss.backward()
            optimizers[name].step()
            next(model.parameters()).detach().sum().item()  # the device has ended
            taken[name].append(time.perf_counter() - begin)
    # The first two warm up.
    medians = {name: statistics.median(seconds[2:]) for name, seconds in taken.items()}
    return {name: round(median / medians["transformer"], 2) for name, median in medians.items()}


def table(data: dict[str, Any]) -> list[list[str]]:
    """A row for each kind: how many are right, by length, and what it costs."""
    rows = [["", "parameters", "rate", *(f"{a}–{b}" for a, b in GROUPS), "all", "chain", "kB", "time"]]
    for kind, found in data["report"].items():
        exact = {tuple(row["tokens"]): f"{100 * row['right'] / row['number']:.1f}" for row in found["exact"]}
        shares = [exact.get(group, "–") for group in (*GROUPS, ALL)]
        cost = data.get("costs", {}).get(kind)
        kept = [str(cost["chain"]["64"]), f"{cost['bytes']['64'] / 1000:.0f}"] if cost else ["–", "–"]
        ratio = f"{data['times'][kind]:.2f}" if kind in data.get("times", {}) else "–"
        rows.append([kind, f"{found['parameters']:,}", f"{found['peak_rate']:g}", *shares, *kept, ratio])
    return rows


# --- The command


def main(command_line: Sequence[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 after an error, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python experiments/translations.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=DATA, help="the file (data/translations.json)")
    parser.add_argument("--only", default=",".join(KINDS), help="kinds of models, joined by commas (all)")
    parser.add_argument("--seeds", type=int, default=5, help="runs of each plan (5)")
    parser.add_argument("--updates", type=int, default=LIVE.updates, help=f"of each run ({LIVE.updates})")
    parser.add_argument("--asked", type=int, default=1000, help="test pairs (1000)")
    parser.add_argument("--threads", type=int, default=1, help="cores (1)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:N or mps (cpu)")
    parser.add_argument("--recipes", action="store_true", help="compare recipes of the Transformer instead")
    parser.add_argument("--table", action="store_true", help="only print what is stored")
    add_debug(parser)
    chosen = parser.parse_args(command_line)
    return carry_out(
        "translations",
        lambda: _work(chosen),
        debug=chosen.debug,
        stopped="stopped; the same command goes on with the next run",
    )


def _work(chosen: argparse.Namespace) -> None:
    updates, asked = whole_number("updates", chosen.updates), whole_number("asked", chosen.asked, most=10**5)
    seeds = whole_number("seeds", chosen.seeds)
    torch.set_num_threads(whole_number("threads", chosen.threads, most=MOST_THREADS))
    device = available_device(chosen.device)
    if chosen.recipes and chosen.out == DATA:
        raise ValueError(f"--recipes must be stored elsewhere than in {DATA.name}: give --out")
    compared = _comparison(chosen.only, updates)  # refuses an unknown kind, whatever is asked for
    plans = recipes() if chosen.recipes else compared
    settings = {"asked": asked, "validation": VALIDATION, "recipes": chosen.recipes}
    if not chosen.recipes:
        sizes = {name: kind.sizes for name, kind in KINDS.items()}
        settings |= {"updates": updates, "rates": list(RATES), "sizes": sizes}
    data = _stored(chosen.out, settings)
    if not chosen.table:
        for seed in range(seeds):
            for plan in plans:
                _add_run(data, plan, seed, device, chosen)
        if not chosen.recipes:
            data |= {"costs": costs(), "times": times(device, LIVE.batch_size), "device": device.type}
            _keep(chosen.out, data)
    print(aligned(_recipe_table(data) if chosen.recipes else table(data)))


def _comparison(only: str, updates: int) -> list[Plan]:
    names = only.split(",")
    if unknown := [name for name in names if name not in KINDS]:
        raise ValueError(f"no kind {shown(unknown[0])}; there are {', '.join(KINDS)}")
    warmup = min(LIVE.warmup, updates // 10)
    sizes = {name: KINDS[name].sizes for name in names}
    return [
        Plan(name, sizes[name], peak_rate=rate, updates=updates, warmup=warmup)
        for name in sizes
        for rate in RATES
    ]


def _add_run(
    data: dict[str, Any], plan: Plan, seed: int, device: torch.device, chosen: argparse.Namespace
) -> None:
    """Make a run that is not stored yet, and store it."""
    if any(run["plan"] == asdict(plan) and run["seed"] == seed for run in data["runs"]):
        return
    run, seconds = one_run(plan, seed, device, chosen.asked)
    if chosen.recipes:
        run["seconds"] = round(seconds, 1)
    data["runs"].append(run)
    data["report"] = {} if chosen.recipes else report(data["runs"])
    _keep(chosen.out, data)
    share = f"{run['validation']}/{VALIDATION}"
    print(f"{plan.kind} {plan.peak_rate:g} seed {seed}: {share} in {seconds:.0f} s", flush=True)


def _recipe_table(data: dict[str, Any]) -> list[list[str]]:
    """A row for each recipe: what differs from LIVE, right on validation by seed, seconds by seed."""
    rows = [["recipe", "right on validation", "seconds"]]
    for plan in map(asdict, recipes()):
        here = [run for run in data["runs"] if run["plan"] == plan]
        changed = {key: value for key, value in plan.items() if value != asdict(LIVE)[key]}
        name = ", ".join(f"{key} {value}" for key, value in changed.items()) or "LIVE"
        shares = " ".join(f"{run['validation'] / VALIDATION:.3f}" for run in here)
        rows.append([name, shares, " ".join(f"{run['seconds']:.0f}" for run in here)])
    return rows


def _stored(path: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """What an earlier command with the same settings stored; ValueError if the settings were others."""
    if not path.exists():
        return {
            "command": "python experiments/translations.py",
            "settings": settings,
            "report": {},
            "runs": [],
        }
    data = read_object(path)
    try:
        stored, known = data["settings"], [(run["plan"], run["seed"]) for run in data["runs"]]
        wrong = not (isinstance(stored, dict) and all(isinstance(seed, int) for _, seed in known))
    except (TypeError, KeyError):
        wrong = True
    if wrong:
        raise ValueError(f"{path} must hold runs of this command, and does not: give another --out")
    if stored != settings:
        others = ", ".join(sorted(name for name in settings if stored.get(name) != settings[name]))
        raise ValueError(f"{path} was made with other settings ({others}): give another --out")
    return data


def _keep(path: Path, data: dict[str, Any]) -> None:
    """All of it, one run a line."""
    parts = [
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in data.items()
        if key != "runs"
    ]
    runs = ",\n".join(json.dumps(run) for run in data["runs"])
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "{" + ",\n".join(parts) + f',\n"runs": [\n{runs}\n]}}\n')


if __name__ == "__main__":
    sys.exit(main())
