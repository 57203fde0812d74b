"""What a pre-training run does after each update: count, tell, write down, save."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tqdm import tqdm

from course_utils.support.given import whole_number
from course_utils.training.log import RunLog
from course_utils.training.loop import Step
from course_utils.training.measures import Tally


@dataclass(frozen=True)
class Rhythm:
    """How often a run writes something down, in updates; the model is the same whatever these are.

    Raises:
        ValueError: if one of the first two is smaller than 1.
    """

    checkpoint_every: int
    log_every: int
    end: int  # the last update

    def __post_init__(self) -> None:
        whole_number("checkpoint_every", self.checkpoint_every)
        whole_number("log_every", self.log_every)

    def saves(self, done: int) -> bool:
        """Whether a checkpoint is written after update `done`."""
        return done % self.checkpoint_every == 0 or done == self.end

    def records(self, done: int) -> bool:
        """Whether the log gets a line. At a checkpoint always: a resumed run then takes means over the same updates."""
        return done % self.log_every == 0 or self.saves(done)

    def measures(self, done: int) -> bool:
        """Whether that line holds the held-out measures, too."""
        return done % (10 * self.log_every) == 0 or done == self.end


class Recorder:
    """The `after_step` of one process of a run. All processes tally; only the first has a log, and saves.

    Args:
        rhythm: when.
        log: where to; None in the other processes.
        bar: shows the progress.
        measured: gives the held-out measures, as a record has them.
        save: writes the checkpoint after a number of updates.
    """

    def __init__(
        self,
        rhythm: Rhythm,
        log: RunLog | None,
        bar: tqdm,
        *,
        measured: Callable[[], dict[str, float]],
        save: Callable[[int], None],
    ) -> None:
        self.rhythm, self.log, self.bar = rhythm, log, bar
        self.measured, self.save = measured, save
        self.tally = Tally()

    def __call__(self, step: Step) -> None:
        """Count this update, and write down what is due."""
        self.tally.add(step.output, step.batch)
        self.bar.update()
        if self.rhythm.records(step.done):
            self._record(step)
        if self.rhythm.saves(step.done) and self.log is not None:
            self.save(step.done)

    def _record(self, step: Step) -> None:
        record = {"learning_rate": step.learning_rate, **self.tally.record()}
        if self.log is None:
            return
        if self.rhythm.measures(step.done):
            record |= self.measured()
        self.log.add(step.done, **record)
        self.bar.set_postfix(loss=f"{record['mlm_loss']:.3f}")
