"""BPE at work: BPETokenizer cuts text by learned merges, BPETrainer learns them. What both do: bpe.py.

Neither looks at a word again after each merge, so that a word of 300,000 letters takes no longer than as many letters
in short words.
"""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from course_utils.support.given import shown
from course_utils.tokenization.bpe import UNKNOWN, WORD_START, split_punctuation, split_words
from course_utils.tokenization.merging import MergeTrainer
from course_utils.tokenization.vocab import (
    check_special_tokens,
    tokens_of,
)

_CACHE_SIZE = 2**16


def replay_merges(symbols: Sequence[str], ranks: Mapping[tuple[str, str], int]) -> list[str]:
    """What bpe.apply_merges gives: merge the first-learned pair, from left to right, until no learned pair is left.

    Args:
        symbols: the symbols of one word.
        ranks: (symbol, symbol) -> when it was learned, 0 first. The first k merges alone give the state after k steps.
    """
    symbols = [*symbols, ""]  # "" stands at the end, and where a merge has taken a symbol away
    end = len(symbols) - 1
    left = [*range(-1, end)]  # the places of the neighbours; −1 is the end, too
    right = [*range(1, end + 1), end]
    # Of each learned pair the places where its first symbol stands, or stood; and a heap, the first-learned on top.
    places: dict[tuple[str, str], list[int]] = {}
    waiting: list[tuple[int, tuple[str, str]]] = []

    def look(place: int) -> None:
        pair = symbols[place], symbols[right[place]]
        if pair not in ranks:
            return
        if pair not in places:
            places[pair] = []
            heapq.heappush(waiting, (ranks[pair], pair))
        places[pair].append(place)

    for place in range(end):
        look(place)
    while waiting:
        first, second = pair = heapq.heappop(waiting)[1]
        for place in sorted(places.pop(pair)):
            taken = right[place]
            if symbols[place] == first and symbols[taken] == second:
                symbols[place], symbols[taken] = first + second, ""
                right[place] = right[taken]
                left[right[taken]] = place
                look(left[place])
                look(place)
    return [symbol for symbol in symbols if symbol]


class BPETokenizer:
    """Cut text by learned merges. ValueError where vocabulary and merges do not belong together.

    Args:
        vocab: symbol -> id.
        merges: pairs of symbols, the first-learned first.
        unknown: stands for a character that training never saw; None where there cannot be one.
    """

    def __init__(
        self, vocab: Mapping[str, int], merges: Iterable[tuple[str, str]], *, unknown: str | None = UNKNOWN
    ) -> None:
        self.vocab = dict(vocab)
        self.merges = [(first, second) for first, second in merges]
        self.unknown = unknown
        self.ids_to_tokens = {number: token for token, number in self.vocab.items()}
        self.ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        if unknown is not None:
            check_special_tokens(self.vocab, required=[unknown])
        homeless = [pair for pair in self.merges if pair[0] + pair[1] not in self.vocab]
        if homeless:
            raise ValueError(f"vocabulary and merges do not belong together: {shown(''.join(homeless[0]))}")
        self._known: dict[str, list[str]] = {}

    def words(self, text: str) -> list[str]:
        """Compose, cut at blanks and around punctuation: "배를 탔다." -> ["▁배를", "▁탔다", "."]."""
        return split_words(text)

    def tokenize(self, text: str) -> list[str]:
        """The symbols of a text; [UNK] for each character outside the vocabulary."""
        return [symbol for word in self.words(text) for symbol in self._cut(word)]

    def encode(self, text: str) -> list[int]:
        """The ids of the symbols of a text."""
        return [self.vocab[symbol] for symbol in self.tokenize(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids: joined, ▁ turned into blanks. ValueError for an id outside the vocabulary."""
        return "".join(tokens_of(ids, self.ids_to_tokens)).replace(WORD_START, " ").removeprefix(" ")

    def _cut(self, word: str) -> list[str]:
        """The symbols of one word; words seen before are looked up."""
        symbols = self._known.get(word)
        if symbols is None:
            symbols = replay_merges(word, self.ranks)
            if self.unknown is not None:
                symbols = [symbol if symbol in self.vocab else self.unknown for symbol in symbols]
            if len(self._known) >= _CACHE_SIZE:
                self._known.clear()
            self._known[word] = symbols
        return symbols


class BPETrainer(MergeTrainer[BPETokenizer]):
    """Learn merges: always the most frequent pair; among equally frequent ones, the one with the smallest ids.

    >>> BPETrainer().train(["배를 배가 배에서"], vocab_size=9).tokenize("배가")
    ['▁배', '가']

    Args:
        min_count: a pair seen less often is never merged.
        special_tokens: get the first ids; [UNK] must be among them.
    """

    def __init__(self, *, min_count: int = 2, special_tokens: Sequence[str] = (UNKNOWN,)) -> None:
        super().__init__(min_count=min_count, special_tokens=special_tokens)

    def chunks(self, text: str) -> list[str]:
        return unicodedata.normalize("NFC", text).split()

    def cut(self, chunk: str) -> list[str]:
        return split_punctuation(WORD_START + chunk)

    def build(self, vocab: dict[str, int], merges: list[tuple[str, str]]) -> BPETokenizer:
        return BPETokenizer(vocab, merges)
