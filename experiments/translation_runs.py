"""One run of experiments/translations.py: which models there are, how one is trained on dates, and how it is asked."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.before import AttentionSeq2Seq, ConvSeq2Seq, GRUSeq2Seq
from course_utils.datasets import date_batches
from course_utils.datasets.batching import seeded
from course_utils.datasets.date_batches import DateBatch, batch_of
from course_utils.datasets.date_pairs import Pair, draw_pairs
from course_utils.datasets.date_tokens import (
    BOS,
    ENGLISH,
    EOS,
    KOREAN,
    PAD,
    english_tokens,
    korean_text,
    source_ids,
)
from course_utils.schedules import linear_rate
from course_utils.seq2seq import Transformer, greedy_search
from course_utils.training.device import device_of
from course_utils.training.loop import train

VALIDATION, WATCHED, CURVE = 300, 100, 10  # pairs to choose by; of these, asked during a run, so many times
LONGEST = 24  # tokens; no date has more than 20


@dataclass(frozen=True)
class Kind:
    """One of the four."""

    make: type[nn.Module]
    sizes: dict[str, int]  # so that all have nearly as many parameters


KINDS = {
    "gru": Kind(GRUSeq2Seq, {"hidden_size": 136}),
    "gru_attention": Kind(AttentionSeq2Seq, {"hidden_size": 116}),
    "convolution": Kind(ConvSeq2Seq, {"hidden_size": 92, "num_layers": 2, "max_length": 32}),
    "transformer": Kind(
        Transformer, {"hidden_size": 64, "num_heads": 4, "num_layers": 2, "intermediate_size": 256}
    ),
}


@dataclass(frozen=True)
class Plan:
    """How a model is trained: Adam (β₂ 0.98), a rate that rises and falls in straight lines, smoothed labels."""

    kind: str
    sizes: dict[str, int]
    peak_rate: float = 1e-3
    updates: int = 1000
    batch_size: int = 32
    warmup: int = 100
    smoothing: float = 0.1
    dropout: float = 0.0


# The same for every model.
training_batches = lru_cache(maxsize=1)(date_batches.training_batches)


@lru_cache
def held_out(split: str, number: int) -> list[Pair]:
    """The same pairs for all runs; none comes twice."""
    generator, found = seeded(2), {}
    while len(found) < number:
        found |= {pair.english: pair for pair in draw_pairs(number, split=split, generator=generator)}
    return list(found.values())[:number]


def loss_of(logits: Tensor, batch: DateBatch, smoothing: float) -> Tensor:
    """Mean over the tokens that are no padding."""
    labels = batch.labels.to(logits.device).flatten()
    return F.cross_entropy(logits.flatten(0, 1), labels, ignore_index=PAD, label_smoothing=smoothing)


def new_model(plan: Plan, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    make = KINDS[plan.kind].make
    return make(len(ENGLISH), len(KOREAN), **plan.sizes, dropout=plan.dropout, pad_token_id=PAD)


def right(model: nn.Module, pairs: Sequence[Pair]) -> list[bool]:
    """Whether each is translated without any mistake, by greedy search."""
    found: list[bool] = []
    for start in range(0, len(pairs), 250):
        part = pairs[start : start + 250]
        source = source_ids([pair.english for pair in part]).to(device_of(model))
        said = greedy_search(model, source, bos_token_id=BOS, eos_token_id=EOS, max_length=LONGEST)
        texts = [korean_text([BOS, *ids]) for ids in said]  # the one <bos> that is cut off is ours
        found += [text == pair.korean for text, pair in zip(texts, part)]
    return found


def one_run(plan: Plan, seed: int, device: torch.device, asked: int) -> dict[str, Any]:
    """Train one model and ask it; returns what is stored of it."""
    model = new_model(plan, seed).to(device)
    batches = training_batches(seed, plan.updates, plan.batch_size)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)
    validation, test = held_out("validation", VALIDATION), held_out("test", asked)
    curve, losses = [], []

    def watch(step: Any) -> None:
        losses.append(loss_of(step.output.detach(), step.batch, 0.0))
        if step.done % max(1, plan.updates // CURVE) == 0:
            share = statistics.mean(right(model, validation[:WATCHED]))
            curve.append([step.done, round(torch.stack(losses).mean().item(), 4), round(share, 4)])
            losses.clear()

    train(
        model,
        lambda number: batch_of(batches[number]),
        optimizer,
        learning_rate=lambda step: linear_rate(step, plan.peak_rate, plan.warmup, plan.updates + 1),
        steps=plan.updates,
        loss=lambda logits, batch: loss_of(logits, batch, plan.smoothing),
        after_step=watch,
    )
    by_length: dict[int, list[int]] = {}
    for pair, good in zip(test, right(model, test)):
        counted = by_length.setdefault(len(english_tokens(pair.english)), [0, 0])
        counted[0], counted[1] = counted[0] + good, counted[1] + 1
    return {
        "plan": asdict(plan),
        "seed": seed,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "curve": curve,  # update, loss since the last point (without smoothing), share of WATCHED validation pairs
        "validation": sum(right(model, validation)),
        "test": {str(length): by_length[length] for length in sorted(by_length)},  # right, number
    }
