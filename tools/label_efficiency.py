"""How many labels does pre-training save? Film reviews, good or bad, from few labels to many.

    python tools/label_efficiency.py --model data/checkpoints/course-bert --out runs/labels.json
    python tools/label_efficiency.py --out runs/labels.json --table            what has been measured so far

For each number of labels and each seed a balanced draw of the training reviews, the same for all: a pre-trained model
fine-tuned, the same model from random weights, and naive Bayes on the pieces. Each of the first two is trained with
three rates, naive Bayes counted with four smoothings; the one that is best on the validation reviews, on average over
the seeds, is reported on the test reviews. No film stands in two of the parts, and none of these was pre-trained on.

Each training is stored when it ends; the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from course_utils.bert import BertModel  # noqa: E402
from course_utils.contextual.baselines import fit_naive_bayes  # noqa: E402
from course_utils.datasets.batching import seeded  # noqa: E402
from course_utils.heads import BertForSequenceClassification  # noqa: E402
from course_utils.positional import sinusoidal_encoding  # noqa: E402
from course_utils.pretrained import load_pretrained  # noqa: E402
from course_utils.support.commands import add_debug, carry_out  # noqa: E402
from course_utils.support.files import write_atomically  # noqa: E402
from course_utils.support.given import whole_number  # noqa: E402
from course_utils.support.text_width import columns, padded  # noqa: E402
from course_utils.tasks.fine_tuning import TextBatches, fine_tune, predict  # noqa: E402
from course_utils.tasks.reviews import LabelledReview, labelled_reviews  # noqa: E402
from course_utils.tokenization import WordPieceTokenizer  # noqa: E402
from course_utils.training.device import available_device  # noqa: E402
from course_utils.training.fast import speed_up  # noqa: E402
from course_utils.training.settings import MOST_THREADS  # noqa: E402

SIZES = (100, 300, 1000, 3000, 10000)
MAX_LENGTH = 64  # tokens; what is longer is cut
BATCH_SIZE = 16
SMOOTHINGS = (0.1, 0.3, 1.0, 3.0)


@dataclass(frozen=True)
class Recipe:
    """How one of the two is trained; found on the validation reviews."""

    rates: tuple[float, ...]
    layer_decay: float
    epochs: int
    least_updates: int = 200  # however few the labels (Mosbach et al. 2021)
    dropout: float = 0.1


RECIPES = {
    "pre-trained": Recipe(rates=(5e-5, 1e-4, 2e-4), layer_decay=0.8, epochs=4),
    "from scratch": Recipe(rates=(1e-4, 3e-4, 1e-3), layer_decay=1.0, epochs=8),
}
COUNTED = "naive Bayes"


class Encoded(NamedTuple):
    """A part of the reviews: rows of ids, the pieces without special tokens, and the labels."""

    rows: list[list[int]]
    pieces: list[list[str]]
    labels: list[int]


def encode(reviews: Sequence[LabelledReview], tokenizer: WordPieceTokenizer) -> Encoded:
    """Cut reviews into pieces, at most MAX_LENGTH with [CLS] and [SEP]."""
    found = [tokenizer.encode(review.text, max_length=MAX_LENGTH) for review in reviews]
    return Encoded(
        [one.input_ids for one in found],
        [one.tokens[1:-1] for one in found],
        [review.label for review in reviews],
    )


def draw(labels: Sequence[int], size: int, seed: int) -> list[int]:
    """Numbers of `size` reviews, as many of either label; a larger draw of the same seed holds the smaller one."""
    order = torch.randperm(len(labels), generator=seeded(seed, 0)).tolist()
    each = [[number for number in order if labels[number] == label][: size // 2] for label in (0, 1)]
    if min(map(len, each)) < size // 2:
        raise ValueError(f"{size} balanced labels are wanted, and there are only {len(labels)} reviews")
    return [number for group in each for number in group]


def started(folder: str, name: str, seed: int) -> BertForSequenceClassification:
    """The classifier before its first update: pre-trained, or of the same shape with new weights."""
    bert, _ = load_pretrained(folder, model_class=BertModel)
    config = bert.config
    fresh = BertForSequenceClassification(config, generator=seeded(seed, 1))
    if name == "pre-trained":
        fresh.bert = bert  # the new head stays
        return speed_up(fresh)
    waves = sinusoidal_encoding(config.max_position_embeddings, config.hidden_size)
    with torch.no_grad():  # as pre-training itself begins: see training/start.py
        fresh.bert.embeddings.position.embedding.weight.copy_(waves * config.initializer_range * 2**0.5)
    return speed_up(fresh)


def accuracy(answers: Sequence[int], labels: Sequence[int]) -> float:
    """The share that is right."""
    return sum(answer == label for answer, label in zip(answers, labels)) / len(labels)


class Measurement(NamedTuple):
    """One training."""

    start: str
    size: int
    seed: int
    setting: float  # rate or smoothing
    validation: float
    test: float


@dataclass
class Comparison:
    """The reviews, cut by the tokenizer of the model in `folder`."""

    folder: str
    device: torch.device
    tokenizer: WordPieceTokenizer
    parts: dict[str, Encoded]

    def tuned(self, name: str, size: int, seed: int, rate: float) -> Measurement:
        """Fine-tune one model and ask it."""
        recipe, train = RECIPES[name], self.parts["train"]
        chosen = draw(train.labels, size, seed)
        pad_id = self.tokenizer.vocab["[PAD]"]
        batches = TextBatches(
            [train.rows[number] for number in chosen],
            [train.labels[number] for number in chosen],
            pad_id=pad_id,
            batch_size=BATCH_SIZE,
            seed=seed,
        )
        model = started(self.folder, name, seed).to(self.device)
        fine_tune(
            model,
            batches,
            updates=max(recipe.epochs * batches.batches_per_epoch, recipe.least_updates),
            peak_rate=rate,
            layer_decay=recipe.layer_decay,
            dropout=recipe.dropout,
            seed=seed,
        )
        found = [
            accuracy(predict(model, part.rows, pad_id=pad_id).tolist(), part.labels)
            for part in (self.parts["validation"], self.parts["test"])
        ]
        return Measurement(name, size, seed, rate, *found)

    def counted(self, size: int, seed: int, smoothing: float) -> Measurement:
        """Naive Bayes on the pieces of the same reviews."""
        train = self.parts["train"]
        groups: dict[str, list[list[str]]] = {"0": [], "1": []}
        for number in draw(train.labels, size, seed):
            groups[str(train.labels[number])].append(train.pieces[number])
        counts = fit_naive_bayes(groups, smoothing=smoothing)
        found = [
            accuracy([int(counts.scores(pieces).argmax()) for pieces in part.pieces], part.labels)
            for part in (self.parts["validation"], self.parts["test"])
        ]
        return Measurement(COUNTED, size, seed, smoothing, *found)


def planned(sizes: Sequence[int], seeds: int) -> Iterator[tuple[str, int, int, float]]:
    """Every (start, size, seed, setting), the smallest sizes first."""
    for size in sizes:
        for seed in range(seeds):
            yield from ((COUNTED, size, seed, smoothing) for smoothing in SMOOTHINGS)
            for name, recipe in RECIPES.items():
                yield from ((name, size, seed, rate) for rate in recipe.rates)


def best(found: Sequence[Measurement], name: str, size: int) -> list[Measurement]:
    """What was measured with the setting that is best on validation, on average; ordered by seed."""
    here = [one for one in found if one.start == name and one.size == size]
    settings = sorted({one.setting for one in here})
    if not settings:
        return []

    def on_validation(setting: float) -> float:
        return statistics.mean(one.validation for one in here if one.setting == setting)

    chosen = max(settings, key=on_validation)
    return sorted((one for one in here if one.setting == chosen), key=lambda one: one.seed)


def table(found: Sequence[Measurement]) -> list[list[str]]:
    """A row for each number of labels: test accuracy and its spread over the seeds, with the setting chosen."""
    names = [*RECIPES, COUNTED]
    rows = [["labels", *names, "gain over scratch", "gain over counting"]]
    for size in sorted({one.size for one in found}):
        columns_ = {name: best(found, name, size) for name in names}
        if len({len(column) for column in columns_.values()}) > 1:  # stopped within this row
            continue
        row = [str(size)]
        for name in names:
            scores = [one.test for one in columns_[name]]
            spread = statistics.stdev(scores) if len(scores) > 1 else 0.0
            row.append(f"{statistics.mean(scores):.3f} ± {spread:.3f} ({columns_[name][0].setting:g})")
        for other in ("from scratch", COUNTED):
            gains = [
                ours.test - theirs.test for ours, theirs in zip(columns_["pre-trained"], columns_[other])
            ]
            error = statistics.stdev(gains) / math.sqrt(len(gains)) if len(gains) > 1 else 0.0
            row.append(f"{100 * statistics.mean(gains):+.1f} ± {100 * error:.1f} points")
        rows.append(row)
    return rows


def _told(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(columns, column)) for column in zip(*rows)]
    return "\n".join("  ".join(map(padded, row, widths)).rstrip() for row in rows)


def _stored(path: Path, settings: dict) -> list[Measurement]:
    """What an earlier run with the same settings measured; ValueError if the settings were others."""
    if not path.is_file():
        return []
    try:
        data = json.loads(path.read_text("utf-8"))
        stored, found = data["settings"], [Measurement(*entry) for entry in data["measured"]]
    except (ValueError, TypeError, KeyError):
        raise ValueError(
            f"{path} must hold what was measured before, and does not: give another --out"
        ) from None
    if stored != settings:
        raise ValueError(f"{path} was measured with other settings, {stored}: give another --out")
    return found


def _keep(path: Path, settings: dict, found: Sequence[Measurement]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = ",\n".join(json.dumps(list(one), ensure_ascii=False) for one in found)
    write_atomically(
        path, f'{{"settings": {json.dumps(settings, ensure_ascii=False)},\n"measured": [\n{entries}\n]}}\n'
    )


def main(command_line: Sequence[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 after an error, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python tools/label_efficiency.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--model", default="data/checkpoints/course-bert", help="folder of the pre-trained model"
    )
    parser.add_argument("--out", type=Path, required=True, help="the file that holds what was measured")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of labels")
    parser.add_argument("--seeds", type=int, default=5, help="draws of the labels (5)")
    parser.add_argument("--threads", type=int, default=2, help="cores (2)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:N or mps (cpu)")
    parser.add_argument("--table", action="store_true", help="only print what has been measured")
    add_debug(parser)
    chosen = parser.parse_args(command_line)
    return carry_out(
        "label_efficiency",
        lambda: print(_told(table(_measure(chosen)))),
        debug=chosen.debug,
        stopped="stopped; the same command goes on with the next training",
    )


def _sizes(given: str) -> list[int]:
    sizes = [int(size) if size.strip().isdecimal() else 0 for size in given.split(",")]
    if not all(size > 0 and size % 2 == 0 for size in sizes):
        raise ValueError(f"sizes must be even numbers above 0, joined by commas; got {given!r}")
    return sizes


def _measure(chosen: argparse.Namespace) -> list[Measurement]:
    """Whatever of the plan has not been measured; all measurements."""
    settings = {"model": chosen.model, "recipes": {name: asdict(recipe) for name, recipe in RECIPES.items()}}
    settings = json.loads(json.dumps(settings))
    found = _stored(chosen.out, settings)
    if chosen.table:
        return found
    sizes = _sizes(chosen.sizes)
    whole_number("seeds", chosen.seeds)
    torch.set_num_threads(whole_number("threads", chosen.threads, most=MOST_THREADS))
    device = available_device(chosen.device)
    _, tokenizer = load_pretrained(chosen.model)
    parts = {name: encode(reviews, tokenizer) for name, reviews in labelled_reviews().items()}
    comparison = Comparison(chosen.model, device, tokenizer, parts)
    done = {one[:4] for one in found}
    for name, size, seed, setting in planned(sizes, chosen.seeds):
        if (name, size, seed, setting) in done:
            continue
        if name == COUNTED:
            found.append(comparison.counted(size, seed, setting))
        else:
            found.append(comparison.tuned(name, size, seed, setting))
        _keep(chosen.out, settings, found)
        print(*found[-1], flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
