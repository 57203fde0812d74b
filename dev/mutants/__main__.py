"""Are deliberate faults noticed?

    python -m dev.mutants                     all faults of dev/mutants.toml
    python -m dev.mutants no-scale clip-after-the-step      these
    python -m dev.mutants --random 100 [--seed 3] [--inside PATH | --outside PATH]
                                              100 faults drawn from the syntax trees of the course, others each time

Each is judged by those tests of `make test` that import what it stands in. Exit status: 0 when every fault is noticed,
1 when one is not, 2 when the list does not fit the code or the tests already fail without any fault.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence

from dev.mutants.faults import Fault, Unfit, load
from dev.mutants.judging import Outcome, judge, shares
from dev.mutants.random_faults import draw


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the chosen faults, print a row for each and the share of each room, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", help="ids of faults (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default 2)")
    parser.add_argument("--random", type=int, metavar="N", help="N random faults instead of the list")
    parser.add_argument("--seed", type=int, help="of the random faults (default: a new one)")
    parser.add_argument("--inside", default="", metavar="PATH", help="as course_utils/viz")
    parser.add_argument("--outside", default="", metavar="PATH", help="everything but this")
    options = parser.parse_args(arguments)
    start, outcomes = time.monotonic(), []
    try:
        for outcome in judge(chosen(options), jobs=options.jobs):
            outcomes.append(outcome)
            print(told(outcome), flush=True)
    except (Unfit, ValueError) as error:
        print(f"✗ {error}")
        return 2
    lost = sum(not outcome.noticed for outcome in outcomes)
    print("\n" + "\n".join(shares(outcomes)))
    print(f"{'✗' if lost else '✓'} {lost} of {len(outcomes)} survived ({time.monotonic() - start:.0f} s)")
    return 1 if lost else 0


def chosen(options: argparse.Namespace) -> list[Fault]:
    """The faults that the command line asks for."""
    if options.random is not None:
        seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
        print(f"seed {seed}", flush=True)
        return draw(options.random, seed, inside=options.inside, outside=options.outside)
    faults = {fault.name: fault for fault in load()}
    if unknown := set(options.ids) - set(faults):
        raise ValueError(f"no such fault: {', '.join(sorted(unknown))}")
    return [faults[name] for name in options.ids or faults]


def told(outcome: Outcome) -> str:
    """What became of a fault: where it stands and what changes."""
    fault = outcome.fault
    word = "noticed" if outcome.noticed else "SURVIVED"
    return f"{word:9} {fault.file}:{fault.line} {fault.name}\n    - {fault.before}\n    + {fault.after}"


if __name__ == "__main__":
    raise SystemExit(main())
