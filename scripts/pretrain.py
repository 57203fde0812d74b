"""Pre-train a small BERT: text in, a model folder out.

    python -m scripts.pretrain --out runs/first --steps 2000

Kill it at any moment and give the same command again: it goes on from its last checkpoint, and in one process with
the same number of threads ends with the same weights, bit for bit, as a run that was never stopped.

Several processes, on one host or many, share each batch:

    torchrun --nproc-per-node 2 -m scripts.pretrain --out runs/two --steps 2000 --threads 1

On several hosts `--out` must be a folder that all of them share. It must be empty or hold an earlier start of the same
run: a folder with anything else in it is refused and left as it is.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from course_utils.support.commands import add_debug, carry_out
from course_utils.training.device import available_device
from course_utils.training.processes import local_rank, process_group
from course_utils.training.run import run
from course_utils.training.settings import HELP, PRECISIONS, Settings


def _arguments(command_line: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.pretrain",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--checkpoint-every", type=int, default=500, help="updates (500)")
    parser.add_argument("--log-every", type=int, default=50, help="updates (50)")
    parser.add_argument(
        "--device",
        default="cpu",
        help="where it is computed: cpu, cuda, cuda:N or mps; under torchrun, cuda gives each process a GPU of its "
        "own. A run may go on on another device; what follows is then rounded otherwise and drops out other units, "
        "so that it no longer ends the same bit for bit (cpu)",
    )
    parser.add_argument(
        "--stop-after", type=int, help="end after so many of the steps, the rate not yet at 0"
    )
    add_debug(parser)
    for field in fields(Settings):
        kind: dict[str, Any] = {"type": type(field.default)}
        if isinstance(field.default, bool):
            kind = {"action": argparse.BooleanOptionalAction}
        elif field.name == "precision":
            kind = {"choices": PRECISIONS}
        option = "--" + field.name.replace("_", "-")
        shown = "" if isinstance(field.default, bool) else f" ({field.default})"
        parser.add_argument(option, default=field.default, help=HELP[field.name] + shown, **kind)
    return parser.parse_args(command_line)


def main(command_line: list[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 after an error, 130 after Ctrl-C."""
    chosen = _arguments(command_line)
    return carry_out(
        "pretrain",
        lambda: _pretrain(chosen),
        debug=chosen.debug,
        stopped="stopped; the same command goes on from the last checkpoint",
    )


def _pretrain(chosen: argparse.Namespace) -> None:
    settings = Settings(**{field.name: getattr(chosen, field.name) for field in fields(Settings)})
    device = available_device(chosen.device, local_rank=local_rank())
    with process_group(device):
        run(
            settings,
            chosen.out,
            device=device,
            checkpoint_every=chosen.checkpoint_every,
            log_every=chosen.log_every,
            stop_after=chosen.stop_after,
        )
    if os.environ.get("RANK", "0") == "0":
        print(f"{chosen.out / 'model'}: done")


if __name__ == "__main__":
    sys.exit(main())
