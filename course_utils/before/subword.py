"""Skip-gram with subwords: a word's vector is the sum of the vectors of its n-grams (Bojanowski et al. 2017, fastText).

    v(배편) = z(<배편>) + z(<배) + z(배편) + z(편>) + z(<배편) + z(배편>)          < and > mark the word's edges

A word never seen is the sum of those n-grams that were. In Hangul a letter is a whole syllable, so n goes from 2 to 3
here (with the edges); the authors took 3 to 6 letters.

Not here: their hashing of n-grams into a fixed number of rows; n-grams of Jamo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from course_utils.before.word2vec import UnknownWord, WordVectors, count_words, learn_table, number_words

SHORTEST, LONGEST = 2, 3
RATE = 0.05  # half of skip-gram's: every step moves all n-grams of a word at once


def ngrams(word: str) -> list[str]:
    """The n-grams of a word with its edges, each once, and the word itself first.

    >>> ngrams("배편")
    ['<배편>', '<배', '배편', '편>', '<배편', '배편>']
    """
    marked = f"<{word}>"
    found = [
        marked[start : start + length]
        for length in range(SHORTEST, LONGEST + 1)
        for start in range(len(marked) - length + 1)
    ]
    return list(dict.fromkeys([marked, *found]))


@dataclass(frozen=True)
class SubwordVectors(WordVectors):
    """Word vectors that are sums of n-gram vectors, and so reach words never seen.

    Attributes:
        grams: n-gram -> float (C,).
    """

    grams: dict[str, Tensor]

    def vector(self, word: str) -> Tensor:
        """The vector of a word, known or made of its known n-grams: float (C,); of none, UnknownWord."""
        if word in self.index:
            return self.vectors[self.index[word]]
        known = [self.grams[gram] for gram in ngrams(word) if gram in self.grams]
        if not known:
            raise UnknownWord(
                f"{word!r} has no vector: none of its n-grams was seen ({' '.join(ngrams(word))})"
            )
        return torch.stack(known).sum(0)


def train_subword_skip_gram(
    sentences: Sequence[Sequence[str]],
    *,
    dimensions: int = 64,
    window: int = 5,
    negatives: int = 5,
    epochs: int = 10,
    min_count: int = 5,
    generator: torch.Generator,
) -> SubwordVectors:
    """Learn vectors of n-grams; as word2vec.train_skip_gram, except for what makes up a centre."""
    sentences = list(sentences)  # read twice
    words, counts = count_words(sentences, min_count=min_count)
    spelled = [ngrams(word) for word in words]
    grams = list(dict.fromkeys(gram for word in spelled for gram in word))
    row = {gram: number for number, gram in enumerate(grams)}
    most = max(map(len, spelled))
    parts = torch.tensor(
        [[row[gram] for gram in word] + [len(grams)] * (most - len(word)) for word in spelled]
    )
    table = learn_table(
        number_words(sentences, words),
        counts,
        parts,
        rows=len(grams),
        dimensions=dimensions,
        window=window,
        negatives=negatives,
        epochs=epochs,
        rate=RATE,
        generator=generator,
        report=lambda *_: None,
    )
    return SubwordVectors(words, table[parts].sum(1), counts, dict(zip(grams, table[:-1])))
