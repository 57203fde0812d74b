"""Fine-tune on a task with so many labels, over seeds and settings, and store what each training reached.

    python -m scripts.finetune reviews --labels 1000 --seeds 5 --out runs/reviews.json
    python -m scripts.finetune reviews --labels 100,300,1000,3000,10000 --out runs/curve.json
    python -m scripts.finetune --out runs/curve.json --table           what has been measured so far

For each number of labels and each seed a draw of the training part, balanced over the labels, the same for every start:
a pre-trained model; the same from random weights; the pre-trained one with its encoder frozen; and what does without
(baselines.py). Each is trained with every rate, batch size and number of epochs; the setting that is best on the
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
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import torch

from course_utils.bert import BertModel
from course_utils.pretrained import load_pretrained
from course_utils.support.commands import add_debug, carry_out
from course_utils.support.given import one_line, real_number, shown, whole_number
from course_utils.support.text_width import aligned
from course_utils.tasks.forms import TASKS, draw, load_task
from course_utils.tasks.measurements import STARTS, VARIANTS, Measurement, main_value, read_file, write_file
from course_utils.tasks.summaries import table
from course_utils.tasks.trainings import (
    DROPOUT,
    LEAST_UPDATES,
    RECIPES,
    Plan,
    Trainer,
    planned,
    weights_digest,
)
from course_utils.training.device import available_device
from course_utils.training.settings import MOST_THREADS

COMMAND = "python -m scripts.finetune"
MOST_SEEDS = 1000
LARGEST = 10**6  # of labels, batch sizes, epochs, looks: whoever asks for more has mistyped

Found = TypeVar("Found")


def main(command_line: Sequence[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 after an error, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
    add("--looks", type=int, default=0, help="looks at validation, the best state of which is kept (0)")
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
    least = whole_number("least-updates", chosen.least_updates, least=0, most=LARGEST)
    trained = [plan for plan in plans if plan.batch_size]
    fewest = min(
        (max(plan.epochs * -(-plan.labels // plan.batch_size), least) for plan in trained), default=0
    )
    looks = whole_number("looks", chosen.looks, least=0, most=fewest if trained else LARGEST)
    layer_decay = real_number("layer-decay", chosen.layer_decay, most=1.0, open_at=("least",))
    torch.set_num_threads(whole_number("threads", chosen.threads, most=MOST_THREADS))
    device = available_device(chosen.device)
    bert, tokenizer = load_pretrained(chosen.model, model_class=BertModel)
    settings = {
        "weights": weights_digest(bert),
        "layer_decay": layer_decay,
        "looks": looks,
        "dropout": DROPOUT,
        "least_updates": least,
    }
    found = _stored(chosen.out, settings)
    _refuse(plans, bert.config.num_hidden_layers)
    tasks = {name: load_task(name, tokenizer) for name in dict.fromkeys(plan.task for plan in plans)}
    for name, size in dict.fromkeys((plan.task, plan.labels) for plan in plans):
        draw(tasks[name], size, 0)  # what the last training would stumble over is refused before the first
    write_file(chosen.out, COMMAND, settings, found)  # and so is a file that cannot be written
    trainer = Trainer(bert, device=device, layer_decay=layer_decay, looks=looks, least_updates=least)
    done = {one.plan for one in found}
    for plan in plans:
        if plan.key not in done:
            found.append(trainer.measured(tasks[plan.task], plan))
            write_file(chosen.out, COMMAND, settings, found)
            print(_line(found[-1]), flush=True)
    return found


def _plans(chosen: argparse.Namespace) -> list[Plan]:
    """What the command line asks for."""

    def whole(name: str) -> list[int]:
        return [
            whole_number(name, number, most=LARGEST) for number in _numbers(name, getattr(chosen, name), int)
        ]

    rates = None
    if chosen.rates is not None:
        rates = [real_number("rates", rate, most=1.0) for rate in _numbers("rates", chosen.rates, float)]
    asked = dict.fromkeys(  # each once, whatever was typed twice
        planned(
            _names("tasks", chosen.tasks, TASKS),
            whole("labels"),
            whole_number("seeds", chosen.seeds, most=MOST_SEEDS),
            _names("start", chosen.start.split(","), STARTS + VARIANTS),
            rates=rates,
            batch_sizes=whole("batch_sizes"),
            epochs=None if chosen.epochs is None else whole("epochs"),
        )
    )
    return list(asked)


def _refuse(plans: Sequence[Plan], num_layers: int) -> None:
    """Variants that the model or the task has not."""
    for plan in plans:
        if plan.start == "two-layers" and plan.task == "questions":
            raise ValueError(
                "start must not be two-layers for the task questions: it scores each token, by one layer"
            )
        if plan.start in VARIANTS and RECIPES[plan.start].frozen > num_layers:
            raise ValueError(f"start must freeze at most {num_layers} layers of this model, got {plan.start}")


def _names(name: str, given: Sequence[str], known: Sequence[str]) -> list[str]:
    """Names that are known, each once."""
    if unknown := [one for one in given if one not in known]:
        raise ValueError(f"{name} must be of {', '.join(known)}, got {shown(unknown[0])}")
    if not given:
        raise ValueError(f"{name} must be at least one of {', '.join(known)}, got none")
    return list(dict.fromkeys(given))


def _numbers(name: str, given: str, kind: Callable[[str], Found]) -> list[Found]:
    """ "100,300" -> [100, 300]."""
    try:
        return [kind(number) for number in given.split(",")]
    except ValueError:
        raise ValueError(f"{name} must be numbers joined by commas, got {shown(given)}") from None


def _stored(path: Path, settings: dict[str, object]) -> list[Measurement]:
    """What an earlier command with the same settings measured."""
    if not path.exists():
        return []
    stored, found = read_file(path)
    if others := sorted(name for name in {*stored, *settings} if stored.get(name) != settings.get(name)):
        where, told = one_line(str(path), 100), one_line(", ".join(others), 80)
        raise ValueError(f"{where} was measured with other settings ({told}): give another --out")
    return found


def _line(one: Measurement) -> str:
    setting = f", rate {one.rate:g}, batch {one.batch_size}, epochs {one.epochs}" if one.batch_size else ""
    scores = f"validation {main_value(one.validation):.3f}, test {main_value(one.test):.3f}"
    return f"{one.task}, {one.start}, {one.labels} labels, seed {one.seed}{setting}: {scores}"


if __name__ == "__main__":
    sys.exit(main())
