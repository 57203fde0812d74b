"""Pre-train a small BERT: text in, a model folder out.

    python -m course_utils.training.pretrain --out runs/first --steps 2000

Kill it at any moment and give the same command again: it goes on from its last checkpoint, and in one process with
the same number of threads ends with the same weights, bit for bit, as a run that was never stopped.

Several processes, on one host or many, share each batch:

    torchrun --nproc-per-node 2 -m course_utils.training.pretrain --out runs/two --steps 2000 --threads 1

On several hosts `--out` must be a folder that all of them share.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from tqdm import tqdm

from course_utils.config import BertConfig
from course_utils.datasets.batching import Batch, PretrainingBatches, encode_documents, seeded
from course_utils.datasets.corpus import read_documents
from course_utils.datasets.pretraining import IGNORE
from course_utils.datasets.public import public_documents
from course_utils.datasets.vocabulary import train_vocabulary
from course_utils.heads import BertForPreTraining, PreTrainingOutput
from course_utils.positional import sinusoidal_encoding
from course_utils.pretrained import save_pretrained
from course_utils.support.files import write_atomically
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training.checkpoint import load_checkpoint, remove_leftovers, save_checkpoint
from course_utils.training.log import RunLog
from course_utils.training.loop import Step, fast_precision, train
from course_utils.training.measures import Tally, measure, objective
from course_utils.training.optim import adamw, warmup_then_linear
from course_utils.training.settings import HELP, PRECISIONS, Settings


@dataclass(frozen=True)
class Text:
    """Encoded documents to learn from and to measure with."""

    tokenizer: WordPieceTokenizer
    train: list[list[list[int]]]
    held_out: list[list[list[int]]]


def prepare_text(settings: Settings, vocabulary: Path) -> Text:
    """Read the documents, split them, learn the vocabulary (or read it where a stopped run left it), encode.

    What is measured with is split off before anything is repeated.
    """
    own = read_documents(settings.corpus)
    public = public_documents(settings.public.split(",")) if settings.public else []
    own_train, own_held_out = split_documents(own, settings.held_out, settings.seed)
    public_train, public_held_out = split_documents(public, settings.held_out, settings.seed)
    if not vocabulary.is_file():
        sentences = [sentence for document in [*own_train, *public_train] for sentence in document]
        tokenizer = train_vocabulary(sentences, settings.vocab_size)
        vocabulary.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(vocabulary, "".join(f"{token}\n" for token in tokenizer.vocab))
    tokenizer = WordPieceTokenizer.from_vocab_file(vocabulary, lowercase=False, strip_accents=False)
    return Text(
        tokenizer,
        encode_documents([*own_train * settings.corpus_repeats, *public_train], tokenizer),
        encode_documents([*own_held_out, *public_held_out], tokenizer),
    )


def split_documents(
    documents: list[list[str]], one_in: int, seed: int
) -> tuple[list[list[str]], list[list[str]]]:
    """Set one document in `one_in` aside, drawn from the seed; none where that is not even two.

    A single one would be no use: a wrong next sentence is drawn from another document.
    """
    if not one_in or len(documents) // one_in < 2:
        return documents, []
    order = torch.randperm(len(documents), generator=seeded(seed, one_in)).tolist()
    aside = set(order[: len(documents) // one_in])
    return (
        [document for number, document in enumerate(documents) if number not in aside],
        [document for number, document in enumerate(documents) if number in aside],
    )


def new_model(settings: Settings, vocab_size: int) -> BertForPreTraining:
    """The model before its first update. Its position embeddings start as sinusoids, of the other weights' size."""
    config = BertConfig(
        vocab_size=vocab_size,
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=4 * settings.hidden,
        hidden_dropout_prob=settings.dropout,
        attention_probs_dropout_prob=settings.dropout,
        max_position_embeddings=settings.positions,
        initializer_range=settings.start_std,
    )
    model = BertForPreTraining(config, generator=seeded(settings.seed))
    waves = sinusoidal_encoding(settings.positions, settings.hidden)
    with torch.no_grad():  # a sine's root mean square is 1/√2
        model.bert.embeddings.position.embedding.weight.copy_(waves * settings.start_std * 2**0.5)
    return model


