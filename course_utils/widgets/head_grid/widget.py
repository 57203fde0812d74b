"""The heads of multi-head attention side by side: where each looks, and what the output loses without some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
import traitlets
from numpy.typing import ArrayLike

from course_utils.widgets.base import CourseWidget
from course_utils.widgets.colors import WEIGHTS

MOST_WORDS = 12
MOST_HEADS = 16
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
        if not 1 <= len(self._names) <= MOST_HEADS:
            raise self.bad("count", most=MOST_HEADS, actual=len(self._names))
        self._attention = attention
        self._loss = loss
        super().__init__(sentence=sentence)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's numbers and its sentence, from sentence, head, word and off."""
        words = self._checked_words()
        off = self._checked_off()
        weights = self._weights(words)  # (H, T, T)
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

    def _checked_words(self) -> list[str]:
        words = self.sentence.split()
        if not 1 <= len(words) <= MOST_WORDS:
            raise self.bad("sentence", most=MOST_WORDS, actual=len(words))
        if not 0 <= self.head < len(self._names):
            raise self.bad("head", last=len(self._names) - 1, actual=self.head)
        if not 0 <= self.word < MOST_WORDS:
            raise self.bad("word", last=MOST_WORDS - 1, actual=self.word)
        return words

    def _checked_off(self) -> list[int]:
        off = sorted(set(self.off))
        if off and self._loss is None:
            raise self.bad("no_loss")
        if off and not 0 <= off[0] <= off[-1] < len(self._names):
            raise self.bad("off", last=len(self._names) - 1, actual=self.off)
        return off

    def _weights(self, words: list[str]) -> np.ndarray:
        weights = _array(self._attention(list(words)))
        expected = (len(self._names), len(words), len(words))
        if weights.shape != expected:
            raise self.bad("weights", expected=expected, actual=weights.shape)
        # 1e-2: weights may come from a model in half precision. The comparison also refuses NaN.
        if not (np.abs(weights.sum(axis=-1) - 1) <= 1e-2).all() or (weights < 0).any():
            raise self.bad("rows")
        return weights

    def _lost(self, words: list[str], off: list[int]) -> np.ndarray | None:
        if self._loss is None:
            return None
        if not off:
            return np.zeros(len(words))
        lost = _array(self._loss(list(words), list(off)))
        if lost.shape != (len(words),) or not np.isfinite(lost).all() or (lost < 0).any():
            raise self.bad("lost", expected=(len(words),), actual=lost.shape)
        return lost

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


def _array(values: ArrayLike | torch.Tensor) -> np.ndarray:
    if isinstance(values, torch.Tensor):
        values = values.detach().double().cpu().numpy()
    return np.asarray(values, dtype=float)
