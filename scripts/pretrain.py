"""Pre-train a small BERT: text in, a model folder out.

    python -m scripts.pretrain --out runs/first --steps 2000

Kill it at any moment and give the same command again: it goes on from its last checkpoint, and in one process with
the same number of threads ends with the same weights, bit for bit, as a run that was never stopped.

Several processes share each batch:

    torchrun --nproc-per-node 2 -m scripts.pretrain --out runs/two --steps 2000 --threads 1

On several hosts `--out` must be a folder that all of them share. It must be empty or hold an earlier start of the same
run: a folder with anything else in it is refused and left as it is.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.optim import Optimizer
from tqdm import tqdm

from course_utils.datasets.batching import Batch, PretrainingBatches
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained, save_pretrained
from course_utils.pretrained.folder import SAVED as MODEL_FILES
from course_utils.support.commands import add_debug, carry_out
from course_utils.support.folders import remove_leftovers, run_folder
from course_utils.support.given import whole_number
from course_utils.training.checkpoint import load_checkpoint, save_checkpoint
from course_utils.training.device import available_device
from course_utils.training.fast import speed_up
from course_utils.training.log import RunLog
from course_utils.training.loop import train
from course_utils.training.measures import measure
from course_utils.training.optim import adamw
from course_utils.training.settings import Settings, add_options, chosen, new_model, precision, schedule
from scripts.pretraining.processes import (
    local_rank,
    objective,
    own_part,
    process_group,
    rank_and_world,
    shared,
)
from scripts.pretraining.records import Recorder
from scripts.pretraining.text import VOCABULARY, Text, batch_stream, prepare_text, training_stream

KIND = "pretrain"
CHECKPOINT, LOG, MODEL = "checkpoint.safetensors", "log.jsonl", "model"
MADE = (VOCABULARY, CHECKPOINT, LOG, MODEL)  # all that a run makes in its folder


def run(
    settings: Settings,
    out: Path,
    *,
    device: str | torch.device = "cpu",
    checkpoint_every: int = 500,
    log_every: int = 50,
    stop_after: int | None = None,
) -> BertForPreTraining:
    """Train, or go on training, in a folder.

    Args:
        settings: see Settings.
        out: gets vocab.txt, checkpoint.safetensors, log.jsonl and, at the end, the folder model/. It must be empty or
            the folder of such a run; nothing but these is ever written or removed in it.
        device: where it is computed; a run may go on on another.
        checkpoint_every, log_every: in updates; the model is the same whatever they are. Each checkpoint has its
            record, too.
        stop_after: make only so many updates of the planned ones; the learning rate is then still high. The same
            call without it goes on.

    Returns:
        the trained model.
    """
    device = torch.device(device)
    rank, world = rank_and_world()
    end = settings.steps if stop_after is None else stop_after
    whole_number("stop_after", end, most=settings.steps)
    whole_number("checkpoint_every", checkpoint_every)
    whole_number("log_every", log_every)
    if settings.batch_size < world:
        raise ValueError(f"batch_size must be at least the processes, {world}; got {settings.batch_size}")
    torch.set_num_threads(settings.threads)
    # Of several processes the first has the folder, and alone writes there.
    with run_folder(out, KIND) if rank == 0 else nullcontext():
        text = shared_text(settings, out, rank, world)
        batches, held_out = own_batches(settings, text, rank, world), held_out_batches(settings, text)
        model = speed_up(first_model(settings, len(text.tokenizer.vocab))).to(device)
        optimizer = adamw(model, learning_rate=settings.peak_rate, weight_decay=settings.weight_decay)
        recorded = {"processes": world, **asdict(settings), **text.checksums}
        file = out / CHECKPOINT
        start = begin(file, model, optimizer, recorded, settings.seed + rank)

        log = RunLog(out / LOG, after=start) if rank == 0 else None
        with tqdm(total=end, initial=start, disable=rank != 0, unit="step", mininterval=1.0) as bar:
            train(
                shared(model, optimizer),
                batches,
                optimizer,
                learning_rate=schedule(settings),
                steps=end,
                start=start,
                precision=precision(settings, device),
                loss=partial(objective, world=world),
                after_step=Recorder(
                    checkpoint_every,
                    log_every,
                    end,
                    log,
                    bar,
                    measured=lambda: measure(model, held_out) if held_out else {},
                    save=lambda done: save_checkpoint(file, model, optimizer, step=done, settings=recorded),
                ),
            )
        model.eval()
        if rank == 0:
            save_pretrained(model, text.tokenizer, out / MODEL, dtype=torch.float16)
            # Of a process killed while it replaced model/.
            remove_leftovers(out, [MODEL], inside=MODEL_FILES, state="old")
    return model


def shared_text(settings: Settings, out: Path, rank: int, world: int) -> Text:
    """The text of a run. Its first process learns the vocabulary, unless a checkpoint goes with the one there is."""
    vocabulary = out / VOCABULARY
    if rank == 0:
        remove_leftovers(out, MADE, inside=MODEL_FILES)
        if not (out / CHECKPOINT).is_file():
            vocabulary.unlink(missing_ok=True)
        text = prepare_text(settings, vocabulary)
    if world > 1:
        dist.barrier()
    return text if rank == 0 else prepare_text(settings, vocabulary)


def own_batches(settings: Settings, text: Text, rank: int, world: int) -> Callable[[int], Batch]:
    """A function that gives this process's part of the batch of a number."""
    stream = training_stream(settings, text)

    def batches(number: int) -> Batch:
        batch = stream(number)
        if not settings.next_sentence:
            batch = replace(batch, next_sentence_label=None)
        return own_part(batch, rank, world) if world > 1 else batch

    return batches


