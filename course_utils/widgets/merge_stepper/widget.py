"""A training by merges, step by step: which pair is next, how good it is, who comes after it, how the words are cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Protocol

import traitlets

from course_utils.widgets.base import CourseWidget

LONGEST_CORPUS = 400
MOST_STEPS = 80
RUNNERS_UP = 4


class Step(Protocol):
    """What is drawn of one merge; course_utils.tokenization.MergeStep has it all."""

    pair: tuple[str, str]
    count: int
    score: float
    new_symbol: str
    runners_up: tuple[Any, ...]  # each with pair, count, score; best first


class Trainer(Protocol):
    """What is asked of a training by merges."""

    def words(self, texts: Iterable[str]) -> Counter[str]: ...

    def spell(self, word: str) -> list[str]: ...

    def steps(self, texts: Iterable[str], vocab_size: int, *, runners_up: int) -> Iterator[Any]: ...


class MergeStepper(CourseWidget):
    """Step forwards and backwards through what a trainer does to a small corpus; edit the corpus, change the method.

    Args:
        corpus: what to train on, 1 to 400 characters.
        trainers: name of a method -> its trainer (course_utils.tokenization.BPETrainer, WordPieceTrainer …); the name
            is what the learner chooses from.
        method: the name to start with; the first one by default.
        step: how many merges are done at first.

    Attributes:
        corpus: str.
        method: one of the names.
        step: number of merges done; follows when the corpus or the method allows fewer.
    """

    name = "merge_stepper"
    inputs = ("corpus", "method", "step")

    corpus = traitlets.Unicode().tag(sync=True)
    method = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    methods = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)

    def __init__(
        self, corpus: str, *, trainers: Mapping[str, Trainer], method: str | None = None, step: int = 0
    ) -> None:
        if not trainers:
            raise self.bad("trainers")
        self._trainers = dict(trainers)
        self._learned: dict[tuple[str, str], list[Step]] = {}
        self.set_trait("methods", list(trainers))
        super().__init__(corpus=corpus, method=method or next(iter(trainers)), step=step)

    @traitlets.observe("corpus", "method")
    def _keep_step(self, _change: Any) -> None:
        if self._good and self._usable():
            self.step = min(self.step, len(self._steps()))

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's candidates and words and its sentence, after `step` merges."""
        if not self._usable():
            self._refuse()
        steps = self._steps()
        if not 0 <= self.step <= len(steps):
            raise self.bad("step", last=len(steps), actual=self.step)
        trainer = self._trainers[self.method]
        words = trainer.words([self.corpus])
        symbols = {symbol for word in words for symbol in trainer.spell(word)}
        done = steps[: self.step]
        scored = self._is_scored(steps)
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

    def _usable(self) -> bool:
        return (
            bool(self.corpus.strip()) and len(self.corpus) <= LONGEST_CORPUS and self.method in self._trainers
        )

    def _refuse(self) -> None:
        if self.method not in self._trainers:
            known = ", ".join(self._trainers)
            raise self.bad("method", known=known, actual=self.method)
        how = "long" if self.corpus.strip() else "empty"
        facts = {"most": LONGEST_CORPUS, "actual": len(self.corpus)}
        raise self.bad(f"{how}", **facts)

    def _steps(self) -> list[Step]:
        """All merges of this corpus (at most MOST_STEPS)."""
        key = (self.method, self.corpus)
        if key not in self._learned:
            self._learned.clear()
            trainer = self._trainers[self.method]
            room = 2 * LONGEST_CORPUS + 400  # more symbols than the corpus and all bytes can give
            training = trainer.steps([self.corpus], room, runners_up=RUNNERS_UP)
            self._learned[key] = list(islice(training, MOST_STEPS))
        return self._learned[key]

    def _cut(self, symbols: list[str], done: list[Step]) -> list[dict[str, Any]]:
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

    @staticmethod
    def _is_scored(steps: list[Step]) -> bool:
        """Whether pairs are ranked by something else than their count."""
        return any(step.score != step.count for step in steps)

    def _say(self, picture: dict[str, Any], done: list[Step], steps: list[Step]) -> str:
        pieces = sum(word["count"] * len(word["pieces"]) for word in picture["words"])
        facts = {"method": self.method, "step": len(done), "total": len(steps), "pieces": pieces}
        said = [self.say("state", **facts)]
        if done:
            said.append(self.say("made", symbol=done[-1].new_symbol))
        if not picture["candidates"]:
            said.append(self.say("finished"))
            return " ".join(said)
        first, *others = picture["candidates"]
        facts = {"first": first["pair"][0], "second": first["pair"][1], "count": first["count"]}
        kind = "next_scored" if picture["scored"] else "next"
        said.append(self.say(f"{kind}", score=first["score"], **facts))
        if others:
            facts = {
                "first": others[0]["pair"][0],
                "second": others[0]["pair"][1],
                "count": others[0]["count"],
            }
            kind = "runner_up_scored" if picture["scored"] else "runner_up"
            said.append(self.say(f"{kind}", score=others[0]["score"], **facts))
        return " ".join(said)


def _candidates(step: Step) -> list[dict[str, Any]]:
    """What stood to choose from at a step, best first."""
    ranked = [(step.pair, step.count, step.score)]
    ranked += [(other.pair, other.count, other.score) for other in step.runners_up]
    best = step.score or 1.0
    return [
        {"pair": list(pair), "count": count, "score": f"{score:.3f}", "share": round(score / best, 4)}
        for pair, count, score in ranked
    ]
