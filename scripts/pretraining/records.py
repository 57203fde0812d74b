"""What a pre-training run does after each update: count, tell, write down, save."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from tqdm import tqdm

from course_utils.datasets.batching import Batch
from course_utils.datasets.pretraining import IGNORE
from course_utils.training.log import RunLog
from course_utils.training.loop import Step


class Tally:
    """Sums over the updates since the last record, of all processes together."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.sums = torch.zeros(5, dtype=torch.float64)
        self.since = time.perf_counter()

    def add(self, output: Any, batch: Batch) -> None:
        """Count one update: a PreTrainingOutput and its batch."""
        chosen = int((batch.labels != IGNORE).sum())
        pairs = 0 if output.nsp_loss is None else len(batch.input_ids)
        mlm = output.mlm_loss.item() * chosen
        next_sentence = output.nsp_loss.item() * pairs if pairs else 0.0
        tokens = int(batch.attention_mask.sum())
        self.sums += torch.tensor([mlm, chosen, next_sentence, pairs, tokens], dtype=torch.float64)

    def record(self) -> dict[str, float]:
        """Mean loss a chosen token and a pair (none seen: left out), tokens a second; then begin anew.

        With several processes all must call it.
        """
        if dist.is_initialized():
            dist.all_reduce(self.sums)
        mlm, chosen, next_sentence, pairs, tokens = self.sums.tolist()
        record = {"mlm_loss": mlm / max(chosen, 1)}
        if pairs:
            record["nsp_loss"] = next_sentence / pairs
        record["tokens_per_second"] = tokens / (time.perf_counter() - self.since)
        self._clear()
        return record


@dataclass
class Recorder:
    """The `after_step` of one process of a run. All processes tally; only the first has a log, and saves.

    The model is the same whatever the numbers are.
    """

    checkpoint_every: int
    log_every: int
    end: int  # the last update
    log: RunLog | None  # None in the other processes
    bar: tqdm
    measured: Callable[[], dict[str, float]]  # the held-out measures, as a record has them
    save: Callable[[int], None]  # writes the checkpoint after a number of updates
    tally: Tally = field(default_factory=Tally)

    def __call__(self, step: Step) -> None:
        """Count this update, and write down what is due."""
        self.tally.add(step.output, step.batch)
        self.bar.update()
        saves = step.done % self.checkpoint_every == 0 or step.done == self.end
        # At a checkpoint always a record, too: a resumed run then takes means over the same updates.
        if saves or step.done % self.log_every == 0:
            self.record(step)
        if saves and self.log is not None:
            self.save(step.done)

    def record(self, step: Step) -> None:
        """A line of the log; every tenth, and the last, with the held-out measures."""
        record = {"learning_rate": step.learning_rate, **self.tally.record()}
        if self.log is None:
            return
        if step.done % (10 * self.log_every) == 0 or step.done == self.end:
            record |= self.measured()
        self.log.add(step.done, **record)
        self.bar.set_postfix(loss=f"{record['mlm_loss']:.3f}")
