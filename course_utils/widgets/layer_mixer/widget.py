"""Layers mixed by hand: the share of each, what a word is then near to, and how well a task is done with the mix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from course_utils.widgets.base import CourseWidget
from course_utils.widgets.layer_mixer.mixing import Words, shares_of
from course_utils.widgets.shown import percent, readable

LONGEST_NAME = 24  # letters of a mix
LONGEST_CHOICE = 60  # letters of a sentence in the list to choose from
MOST_WORDS = 1500  # of all sentences together
REMEMBERED = 256  # mixes whose accuracy was asked for
TOLD = 3  # neighbours in the line that says what is seen
TIED = 4  # layers with the largest share in that line
NEAR = 1e-4  # weights as near as this are those of a mix with a name


class LayerMixer(CourseWidget):
    """Drag the weight of each layer; see the shares, a word's neighbours in their sentences, and the accuracy.

        mix = Σ_l share_l · h_l        share_l = w_l / Σ w        (γ of a learned mix changes no cosine)

    Args:
        sentences: of each its words; 2 to 1,500 words in all.
        vectors: of each sentence float (L + 1, T, C), a vector for every word from the embeddings and L = 1 to 24
            layers.
        mixes: name -> L + 1 weights from 0 to 1: 1 to 8 mixes to be chosen by name and compared, such as the rows of
            Devlin et al. 2019, table 7, or the shares that a task has learned.
        accuracy: shares, float (L + 1,) -> share of right answers, 0 to 1. It is asked once for each mix, and at every
            move of a slider: what it takes, the learner waits.
        start: any of the attributes.

    Attributes:
        weights: L + 1 numbers from 0 to 1, not all 0; at first those of the first mix.
        sentence: number of the chosen word's sentence, from 0.
        word: number of the word in it; the last one, if there are fewer.
    """

    name = "layer_mixer"
    inputs = ("weights", "sentence", "word")

    weights = traitlets.List(traitlets.Float()).tag(sync=True)
    sentence = traitlets.Int(0).tag(sync=True)
    word = traitlets.Int(0).tag(sync=True)
    choices = traitlets.List(read_only=True).tag(sync=True)  # the sentences; they do not change

    def __init__(
        self,
        sentences: Sequence[Sequence[str]],
        vectors: Sequence[ArrayLike],
        *,
        mixes: Mapping[str, Sequence[float]],
        accuracy: Callable[[np.ndarray], float],
        **start: Any,
    ) -> None:
        self._words = Words.of(sentences, vectors)
        self._accuracy = accuracy
        self._measured = lru_cache(REMEMBERED)(self._measure)
        self._mixes = {readable(name, LONGEST_NAME): list(map(float, own)) for name, own in mixes.items()}
        self.set_trait(
            "choices", [readable(" ".join(words), LONGEST_CHOICE) for words in self._words.sentences]
        )
        super().__init__(**({"weights": next(iter(self._mixes.values()))} | start))

    def draw(self) -> tuple[dict[str, Any], str]:
        """Shares, accuracies and neighbours, and the same in one line."""
        self.within(weights=(0, 1), sentence=(0, len(self._words.sentences) - 1), word=(0, MOST_WORDS))
        if not any(self.weights):
            raise self.bad("nothing")
        shares = shares_of(self.weights)
        words = self._words.sentences[self.sentence]
        word = min(self.word, len(words) - 1)
        now = self._measured(tuple(shares.tolist()))
        picture = {
            "shares": [{"share": round(float(share), 4), "shown": percent(share)} for share in shares],
            "mixes": [self._mix(name, weights, shares) for name, weights in self._mixes.items()],
            "now": {"accuracy": round(now, 4), "shown": percent(now, 1)},
            "words": words,
            "word": word,
            "neighbours": self._words.neighbours(self.sentence, word, shares),
        }
        return picture, self._say(picture, shares)

    def _mix(self, name: str, weights: list[float], shares: np.ndarray) -> dict[str, Any]:
        own = shares_of(weights)
        accuracy = self._measured(tuple(own.tolist()))
        return {
            "name": name,
            "weights": weights,
            "accuracy": round(accuracy, 4),
            "shown": percent(accuracy, 1),
            "chosen": bool(np.abs(own - shares).max() < NEAR),
        }

    def _measure(self, shares: tuple[float, ...]) -> float:
        return float(self._accuracy(np.array(shares)))

    def _say(self, picture: dict[str, Any], shares: np.ndarray) -> str:
        top = np.flatnonzero(shares.max() - shares < NEAR).tolist()
        share = percent(shares.max())
        if len(top) == len(shares):
            said = [self.say("even", share=share)]
        else:
            names = [self.say("layer" if layer else "embeddings", number=layer) for layer in top]
            more = self.say("more", count=len(top) - TIED) if len(top) > TIED else ""
            said = [self.say("most", layers=", ".join(names[:TIED]) + more, share=share)]
        said.append(self.say("accuracy", accuracy=picture["now"]["shown"]))
        best = max(picture["mixes"], key=lambda mix: mix["accuracy"])
        if best["accuracy"] > picture["now"]["accuracy"]:
            said.append(self.say("better", name=best["name"], accuracy=best["shown"]))
        near = ", ".join(
            self.say("neighbour", word=one["name"], cosine=one["shown"])
            for one in picture["neighbours"][:TOLD]
        )
        said.append(self.say("near", word=picture["words"][picture["word"]], neighbours=near))
        return " ".join(said)