def own_part(batch: Batch, rank: int, world: int) -> Batch:
    """What one process of several works on.

    The last batch of an epoch may have fewer rows than there are processes. No model takes an empty batch, so who gets
    none takes the first row, with nothing to predict.
    """
    if rank < len(batch.input_ids):
        return batch.part(rank, world)
    first = batch.part(0, len(batch.input_ids))
    return replace(first, labels=torch.full_like(first.labels, IGNORE), next_sentence_label=None)


class SeenByDDP(nn.Module):
    """A model whose output shows the losses only.

    DDP waits for the gradient of every parameter that it can reach from an output. The next-sentence scores are
    there for a batch of single sentences, too, but no loss asks for their gradient.
    """

    def __init__(self, model: BertForPreTraining) -> None:
        super().__init__()
        self.model = model

    def forward(self, **inputs: Any) -> PreTrainingOutput:
        """As the model's; logits without a gradient, and no hidden states."""
        output = self.model(**inputs)
        scores = output.seq_relationship_logits.detach()
        return replace(output, logits=output.logits.detach(), encoded=None, seq_relationship_logits=scores)


def run(
    settings: Settings,
    out: Path,
    *,
    checkpoint_every: int = 500,
    log_every: int = 50,
    stop_after: int | None = None,
) -> BertForPreTraining:
    """Train, or go on training, in a folder.

    Args:
        settings: see Settings.
        out: gets vocab.txt, checkpoint.safetensors, log.jsonl and, at the end, the folder model/.
        checkpoint_every, log_every: in updates; the model is the same whatever they are. Each checkpoint has its
            record, too.
        stop_after: make only so many updates of the planned ones; the learning rate is then still above 0. The same
            call without it goes on.

    Returns:
        the trained model.

    Raises:
        ValueError, OSError, FloatingPointError: with what was expected and what to do.
    """
    if min(checkpoint_every, log_every) < 1:
        raise ValueError(
            f"checkpoint_every and log_every must be at least 1, got {checkpoint_every} and {log_every}"
        )
    end = settings.steps if stop_after is None else stop_after
    if not 1 <= end <= settings.steps:
        raise ValueError(f"stop_after must lie in 1 … {settings.steps} (steps), got {stop_after}")
    rank, world = (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)
    if settings.batch_size < world:
        raise ValueError(
            f"batch_size must be at least the number of processes, {world}; got {settings.batch_size}"
        )
    torch.set_num_threads(settings.threads)
    checkpoint, recorded = out / "checkpoint.safetensors", {"processes": world, **asdict(settings)}
    text = _prepare(settings, out, rank, world)
    stream = _stream(settings, text.train, text.tokenizer, settings.seed)
    check = _stream(settings, text.held_out, text.tokenizer, settings.seed + 1) if text.held_out else None
    model = new_model(settings, len(text.tokenizer.vocab))
    optimizer = adamw(model, learning_rate=settings.peak_rate, weight_decay=settings.weight_decay)
    torch.manual_seed(settings.seed + rank)  # dropout
    start = load_checkpoint(checkpoint, model, optimizer, settings=recorded) if checkpoint.is_file() else 0
    if world > 1 and start:  # the file holds the random state of one process
        torch.manual_seed(settings.seed + rank + world * start)
    log = RunLog(out / "log.jsonl", after=start) if rank == 0 else None
    tally = Tally()

    def batches(number: int) -> Batch:
        batch = stream(number)
        if not settings.next_sentence:
            batch = replace(batch, next_sentence_label=None)
        return own_part(batch, rank, world) if world > 1 else batch

    def after_step(step: Step) -> None:
        tally.add(step.output, step.batch)
        bar.update()
        last = step.done == end
        saves = step.done % checkpoint_every == 0 or last
        # A record at each checkpoint: so a resumed run takes its means over the same updates.
        if step.done % log_every == 0 or saves:
            record = {"learning_rate": step.learning_rate, **tally.record()}
            if log is not None:
                if check is not None and (step.done % (10 * log_every) == 0 or last):
                    record |= measure(model, check)
                log.add(step.done, **record)
            bar.set_postfix(loss=f"{record['mlm_loss']:.3f}")
        if saves and rank == 0:
            save_checkpoint(checkpoint, model, optimizer, step=step.done, settings=recorded)

    with tqdm(total=end, initial=start, disable=rank != 0, unit="step", mininterval=1.0) as bar:
        train(
            DistributedDataParallel(SeenByDDP(model), find_unused_parameters=True) if world > 1 else model,
            batches,
            optimizer,
            learning_rate=_schedule(settings),
            steps=end,
            start=start,
            precision=_precision(settings),
            loss=lambda output, batch: objective(output, batch, world=world),
            after_step=after_step,
        )
    model.eval()
    if rank == 0:
        save_pretrained(model, text.tokenizer, out / "model", dtype=torch.float16)
        remove_leftovers(out, kind="old")  # of a process killed while it replaced model/
    return model


