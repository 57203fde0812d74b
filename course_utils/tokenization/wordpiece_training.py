"""Learning a WordPiece vocabulary: merge the pair with the highest score (Schuster and Nakajima 2012).

    score(a, b) = count(ab) / (count(a) · count(b))

BPE asks how often two symbols stand together; this asks how much more often than their own frequencies would explain.
The score of a pair changes whenever one of its parts becomes rarer, even far away from any merge: hence ScoredPairs.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from course_utils.tokenization.merging import MergeTrainer
from course_utils.tokenization.normalization import normalize, split_words
from course_utils.tokenization.pairs import END, PairTable
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.tokenization.wordpiece import CHUNKS, CONTINUES, MAX_WORD_LENGTH, WordPieceTokenizer


class ScoredPairs(PairTable):
    """A PairTable whose best pair has the highest count(ab)/(count(a)·count(b))."""

    def _prepare(self) -> None:
        self.symbol_counts: Counter[int] = Counter()
        # symbol -> pairs that hold it
        self.partners: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
        for symbol, count in zip(self.symbols, self.times):
            if symbol != END:
                self.symbol_counts[symbol] += count
        for pair in self.counts:
            self._enter(pair)

    def _enter(self, pair: tuple[int, int]) -> None:
        self.partners[pair[0]].add(pair)
        self.partners[pair[1]].add(pair)

    def score(self, pair: tuple[int, int]) -> float:
        return self.counts[pair] / (self.symbol_counts[pair[0]] * self.symbol_counts[pair[1]])

    def key(self, pair: tuple[int, int]) -> Any:
        return -self.score(pair), -self.counts[pair]

    def _apply(
        self, pair: tuple[int, int], new: int, merged: int, change: dict[tuple[int, int], int]
    ) -> None:
        self.symbol_counts[new] += merged
        for symbol in pair:
            self.symbol_counts[symbol] -= merged
        super()._apply(pair, new, merged, change)
        for touched in change:
            if touched in self.counts:
                self._enter(touched)
        # The parts have become rarer, so every pair that holds one has a better score now.
        for symbol in set(pair):
            alive = {touched for touched in self.partners[symbol] if touched in self.counts}
            self.partners[symbol] = alive
            for touched in alive:
                if self.counts[touched] >= self.min_count:
                    heapq.heappush(self._heap, (self.key(touched), touched))


class WordPieceTrainer(MergeTrainer[WordPieceTokenizer]):
    """Learn pieces: always the pair with the highest score; then the more frequent one, then the smallest ids.

    `tokenizers`' class of the same name does *not* use this score: it runs BPE, by counts, on symbols spelled with ##
    (its WordPieceTrainer wraps its BpeTrainer; a test shows the same pieces as BPE by counts gives). The scored choice
    is the one described for WordPiece; Google's own trainer was never released.

    A score of rare symbols is high by nature: two letters seen once each, side by side, score 1. That is what
    min_count is for.

    Args:
        min_count: a pair seen less often is never merged.
        lowercase, strip_accents: how the tokenizer normalises, in training and after.
        special_tokens: get the first ids.
    """

    table = ScoredPairs

    def __init__(
        self,
        *,
        min_count: int = 2,
        lowercase: bool = True,
        strip_accents: bool = True,
        special_tokens: Sequence[str] = SPECIAL_TOKENS,
    ) -> None:
        super().__init__(min_count=min_count, special_tokens=special_tokens)
        self.lowercase = lowercase
        self.strip_accents = strip_accents

    def chunks(self, text: str) -> list[str]:
        return CHUNKS.findall(text)

    def cut(self, chunk: str) -> list[str]:
        normal = normalize(chunk, lower=self.lowercase, accents_off=self.strip_accents)
        return [word for word, _ in split_words(normal) if len(word) <= MAX_WORD_LENGTH]

    def spell(self, word: str) -> list[str]:
        return [word[0], *(CONTINUES + char for char in word[1:])]

    def alphabet(self, words: Counter[str]) -> list[str]:
        """Every character as a word's first, whether seen there or not; then those seen inside a word, with ##."""
        plain = {char for word in words for char in word}
        inside = {CONTINUES + char for word in words for char in word[1:]}
        return [*sorted(plain), *sorted(inside)]

    def join(self, first: str, second: str) -> str:
        return first + second.removeprefix(CONTINUES)

    def build(self, vocab: dict[str, int], merges: list[tuple[str, str]]) -> WordPieceTokenizer:
        return WordPieceTokenizer(vocab, lowercase=self.lowercase, strip_accents=self.strip_accents)
