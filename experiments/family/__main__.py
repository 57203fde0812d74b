"""The races of notebooks 18 and 19; their runs become data/family.json.

    python -m experiments.family --seeds 3                              every run
    python -m experiments.family --parts family --only bert,electra     some members of some parts
    python -m experiments.family --table                                what is stored so far

All members are small, begin with random weights, and read the same text with the same vocabulary. Documents are held
out by a fixed seed. Weights that a later run begins with are kept under --work.

    pilot     runs that chose a rate for each kind of model
    family    the members of notebook 19 (members.py): one log a run, from which equal updates and equal
              FLOPs are read (pretraining.py says how)
    tasks     two tasks of notebook 16, tuned from what each member kept at either point
    readers   the four of notebook 18 (experiments/family/readers.py), and whose vector of 배 tells its sense
    reviews   film reviews by number of labels, tuned from each of the four
    ulmfit    the same from the left-to-right model, with ULMFiT's stages and tricks switched off one at a time
    domain    a model of general text goes on with reviews: what is learned and what is forgotten, beside one that read
              reviews alone
    again     spanbert and its control once more, asked in single pieces and in spans
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from course_utils.support.text_width import aligned
from course_utils.training.device import available_device
from experiments.family.parts import NAMES, PARTS
from experiments.family.race import SETTINGS, Race
from experiments.family.report import report, table
from experiments.family.running import Runs, plan_of
from experiments.runs import ROOT, Store, count, parser_of, run_command, some_of, threads

OUT, WORK = ROOT / "data" / "family.json", ROOT / "runs" / "family"


def main(command_line: Sequence[str] | None = None) -> int:
    parser = parser_of("family", __doc__, out=OUT, only=NAMES, seeds=3)
    add = parser.add_argument
    add("--work", type=Path, default=WORK, help="folder for vocabulary and weights (runs/family)")
    add("--parts", type=some_of(list(PARTS)), default=list(PARTS), help="parts, joined by commas (all)")
    add("--steps", type=count, default=SETTINGS.steps, help=f"updates of each ({SETTINGS.steps})")
    add("--threads", type=threads, default=1, help="cores (1)")
    add("--device", default="cpu", help="cpu, cuda, cuda:N or mps (cpu)")
    return run_command(parser, command_line, _work)


def _work(chosen: Any) -> None:
    device = available_device(chosen.device)
    race = Race() if chosen.steps == SETTINGS.steps else Race().with_steps(chosen.steps)
    command = "python -m experiments.family" + (
        f" --steps {chosen.steps}" if chosen.steps != SETTINGS.steps else ""
    )
    store = Store(chosen.out, command=command, key=plan_of, settings=race.stored())
    if not chosen.table:
        runs = Runs(race, store, chosen.work, device)
        store.report = lambda store: {
            "report": {"unigram_loss": runs.unigram_loss, **report(store, runs.budget)}
        }
        torch.set_num_threads(chosen.threads)
        # float32 throughout: CUDA would multiply what an LSTM multiplies in 19 bits.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        for seed in range(chosen.seeds):
            for part in chosen.parts:
                PARTS[part](runs, seed, chosen.only)
    print(aligned(table(report(store, store.head.get("report", {}).get("budget")))))


if __name__ == "__main__":
    sys.exit(main())
