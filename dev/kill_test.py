"""Interrupt everything of the course that writes, and see that nothing is lost and nothing half-written stays.

    python -m dev.kill_test                    50 kills each, and the other faults
    python -m dev.kill_test save --kills 3     one of them, as the tests do

What writes: pretrain, tuning, save, export, download, progress. What happens to each: kill -9 one to three times, at
any moment or as soon as the next file is half written; a full disk (a limit on the size of files, at random bytes);
another process that does the same at the same time. Every start forks this process, which has imported everything
already; from there on it is the real command.

After each fault what a reader finds is what was there before, or what was to be written, letter for letter; the same
command, given again, succeeds; and what is there then is what was to be written. Of pre-training that is all that the
run leaves behind: vocabulary, checkpoint (parameters, moments, random state), model and log, bit for bit but for the
timings. Where a command has a folder of its own, no other file is left in it. Beside a single file or folder that a
user names, a killed process may leave a hidden one, `.<name>.<eight hexadecimal digits>.new`: it is told of at the end.

Exit status: 0 when all this holds, 1 otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import safe_open

from course_utils.datasets import download, origins
from course_utils.datasets.batching import seeded
from course_utils.datasets.corpus import HOMONYMS
from course_utils.datasets.vocabulary import train_vocabulary
from course_utils.exercises import export_progress
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained, save_pretrained
from course_utils.progress import ProgressStore
from course_utils.support.folders import LEFTOVER, LOCK, MARK
from course_utils.training.log import read_log
from scripts import pretrain, sense_tuning
from scripts.sense_task import CLASSES
from tests.datasets.serving import Quiet, serving
from tests.small import small_config

SECONDS = 600.0  # that a start may take if nothing kills it
FILE = "interrupted.tsv"
BODY = random.Random(0).randbytes(3_000_000)
WORDS = "바다 항구 사과 배 눈 밤 다리 차 말 은행 학교 친구 노래 시장 산"
VERBS = "갔다 보았다 먹었다 탔다 걸었다 불렀다 샀다 만났다"


@dataclass(frozen=True)
class Writer:
    """One of the six. Each function gets the folder of the round."""

    prepare: Callable[[Path], None]  # what is there before
    act: Callable[[Path], int]  # the command; its exit status
    found: Callable[[Path], object]  # what a reader finds; an exception if it cannot be read
    kept: tuple[str, ...]  # the names that may be there at the end
    # all that is there in the end, where a reader finds less
    whole: Callable[[Path], dict[str, object]] | None = None
    own_folder: str | None = None  # the folder that the command has for itself; there no leftover may stay


# --- the six ----------------------------------------------------------------------------------------------------------


def tiny_model(seed: int) -> tuple[BertForPreTraining, object]:
    """A model of one layer and a vocabulary that knows the homonyms."""
    tokenizer = train_vocabulary([f"{word} 보았다 좋다" for word, _ in CLASSES], 120)
    config = small_config(len(tokenizer.vocab), hidden_size=64, num_hidden_layers=1, intermediate_size=128)
    return BertForPreTraining(config, generator=seeded(seed)), tokenizer


def digest(folder: Path) -> str:
    """What load_pretrained finds in a folder, as one number; nothing if there is no folder."""
    if not folder.exists():
        return "no model"
    model, tokenizer = load_pretrained(folder)
    found = hashlib.sha256(repr(list(tokenizer.vocab)).encode())
    for tensor in model.state_dict().values():
        found.update(tensor.numpy().tobytes())
    return found.hexdigest()


def save_anew(folder: Path) -> int:
    model, tokenizer = tiny_model(1)
    save_pretrained(model, tokenizer, folder / "model")
    return 0


def write_corpus(folder: Path) -> None:
    """Two documents a sense, as sense tuning reads them."""
    folder.mkdir()
    for word, sense in CLASSES:
        text = f"{word} 좋다.\n{sense} {word} 보았다.\n\n{word} 보았다 {sense}.\n좋다.\n"
        (folder / f"{HOMONYMS[word][0]}_{sense}.txt").write_text(text, encoding="utf-8")


def prepare_tuning(folder: Path) -> None:
    save_pretrained(*tiny_model(0), folder / "start")
    write_corpus(folder / "corpus")


def tune(folder: Path) -> int:
    folders = {"--model": "start", "--out": "run", "--corpus": "corpus"}
    named = [word for option, name in folders.items() for word in (option, str(folder / name))]
    return sense_tuning.main([*named, "--steps", "4", "--batch-size", "3", "--threads", "1"])


def prepare_report(folder: Path) -> None:
    os.environ["COURSE_DATA_HOME"] = str(folder / "home")
    for number in range(40):
        ProgressStore(folder / "home").record_attempt(f"02.{number}", passed=number % 2 == 0)
    with redirect_stdout(io.StringIO()):
        export_progress(folder / "report.json", name="before")


def export(folder: Path) -> int:
    export_progress(folder / "report.json", name="after")
    return 0 if b'"after"' in (folder / "report.json").read_bytes() else 2


def fetch(folder: Path) -> int:
    os.environ["COURSE_CACHE_HOME"] = str(folder / "cache")
    return download.main([FILE, "--quiet"])


def prepare_progress(folder: Path) -> None:
    for number in range(400):
        ProgressStore(folder / "home").record_hint(f"{number:03}.1", 1)


def count_attempt(folder: Path) -> int:
    note = ProgressStore(folder / "home").record_attempt("02.1", passed=True)
    return 2 if note else 0


def without_dates(file: Path) -> object:
    """What a JSON file holds, all dates alike."""
    return json.loads(re.sub(r"\d{4}-\d\d-\d\d", "a day", file.read_text(encoding="utf-8")))


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


def pre_train(folder: Path) -> int:
    """About half a second. Records and checkpoints do not coincide."""
    options = (
        "--vocab-size 120 --layers 1 --hidden 32 --heads 2 --max-length 24 --positions 32 --steps 24 "
        "--warmup 5 --batch-size 7 --held-out 10 --threads 1 --log-every 5 --checkpoint-every 2"
    )
    # of the process that is killed: a checkpoint tells its text by the path, in each round the same
    os.chdir(folder)
    return pretrain.main(["--corpus", "text.txt", "--out", "run", *options.split()])


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


def differences(found: dict[str, object], expected: dict[str, object]) -> list[str]:
    """The names of what is not the same."""
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))


WRITERS = {
    "pretrain": Writer(
        lambda folder: write_text(folder / "text.txt"),
        pre_train,
        lambda folder: digest(folder / "run" / "model"),
        ("text.txt", "run"),
        whole=lambda folder: result(folder / "run"),
        own_folder="run",
    ),
    "tuning": Writer(
        prepare_tuning,
        tune,
        lambda folder: (digest(folder / "start"), digest(folder / "run" / "model")),
        ("start", "corpus", "run"),
        own_folder="run",
    ),
    "save": Writer(
        lambda folder: save_pretrained(*tiny_model(0), folder / "model"),
        save_anew,
        lambda folder: digest(folder / "model"),
        ("model",),
    ),
    "export": Writer(
        prepare_report,
        export,
        lambda folder: [without_dates(folder / name) for name in ("report.json", "home/progress.json")],
        ("report.json", "home"),
    ),
    "download": Writer(
        lambda folder: None,
        fetch,
        lambda folder: [path.read_bytes() == BODY for path in folder.glob(f"cache/corpora/{FILE}")],
        ("cache",),
        own_folder="cache/corpora",
    ),
    "progress": Writer(
        prepare_progress,
        count_attempt,
        lambda folder: without_dates(folder / "home" / "progress.json"),
        ("home",),
        own_folder="home",
    ),
}
OWN = {MARK, LOCK, "checkpoint.safetensors", "log.jsonl", "vocab.txt", "model"}
OWN |= {FILE, f"{FILE}.lock", "progress.json", "progress.lock"}


# --- starts -----------------------------------------------------------------------------------------------------------


def forked(act: Callable[[], int], err: int) -> int:
    """Start `act` in a fork; its number. What it says on stderr goes to the file `err`."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(err, 2)
        try:
            torch.set_num_threads(1)
            os._exit(act())
        except OSError:  # a function has no command to turn it into a sentence
            os._exit(2)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\nnot a sentence\n".encode())
            os._exit(3)
    return child