def _prepare(settings: Settings, out: Path, rank: int, world: int) -> Text:
    """The text of a run. Its first process learns the vocabulary, unless a checkpoint goes with the one there is."""
    vocabulary = out / "vocab.txt"
    if rank == 0:
        remove_leftovers(out)
        if not (out / "checkpoint.safetensors").is_file():
            vocabulary.unlink(missing_ok=True)
        text = prepare_text(settings, vocabulary)
    if world > 1:
        dist.barrier()
    return text if rank == 0 else prepare_text(settings, vocabulary)


def _schedule(settings: Settings) -> Callable[[int], float]:
    return lambda number: warmup_then_linear(
        number, peak=settings.peak_rate, warmup=settings.warmup, total=settings.steps
    )


def _precision(settings: Settings) -> torch.dtype:
    return fast_precision() if settings.precision == "fastest" else getattr(torch, settings.precision)


def _stream(
    settings: Settings, documents: list[list[list[int]]], tokenizer: WordPieceTokenizer, seed: int
) -> PretrainingBatches:
    return PretrainingBatches(
        documents,
        tokenizer,
        batch_size=settings.batch_size,
        max_length=settings.max_length,
        whole_words=settings.whole_words,
        mask_rate=settings.mask_rate,
        seed=seed,
    )


def _arguments(command_line: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m course_utils.training.pretrain",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--checkpoint-every", type=int, default=500, help="updates (500)")
    parser.add_argument("--log-every", type=int, default=50, help="updates (50)")
    parser.add_argument(
        "--stop-after", type=int, help="end after so many of the steps, the rate not yet at 0"
    )
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
    """The command; returns its exit status."""
    chosen = _arguments(command_line)
    try:
        settings = Settings(**{field.name: getattr(chosen, field.name) for field in fields(Settings)})
        if "WORLD_SIZE" in os.environ:  # set by torchrun
            dist.init_process_group("gloo")
        run(
            settings,
            chosen.out,
            checkpoint_every=chosen.checkpoint_every,
            log_every=chosen.log_every,
            stop_after=chosen.stop_after,
        )
    except (ValueError, OSError, FloatingPointError) as error:
        # An error of the system comes as "[Errno 13] Permission denied: 'x'".
        told = f"{error.filename}: {error.strerror}" if getattr(error, "strerror", None) else str(error)
        print(f"pretrain: {told}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("pretrain: stopped; the same command goes on from the last checkpoint", file=sys.stderr)
        return 130
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()
    if os.environ.get("RANK", "0") == "0":
        print(f"{chosen.out / 'model'}: done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
