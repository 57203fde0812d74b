"""A pre-training run in a folder: begun, or gone on with from its checkpoint, to the last update of its settings."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.optim import Optimizer
from tqdm import tqdm

from course_utils.datasets.batching import Batch, PretrainingBatches
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import save_pretrained
from course_utils.pretrained.folder import SAVED as MODEL_FILES
from course_utils.support.folders import remove_leftovers, run_folder
from course_utils.support.given import whole_number
from course_utils.training.checkpoint import (
    CheckpointError,
    load_checkpoint,
    recorded_settings,
    save_checkpoint,
)
from course_utils.training.fast import speed_up
from course_utils.training.log import RunLog
from course_utils.training.loop import train
from course_utils.training.measures import measure, objective
from course_utils.training.optim import adamw
from course_utils.training.processes import own_part, rank_and_world, shared
from course_utils.training.recording import Recorder, Rhythm
from course_utils.training.settings import Settings
from course_utils.training.start import new_model, precision, schedule
from course_utils.training.text import Text, batch_stream, prepare_text, training_stream

KIND = "pretrain"
VOCABULARY, CHECKPOINT, LOG, MODEL = "vocab.txt", "checkpoint.safetensors", "log.jsonl", "model"
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

    Raises:
        ValueError, OSError, FloatingPointError: with what was expected and what to do.
    """
    device = torch.device(device)
    rank, world = rank_and_world()
    rhythm = Rhythm(checkpoint_every, log_every, end=_last_update(settings, world, stop_after))
    torch.set_num_threads(settings.threads)
    # Of several processes the first has the folder, and alone writes there.
    with run_folder(out, KIND) if rank == 0 else nullcontext():
        return _run(settings, out, device, rhythm, rank, world)


def _run(
    settings: Settings, out: Path, device: torch.device, rhythm: Rhythm, rank: int, world: int
) -> BertForPreTraining:
    """The same in a folder that is the run's."""
    text = _shared_text(settings, out, rank, world)
    batches, held_out = _own_batches(settings, text, rank, world), _held_out(settings, text)
    model = speed_up(new_model(settings, len(text.tokenizer.vocab))).to(device)
    optimizer = adamw(model, learning_rate=settings.peak_rate, weight_decay=settings.weight_decay)
    file, recorded = out / CHECKPOINT, {"processes": world, **asdict(settings), **text.checksums}
    start = _begin(file, model, optimizer, recorded, settings.seed + rank)
    log = RunLog(out / LOG, after=start) if rank == 0 else None
    with tqdm(total=rhythm.end, initial=start, disable=rank != 0, unit="step", mininterval=1.0) as bar:
        recorder = Recorder(
            rhythm,
            log,
            bar,
            measured=lambda: measure(model, held_out) if held_out else {},
            save=lambda done: save_checkpoint(file, model, optimizer, step=done, settings=recorded),
        )
        train(
            shared(model, optimizer),
            batches,
            optimizer,
            learning_rate=schedule(settings),
            steps=rhythm.end,
            start=start,
            precision=precision(settings, device),
            loss=partial(objective, world=world),
            after_step=recorder,
        )
    model.eval()
    if rank == 0:
        save_pretrained(model, text.tokenizer, out / MODEL, dtype=torch.float16)
        # Of a process killed while it replaced model/.
        remove_leftovers(out, [MODEL], inside=MODEL_FILES, state="old")
    return model


def _was_a_run(folder: Path) -> bool:
    """Whether a folder without a mark is that of a run made before there were marks: its checkpoint says so."""
    return recorded_settings(folder / CHECKPOINT).keys() >= {field.name for field in fields(Settings)}


def _last_update(settings: Settings, world: int, stop_after: int | None) -> int:
    """The update to end with; ValueError if it, or the number of processes, does not fit the settings."""
    end = settings.steps
    if stop_after is not None:
        end = whole_number("stop_after", stop_after, most=settings.steps)
    if settings.batch_size < world:
        raise ValueError(
            f"batch_size must be at least the number of processes, {world}; got {settings.batch_size}"
        )
    return end


def _shared_text(settings: Settings, out: Path, rank: int, world: int) -> Text:
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


def _own_batches(settings: Settings, text: Text, rank: int, world: int) -> Callable[[int], Batch]:
    """A function that gives this process's part of the batch of a number."""
    stream = training_stream(settings, text)

    def batches(number: int) -> Batch:
        batch = stream(number)
        if not settings.next_sentence:
            batch = replace(batch, next_sentence_label=None)
        return own_part(batch, rank, world) if world > 1 else batch

    return batches


def _held_out(settings: Settings, text: Text) -> PretrainingBatches | None:
    """The batches to measure with, drawn from a seed of their own; None if nothing was set aside."""
    if not text.held_out:
        return None
    return batch_stream(settings, text.held_out, text.tokenizer, seed=settings.seed + 1)


def _begin(
    file: Path, model: BertForPreTraining, optimizer: Optimizer, recorded: dict[str, Any], seed: int
) -> int:
    """Put back what the checkpoint holds, if there is one, and seed the dropout; the number of updates made."""
    torch.manual_seed(seed)
    start = 0
    if file.is_file():
        start = load_checkpoint(file, model, optimizer, settings=recorded, since=("text", "vocabulary"))
        if start > recorded.get("steps", start):
            raise CheckpointError(
                f"{file} must be of at most {recorded['steps']} steps, and its step is {start}: give another folder"
            )
    if recorded["processes"] > 1 and start:  # the file holds the random state of one process
        torch.manual_seed(seed + recorded["processes"] * start)
    return start