def ended(child: int, seconds: float, half_written: Path | None = None) -> int:
    """The exit status of a start that had so long, and then until a file in a folder is half written; −9 if killed."""
    end = time.monotonic() + seconds
    while (told := os.waitpid(child, os.WNOHANG)) == (0, 0) and (
        time.monotonic() < end or (half_written and not is_half_written(half_written))
    ):
        time.sleep(0.0002)
    if told == (0, 0):
        os.kill(child, signal.SIGKILL)
        told = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(told[1])


def is_half_written(folder: Path) -> bool:
    try:
        return any(folder.rglob(".*.new"))
    except FileNotFoundError:  # a folder was put in its place meanwhile
        return True


def full_after(act: Callable[[], int], size: int) -> Callable[[], int]:
    """The same on a disk where no file may grow beyond `size` bytes."""

    def limited() -> int:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        return act()

    return limited


# --- a round ----------------------------------------------------------------------------------------------------------


class Round:
    """A folder in which one writer is disturbed once, and what must hold then."""

    def __init__(self, writer: Writer, folder: Path) -> None:
        self.writer, self.folder = writer, folder
        folder.mkdir()
        writer.prepare(folder)
        self.before = writer.found(folder)
        self.err = os.open(folder.with_suffix(".err"), os.O_RDWR | os.O_CREAT)

    def act(self) -> int:
        return self.writer.act(self.folder)

    def start(self, act: Callable[[], int] | None = None) -> int:
        return forked(act or self.act, self.err)

    def said(self) -> str:
        """What was said on stderr, progress bars left out."""
        lines = self.folder.with_suffix(".err").read_text(errors="replace").replace("\r", "\n").split("\n")
        return "\n".join(line for line in lines if line and "step" not in line[:60])

    def wrong(self, after: object, whole: dict[str, object]) -> str | None:
        """What does not hold after a fault: None, or a sentence. The command is given again for it."""
        if self.said().count("\n") > 0 or "Traceback" in self.said():
            return f"said more than a sentence: {self.said()[:300]!r}"
        try:
            found = self.writer.found(self.folder)
        except Exception as error:
            return f"what is there cannot be read: {type(error).__name__}: {error}"
        if found not in (self.before, after):
            return "what is there is neither what was before nor what was to come"
        if (status := ended(self.start(), SECONDS)) != 0:
            return f"given again it ends with {status}: {self.said()[:300]}"
        if self.writer.found(self.folder) != after:
            return "given again it writes something else"
        if wrong := differences(self.whole(), whole):
            return f"given again {len(wrong)} differ: {', '.join(wrong[:5])}"
        return self._strangers()

    def whole(self) -> dict[str, object]:
        return self.writer.whole(self.folder) if self.writer.whole else {}

    def _strangers(self) -> str | None:
        own = self.writer.own_folder
        left = [path.name for path in (self.folder / own).iterdir() if path.name not in OWN] if own else []
        beside = [
            path.name
            for path in self.folder.iterdir()
            if path.name not in self.writer.kept and not LEFTOVER.fullmatch(path.name)
        ]
        return f"left behind: {', '.join(left + beside)}" if left + beside else None

    def leftovers(self) -> int:
        return sum(bool(LEFTOVER.fullmatch(path.name)) for path in self.folder.iterdir())


