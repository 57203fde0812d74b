"""Words in their sentences, a vector for each from every layer, and what they are near to when layers are mixed.

mix = Σ_l share_l · h_l        share_l = w_l / Σ w        cosine(a, b) = a·b / (‖a‖·‖b‖)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_utils.widgets.refusals import as_array
from course_utils.widgets.shown import readable, signed

MOST_NEIGHBOURS = 7
AROUND = 4  # words on each side of a neighbour that are shown with it
LONGEST_WORD = 20  # letters
LEAST_LENGTH = 1e-12  # of a vector; what is shorter has no direction


@dataclass(frozen=True)
class Words:
    """N words of all sentences, one behind the other. Letters: L layers, C hidden size.

    Attributes:
        sentences: the words of each.
        starts: the number of each sentence's first word, and N.
        vectors: float32 (L + 1, N, C).
    """

    sentences: list[list[str]]
    starts: list[int]
    vectors: np.ndarray

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]], vectors: Sequence[ArrayLike]) -> Words:
        """From lists of words, and an array (L + 1, T, C) for each."""
        rows = [[readable(str(word), LONGEST_WORD) for word in words] for words in sentences]
        arrays = [
            as_array(array, None, len(words), None, what="vectors")
            for words, array in zip(rows, vectors, strict=True)
        ]
        starts = np.cumsum([0, *map(len, rows)]).tolist()
        return cls(rows, starts, np.concatenate(arrays, axis=1).astype(np.float32))

    @property
    def layers(self) -> int:
        """L + 1."""
        return len(self.vectors)

    def mixed(self, shares: np.ndarray) -> np.ndarray:
        """(N, C), of length 1, or 0 where the mix has no direction."""
        found = np.tensordot(shares.astype(np.float32), self.vectors, axes=1)  # (N, C)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return np.where(lengths > LEAST_LENGTH, found / np.maximum(lengths, LEAST_LENGTH), 0)

    def neighbours(self, sentence: int, word: int, shares: np.ndarray) -> list[dict[str, Any]]:
        """The words nearest to one of them, the nearest first; of those alike the earlier."""
        mixed = self.mixed(shares)
        own = self.starts[sentence] + word
        cosines = mixed @ mixed[own]  # (N,)
        cosines[own] = -np.inf
        best = np.argsort(-cosines, kind="stable")[: min(MOST_NEIGHBOURS, len(cosines) - 1)]
        return [self._neighbour(int(place), float(cosines[place])) for place in best]

    def _neighbour(self, place: int, cosine: float) -> dict[str, Any]:
        sentence = int(np.searchsorted(self.starts, place, side="right")) - 1
        words, word = self.sentences[sentence], place - self.starts[sentence]
        low, high = max(0, word - AROUND), word + 1 + AROUND
        return {
            "sentence": sentence,
            "word": word,
            "before": ("… " if low else "") + " ".join(words[low:word]),
            "name": words[word],
            "after": " ".join(words[word + 1 : high]) + (" …" if high < len(words) else ""),
            "shown": signed(cosine, 2),
        }


def shares_of(weights: ArrayLike) -> np.ndarray:
    """Weights divided by their sum; the sum must not be 0."""
    array = np.asarray(weights, dtype=float)
    return array / array.sum()
