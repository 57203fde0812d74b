"""The heads of multi-head attention side by side: where each looks, and what the output loses without some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from course_utils.widgets.base import CourseWidget
from course_utils.widgets.colors import WEIGHTS
from course_utils.widgets.refusals import as_array, as_weights

MOST_WORDS = 12
EVEN = 0.005  # weights closer together than this are told as "all alike"

Attention = Callable[[list[str]], ArrayLike]
Loss = Callable[[list[str], list[int]], ArrayLike]


class HeadGrid(CourseWidget):
    """A small attention map for each head, one of them large; heads can be switched off.

    Args:
        sentence: the words to start from, split at spaces.
        heads: a name for each of the H heads, 1 to 16 of them.
        attention: words -> weights (H, T, T): query = rows, key = columns, each row sums to 1.
        loss: (words, heads switched off) -> (T,): the share of each word's output that is lost, as the norm of what is
            missing over the norm of the whole. None: heads cannot be switched off.

    Attributes:
        sentence: one to twelve words.
        head: which head is shown large, from 0.
        word: which query word is looked at, from 0; in a shorter sentence its last word.
        off: the heads that are switched off, in any order.
    """

    name = "head_grid"
    constants: ClassVar[dict[str, Any]] = {"palette": WEIGHTS}
    inputs = ("sentence", "head", "word", "off")

    sentence = traitlets.Unicode().tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    word = traitlets.Int(0).tag(sync=True)
    off = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(
        self, sentence: str, *, heads: Sequence[str], attention: Attention, loss: Loss | None = None
    ) -> None:
        self._names = [str(name) for name in heads]
        self._attention = attention
        self._loss = loss
        super().__init__(sentence=sentence)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers and its sentence, from sentence, head, word and off."""
        words, last = self.split(MOST_WORDS), len(self._names) - 1
        self.within(head=(0, last), word=(0, MOST_WORDS - 1), off=(0, last))
        off = sorted(set(self.off))
        if off and self._loss is None:
            raise self.bad("no_loss")
        size = (len(self._names), len(words), len(words))
        weights = as_weights(self._attention(list(words)), *size, what="attention")  # (H, T, T)
        lost = self._lost(words, off)  # (T,), or None
        word = min(self.word, len(words) - 1)
        picture = {
            "words": words,
            "heads": self._names,
            "weights": weights.tolist(),
            "lost": None if lost is None else lost.tolist(),
        }
        parts = [self._look(words, word, weights[self.head, word])]
        if off:
            parts.append(self._missing(words, word, off, lost))
        return picture, " ".join(parts)

    def _lost(self, words: list[str], off: list[int]) -> np.ndarray | None:
        if self._loss is None:
            return None
        if not off:
            return np.zeros(len(words))
        return as_array(self._loss(list(words), list(off)), len(words), what="loss")

    def _look(self, words: list[str], word: int, row: np.ndarray) -> str:
        best = int(row.argmax())
        facts = {"head": self._names[self.head], "query": words[word], "weight": f"{row[best]:.2f}"}
        if len(words) > 1 and row.max() - row.min() < EVEN:
            return self.say("even", **facts)
        alike = np.flatnonzero(row > row[best] - EVEN)
        names = ", ".join(f"'{words[place]}'" for place in alike)
        return self.say("summary", keys=names, **facts)

    def _missing(self, words: list[str], word: int, off: list[int], lost: np.ndarray) -> str:
        names = ", ".join(f"'{self._names[head]}'" for head in off)
        most = int(lost.argmax())
        facts = {"names": names, "query": words[word], "share": f"{100 * lost[word]:.0f}"}
        parts = [self.say("off", **facts)]
        if lost[most] - lost[word] > EVEN:
            parts.append(self.say("most", word=words[most], share=f"{100 * lost[most]:.0f}"))
        return " ".join(parts)
