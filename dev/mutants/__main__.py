"""Are deliberate faults noticed?

    python -m dev.mutants                     all faults of dev/mutants.toml, against the tests they name
    python -m dev.mutants no-scale clip-after-the-step      these
    python -m dev.mutants --random 100 [--seed 3] [--inside PATH | --outside PATH]
                                              100 faults drawn from the syntax trees of the course, others each time,
                                              against those tests of `make test` that import what they stand in

Exit status: 0 when every fault is noticed, 1 when one is not, or when the list no longer fits the code, 2 when the
checks already fail without any fault (then "noticed" would mean nothing).
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from dev.mutants.faults import Mutant, Unfit, load
from dev.mutants.judging import Verdict, healthy, judge
from dev.mutants.random_faults import Fault, draw
from dev.mutants.sampling import Outcome, judge_sample, shares


def main(arguments: Sequence[str] | None = None, *, mutants: Sequence[Mutant] | None = None) -> int:
    """Judge the chosen faults, print the table, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", help="ids of faults (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default 2)")
    parser.add_argument("--random", type=int, metavar="N", help="N random faults instead of the list")
    parser.add_argument("--seed", type=int, help="of the random faults (default: a new one)")
    parser.add_argument("--inside", default="", metavar="PATH", help="as course_utils/viz")
    parser.add_argument("--outside", default="", metavar="PATH", help="everything but this")
    options = parser.parse_args(arguments)
    if options.random is not None:
        seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
        print(f"seed {seed}", flush=True)
        try:
            faults = draw(options.random, seed, inside=options.inside, outside=options.outside)
        except ValueError as error:
            parser.error(str(error))
        return judge_random(faults, jobs=options.jobs)
    if options.inside or options.outside:
        parser.error("--inside and --outside choose among random faults: give --random N, too")
    mutants = load() if mutants is None else list(mutants)
    if unknown := set(options.ids) - {mutant.id for mutant in mutants}:
        parser.error(f"no such fault: {', '.join(sorted(unknown))}")
    chosen = [mutant for mutant in mutants if not options.ids or mutant.id in options.ids]
    return judge_list(chosen, jobs=options.jobs)


def judge_list(chosen: Sequence[Mutant], *, jobs: int) -> int:
    """Judge faults of the list, print a row for each, return the exit status."""
    start = time.monotonic()
    try:
        if not healthy(chosen):
            return 2
    except (Unfit, TimeoutError) as error:
        print(f"✗ without any fault: {error}")
        return 2
    bad = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for verdict in pool.map(judge, chosen):
            print(row(verdict), flush=True)
            bad += [] if verdict.noticed else [verdict.id]
    spent = f"{time.monotonic() - start:.0f} s"
    if bad:
        print(f"✗ {len(bad)} of {len(chosen)} not noticed: {', '.join(bad)} ({spent})")
        return 1
    print(f"✓ all {len(chosen)} noticed ({spent})")
    return 0


def judge_random(faults: Sequence[Fault], *, jobs: int) -> int:
    """Judge random faults, print a row for each and the share of each room, return the exit status."""
    start = time.monotonic()
    outcomes = []
    try:
        for outcome in judge_sample(faults, jobs=jobs):
            outcomes.append(outcome)
            print(told(outcome), flush=True)
    except (Unfit, TimeoutError) as error:
        print(f"✗ {error}")
        return 2
    print("\n" + "\n".join(shares(outcomes)))
    same = sum(bool(outcome.reason) for outcome in outcomes)
    lost = sum(outcome.word == "SURVIVED" for outcome in outcomes)
    sign = "✗" if lost else "✓"
    spent = time.monotonic() - start
    print(f"{sign} {len(outcomes)} drawn, {same} change nothing, {lost} survived ({spent:.0f} s)")
    return 1 if lost else 0


def told(outcome: Outcome) -> str:
    """What became of a random fault: where it stands and what changed."""
    fault = outcome.fault
    head = f"{outcome.word:16} {fault.file}:{fault.line} {fault.function}"
    change = f"\n    - {fault.before}\n    + {fault.after}"
    return head + change + (f"\n    {outcome.reason}" if outcome.reason else "")


def row(verdict: Verdict) -> str:
    """One line of the table."""
    return f"{verdict.id:44} {'noticed' if verdict.noticed else verdict.trouble or 'NOT NOTICED'}"


if __name__ == "__main__":
    raise SystemExit(main())