FAULTS = ("kill", "full disk", "two at once")


def disturb(round_: Round, fault: str, seconds: float, draw: random.Random) -> str:
    """Do the fault; a word for how it ended."""
    if fault == "kill":
        for _ in range(draw.randint(1, 3)):
            half_written = round_.folder if draw.random() < 1 / 3 else None
            status = ended(round_.start(), draw.uniform(0, 1.05 * seconds), half_written)
            if status != -signal.SIGKILL:
                return "done before"
        return "killed"
    if fault == "full disk":
        size = int(10 ** draw.uniform(0, 6.5))
        return (
            "done all the same" if ended(round_.start(full_after(round_.act, size)), SECONDS) == 0 else "full"
        )
    children = [round_.start(), round_.start()]
    done = [ended(child, SECONDS) for child in children].count(0)
    return f"{done} of two done"


def check(name: str, fault: str, times: int, folder: Path, draw: random.Random) -> bool:
    """So many rounds of one writer and one fault; prints a line."""
    writer, tally, left = WRITERS[name], Counter[str](), 0
    unbroken = Round(writer, folder / f"{name}-{fault}-unbroken")
    began = time.monotonic()
    if (status := ended(unbroken.start(), SECONDS)) != 0:
        print(f"✗ {name}: undisturbed it ends with {status}: {unbroken.said()[:300]}")
        return False
    seconds, after, whole = time.monotonic() - began, writer.found(unbroken.folder), unbroken.whole()
    number = 0
    while tally["killed"] < times if fault == "kill" else number < times:
        number += 1
        round_ = Round(writer, folder / f"{name}-{fault}-{number}")
        tally[disturb(round_, fault, seconds, draw)] += 1
        left += round_.leftovers()
        if problem := round_.wrong(after, whole):
            print(f"✗ {name}, {fault}, round {number}: {problem}")
            return False
        os.close(round_.err)
    told = ", ".join(f"{count} {how}" for how, count in sorted(tally.items()))
    beside = f"; {left} hidden files or folders were left beside" if left else ""
    print(f"✓ {name}, {fault}: {told}{beside}", flush=True)
    return True


@contextmanager
def origin_on_this_machine() -> Iterator[None]:
    """A slow server that has one file; it is the origin of FILE."""

    class Slow(Quiet):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            for place in range(0, len(BODY), 100_000):
                self.wfile.write(BODY[place : place + 100_000])
                time.sleep(0.003)

    with serving(Slow) as origins.RAW:
        sha256 = hashlib.sha256(BODY).hexdigest()
        origins.ORIGINS[FILE] = origins.Origin("course/none", "0" * 40, FILE, len(BODY), sha256)
        os.environ.pop("COURSE_DATA_MIRROR", None)
        download.PAUSE = 0.0
        yield


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each writer and fault; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of {', '.join(WRITERS)}; default: all")
    parser.add_argument("--kills", type=int, default=50, help="of each (50); of the other faults a fifth")
    parser.add_argument("--seed", type=int, default=None, help="of the moments (another one each time)")
    options = parser.parse_args(arguments)
    if strange := sorted(set(options.names) - set(WRITERS)):
        parser.error(f"names must be any of {', '.join(WRITERS)}, got {', '.join(strange)}")
    seed = random.randrange(10**6) if options.seed is None else options.seed
    draw = random.Random(seed)
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory(prefix="interruptions-") as folder, origin_on_this_machine():
        good = [
            check(
                name, fault, options.kills if fault == "kill" else -(-options.kills // 5), Path(folder), draw
            )
            for name in options.names or WRITERS
            for fault in FAULTS
        ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    raise SystemExit(main())
