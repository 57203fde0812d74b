"""Greedy decoding with the cache against computing everything anew for each token: same model, same tokens.

They take turns in one process; each ratio is the median over the pairs. With the cache a step looks back on what is
kept; without, it passes all tokens so far, and the source, through every layer once more.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from benchmarks import table
from benchmarks.inference_bench import _interleaved
from course_utils.seq2seq import Transformer, greedy_search

SIZES = dict(hidden_size=64, num_heads=4, num_layers=2, intermediate_size=256)  # one that learns on a laptop
VOCABULARY, BATCH, SOURCE = 97, 7, 31
STEPS = [16, 64, 256]
GOALS = {256: "≥ 5"}
BOS, EOS = 1, 2
SECONDS = 6.0  # for each row


class Cached:
    """A Transformer with its cache that never ends, so that both write as many tokens as they are asked for."""

    def __init__(self, model: Transformer) -> None:
        self.model = model
        self.encode = model.encode

    def step(self, last_ids: Tensor, state: object) -> tuple[Tensor, object]:
        logits, state = self.model.step(last_ids, state)
        return endless(logits), state


def endless(logits: Tensor) -> Tensor:
    logits[..., EOS] = -torch.inf
    return logits


def rows(seconds: float = SECONDS) -> list[table.Row]:
    """Measure; one row a number of steps, in which `ours` is cached and `theirs` is computed anew."""
    model = Transformer(
        VOCABULARY, VOCABULARY, **SIZES, dropout=0.0, generator=torch.Generator().manual_seed(0)
    ).eval()
    measured = []
    for steps in STEPS:
        pairs = _interleaved(*writers(model, steps), seconds)
        ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
        ratio = statistics.median(other / own for own, other in pairs)
        what = f"{steps} tokens × {BATCH} texts"
        measured.append(table.Row(what, ours, theirs, ratio, GOALS.get(steps, table.NO_GOAL)))
    return measured


def writers(model: Transformer, steps: int) -> tuple[Callable[[], list[list[int]]], ...]:
    """What writes with the cache, and what writes the same without."""
    source_ids = torch.randint(3, VOCABULARY, (BATCH, SOURCE), generator=torch.Generator().manual_seed(1))

    def anew(source: Tensor, target: Tensor) -> Tensor:
        return endless(model(source, target))

    search = partial(greedy_search, bos_token_id=BOS, eos_token_id=EOS, max_length=steps)
    return partial(search, Cached(model), source_ids), partial(search, anew, source_ids)
