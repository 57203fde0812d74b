"""Small pre-training runs that differ in one thing each; what they come to becomes data/ablations.json (notebook 13).

    python -m experiments.ablations                          every run, about a minute each on one core
    python -m experiments.ablations --steps 1000 --only base,no_next --out runs/ablations.json

Each run starts from the settings of `base` and changes what RUNS says. All are measured the same way after the
last update, on documents that no run has seen: each has to recover the same 15 % of single pieces, chosen by the same
seed, and to judge the same pairs of sentences.

`left_to_right` is a one-directional model of the same size: a causal mask in every layer, and at every token the next
one as the target, no [MASK]. It predicts the same tokens as the others, each from what stands to its left.
`left_to_right_15` is the same with a loss at the chosen 15 % only, the places at which `no_next` learns, too.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.datasets.batching import Batch, PretrainingBatches
from course_utils.datasets.pretraining import IGNORE
from course_utils.heads import BertForPreTraining
from course_utils.masks import causal_mask, combine_masks
from course_utils.support.text_width import aligned
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.training.fast import speed_up
from course_utils.training.loop import train
from course_utils.training.measures import measure
from course_utils.training.optim import adamw
from course_utils.training.settings import Settings, new_model, precision, schedule
from experiments.runs import ROOT, Store, carry_on, count, parser_of, run_command, threads
from scripts.pretrain import run
from scripts.pretraining.text import Text, batch_stream, prepare_text

OUT = ROOT / "data" / "ablations.json"
BASE = Settings(
    corpus="data/corpus",
    vocab_size=2000,
    layers=2,
    hidden=64,
    heads=4,
    max_length=48,
    positions=64,
    dropout=0.0,
    start_std=0.1,
    steps=2000,
    batch_size=32,
    peak_rate=2e-3,
    warmup=100,
    threads=1,
    precision="float32",
    whole_words=False,
    held_out=10,
)
RUNS: dict[str, dict[str, Any]] = {
    "base": {},
    "no_next": {"next_sentence": False},
    "left_to_right": {"next_sentence": False},
    "left_to_right_15": {"next_sentence": False},
    "mask_40": {"mask_rate": 0.40},
    "mask_80": {"mask_rate": 0.80},
    "small": {"layers": 1, "hidden": 32, "heads": 2},
    "large": {"hidden": 128},
}


class LeftToRight(nn.Module):
    """The parameters of a BertForPreTraining, used from left to right: a token sees itself and what stands before."""

    def __init__(self, model: BertForPreTraining) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor, labels: Tensor, **_: Any
    ) -> SimpleNamespace:
        """Loss and logits at the labelled places; as `measure` reads them."""
        bert = self.model.bert
        mask = combine_masks(attention_mask.bool()[:, None, None, :], causal_mask(input_ids.shape[1]))
        hidden = bert.encoder(bert.embeddings(input_ids, token_type_ids), mask).last_hidden_state  # (B, T, C)
        chosen = labels != IGNORE
        logits = self.model.mlm(hidden[chosen], bert.embeddings.token.weight)  # (M, V)
        loss = F.cross_entropy(logits.float(), labels[chosen])
        return SimpleNamespace(loss=loss, mlm_loss=loss, nsp_loss=None, logits=logits)


def next_token_batch(batch: Batch, special: Tensor, *, every: bool) -> Batch:
    """A batch whose inputs are the true tokens and whose labels are the tokens one place to the right.

    Args:
        batch: corrupted, with labels at the chosen places.
        special: bool (V,), tokens that are never a target.
        every: label every token that is not special; else only those that `batch` had chosen.
    """
    true = torch.where(batch.labels == IGNORE, batch.input_ids, batch.labels)  # (B, T)
    targets = torch.where(special[true], IGNORE, true) if every else batch.labels
    labels = torch.full_like(targets, IGNORE)
    labels[:, :-1] = targets[:, 1:]
    return replace(batch, input_ids=true, labels=labels, next_sentence_label=None)


def train_left_to_right(settings: Settings, text: Text, special: Tensor, *, every: bool) -> nn.Module:
    """Train the one-directional model by the same loop as the others.

    `every` is as in `next_token_batch`: a loss at every token, or only where the others have theirs.
    """
    batches = batch_stream(settings, text.train, text.tokenizer, seed=settings.seed)
    model = LeftToRight(speed_up(new_model(settings, len(text.tokenizer.vocab))))
    torch.manual_seed(settings.seed)
    train(
        model,
        lambda number: next_token_batch(batches(number), special, every=every),
        adamw(model, learning_rate=settings.peak_rate, weight_decay=settings.weight_decay),
        learning_rate=schedule(settings),
        steps=settings.steps,
        precision=precision(settings, torch.device("cpu")),
    )
    return model


class OnlyChosen:
    """The held-out stream for a left-to-right model, which predicts each chosen token from the place before it."""

    def __init__(self, batches: PretrainingBatches, special: Tensor) -> None:
        self.batches, self.special = batches, special
        self.batches_per_epoch = batches.batches_per_epoch

    def __call__(self, number: int) -> Batch:
        return next_token_batch(self.batches(number), self.special, every=False)


def one_run(name: str, settings: Settings) -> dict[str, Any]:
    """Train one run and measure it; returns what data/ablations.json keeps of it."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        text = prepare_text(settings, out / "vocab.txt")
        special = torch.zeros(len(text.tokenizer.vocab), dtype=torch.bool)
        special[[text.tokenizer.vocab[token] for token in SPECIAL_TOKENS]] = True
        alike = replace(settings, mask_rate=BASE.mask_rate)
        check: Any = batch_stream(alike, text.held_out, text.tokenizer, seed=settings.seed + 1)
        if name in ("left_to_right", "left_to_right_15"):
            torch.set_num_threads(settings.threads)
            model = train_left_to_right(settings, text, special, every=name == "left_to_right")
            check = OnlyChosen(check, special)
        else:
            model = run(settings, out / "run", checkpoint_every=settings.steps)
        held_out = measure(model, check)
    if not settings.next_sentence:  # its head has learned nothing
        held_out = {key: value for key, value in held_out.items() if "next" not in key}
    return {
        "name": name,
        "settings": asdict(settings),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "held_out": {key: round(value, 4) for key, value in held_out.items()},
    }


