"""What tells senses apart without BERT: the surrounding words, counted or as static vectors.

All see the pieces of a sentence without those of the homonym itself: in no order, or with those nearest to it marked
with their places. Whatever nearest_sense gets right beyond them comes from more than words and their neighbourhood.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from course_utils.before.word2vec import WordVectors
from course_utils.contextual.words import occurrences
from course_utils.support.given import composed, list_of_texts
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.wordpiece import Pieces

SMOOTHING = 0.3  # added to every count: at 0, a piece never seen with a sense would rule it out
REACH = 3  # pieces on either side of the word whose places are told


def context_pieces(tokenizer: WordPieceTokenizer, sentence: str, word: str) -> list[str]:
    """The pieces of a sentence that cover no free-standing occurrence of the word, in reading order."""
    return bag_and_placed(tokenizer, sentence, word)[0]


def _uncovered(pieces: Pieces, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The pieces that lie in none of the spans."""
    if not spans:  # most sentences of a corpus
        return [piece for piece, _ in pieces]
    return [
        piece
        for piece, (begin, stop) in pieces
        if not any(begin < end and stop > start for start, end in spans)
    ]


def placed_pieces(tokenizer: WordPieceTokenizer, sentence: str, word: str) -> list[str]:
    """The pieces of context_pieces, and after them once more those nearest to the word, with their places.

    배를 타고 갔다 -> ##를 타고 갔다 +1 ##를 +2 타고 +3 갔다. Places count from the word's first free-standing
    occurrence; a sentence without the word has none.
    """
    return bag_and_placed(tokenizer, sentence, word)[1]


def bag_and_placed(tokenizer: WordPieceTokenizer, sentence: str, word: str) -> tuple[list[str], list[str]]:
    """What context_pieces and placed_pieces give, for whoever wants both of many sentences."""
    sentence = composed(sentence)
    pieces, spans = tokenizer.pieces(sentence), occurrences(sentence, word)
    bag = _uncovered(pieces, spans)
    if not spans:
        return bag, bag
    start, end = spans[0]
    before = [piece for piece, (_, stop) in pieces if stop <= start]
    after = [piece for piece, (begin, _) in pieces if begin >= end]
    left = [f"-{place} {piece}" for place, piece in enumerate(before[: -REACH - 1 : -1], 1)]
    return bag, bag + left + [f"+{place} {piece}" for place, piece in enumerate(after[:REACH], 1)]


@dataclass(frozen=True)
class NaiveBayes:
    """Bag of words: each distinct piece of a sentence counts independently (Maron 1961; multinomial, equal priors).

    score(sense) = softmax over senses of Σ over pieces of log p(piece | sense)
    """

    senses: tuple[str, ...]
    log_probability: Mapping[str, tuple[float, ...]]  # piece -> K

    def scores(self, pieces: Sequence[str]) -> Tensor:
        """Pieces of one sentence -> float (K,), which sums to 1. Pieces never seen in training are ignored."""
        known = [
            self.log_probability[piece] for piece in sorted(set(pieces)) if piece in self.log_probability
        ]
        total = torch.tensor(known, dtype=torch.float64).view(-1, len(self.senses)).sum(0)
        return total.softmax(-1)


def fit_naive_bayes(examples: Mapping[str, Sequence[Sequence[str]]]) -> NaiveBayes:
    """Count, for each sense, the sentences that contain each piece.

        p(piece | sense) = (count + s) / (sum of all counts + s · number of different pieces)        s = SMOOTHING

    Args:
        examples: sense -> sentences, each a list of pieces.
    """
    if len(examples) < 2:
        raise ValueError(f"at least two senses are needed, got {list(examples)}")
    counts = [
        Counter(piece for pieces in group for piece in set(list_of_texts("each sentence", pieces, least=0)))
        for group in examples.values()
    ]
    seen = sorted(set().union(*counts))
    totals = [sum(count.values()) + SMOOTHING * len(seen) for count in counts]
    return NaiveBayes(
        tuple(examples),
        {
            piece: tuple(math.log((count[piece] + SMOOTHING) / total) for count, total in zip(counts, totals))
            for piece in seen
        },
    )


def static_points(vectors: WordVectors, sentences: Sequence[Sequence[str]]) -> Tensor:
    """One point a sentence: the mean of its pieces' static vectors, of length 1; zeros if none has any. (N, C)."""
    sentences = [list_of_texts("each sentence", pieces, least=0) for pieces in sentences]
    rows = [[vectors.index[piece] for piece in pieces if piece in vectors.index] for pieces in sentences]
    nothing = torch.zeros(vectors.vectors.shape[1])
    means = torch.stack([vectors.vectors[row].mean(0) if row else nothing for row in rows])
    return torch.nn.functional.normalize(means, dim=-1)
