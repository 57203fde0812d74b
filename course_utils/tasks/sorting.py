"""To sort: a task that a small Transformer learns in seconds, and only if its attention learns.

Random numbers come in, the same numbers in order go out. Each place of the output depends on every number of the input,
so whoever sees no place but its own knows that small numbers come first, and one number that stands somewhere in the
row; `loss_without_attention` is how far that gets.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.config import BertConfig
from course_utils.embeddings import BertEmbeddings
from course_utils.encoder import Encoder
from course_utils.initialization import init_weights
from course_utils.support.paths import DATA

NUMBERS, LENGTH = 16, 12  # there are numbers 0 … 15, and 12 of them in a row


@dataclass(frozen=True)
class Rows:
    """A batch: random numbers, and the same in order; both int64 (B, T)."""

    input_ids: Tensor
    targets: Tensor

    def inputs(self) -> dict[str, Any]:
        """What the model is called with."""
        return {"input_ids": self.input_ids}


def random_rows(count: int, *, generator: torch.Generator) -> Rows:
    """So many rows of LENGTH numbers, each drawn from 0 … NUMBERS − 1 by itself.

    Args:
        count: B.
        generator: source of randomness.
    """
    drawn = torch.randint(NUMBERS, (count, LENGTH), generator=generator)  # (B, T)
    return Rows(drawn, drawn.sort(dim=1).values)


class Sorter(nn.Module):
    """Embeddings, a stack of encoder blocks, and a linear layer that names a number at each place. No dropout.

    Args:
        stack: Encoder (post-LN) or PreLNEncoder, or one derived from them.
        depth: L, number of blocks.
        width: C, a multiple of 4, for there are 4 heads; the feed-forward network is 4·C wide.
        start_std: σ of the start values; see init_weights.
        generator: draws them.
    """

    def __init__(
        self,
        stack: type[Encoder] = Encoder,
        *,
        depth: int = 12,
        width: int = 32,
        start_std: float = 0.1,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        config = BertConfig(
            vocab_size=NUMBERS,
            hidden_size=width,
            num_hidden_layers=depth,
            num_attention_heads=4,
            intermediate_size=4 * width,
            max_position_embeddings=LENGTH,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
        self.embeddings = BertEmbeddings(config)
        self.encoder = stack(config)
        self.output = nn.Linear(width, NUMBERS)
        init_weights(self, std=start_std, generator=generator)

    def forward(self, input_ids: Tensor) -> Tensor:
        """int64 (B, T) -> logits (B, T, NUMBERS)."""
        return self.output(self.encoder(self.embeddings(input_ids)).last_hidden_state)


def sorting_loss(logits: Tensor, batch: Rows) -> Tensor:
    """The cross-entropy, mean over all places, in nats; as training/loop.py asks for it.

    Args:
        logits: float (B, T, NUMBERS).
        batch: the rows that they answer.
    """
    return F.cross_entropy(logits.flatten(0, 1), batch.targets.flatten())


def loss_without_attention(numbers: int = NUMBERS, length: int = LENGTH) -> float:
    """The least loss, in nats, of whoever knows at each place nothing but the place and the number that came in there.

    It is the mean entropy of the number s that belongs at a place j, given the number x that came in there:

        P(s ≤ k | x) = P(at least j − [x ≤ k] of the others ≤ k) = Σ_i C(T − 1, i)·q^i·(1 − q)^(T − 1 − i)

    with i from j − [x ≤ k] to T − 1, j from 1, k and x from 0, and q = (k + 1)/numbers.

    Args:
        numbers: how many numbers there are.
        length: T, how many stand in a row.
    """
    others = length - 1
    at_least = []  # [k][i]: P(at least i of the others ≤ k), i from 0 to T
    for share in (k / numbers for k in range(1, numbers + 1)):
        exactly = [math.comb(others, i) * share**i * (1 - share) ** (others - i) for i in range(length)]
        at_least.append([math.fsum(exactly[i:]) for i in range(length + 1)])
    total = 0.0
    for own, place in product(range(numbers), range(1, length + 1)):
        below = [0.0, *(at_least[k][place - (own <= k)] for k in range(numbers))]
        shares = [after - before for before, after in zip(below, below[1:])]
        total -= sum(share * math.log(share) for share in shares if share > 0)
    return total / (numbers * length)


def stored_runs(part: str, **chosen: Any) -> list[dict[str, Any]]:
    """Trainings that experiments/dynamics.py stored: those of a part with the settings chosen, a seed each."""
    runs = json.loads((DATA / "dynamics.json").read_text(encoding="utf-8"))["runs"]
    return [run for run in runs if {**run, **chosen, "part": part} == run]


def median_loss(runs: list[dict[str, Any]]) -> float:
    """Of the last losses, the upper one of two; that of a training that blew up is infinite."""
    return sorted(math.inf if run["loss"] is None else run["loss"] for run in runs)[len(runs) // 2]