def table(store: Store) -> list[list[str]]:
    """A row for each run: its size, and how it does on held-out text."""
    rows = [["", "parameters", "loss", "right", "next right"]]
    for one in store.runs.values():
        found = (
            one["held_out"].get(f"held_out_{name}") for name in ("mlm_loss", "mlm_accuracy", "next_accuracy")
        )
        cells = ["–" if value is None else f"{value:.3f}" for value in found]
        rows.append([one["name"], f"{one['parameters']:,}", *cells])
    return rows


def main(command_line: Sequence[str] | None = None) -> int:
    parser = parser_of("ablations", __doc__, out=OUT, only=RUNS)
    parser.add_argument("--steps", type=count, default=BASE.steps, help=f"updates of each ({BASE.steps})")
    parser.add_argument("--threads", type=threads, default=BASE.threads, help=f"cores ({BASE.threads})")
    return run_command(parser, command_line, _work)


def _work(chosen: Any) -> None:
    command = f"python -m experiments.ablations --steps {chosen.steps} --threads {chosen.threads}"
    store = Store(chosen.out, command=command, key=lambda one: one["name"])
    warmup = min(BASE.warmup, chosen.steps // 10)
    base = replace(BASE, steps=chosen.steps, threads=chosen.threads, warmup=warmup)
    plans = {name: replace(base, **RUNS[name]) for name in chosen.only}
    for name in plans.keys() & store.runs.keys():
        now = asdict(plans[name])
        if others := [
            key for key, value in store.runs[name]["settings"].items() if now.get(key, value) != value
        ]:
            told = ", ".join(others)
            raise ValueError(f"{chosen.out} holds {name} with other settings ({told}): give another --out")
    if not chosen.table:
        carry_on(
            store,
            list(plans),
            key=lambda name: name,
            make=lambda name: one_run(name, plans[name]),
            tell=lambda one: f"{one['name']}: {one['held_out']}",
        )
    print(aligned(table(store)))


if __name__ == "__main__":
    sys.exit(main())
