"""Byte-pair encoding of words (Sennrich et al. 2016): merge the most frequent pair, remember the order, repeat.

A text is composed (NFC), cut at blanks and around punctuation signs. The first piece after a blank begins with
▁ (U+2581), so that the pieces say where the blanks were: 배를 탔다. -> ▁배를 | ▁탔다 | . Sennrich et al. mark the
end of a word instead (</w>); the mark at the beginning keeps particles at the end of Korean words the same everywhere.

Not here: text in which ▁ itself occurs (it comes back as a blank), and how many blanks there were in a row.
"""

from __future__ import annotations

import heapq
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from course_utils.support.given import list_of_texts, mapping, one_line, one_text, several, shown
from course_utils.tokenization.merging import MergeTrainer
from course_utils.tokenization.normalization import is_punctuation
from course_utils.tokenization.vocab import (
    check_special_tokens,
    load_merges,
    load_vocab,
    save_merges,
    save_vocab,
    tokens_of,
)

WORD_START = "▁"
UNKNOWN = "[UNK]"
_CACHE_SIZE = 2**16


def split_punctuation(word: str) -> list[str]:
    """Cut around every punctuation sign: "▁(배)" -> ["▁", "(", "배", ")"]."""
    pieces: list[str] = []
    start = 0
    for place, char in enumerate(word):
        if is_punctuation(char):
            pieces += [word[start:place], char] if start < place else [char]
            start = place + 1
    if start < len(word):
        pieces.append(word[start:])
    return pieces


def apply_merges(symbols: Sequence[str], ranks: Mapping[tuple[str, str], int]) -> list[str]:
    """Merge the pair that was learned first, everywhere from left to right, until no learned pair is left.

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


def _pair(merge: tuple[str, str]) -> tuple[str, str]:
    """A merge; ValueError where it is no pair of texts."""
    if not (
        isinstance(merge, tuple | list) and len(merge) == 2 and all(isinstance(half, str) for half in merge)
    ):
        raise ValueError(f"each merge must be a pair of symbols, got {one_line(repr(merge), 99)}")
    return tuple(merge)


class BPETokenizer:
    """Cut text by learned merges.

    Args:
        vocab: symbol -> id.
        merges: pairs of symbols, the first-learned first.
        unknown: stands for a character that training never saw; None where there cannot be one.

    Raises:
        ValueError: vocab is no dict, a merge no pair of texts, [UNK] is missing, or the two do not belong together.
    """

    def __init__(
        self, vocab: Mapping[str, int], merges: Iterable[tuple[str, str]], *, unknown: str | None = UNKNOWN
    ) -> None:
        self.vocab = dict(mapping("vocab", vocab, "symbol -> id"))
        self.merges = [_pair(merge) for merge in several("merges", merges, "pairs of symbols")]
        self.unknown = unknown
        self.ids_to_tokens = {number: token for token, number in self.vocab.items()}
        self.ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        if unknown is not None:
            check_special_tokens(self.vocab, required=[unknown])
        homeless = [pair for pair in self.merges if pair[0] + pair[1] not in self.vocab]
        if homeless:
            raise ValueError(
                "vocabulary and merges do not belong together: the vocabulary lacks "
                f"{shown(homeless[0][0] + homeless[0][1])}, which the merge {one_line(repr(homeless[0]), 99)} makes"
            )
        self._known: dict[str, list[str]] = {}

    @classmethod
    def from_files(cls, vocab_path: str | Path, merges_path: str | Path) -> BPETokenizer:
        """Read vocab.txt and merges.txt.

        Raises:
            ValueError: a file is damaged, or they do not belong together.
            OSError: a file cannot be read.
        """
        vocab, merges = load_vocab(vocab_path, required=[UNKNOWN]), load_merges(merges_path)
        try:
            return cls(vocab, merges)
        except ValueError as error:
            raise ValueError(f"{vocab_path}, {merges_path}: {error}") from None

    def save(self, vocab_path: str | Path, merges_path: str | Path) -> None:
        """Write vocab.txt and merges.txt."""
        save_vocab(self.vocab, vocab_path)
        save_merges(self.merges, merges_path)

    def words(self, text: str) -> list[str]:
        """Compose, cut at blanks and around punctuation: "배를 탔다." -> ["▁배를", "▁탔다", "."]."""
        chunks = unicodedata.normalize("NFC", text).split()
        return [piece for chunk in chunks for piece in split_punctuation(WORD_START + chunk)]

    def tokenize(self, text: str) -> list[str]:
        """The symbols of a text; [UNK] for each character outside the vocabulary.

        Raises:
            ValueError: if text is none.
        """
        return [symbol for word in self.words(one_text("text", text)) for symbol in self._cut(word)]

    def encode(self, text: str) -> list[int]:
        """The ids of the symbols of a text."""
        return [self.vocab[symbol] for symbol in self.tokenize(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids: joined, ▁ turned into blanks.

        Raises:
            ValueError: an id that is not in the vocabulary.
        """
        return "".join(self._symbols(ids)).replace(WORD_START, " ").removeprefix(" ")

    def _symbols(self, ids: Iterable[int]) -> list[str]:
        return tokens_of(ids, self.ids_to_tokens)

    def _cut(self, word: str) -> list[str]:
        """The symbols of one word; words seen before are looked up."""
        symbols = self._known.get(word)
        if symbols is None:
            symbols = apply_merges(list(word), self.ranks)
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

    def words(self, texts: Iterable[str]) -> Counter[str]:
        chunks: Counter[str] = Counter()
        for text in list_of_texts("texts", texts):
            chunks.update(unicodedata.normalize("NFC", text).split())
        words: Counter[str] = Counter()
        for chunk, count in chunks.items():
            for piece in split_punctuation(WORD_START + chunk):
                words[piece] += count
        return words

    def spell(self, word: str) -> list[str]:
        return list(word)

    def build(self, vocab: dict[str, int], merges: list[tuple[str, str]]) -> BPETokenizer:
        return BPETokenizer(vocab, merges)
