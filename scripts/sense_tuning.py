"""Go on pre-training with a third task beside the two: which sense has the homonym here?

    python -m scripts.sense_tuning --model runs/first/model --out runs/first/tuned

Masked words and next sentences ask little of a homonym: to predict 배 it is enough to know that 배 is coming, whichever
it is. The corpus tells the sense by the name of its files, so it can be asked for, as SenseBERT does with word classes
(Levine et al. 2020). A linear layer on the last hidden state at the homonym chooses among its senses; half of the time
the homonym itself is hidden behind [MASK], so that the context must tell. Some words of the context are hidden, too, so
that no single one is relied on. The linear layer is thrown away afterwards: what is saved is a BERT like any other.

    loss = masked words + next sentence + sense
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn
from tqdm import tqdm

from course_utils.datasets.batching import Batch, PretrainingBatches, encode_documents, seeded
from course_utils.datasets.corpus import CORPUS, read_documents
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained, save_pretrained
from course_utils.pretrained.folder import SAVED as MODEL_FILES
from course_utils.schedules import linear_rate
from course_utils.support.commands import add_debug, carry_out
from course_utils.support.folders import remove_leftovers, run_folder
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training.device import available_device, device_of, fast_precision
from course_utils.training.fast import speed_up
from course_utils.training.log import RunLog
from course_utils.training.loop import Step, train
from course_utils.training.optim import adamw
from course_utils.training.settings import LARGEST_SEED, MOST_THREADS, Checked, add_options, chosen, setting
from scripts.sense_task import BothBatches, Example, Losses, ThreeTasks, sense_batch, sense_examples

KIND = "sense_tuning"
MADE = ("log.jsonl", "model")  # all that a run makes in its folder


@dataclass(frozen=True)
class Tuning(Checked):
    """The settings of a run of sense tuning."""

    corpus: str = setting(str(CORPUS), "folder of the corpus, or several joined by commas")
    labels: int = setting(
        0,
        "sentences to learn each sense from, drawn by the seed and spread over its documents; a sense that has fewer "
        "gives all, and with 0 all do. The two usual tasks read the whole corpus always",
        least=0,
    )
    steps: int = setting(2000, "number of updates")
    batch_size: int = setting(96, "examples of the third task in each")
    peak_rate: float = setting(3e-4, "highest learning rate, reached after a tenth of the steps")
    dropout: float = setting(
        0.1, "everywhere; the examples are few and seen often", most=1.0, open_at=("most",)
    )
    seed: int = setting(0, "of everything that is drawn", least=0, most=LARGEST_SEED)
    threads: int = setting(2, "processor cores that it computes with", most=MOST_THREADS)


def tune(
    model: BertForPreTraining,
    tokenizer: WordPieceTokenizer,
    usual: Callable[[int], Batch],
    examples: Sequence[Example],
    settings: Tuning,
    *,
    after_step: Callable[[Step], None] = lambda step: None,
) -> None:
    """Train a model in place, on the device that it is on; it is left in eval mode.

    Args:
        model, tokenizer: as loaded.
        usual: gives the batch of a number for the two usual tasks (PretrainingBatches).
        examples: of the third, at least one.
        settings: steps, batch_size, peak_rate, dropout and seed count.
        after_step: see loop.train.
    """
    torch.manual_seed(settings.seed)
    for part in model.modules():
        if isinstance(part, nn.Dropout):
            part.p = settings.dropout
    device = device_of(model)
    tasks = ThreeTasks(model).to(device)

    def batches(number: int) -> BothBatches:
        draws = seeded(settings.seed, number)
        places = torch.randint(len(examples), (settings.batch_size,), generator=draws).tolist()
        senses = sense_batch([examples[place] for place in places], tokenizer, generator=draws)
        return BothBatches(usual(number), senses)

    steps, peak = settings.steps, settings.peak_rate
    train(
        tasks,
        batches,
        adamw(tasks, learning_rate=peak),
        learning_rate=lambda step: linear_rate(step, peak, steps // 10, steps + 1),
        steps=steps,
        precision=fast_precision(device),
        after_step=after_step,
    )
    model.eval()


def _record(path: Path, bar: tqdm, *, every: int = 50) -> Callable[[Step], None]:
    """Write the mean losses of every 50 updates into a new log; a run that is refused leaves the old one alone."""
    seen: list[Losses] = []
    log: RunLog | None = None

    def after_step(step: Step) -> None:
        nonlocal log
        log = log or RunLog(path)
        seen.append(Losses(*(loss.detach() for loss in step.output)))
        bar.update()
        if step.done % every == 0:
            means = {
                name: float(torch.stack(column).mean()) for name, column in zip(Losses._fields, zip(*seen))
            }
            del means["loss"]
            log.add(step.done, learning_rate=step.learning_rate, **means)
            bar.set_postfix(sense=f"{means['sense_loss']:.3f}")
            seen.clear()

    return after_step


def _tune(given: argparse.Namespace) -> None:
    """Load, tune and save, as the command line says."""
    settings, device = chosen(Tuning, given), available_device(given.device)
    torch.set_num_threads(settings.threads)
    model, tokenizer = load_pretrained(given.model, model_class=BertForPreTraining)
    corpus = settings.corpus.split(",")
    examples = sense_examples(tokenizer, corpus, labels=settings.labels, seed=settings.seed)
    if not examples:
        raise ValueError("the corpus must hold a homonym that is a piece of its own, and holds none")
    documents = encode_documents(read_documents(corpus), tokenizer)
    usual = PretrainingBatches(documents, tokenizer, whole_words=False, mask_rate=0.2, seed=settings.seed)
    bar = tqdm(total=settings.steps, unit="step", mininterval=1.0, delay=1.0)
    with run_folder(given.out, KIND), bar:
        remove_leftovers(given.out, MADE, inside=MODEL_FILES)
        after_step = _record(given.out / "log.jsonl", bar)
        tune(speed_up(model).to(device), tokenizer, usual, examples, settings, after_step=after_step)
        save_pretrained(model, tokenizer, given.out / "model", dtype=torch.float16)
        remove_leftovers(given.out, MADE, inside=MODEL_FILES, state="old")
    each = Counter(example.label for example in examples).values()
    print(f"{given.out / 'model'}: done, {len(examples)} examples, {min(each)} to {max(each)} of each sense")


def main(command_line: list[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 after an error, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.sense_tuning",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model", type=Path, required=True, help="folder of a model from pretrain")
    parser.add_argument("--out", type=Path, required=True, help="folder for the new model and its log")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:N or mps (cpu)")
    add_debug(parser)
    add_options(parser, Tuning)
    given = parser.parse_args(command_line)
    return carry_out("sense_tuning", lambda: _tune(given), debug=given.debug)


if __name__ == "__main__":
    sys.exit(main())
