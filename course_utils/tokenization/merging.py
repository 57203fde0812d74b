"""What BPE, byte-level BPE and WordPiece have in common: join the best pair of neighbours, again and again.

Which pair is best, by an explicit rule, so that training never depends on the order of the texts:
    BPE        the highest count; of equal counts, the pair of the smallest ids
    WordPiece  the highest score count(ab)/(count(a)·count(b)); then as in BPE
Ids are given to symbols in this order: special tokens, the alphabet by code point, then symbols as they are merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from course_utils.support.given import list_of_texts
from course_utils.tokenization.pairs import PairTable

Tokenizer = TypeVar("Tokenizer")


@dataclass(frozen=True)
class Candidate:
    """A pair that may be merged: its symbols, how often they are adjacent, and the key they are ranked by."""

    pair: tuple[str, str]
    count: int
    score: float


@dataclass(frozen=True)
class MergeStep:
    """One merge of a training: what was chosen, what it made, and the runners-up."""

    number: int  # 1 for the first merge
    pair: tuple[str, str]
    count: int
    score: float  # BPE: the count; WordPiece: count(ab)/(count(a)·count(b))
    new_symbol: str
    runners_up: tuple[Candidate, ...]  # best first
    vocab_size: int  # after this merge


class MergeTrainer(Generic[Tokenizer]):
    """Training by merges. A subclass says how a text is cut into words, how a word is spelled, and what is built.

    Args:
        min_count: a pair seen less often is never merged.
        special_tokens: get the first ids and take part in no merge.
    """

    table = PairTable

    def __init__(self, *, min_count: int = 2, special_tokens: Sequence[str] = ()) -> None:
        self.min_count = min_count
        self.special_tokens = tuple(special_tokens)

    def chunks(self, text: str) -> list[str]:
        """A text cut where it costs nothing, mostly at blanks: what comes twice is cut further only once."""
        raise NotImplementedError

    def cut(self, chunk: str) -> list[str]:
        """The words of a chunk. No merge crosses the boundary of a word."""
        raise NotImplementedError

    def spell(self, word: str) -> list[str]:
        """The symbols that a word begins with."""
        return list(word)

    def alphabet(self, words: Counter[str]) -> list[str]:
        """All symbols that training begins with, in the order of their ids."""
        return sorted({symbol for word in words for symbol in self.spell(word)})

    def join(self, first: str, second: str) -> str:
        """The symbol that a merge makes."""
        return first + second

    def build(self, vocab: dict[str, int], merges: list[tuple[str, str]]) -> Tokenizer:
        """The tokenizer built from what was learned."""
        raise NotImplementedError

    def words(self, texts: Iterable[str]) -> Counter[str]:
        """How often each word occurs."""
        chunks: Counter[str] = Counter()
        for text in list_of_texts("texts", texts):
            chunks.update(self.chunks(text))
        words: Counter[str] = Counter()
        for chunk, count in chunks.items():
            for word in self.cut(chunk):
                words[word] += count
        return words

    def steps(self, texts: Iterable[str], vocab_size: int, *, runners_up: int = 3) -> Iterator[MergeStep]:
        """The training merge by merge; it ends at vocab_size symbols, or when no pair is frequent enough.

        ValueError if the texts hold no word, or special tokens and alphabet alone are more than vocab_size.
        """
        words = self.words(texts)
        return self._steps(words, self._first_symbols(words, vocab_size), vocab_size, runners_up)

    def train(self, texts: Iterable[str], vocab_size: int) -> Tokenizer:
        """The tokenizer learned from the texts, with at most vocab_size symbols; ValueError as steps."""
        words = self.words(texts)
        symbols = self._first_symbols(words, vocab_size)
        # A dict, because the same merge can be learned again: 습니+다 may give 습니다 after 습+니다 has.
        merges = {step.pair: None for step in self._steps(words, symbols, vocab_size, 0)}
        return self.build({symbol: number for number, symbol in enumerate(symbols)}, list(merges))

    def _first_symbols(self, words: Counter[str], vocab_size: int) -> list[str]:
        if not words:
            raise ValueError("texts must hold at least one word to learn from, and hold none")
        special, alphabet = self.special_tokens, self.alphabet(words)
        least = len(special) + len(alphabet)
        if vocab_size < least:
            raise ValueError(
                f"vocab_size must be at least {least}, an alphabet of {len(alphabet)}, got {vocab_size}"
            )
        return list(dict.fromkeys([*special, *alphabet]))

    def _steps(
        self, words: Counter[str], symbols: list[str], vocab_size: int, runners_up: int
    ) -> Iterator[MergeStep]:
        """Do the merges; `symbols` grows by each new one."""
        ids = {symbol: number for number, symbol in enumerate(symbols)}
        spelled = (([ids[symbol] for symbol in self.spell(word)], count) for word, count in words.items())
        table = self.table(spelled, min_count=self.min_count)
        number = 0
        while len(symbols) < vocab_size and (ranked := table.best(1 + runners_up)):
            candidates = [
                Candidate((symbols[a], symbols[b]), table.counts[a, b], table.score((a, b)))
                for a, b in ranked
            ]
            best, *others = candidates
            new_symbol = self.join(*best.pair)
            new = ids.setdefault(new_symbol, len(symbols))
            if new == len(symbols):
                symbols.append(new_symbol)
            table.merge(ranked[0], new)
            number += 1
            yield MergeStep(
                number, best.pair, best.count, best.score, new_symbol, tuple(others), len(symbols)
            )
