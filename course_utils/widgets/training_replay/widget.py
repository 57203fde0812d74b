"""A training run as it grows, and afterwards at any of its snapshots: loss, rate, next sentence, fill-in-the-blank."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import traitlets

from course_utils.widgets.base import CourseWidget
from course_utils.widgets.refusals import refusals_told
from course_utils.widgets.shown import Pieces, percent, unread

MASK = "[MASK]"
LONGEST_TEXT = 60
CHANCE = 0.5  # of each next-sentence class

Fill = Callable[[int, str], Sequence[tuple[str, float]]]
MEASURES = ("held_out_mlm_loss", "held_out_next_accuracy", "held_out_not_next_accuracy")


class TrainingReplay(CourseWidget):
    """Watch a run while it trains; scrub through its snapshots; ask each of them what stands at [MASK].

    Call `add_record` every few updates and `add_snapshot` where a copy of the parameters was kept: the picture grows
    with them. The snapshot shown is the newest one until the learner moves the slider back.

    Args:
        steps: number of updates that the run will make in all.
        unigram: entropy of the corpus without any context, in nats: the mark that the loss has to beat.
        fill: (number of a snapshot, sentence with one [MASK]) -> [(token, probability), …], best first; a ValueError
            of it is told to the learner.
        sentence: what to start with, 1 to 60 characters with exactly one [MASK].
        pieces: text -> [(piece, (start, end)), …], as the tokenizer cuts it: what becomes [UNK] is told.

    Attributes:
        sentence: str.
        snapshot: number of the snapshot that is shown, from 0; it cannot move before there are two.
        curves: what grows with the run: steps, unigram, records [[step, loss, rate], …] and snapshots
            [[step, *MEASURES], …]. Apart from `picture`, so that a key in the browser brings back only what it changes.
    """

    name = "training_replay"
    constants: ClassVar[dict[str, Any]] = {"chance": CHANCE}
    inputs = ("sentence", "snapshot", "_length")

    sentence = traitlets.Unicode().tag(sync=True)
    snapshot = traitlets.Int(0).tag(sync=True)
    curves = traitlets.Dict(read_only=True).tag(sync=True)
    _length = traitlets.Tuple(traitlets.Int(), traitlets.Int(), default_value=(0, 0))  # records, snapshots

    def __init__(
        self, *, steps: int, unigram: float, fill: Fill, sentence: str, pieces: Pieces = lambda text: ()
    ) -> None:
        self._steps, self._unigram, self._fill, self._pieces = steps, float(unigram), fill, pieces
        self._snapshots: list[dict[str, float]] = []
        self._rows: dict[str, list[list[float]]] = {"records": [], "snapshots": []}  # as the page has them
        self.set_trait("curves", self._draw_curves())
        super().__init__(sentence=sentence)

    def add_record(self, step: int, *, mlm_loss: float, learning_rate: float) -> None:
        """The training loss around update `step`; steps rise."""
        self._check("records", step, (mlm_loss, learning_rate))
        self._rows["records"].append([step, _round(mlm_loss), learning_rate])
        self._grow(follow=False)

    def add_snapshot(self, step: int, **measures: float) -> None:
        """A copy of the parameters after update `step` (0: before the first), and what it measured on held-out text.

        Args:
            step: rises from snapshot to snapshot.
            measures: held_out_mlm_loss, held_out_next_accuracy, held_out_not_next_accuracy; others are not used.
        """
        kept = {name: float(measures[name]) for name in MEASURES}
        self._check("snapshots", step, tuple(kept.values()), first=0)
        self._snapshots.append({"step": step, **kept})
        self._rows["snapshots"].append([step, *map(_round, kept.values())])
        self._grow(follow=self.snapshot >= len(self._snapshots) - 2)

    def draw(self) -> tuple[dict[str, Any], str]:
        """Which snapshot is shown and what it fills in, and the sentence about it."""
        self.typed(sentence=LONGEST_TEXT)
        if (count := self.sentence.count(MASK)) != 1:
            raise self.bad("mask", actual=count)
        self.within(snapshot=(0, max(0, len(self._snapshots) - 1)))
        here = self._snapshots[self.snapshot] if self._snapshots else None
        words = self._ask() if here else []
        picture = {
            "here": self.snapshot if here else None,
            "done": self._done,
            "words": [{"token": token, "share": _round(share)} for token, share in words],
        }
        return picture, self._say(here, words)

    @property
    def _done(self) -> int:
        return self._rows["records"][-1][0] if self._rows["records"] else 0

    def _draw_curves(self) -> dict[str, Any]:
        # Other lists each time: in the same ones the trait would see no change.
        return {
            "steps": self._steps,
            "unigram": self._unigram,
            "records": [*self._rows["records"]],
            "snapshots": [*self._rows["snapshots"]],
        }

    def _ask(self) -> list[tuple[str, float]]:
        """What the snapshot fills in."""
        with refusals_told():
            return [(str(token), float(share)) for token, share in self._fill(self.snapshot, self.sentence)]

    def _check(self, kind: str, step: int, values: tuple[float, ...], first: int = 1) -> None:
        lowest = self._rows[kind][-1][0] + 1 if self._rows[kind] else first
        if not lowest <= step <= self._steps:
            facts = {"low": lowest, "high": self._steps, "actual": step}
            raise self.bad("step", **facts)
        if not all(math.isfinite(value) for value in values):
            raise self.bad("finite")

    def _grow(self, *, follow: bool) -> None:
        """Draw anew with what was added; the slider goes along if it stood at the end."""
        with self.hold_sync(), self.hold_trait_notifications():
            self.set_trait("curves", self._draw_curves())
            if follow:
                self.snapshot = len(self._snapshots) - 1
            self._length = (len(self._rows["records"]), len(self._snapshots))

    def _say(self, here: dict[str, float] | None, words: list[tuple[str, float]]) -> str:
        facts = {"done": f"{self._done:,}", "steps": f"{self._steps:,}", "unigram": f"{self._unigram:.2f}"}
        if here is None:
            return self.say("none", **facts)
        gap = here["held_out_mlm_loss"] - self._unigram
        classes = [here["held_out_next_accuracy"], here["held_out_not_next_accuracy"]]
        facts |= {
            "step": f"{here['step']:,}",
            "loss": f"{here['held_out_mlm_loss']:.2f}",
            "gap": f"{abs(gap):.2f}",
            "next": f"{100 * classes[0]:.0f}",
            "not_next": f"{100 * classes[1]:.0f}",
            "tokens": ", ".join(f"'{token}' {percent(share)}" for token, share in words[:3]),
        }
        against = "below" if gap < 0 else "above"
        pairs = "better" if min(classes) > CHANCE else "chance"
        said = [self.say(key, **facts) for key in ("at", against, pairs, "fills")]
        return " ".join(said + unread(self._pieces, self.sentence))


def _round(value: float) -> float:
    return round(value, 4)
