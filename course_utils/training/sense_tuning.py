"""Go on pre-training with a third task beside the two: which sense has the homonym here?

    python -m course_utils.training.sense_tuning --model runs/first/model --out runs/first/tuned

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
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from course_utils.contextual.words import occurrences
from course_utils.datasets.batching import Batch, PretrainingBatches, encode_documents, pad, seeded
from course_utils.datasets.corpus import CORPUS, HOMONYMS, read_documents, sense_documents
from course_utils.dropout import Dropout
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained, save_pretrained
from course_utils.tokenization import WordPieceTokenizer
from course_utils.training.log import RunLog
from course_utils.training.loop import Step, fast_precision, train
from course_utils.training.optim import adamw, warmup_then_linear

CLASSES = [(word, sense) for word, (_, senses) in HOMONYMS.items() for sense in senses]
WORD_HIDDEN = 0.5  # how often the homonym is behind [MASK]
CONTEXT_HIDDEN = 0.15  # of the other pieces


class Example(NamedTuple):
    """A homonym of known sense in its sentence."""

    ids: list[int]  # with [CLS] and [SEP]
    place: int  # of the homonym's piece
    label: int  # number in CLASSES


@dataclass(frozen=True)
class SenseBatch:
    """B sentences of T tokens."""

    input_ids: Tensor  # int64 (B, T)
    attention_mask: Tensor  # int64 (B, T)
    places: Tensor  # int64 (B,)
    labels: Tensor  # int64 (B,)


def sense_examples(
    tokenizer: WordPieceTokenizer, folder: str | Path = CORPUS, *, max_length: int = 64
) -> list[Example]:
    """Every homonym that stands free in a file that names its sense and is there a piece of its own.

    Where the tokenizer glues it to its particle (배를) or cuts it in two, it does not count.

    Args:
        tokenizer: its vocabulary should keep homonyms apart from their particles (see datasets.vocabulary).
        folder: the corpus.
        max_length: longer sentences are left out.
    """
    examples = []
    for label, (word, sense) in enumerate(CLASSES):
        for document in sense_documents(word, sense, folder):
            for sentence in document:
                encoding = tokenizer.encode(sentence, max_length=None)
                if len(encoding.input_ids) > max_length:
                    continue
                for span in occurrences(sentence, word):
                    if span in encoding.offsets:
                        place = encoding.offsets.index(span)
                        examples.append(Example(list(encoding.input_ids), place, label))
    return examples


def sense_batch(
    examples: Sequence[Example], tokenizer: WordPieceTokenizer, *, generator: torch.Generator
) -> SenseBatch:
    """Pad, and hide homonyms and context by the generator's draws."""
    input_ids = pad([example.ids for example in examples], tokenizer.vocab["[PAD]"])  # (B, T)
    real = pad([[1] * len(example.ids) for example in examples], 0)
    places = torch.tensor([example.place for example in examples])  # (B,)
    rows = torch.arange(len(examples))
    special = torch.tensor([tokenizer.vocab[token] for token in ("[PAD]", "[CLS]", "[SEP]")])
    hidden = (torch.rand(input_ids.shape, generator=generator) < CONTEXT_HIDDEN) & ~torch.isin(
        input_ids, special
    )
    hidden[rows, places] = torch.rand(len(examples), generator=generator) < WORD_HIDDEN
    input_ids = input_ids.masked_fill(hidden, tokenizer.vocab["[MASK]"])
    return SenseBatch(input_ids, real, places, torch.tensor([example.label for example in examples]))


class SenseHead(nn.Linear):
    """Scores of the senses of the homonym at hand: a linear layer of which the other homonyms' senses are shut."""

    def __init__(self, hidden_size: int) -> None:
        super().__init__(hidden_size, len(CLASSES))
        nn.init.zeros_(self.weight)
        nn.init.zeros_(self.bias)
        words = [word for word, _ in CLASSES]
        self.same_word = torch.tensor([[one == other for other in words] for one in words])  # (K, K)

    def loss(self, hidden_states: Tensor, batch: SenseBatch) -> Tensor:
        """float (B, T, C) -> scalar: mean of −log p(sense)."""
        at_word = hidden_states[torch.arange(len(batch.places)), batch.places]  # (B, C)
        logits = self(at_word).float().masked_fill(~self.same_word[batch.labels], -torch.inf)  # (B, K)
        return F.cross_entropy(logits, batch.labels)


