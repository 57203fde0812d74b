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
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import nn
from tqdm import tqdm

from course_utils.datasets.batching import Batch, PretrainingBatches, encode_documents, seeded
from course_utils.datasets.corpus import CORPUS, read_documents
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained, save_pretrained
from course_utils.pretrained.folder import SAVED as MODEL_FILES
from course_utils.support.commands import add_debug, carry_out
from course_utils.support.folders import remove_leftovers, run_folder
from course_utils.support.given import real_number, whole_number
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training.device import available_device, device_of, fast_precision
from course_utils.training.fast import speed_up
from course_utils.training.log import RunLog
from course_utils.training.loop import Step, train
from course_utils.training.optim import adamw, linear_rate
from course_utils.training.sense_examples import Example, sense_batch, sense_examples
from course_utils.training.sense_head import BothBatches, Losses, ThreeTasks
from course_utils.training.settings import LARGEST_SEED, MOST_THREADS

KIND = "sense_tuning"
MADE = ("log.jsonl", "model")  # all that a run makes in its folder


def tune(
    model: BertForPreTraining,
    tokenizer: WordPieceTokenizer,
    usual: Callable[[int], Batch],
    examples: Sequence[Example],
    *,
    steps: int,
    batch_size: int = 96,
    peak_rate: float = 3e-4,
    dropout: float = 0.1,
    seed: int = 0,
    after_step: Callable[[Step], None] = lambda step: None,
) -> None:
    """Train a model in place, on the device that it is on; it is left in eval mode.

    Args:
        model, tokenizer: as loaded.
        usual: gives the batch of a number for the two usual tasks (PretrainingBatches).
        examples: of the third.
        steps: number of updates.
        batch_size: examples of the third task in each.
        peak_rate: highest learning rate, reached after a tenth of the steps.
        dropout: everywhere; the examples are few and seen often.
        seed: of everything that is drawn.
        after_step: see loop.train.

    Raises:
        ValueError: if there is no example, or a number is out of its range.
    """
    if not examples:
        raise ValueError("examples must hold at least one homonym that is a piece of its own, and hold none")
    steps, batch_size = whole_number("steps", steps), whole_number("batch_size", batch_size)
    peak_rate = real_number("peak_rate", peak_rate)
    dropout = real_number("dropout", dropout, most=1.0, open_at=("most",))
    seed = whole_number("seed", seed, least=0, most=LARGEST_SEED)
    torch.manual_seed(seed)
    for part in model.modules():
        if isinstance(part, nn.Dropout):
            part.p = dropout
    device = device_of(model)
    tasks = ThreeTasks(model).to(device)

    def batches(number: int) -> BothBatches:
        draws = seeded(seed, number)
        chosen = torch.randint(len(examples), (batch_size,), generator=draws).tolist()
        senses = sense_batch([examples[place] for place in chosen], tokenizer, generator=draws)
        return BothBatches(usual(number), senses)

    train(
        tasks,
        batches,
        adamw(tasks, learning_rate=peak_rate),
        learning_rate=lambda step: linear_rate(step, peak_rate, steps // 10, steps + 1),
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


def _arguments(command_line: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.sense_tuning",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model", type=Path, required=True, help="folder of a model from pretrain")
    parser.add_argument("--out", type=Path, required=True, help="folder for the new model and its log")
    parser.add_argument(
        "--corpus", default=str(CORPUS), help="folder of the corpus, or several joined by commas"
    )
    parser.add_argument("--steps", type=int, default=2000, help="number of updates (2000)")
    parser.add_argument("--batch-size", type=int, default=96, help="examples of the third task (96)")
    parser.add_argument("--peak-rate", type=float, default=3e-4, help="highest learning rate (3e-4)")
    parser.add_argument("--dropout", type=float, default=0.1, help="everywhere (0.1)")
    parser.add_argument("--seed", type=int, default=0, help="of everything that is drawn (0)")
    parser.add_argument("--threads", type=int, default=2, help="of this process (2)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:N or mps (cpu)")
    add_debug(parser)
    return parser.parse_args(command_line)


def _tune(chosen: argparse.Namespace) -> None:
    """Load, tune and save, as the command line says."""
    torch.set_num_threads(whole_number("threads", chosen.threads, most=MOST_THREADS))
    device = available_device(chosen.device)
    model, tokenizer = load_pretrained(chosen.model, model_class=BertForPreTraining)
    corpus = chosen.corpus.split(",")
    examples = sense_examples(tokenizer, corpus)
    documents = encode_documents(read_documents(corpus), tokenizer)
    usual = PretrainingBatches(documents, tokenizer, whole_words=False, mask_rate=0.2, seed=chosen.seed)
    bar = tqdm(total=chosen.steps, unit="step", mininterval=1.0, delay=1.0)
    with run_folder(chosen.out, KIND), bar:
        remove_leftovers(chosen.out, MADE, inside=MODEL_FILES)
        tune(
            speed_up(model).to(device),
            tokenizer,
            usual,
            examples,
            steps=chosen.steps,
            batch_size=chosen.batch_size,
            peak_rate=chosen.peak_rate,
            dropout=chosen.dropout,
            seed=chosen.seed,
            after_step=_record(chosen.out / "log.jsonl", bar),
        )
        save_pretrained(model, tokenizer, chosen.out / "model", dtype=torch.float16)
        remove_leftovers(chosen.out, MADE, inside=MODEL_FILES, state="old")
    print(f"{chosen.out / 'model'}: done, {len(examples)} examples")


def main(command_line: list[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 after an error, 130 after Ctrl-C."""
    chosen = _arguments(command_line)
    return carry_out("sense_tuning", lambda: _tune(chosen), debug=chosen.debug)


if __name__ == "__main__":
    sys.exit(main())