def held_out_batches(settings: Settings, text: Text) -> PretrainingBatches | None:
    """The batches to measure with, drawn from a seed of their own; None if nothing was set aside."""
    if not text.held_out:
        return None
    return batch_stream(settings, text.held_out, text.tokenizer, seed=settings.seed + 1)


def first_model(settings: Settings, vocab_size: int) -> BertForPreTraining:
    """The model before its first update: a new one, or one that goes on learning, with the dropout of settings."""
    if not settings.start_from:
        return new_model(settings, vocab_size)
    learned, _ = load_pretrained(settings.start_from, model_class=BertForPreTraining)
    most = learned.config.max_position_embeddings
    if settings.max_length > most:
        raise ValueError(f"max_length must be at most {most}, the positions of {settings.start_from}")
    dropout = {"hidden_dropout_prob": settings.dropout, "attention_probs_dropout_prob": settings.dropout}
    model = BertForPreTraining(replace(learned.config, **dropout))
    model.load_state_dict(learned.state_dict())
    return model


def begin(
    file: Path, model: BertForPreTraining, optimizer: Optimizer, recorded: dict[str, Any], seed: int
) -> int:
    """Put back what the checkpoint holds, if there is one, and seed the dropout; the number of updates made."""
    torch.manual_seed(seed)
    start = load_checkpoint(file, model, optimizer, settings=recorded) if file.is_file() else 0
    if recorded["processes"] > 1 and start:  # the file holds the random state of one process
        torch.manual_seed(seed + recorded["processes"] * start)
    return start


def arguments(command_line: list[str] | None) -> argparse.Namespace:
    """An option for each setting, and those that change nothing of the result."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.pretrain",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--out", type=Path, required=True, help="folder of the run")
    add("--checkpoint-every", type=int, default=500, help="updates (500)")
    add("--log-every", type=int, default=50, help="updates (50)")
    add(
        "--device",
        default="cpu",
        help="where it is computed: cpu, cuda, cuda:N or mps; under torchrun, cuda gives each process a GPU of its "
        "own. A run may go on on another device; what follows is then rounded otherwise and drops out other units, "
        "so that it no longer ends the same bit for bit (cpu)",
    )
    add("--stop-after", type=int, help="end after so many of the steps, the rate not yet at 0")
    add_debug(parser)
    add_options(parser, Settings)
    return parser.parse_args(command_line)


def pretrain(given: argparse.Namespace) -> None:
    settings, device = chosen(Settings, given), available_device(given.device, local_rank=local_rank())
    with process_group(device):
        run(
            settings,
            given.out,
            device=device,
            checkpoint_every=given.checkpoint_every,
            log_every=given.log_every,
            stop_after=given.stop_after,
        )
    if os.environ.get("RANK", "0") == "0":
        print(f"{given.out / MODEL}: done")


def main(command_line: list[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 after an error, 130 after Ctrl-C."""
    given = arguments(command_line)
    return carry_out(
        "pretrain",
        lambda: pretrain(given),
        debug=given.debug,
        stopped="stopped; the same command goes on from the last checkpoint",
    )


if __name__ == "__main__":
    sys.exit(main())
