"""A training by merges, step by step: which pair is next, how good it is, who comes after it, how the words are cut."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any

import traitlets

from course_utils.tokenization import MergeStep
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.refusals import BadInput

LONGEST_CORPUS = 400
MOST_STEPS = 80
RUNNERS_UP = 4


class MergeStepper(CourseWidget):
    """Step forwards and backwards through what a trainer does to a small corpus; edit the corpus, change the method.

    Args:
        corpus: what to train on, 1 to 400 characters.
        trainers: name of a method -> its trainer (course_utils.tokenization.BPETrainer, WordPieceTrainer …); the name
            is what the learner chooses from.
        start: any of the attributes.

    Attributes:
        corpus: str.
        method: one of the names; at first the first one.
        step: number of merges done; follows when the corpus or the method allows fewer.
    """

    name = "merge_stepper"
    inputs = ("corpus", "method", "step")

    corpus = traitlets.Unicode().tag(sync=True)
    method = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    methods = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)

    def __init__(self, corpus: str, *, trainers: Mapping[str, Any], **start: Any) -> None:
        self._trainers = dict(trainers)
        self._learned = lru_cache(4)(self._learn)
        self.set_trait("methods", list(trainers))
        super().__init__(**({"corpus": corpus, "method": next(iter(trainers))} | start))

    @traitlets.observe("corpus", "method")
    def _keep_step(self, _change: Any) -> None:
        if self._good:
            with suppress(BadInput):  # told when it is drawn
                self._check()
                self.step = min(self.step, len(self._steps()))

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's candidates and words and its sentence, after `step` merges."""
        self._check()
        steps = self._steps()
        self.within(step=(0, len(steps)))
        trainer = self._trainers[self.method]
        words = trainer.words([self.corpus])
        symbols = {symbol for word in words for symbol in trainer.spell(word)}
        done = steps[: self.step]
        # Whether pairs are ranked by something else than their count.
        scored = any(step.score != step.count for step in steps)
        picture = {
            "total": len(steps),
            "scored": scored,
            "alphabet": len(symbols),
            "made": [step.new_symbol for step in done],
            "candidates": _candidates(steps[self.step]) if self.step < len(steps) else [],
            "words": [
                {"count": count, "pieces": self._cut(trainer.spell(word), done)}
                for word, count in words.most_common()
            ],
        }
        return picture, self._say(picture, done, steps)

    def _check(self) -> None:
        self.typed(corpus=LONGEST_CORPUS)
        self.one_of(method=self._trainers)

    def _steps(self) -> list[MergeStep]:
        return self._learned(self.method, self.corpus)

    def _learn(self, method: str, corpus: str) -> list[MergeStep]:
        """All merges of this corpus (at most MOST_STEPS)."""
        room = 2 * LONGEST_CORPUS + 400  # more symbols than the corpus and all bytes can give
        training = self._trainers[method].steps([corpus], room, runners_up=RUNNERS_UP)
        return list(islice(training, MOST_STEPS))

    def _cut(self, symbols: list[str], done: list[MergeStep]) -> list[dict[str, Any]]:
        """The symbols of a word after some merges; `fresh` are those that the last one made."""
        fresh = [False] * len(symbols)
        for step in done:
            joined: list[str] = []
            fresh = []
            place = 0
            while place < len(symbols):
                together = tuple(symbols[place : place + 2]) == step.pair
                joined.append(step.new_symbol if together else symbols[place])
                fresh.append(together)
                place += 2 if together else 1
            symbols = joined
        return [{"text": symbol, "fresh": new} for symbol, new in zip(symbols, fresh, strict=True)]

    def _say(self, picture: dict[str, Any], done: list[MergeStep], steps: list[MergeStep]) -> str:
        pieces = sum(word["count"] * len(word["pieces"]) for word in picture["words"])
        facts = {"method": self.method, "step": len(done), "total": len(steps), "pieces": pieces}
        said = [self.say("state", **facts)]
        if done:
            said.append(self.say("made", symbol=done[-1].new_symbol))
        if not picture["candidates"]:
            said.append(self.say("finished"))
            return " ".join(said)
        scored = picture["scored"]
        kinds = ("next_scored", "runner_up_scored") if scored else ("next", "runner_up")
        for kind, candidate in zip(kinds, picture["candidates"]):
            first, second = candidate["pair"]
            facts = {
                "first": first,
                "second": second,
                "count": candidate["count"],
                "score": candidate["score"],
            }
            said.append(self.say(kind, **facts))
        return " ".join(said)


def _candidates(step: MergeStep) -> list[dict[str, Any]]:
    """What stood to choose from at a step, best first."""
    ranked = [(step.pair, step.count, step.score)]
    ranked += [(other.pair, other.count, other.score) for other in step.runners_up]
    best = step.score or 1.0
    return [
        {"pair": list(pair), "count": count, "score": f"{score:.3f}", "share": round(score / best, 4)}
        for pair, count, score in ranked
    ]
