"""The races of notebooks 18 and 19; their runs become data/family.json.

    python -m experiments.family --seeds 3                              every run
    python -m experiments.family --parts family --only bert,electra     some members of some parts
    python -m experiments.family --table                                what is stored so far

All members are small, begin with random weights, and read the same text with the same vocabulary. Documents are held
out by a fixed seed. Each run is stored when it ends, and the same command goes on where it was stopped; commands for
different members may run at once. Weights that a later run begins with are kept under --work.

    pilot     runs that chose a rate for each kind of model
    family    the members of notebook 19 (members.py): one log a run, from which equal updates and equal
              FLOPs are read (pretraining.py says how)
    tasks     two tasks of notebook 16, tuned from what each member kept at either point
    readers   the four of notebook 18 (experiments/family/readers.py), and whose vector of 배 tells its sense
    reviews   film reviews by number of labels, tuned from each of the four
    ulmfit    the same from the left-to-right model, with ULMFiT's stages and tricks switched off one at a time, and
              from one that read reviews alone
    domain    a model of general text goes on with reviews: what is learned and what is forgotten, beside one that read
              reviews alone
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from course_utils.support.commands import add_debug, carry_out
from course_utils.support.foreign_json import read_object
from course_utils.support.given import shown, whole_number
from course_utils.support.paths import DATA
from course_utils.support.text_width import aligned
from course_utils.training.device import available_device
from course_utils.training.settings import MOST_THREADS
from experiments.family.parts import PARTS
from experiments.family.race import SETTINGS, Race
from experiments.family.report import report, table
from experiments.family.running import Runs, exact, threads
from experiments.family.store import Store

ROOT = DATA.parent
OUT, WORK = DATA / "family.json", ROOT / "runs" / "family"
MOST_SEEDS = 20


def main(command_line: Sequence[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 after an error, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.family",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=OUT, help="the file (data/family.json)")
    parser.add_argument("--work", type=Path, default=WORK, help="folder for runs and weights (runs/family)")
    parser.add_argument("--parts", default=",".join(PARTS), help="parts, joined by commas (all)")
    parser.add_argument("--only", default="", help="members, joined by commas (all)")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each member (3)")
    parser.add_argument(
        "--steps", type=int, default=SETTINGS.steps, help=f"updates of each ({SETTINGS.steps})"
    )
    parser.add_argument("--threads", type=int, default=1, help="cores (1)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:N or mps (cpu)")
    parser.add_argument("--table", action="store_true", help="only print what is stored")
    add_debug(parser)
    chosen = parser.parse_args(command_line)
    return carry_out(
        "family",
        lambda: _work(chosen),
        debug=chosen.debug,
        stopped="stopped; the same command goes on with the next run",
    )


def _work(chosen: argparse.Namespace) -> None:
    seeds = whole_number("seeds", chosen.seeds, most=MOST_SEEDS)
    steps = whole_number("steps", chosen.steps, most=10**7)
    cores = whole_number("threads", chosen.threads, most=MOST_THREADS)
    parts = chosen.parts.split(",")
    if unknown := [part for part in parts if part not in PARTS]:
        raise ValueError(f"no part {shown(unknown[0])}; there are {', '.join(PARTS)}")
    device = available_device(chosen.device)
    race = Race() if steps == SETTINGS.steps else Race().with_steps(steps)
    store = Store(chosen.work, chosen.out, race.stored())
    if not chosen.table:
        only = [name for name in chosen.only.split(",") if name]
        runs = Runs(race, store, device, lambda line: print(line, flush=True))
        command = "python -m experiments.family" + (f" --steps {steps}" if steps != SETTINGS.steps else "")
        with threads(cores), exact():
            for seed in range(seeds):
                for part in parts:
                    PARTS[part](runs, seed, only)
                    store.write(command, {"unigram_loss": runs.unigram_loss, **report(store, runs.budget)})
    print(aligned(table(report(store, stored_budget(chosen.out)))))


def stored_budget(out: Path) -> int | None:
    """The budget in FLOPs of a file that was written."""
    return read_object(out).get("report", {}).get("budget") if out.exists() else None


if __name__ == "__main__":
    sys.exit(main())
