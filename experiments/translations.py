"""Four ways to translate dates, at an equal number of updates; becomes data/translations.json (notebook 07).

    python -m experiments.translations                                every run, about half an hour on one core
    python -m experiments.translations --only gru,transformer --seeds 2
    python -m experiments.translations --table                        what is stored so far, as a table

A GRU that passes on one vector, a GRU with additive attention, convolutions and the Transformer, of nearly as many
parameters. A seed gives all of them the same pairs in the same batches; none is read twice, and none is held out.
Each is trained with every rate of RATES. The rate that gets most of the validation pairs right, over all seeds, is
reported, on the test pairs, by length of the source. All seeds are asked the same pairs, so that their sum holds more
answers than different sentences.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import torch

from course_utils.support.text_width import aligned
from course_utils.training.device import available_device
from experiments.runs import ROOT, Store, carry_on, count, parser_of, run_command, threads
from experiments.translation_runs import KINDS, VALIDATION, Plan, one_run

OUT = ROOT / "data" / "translations.json"
RATES = (1e-3, 3e-3)
GROUPS = ((6, 8), (9, 11), (12, 14), (15, 17), (18, 19))  # tokens of the source
ALL = (GROUPS[0][0], GROUPS[-1][1])


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
    """Exact matches of all seeds together, by length of the source; the last row is all."""
    rows = []
    for first, last in (*GROUPS, ALL):
        counts = [
            count for run in runs for length, count in run["test"].items() if first <= int(length) <= last
        ]
        good, number = sum(count[0] for count in counts), sum(count[1] for count in counts)
        if number:
            rows.append({"tokens": [first, last], "right": good, "number": number})
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


def table(data: dict[str, Any]) -> list[list[str]]:
    """A row for each kind: how many are right, by length."""
    rows = [["", "parameters", "rate", *(f"{a}–{b}" for a, b in GROUPS), "all"]]
    for kind, found in data.get("report", {}).items():
        exact = {tuple(row["tokens"]): f"{100 * row['right'] / row['number']:.1f}" for row in found["exact"]}
        shares = [exact.get(group, "–") for group in (*GROUPS, ALL)]
        rows.append([kind, f"{found['parameters']:,}", f"{found['peak_rate']:g}", *shares])
    return rows


# --- The command


def main(command_line: Sequence[str] | None = None) -> int:
    parser = parser_of("translations", __doc__, out=OUT, only=KINDS, seeds=5)
    parser.add_argument("--updates", type=count, default=Plan.updates, help=f"of each run ({Plan.updates})")
    parser.add_argument("--asked", type=count, default=1000, help="test pairs (1000)")
    parser.add_argument("--threads", type=threads, default=1, help="cores (1)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:N or mps (cpu)")
    return run_command(parser, command_line, _work)


def _work(chosen: Any) -> None:
    device = available_device(chosen.device)
    torch.set_num_threads(chosen.threads)
    store = Store(
        chosen.out,
        command="python -m experiments.translations",
        key=lambda run: [run["plan"], run["seed"]],
        settings={
            "asked": chosen.asked,
            "validation": VALIDATION,
            "updates": chosen.updates,
            "rates": list(RATES),
            "sizes": {name: kind.sizes for name, kind in KINDS.items()},
        },
        report=lambda store: {"report": report(list(store.runs.values()))},
    )
    if not chosen.table:
        warmup = min(Plan.warmup, chosen.updates // 10)
        planned = [
            (Plan(name, KINDS[name].sizes, peak_rate=rate, updates=chosen.updates, warmup=warmup), seed)
            for seed in range(chosen.seeds)
            for name in chosen.only
            for rate in RATES
        ]
        carry_on(
            store,
            planned,
            key=lambda one: [asdict(one[0]), one[1]],
            make=lambda one: one_run(*one, device, chosen.asked),
            tell=lambda run: (
                f"{run['plan']['kind']} {run['plan']['peak_rate']:g}: {run['validation']}/{VALIDATION}"
            ),
        )
        store.head |= {"device": device.type}
        store.write()
    print(aligned(table(store.head)))


if __name__ == "__main__":
    sys.exit(main())
