"""Kill a pre-training run with -9 at random moments, resume it, and compare its end with an unbroken run's.

    python -m dev.kill_test               50 kills
    python -m dev.kill_test --kills 3     as the tests do

Each start forks this process, which has imported everything already; from there on it is the real command.
A round is a short run with a checkpoint every two updates, killed and resumed until it reaches its end: two kills in
three come at any moment, the third as soon as the next save has begun. Every round must end with the same vocabulary,
checkpoint (parameters, moments, random state), model and log, bit for bit except for the timings, and leave no other
file.
Exit status: 0 when all do, 1 otherwise.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from safetensors import safe_open

from course_utils.training.log import read_log
from scripts.pretrain import main as pretrain

STEPS = 40
WORDS = "바다 항구 사과 배 눈 밤 다리 차 말 은행 학교 친구 노래 시장 산"
VERBS = "갔다 보았다 먹었다 탔다 걸었다 불렀다 샀다 만났다"
SECONDS = 600  # that a start may take if nothing kills it


def write_text(path: Path, *, seed: int = 5) -> None:
    """A small text: 60 documents, some of one sentence, so that there are batches with and without pairs."""
    draw = random.Random(seed)
    words, verbs = WORDS.split(), VERBS.split()
    documents = [
        "\n".join(
            " ".join(
                [f"{draw.choice(words)}에서", *draw.choices(words, k=draw.randint(1, 5)), draw.choice(verbs)]
            )
            for _ in range(1 if number % 6 == 0 else draw.randint(2, 5))
        )
        for number in range(60)
    ]
    path.write_text("\n\n".join(documents) + "\n", encoding="utf-8")


def command(text: Path, out: Path) -> list[str]:
    """The arguments of a run of about half a second. Records and checkpoints do not coincide."""
    options = (
        f"--vocab-size 120 --layers 1 --hidden 32 --heads 2 --max-length 24 --positions 32 --steps {STEPS} "
        "--warmup 5 --batch-size 7 --held-out 10 --threads 1 --log-every 5 --checkpoint-every 2"
    )
    return ["--corpus", str(text), "--out", str(out), *options.split()]


def forked(arguments: Sequence[str], now: Callable[[], bool]) -> int:
    """Run the command in a fork of this process, killed as soon as now(); returns its exit status, −9 if killed."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os._exit(pretrain(list(arguments)))
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and not now():
        time.sleep(0.0002)
    if ended == (0, 0):
        os.kill(child, signal.SIGKILL)
        ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended[1])


def moment(seconds: float, out: Path | None = None) -> Callable[[], bool]:
    """A function that says whether `seconds` have passed and, given a folder, a save in it is half done."""
    end = time.monotonic() + seconds

    def now() -> bool:
        return time.monotonic() >= end and (out is None or any(out.glob(".*.new")))

    return now


def result(out: Path) -> dict[str, object]:
    """All that a run leaves behind, in a form that can be compared; the log's timings are left out."""
    found: dict[str, object] = {"files": sorted(file.name for file in out.iterdir())}
    found["vocabulary"] = (out / "vocab.txt").read_bytes()
    for file in (out / "checkpoint.safetensors", out / "model" / "model.safetensors"):
        with safe_open(file, framework="np") as tensors:
            found[file.name] = dict(tensors.metadata())
            for name in tensors.keys():  # noqa: SIM118 (not a dict)
                array = tensors.get_tensor(name)
                found[f"{file.name}: {name}"] = (array.dtype.str, array.shape, array.tobytes())
    for record in read_log(out / "log.jsonl"):
        found[f"log after {record['step']}"] = {
            name: value for name, value in record.items() if name != "tokens_per_second"
        }
    return found


def stage(out: Path) -> str:
    """Where a kill hit, as far as the folder tells."""
    files = {file.name for file in out.iterdir()} if out.is_dir() else set()
    if any(name.startswith(".checkpoint.") for name in files):
        return "inside a save of the checkpoint"
    if any(name.endswith(".new") for name in files):
        return "inside another save"
    if "model" in files:
        return "after the model was there"
    return "between saves" if "checkpoint.safetensors" in files else "before the first checkpoint"


def differences(found: dict[str, object], expected: dict[str, object]) -> list[str]:
    """The names of what is not the same."""
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tally; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50, help="how many (50)")
    parser.add_argument("--seed", type=int, default=None, help="of the moments (another one each time)")
    options = parser.parse_args(arguments)
    seed = random.randrange(10**6) if options.seed is None else options.seed
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="kill-") as name:
        folder = Path(name)
        write_text(folder / "text.txt")
        began = time.monotonic()
        if forked(command(folder / "text.txt", folder / "whole"), moment(SECONDS)) != 0:
            print(f"✗ the run that is not killed fails, or takes longer than {SECONDS} s")
            return 1
        whole = time.monotonic() - began
        expected = result(folder / "whole")
        hit: Counter[str] = Counter()
        rounds = 0
        while hit.total() < options.kills:
            rounds += 1
            out = folder / f"round {rounds}"
            while hit.total() < options.kills:
                # Sometimes late enough for the run to reach its end.
                now = moment(draw.uniform(0, 1.1 * whole), out if draw.random() < 1 / 3 else None)
                if (status := forked(command(folder / "text.txt", out), now)) != -signal.SIGKILL:
                    break
                hit[stage(out)] += 1
            else:
                status = forked(command(folder / "text.txt", out), moment(SECONDS))
            wrong = differences(result(out), expected) if status == 0 else [f"exit status {status}"]
            if wrong:
                print(f"✗ round {rounds} (seed {seed}): {len(wrong)} differ: {', '.join(wrong[:5])}")
                return 1
    where = ", ".join(f"{count} {place}" for place, count in sorted(hit.items()))
    print(
        f"✓ {hit.total()} kills ({where}) in {rounds} runs of {STEPS} updates: each ends as the run never stopped"
    )
    print(
        f"  {len(expected)} tensors, records and files compared; seed {seed}; {time.monotonic() - began:.0f} s"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