class ThreeTasks(nn.Module):
    """A BERT and the head of the third task; its loss is the sum of all three."""

    def __init__(self, model: BertForPreTraining) -> None:
        super().__init__()
        self.model = model
        self.head = SenseHead(model.config.hidden_size)

    def forward(self, usual: Batch, senses: SenseBatch) -> Losses:
        """One batch of the two usual tasks, one of the third."""
        output = self.model(**usual.inputs())
        states = self.model.bert(senses.input_ids, senses.attention_mask).last_hidden_state  # (B, T, C)
        sense_loss = self.head.loss(states, senses)
        return Losses(output.loss + sense_loss, output.mlm_loss, sense_loss)


class Losses(NamedTuple):
    """Scalars."""

    loss: Tensor
    mlm_loss: Tensor
    sense_loss: Tensor


class BothBatches(NamedTuple):
    """One step's input of ThreeTasks."""

    usual: Batch
    senses: SenseBatch

    def inputs(self) -> dict[str, Batch | SenseBatch]:
        """The fields as keyword arguments."""
        return self._asdict()


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
    """Train a model in place; it is left in eval mode.

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
        ValueError: if there is no example, or a number is too small.
    """
    if not examples or min(steps, batch_size) < 1:
        raise ValueError(
            f"examples, steps and batch_size must be at least 1, got {len(examples)}, {steps}, {batch_size}"
        )
    torch.manual_seed(seed)
    for part in model.modules():
        if isinstance(part, Dropout):
            part.p = dropout
    tasks = ThreeTasks(model)

    def batches(number: int) -> BothBatches:
        draws = seeded(seed, number)
        chosen = torch.randint(len(examples), (batch_size,), generator=draws).tolist()
        senses = sense_batch([examples[place] for place in chosen], tokenizer, generator=draws)
        return BothBatches(usual(number), senses)

    train(
        tasks,
        batches,
        adamw(tasks, learning_rate=peak_rate),
        learning_rate=lambda number: warmup_then_linear(
            number, peak=peak_rate, warmup=steps // 10, total=steps
        ),
        steps=steps,
        precision=fast_precision(),
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


def main(command_line: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m course_utils.training.sense_tuning",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model", type=Path, required=True, help="folder of a model from pretrain")
    parser.add_argument("--out", type=Path, required=True, help="folder for the new model and its log")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="folder of the corpus")
    parser.add_argument("--steps", type=int, default=2000, help="number of updates (2000)")
    parser.add_argument("--batch-size", type=int, default=96, help="examples of the third task (96)")
    parser.add_argument("--peak-rate", type=float, default=3e-4, help="highest learning rate (3e-4)")
    parser.add_argument("--dropout", type=float, default=0.1, help="everywhere (0.1)")
    parser.add_argument("--seed", type=int, default=0, help="of everything that is drawn (0)")
    parser.add_argument("--threads", type=int, default=2, help="of this process (2)")
    chosen = parser.parse_args(command_line)
    torch.set_num_threads(chosen.threads)
    try:
        model, tokenizer = load_pretrained(chosen.model, model_class=BertForPreTraining)
        examples = sense_examples(tokenizer, chosen.corpus)
        documents = encode_documents(read_documents(chosen.corpus), tokenizer)
        usual = PretrainingBatches(documents, tokenizer, whole_words=False, mask_rate=0.2, seed=chosen.seed)
        with tqdm(total=chosen.steps, unit="step", mininterval=1.0, delay=1.0) as bar:
            tune(
                model,
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
    except (ValueError, OSError) as error:
        print(f"sense_tuning: {error}", file=sys.stderr)
        return 1
    print(f"{chosen.out / 'model'}: done, {len(examples)} examples")
    return 0


if __name__ == "__main__":
    sys.exit(main())
