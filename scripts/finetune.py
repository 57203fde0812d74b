"""Fine-tune on a task with so many labels, over seeds and settings, and store what each training reached.

    python -m scripts.finetune reviews --labels 1000 --seeds 5 --out runs/reviews.json
    python -m scripts.finetune reviews --labels 100,300,1000,3000,10000 --out runs/curve.json
    python -m scripts.finetune --out runs/curve.json --table           what has been measured so far

For each number of labels and each seed a draw of the training part, balanced over the labels, the same for every start:
a pre-trained model; the same from random weights; the pre-trained one with its encoder frozen; and what does without
(tasks/baselines.py). Each is trained with every rate, batch size and number of epochs; the setting that is best on the
validation part, on average over the seeds, is told with its test score:

    0.812 ± 0.010 (5; 0.0001, 16, 4)        mean ± half of the 95 % interval (seeds; rate, batch size, epochs)
    +4.2 ± 1.1                              what pre-training gains over another start, in hundredths, seed by seed

The threshold of questions without an answer is chosen on the validation part, too.

Variants of the pre-trained start are measured where --start names them: two-layers has a head of two layers,
frozen-1, frozen-2 and frozen-3 leave the embeddings and so many layers as they are.

A training makes at least 200 updates, however few the labels (Mosbach et al. 2021); --least-updates 0 makes as many as
the epochs say, such as for the paper's grid. Each is stored when it ends; the
same command goes on where it was stopped, and another one may add tasks, labels, seeds and settings to the file.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import torch
from torch import nn

from course_utils.bert import BertModel
from course_utils.datasets.batching import seeded
from course_utils.heads.base import BertWithHead
from course_utils.pretrained import load_pretrained
from course_utils.support.commands import add_debug, carry_out
from course_utils.support.text_width import aligned
from course_utils.tasks.baselines import baseline
from course_utils.tasks.load import TASKS, draw, load_task
from course_utils.tasks.measurements import STARTS, VARIANTS, Measurement, main_value, read_file, write_file
from course_utils.tasks.questions import LARGEST
from course_utils.tasks.summaries import Estimate, best_setting, estimate, gain
from course_utils.tasks.task import Task
from course_utils.tasks.train import TaskBatches, fine_tune
from course_utils.training.device import available_device
from course_utils.training.settings import MOST_THREADS
from course_utils.training.unpadded import skip_padding

COMMAND = "python -m scripts.finetune"
LEAST_UPDATES = 200
DROPOUT = 0.1
MOST_SEEDS = 1000  # the plan is made at once, and a training takes a minute

Found = TypeVar("Found", int, float)


class Recipe(NamedTuple):
    """How a start is trained, unless the command says otherwise; found on the validation parts."""

    rates: tuple[float, ...]
    epochs: int
    frozen: int = 0


TUNED_RATES = (1e-4, 3e-4, 1e-3)
RECIPES = {
    "pre-trained": Recipe(TUNED_RATES, epochs=4),
    "from-scratch": Recipe((1e-4, 3e-4, 1e-3), epochs=8),
    "frozen": Recipe((1e-3, 3e-3, 1e-2), epochs=8, frozen=-1),
    "two-layers": Recipe(TUNED_RATES, epochs=4),
    "frozen-1": Recipe(TUNED_RATES, epochs=4, frozen=1),
    "frozen-2": Recipe(TUNED_RATES, epochs=4, frozen=2),
    "frozen-3": Recipe(TUNED_RATES, epochs=4, frozen=3),
}


class Plan(NamedTuple):
    """One training before it is made; equal to its Measurement.plan."""

    task: str
    start: str
    labels: int
    seed: int
    rate: float = 0.0
    batch_size: int = 0
    epochs: int = 0


def main(command_line: Sequence[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 after an error, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog=COMMAND, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("tasks", nargs="*", help=f"of {', '.join(TASKS)}")
    add("--out", type=Path, required=True, help="the file that holds what was measured")
    add("--labels", default="1000", help="how many examples to train with; several joined by commas (1000)")
    add("--seeds", type=int, default=5, help="draws of the examples (5)")
    add("--start", default=",".join(STARTS), help="with what to begin (these four)")
    add("--model", default="data/checkpoints/course-bert", help="folder of the pre-trained model")
    add("--rates", help="highest learning rates (three of each start's own)")
    add("--batch-sizes", default="16", help="examples an update (16)")
    add("--epochs", help="how often each example is seen (4; from scratch and frozen 8)")
    add("--layer-decay", type=float, default=0.8, help="of the pre-trained start, from layer to layer (0.8)")
    add("--least-updates", type=int, default=LEAST_UPDATES, help="of every training (200)")
    add("--device", default="cpu", help="cpu, cuda, cuda:N or mps (cpu)")
    add("--threads", type=int, default=2, help="cores (2)")
    add("--table", action="store_true", help="only print what has been measured")
    add_debug(parser)
    chosen = parser.parse_args(command_line)
    return carry_out(
        "finetune",
        lambda: print(aligned(table(_measure(chosen)))),
        debug=chosen.debug,
        stopped="stopped; the same command goes on with the next training",
    )


def _measure(chosen: argparse.Namespace) -> list[Measurement]:
    """Whatever of the plan has not been measured; all measurements."""
    if chosen.table:
        return read_file(chosen.out)[1]
    plans = _plans(chosen)
    _within("layer-decay", chosen.layer_decay, 1e-9, 1)
    _within("least-updates", chosen.least_updates, 0)
    torch.set_num_threads(_within("threads", chosen.threads, 1, MOST_THREADS))
    device = available_device(chosen.device)
    bert, tokenizer = load_pretrained(chosen.model, model_class=BertModel)
    settings = {
        "weights": weights_digest(bert),
        "layer_decay": chosen.layer_decay,
        "dropout": DROPOUT,
        "least_updates": chosen.least_updates,
    }
    found = _stored(chosen.out, settings)
    _refuse(plans, bert.config.num_hidden_layers)
    tasks = {name: load_task(name, tokenizer) for name in dict.fromkeys(plan.task for plan in plans)}
    for name, size in dict.fromkeys((plan.task, plan.labels) for plan in plans):
        draw(tasks[name], size, 0)  # what the last training would stumble over is refused before the first
    write_file(chosen.out, COMMAND, settings, found)  # and so is a file that cannot be written
    trainer = Trainer(bert, device, chosen.layer_decay, chosen.least_updates)
    done = {one.plan for one in found}
    for plan in plans:
        if plan not in done:
            found.append(trainer.measured(tasks[plan.task], plan))
            write_file(chosen.out, COMMAND, settings, found)
            print(_line(found[-1]), flush=True)
    return found


def _plans(chosen: argparse.Namespace) -> list[Plan]:
    """Every training that the command line asks for, each once, the fewest labels first."""
    tasks = _names("tasks", chosen.tasks, TASKS)
    labels = sorted(_numbers("labels", chosen.labels, int))
    seeds = range(_within("seeds", chosen.seeds, 1, MOST_SEEDS))
    starts = _names("start", chosen.start.split(","), STARTS + VARIANTS)
    rates = None if chosen.rates is None else _numbers("rates", chosen.rates, float, most=1)
    batch_sizes = _numbers("batch-sizes", chosen.batch_sizes, int)
    epochs = None if chosen.epochs is None else _numbers("epochs", chosen.epochs, int)
    plans = []
    for task, size, seed, start in itertools.product(tasks, labels, seeds, starts):
        if start == "baseline":
            plans.append(Plan(task, start, size, seed))
            continue
        recipe = RECIPES[start]  # what the command line leaves to it
        settings = itertools.product(rates or recipe.rates, batch_sizes, epochs or [recipe.epochs])
        plans += [Plan(task, start, size, seed, *setting) for setting in settings]
    return list(dict.fromkeys(plans))


def _refuse(plans: Sequence[Plan], num_layers: int) -> None:
    """Variants that the model or the task has not."""
    for plan in plans:
        if plan.start == "two-layers" and plan.task == "questions":
            raise ValueError("start must not be two-layers for the task questions: it scores each token")
        if plan.start in VARIANTS and RECIPES[plan.start].frozen > num_layers:
            raise ValueError(f"start must freeze at most {num_layers} layers of this model, got {plan.start}")


def _names(name: str, given: Sequence[str], known: Sequence[str]) -> list[str]:
    if unknown := [one for one in given if one not in known]:
        raise ValueError(f"{name} must be of {', '.join(known)}, got {unknown[0]!r}")
    if not given:
        raise ValueError(f"{name} must be at least one of {', '.join(known)}, got none")
    return list(dict.fromkeys(given))


def _numbers(
    name: str, given: str, kind: Callable[[str], Found], *, most: float = float("inf")
) -> list[Found]:
    """ "100,300" -> [100, 300]: each at least 1, or 0 where it is a rate."""
    try:
        numbers = [kind(number) for number in given.split(",")]
    except ValueError:
        raise ValueError(f"{name} must be numbers joined by commas, got {given!r}") from None
    return [_within(name, number, 1 if kind is int else 0, most) for number in numbers]


def _within(name: str, number: Found, least: float, most: float = float("inf")) -> Found:
    """A number, if it lies within its bounds; NaN lies nowhere."""
    if not least <= number <= most:
        raise ValueError(f"{name} must lie in {least:g} … {most:g}, got {number}")
    return number


def _stored(path: Path, settings: dict[str, object]) -> list[Measurement]:
    """What an earlier command with the same settings measured."""
    if not path.exists():
        return []
    stored, found = read_file(path)
    if others := sorted(name for name in {*stored, *settings} if stored.get(name) != settings.get(name)):
        raise ValueError(f"{path} was measured with other settings ({', '.join(others)}): give another --out")
    return found


def _line(one: Measurement) -> str:
    setting = f", rate {one.rate:g}, batch {one.batch_size}, epochs {one.epochs}" if one.batch_size else ""
    scores = f"validation {main_value(one.validation):.3f}, test {main_value(one.test):.3f}"
    return f"{one.task}, {one.start}, {one.labels} labels, seed {one.seed}{setting}: {scores}"


@dataclass
class Trainer:
    """Makes trainings of one pre-trained model.

    Attributes:
        bert: the model.
        device: where to train.
        layer_decay: of the pre-trained start and its variants; see train.layer_shares.
        least_updates: of a training, however few its labels and epochs.
    """

    bert: BertModel
    device: torch.device
    layer_decay: float
    least_updates: int = LEAST_UPDATES

    def measured(self, task: Task, plan: Plan) -> Measurement:
        """Train as planned, and measure validation and test part."""
        examples = draw(task, plan.labels, plan.seed)
        if plan.start == "baseline":
            counted = baseline(task, examples)
            return _measurement(plan, *(counted.measure(task.parts[part]) for part in ("validation", "test")))
        recipe = RECIPES[plan.start]
        model = self._started(task, plan).to(self.device)
        batches = TaskBatches(task, examples, batch_size=plan.batch_size, seed=plan.seed)
        fine_tune(
            model,
            batches,
            updates=max(plan.epochs * batches.batches_per_epoch, self.least_updates),
            peak_rate=plan.rate,
            layer_decay=1.0 if plan.start in ("from-scratch", "frozen") else self.layer_decay,
            frozen=recipe.frozen,
            dropout=DROPOUT,
            seed=plan.seed,
        )
        validation = task.measure(model, task.parts["validation"])
        test = task.measure(model, task.parts["test"], threshold=validation.get("threshold"))
        return _measurement(plan, validation, test)

    def _started(self, task: Task, plan: Plan) -> BertWithHead:
        """The model before its first update; from scratch it has the same head."""
        generator = seeded(plan.seed, 1)
        if plan.start == "from-scratch":
            return skip_padding(task.new_model(self.bert.config, generator=generator))
        model = task.with_encoder(self.bert, generator=generator)
        if plan.start == "two-layers":
            model.classifier = two_layers(model.classifier, generator=generator)
        return skip_padding(model)


def two_layers(head: nn.Linear, *, generator: torch.Generator | None = None) -> nn.Sequential:
    """A head of two layers in place of one: C -> C -> GELU -> K, with fresh weights.

        logits = W₂ · GELU(W₁ h + b₁) + b₂        W₁: (C, C), W₂: (K, C)

    Args:
        head: C -> K; it stays as it is.
        generator: source of the start values, normal with the same spread as the head's, biases 0.
    """
    size, device = head.in_features, head.weight.device
    layers = nn.Linear(size, size, device=device), nn.Linear(size, head.out_features, device=device)
    with torch.no_grad():
        for layer in layers:
            start = torch.empty(layer.weight.shape)
            layer.weight.copy_(start.normal_(0.0, float(head.weight.std()), generator=generator))
            layer.bias.zero_()
    return nn.Sequential(layers[0], nn.GELU(), layers[1])


def _measurement(plan: Plan, validation: dict[str, float], test: dict[str, float]) -> Measurement:
    """Values as JSON can hold them: a threshold may be infinite."""
    parts = (
        {name: max(-LARGEST, min(LARGEST, float(value))) for name, value in part.items()}
        for part in (validation, test)
    )
    return Measurement(*plan, *parts)


def weights_digest(bert: nn.Module) -> str:
    """The sha256 of all weights, in hexadecimal: which model it was, wherever it lies."""
    digest = hashlib.sha256()
    for name, tensor in sorted(bert.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.detach().cpu().float().contiguous().numpy().tobytes())
    return digest.hexdigest()


def table(measurements: Sequence[Measurement]) -> list[list[str]]:
    """A row for each task and number of labels: the test score of each start, and what pre-training gains.

    A score: mean ± half of the 95 % interval, seeds, and the setting chosen. A gain, in hundredths: of the same draws.
    """
    starts = [start for start in STARTS + VARIANTS if any(one.start == start for one in measurements)]
    others = [start for start in starts if start != "pre-trained"] if "pre-trained" in starts else []
    rows = [["task", "measure", "labels", *starts, *(f"gain over {other}" for other in others)]]
    for task, size in sorted({(one.task, one.labels) for one in measurements}):
        cells = [_cell(best_setting(measurements, task, start, size)) for start in starts]
        gains = [gain(measurements, task, "pre-trained", other, size) for other in others]
        measure = next(next(iter(one.test)) for one in measurements if one.task == task)
        rows.append([task, measure, str(size), *cells, *map(_told_gain, gains)])
    return rows


def _cell(found: Sequence[Measurement]) -> str:
    if not found:
        return "–"
    test = estimate([main_value(one.test) for one in found])
    one = found[0]
    setting = f"; {one.rate:g}, {one.batch_size}, {one.epochs}" if one.batch_size else ""
    return f"{test.mean:.3f}{_half(test.half)} ({test.seeds}{setting})"


def _told_gain(found: Estimate | None) -> str:
    return "–" if found is None else f"{100 * found.mean:+.1f}{_half(100 * found.half, 1)}"


def _half(half: float, digits: int = 3) -> str:
    return f" ± {half:.{digits}f}" if half < float("inf") else ""


if __name__ == "__main__":
    sys.exit(main())
