"""Byte-pair encoding of words (Sennrich et al. 2016), as plain as can be: count pairs, merge the most frequent, repeat.

    배를 배를 배가 꽃    ▁배를 ×2, ▁배가 ×1, ▁꽃 ×1    ▁ + 배 stand together 3 times    then ▁배 + 를, twice

A text is composed (NFC), cut at blanks and around punctuation signs. The first piece after a blank begins with
▁ (U+2581), so that the pieces say where the blanks were: 배를 탔다. -> ▁배를 | ▁탔다 | . Sennrich et al. mark the
end of a word instead (</w>); the mark at the beginning keeps particles at the end of Korean words the same everywhere.

Not here: speed. All words are counted anew for each merge; BPETrainer (bpe_tokenizer.py) learns the same merges and
looks only where something changed. Nor text in which ▁ itself occurs (it comes back as a blank), nor how many blanks
there were in a row.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from course_utils.tokenization.normalization import is_punctuation

WORD_START = "▁"
UNKNOWN = "[UNK]"

Symbols = tuple[str, ...]  # a word as it is spelled now: ("▁배", "를")
Pair = tuple[str, str]


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


def split_words(text: str) -> list[str]:
    """Compose, cut at blanks and around punctuation: "배를 탔다." -> ["▁배를", "▁탔다", "."]."""
    chunks = unicodedata.normalize("NFC", text).split()
    return [piece for chunk in chunks for piece in split_punctuation(WORD_START + chunk)]


def count_pairs(words: Mapping[Symbols, int]) -> Counter[Pair]:
    """{("▁", "배", "를"): 2, ("▁", "배"): 1} -> {("▁", "배"): 3, ("배", "를"): 2}."""
    counts: Counter[Pair] = Counter()
    for word, times in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += times
    return counts


def merge(word: Sequence[str], pair: Pair, new: str) -> Symbols:
    """Put `new` in the place of the pair, from left to right: 하 하 하, (하, 하), 하하 -> 하하 하."""
    merged: list[str] = []
    place = 0
    while place < len(word):
        together = tuple(word[place : place + 2]) == pair
        merged.append(new if together else word[place])
        place += 2 if together else 1
    return tuple(merged)


def apply_merges(word: Sequence[str], ranks: Mapping[Pair, int]) -> list[str]:
    """Spell a word by learned merges: of all pairs in it, merge the one that was learned first, and look again.

    Args:
        word: its symbols, single letters as a rule.
        ranks: (symbol, symbol) -> when it was learned, 0 first.
    """
    while learned := [pair for pair in zip(word, word[1:]) if pair in ranks]:
        first = min(learned, key=ranks.__getitem__)
        word = merge(word, first, "".join(first))
    return list(word)


class PlainBPETrainer:
    """Learn merges: always the most frequent pair; of equally frequent ones, that of the older symbols.

    Args:
        min_count: a pair seen less often is never merged.
    """

    def __init__(self, *, min_count: int = 2) -> None:
        self.min_count = min_count

    def train(self, texts: Iterable[str], vocab_size: int) -> tuple[dict[str, int], list[Pair]]:
        """Texts -> symbol -> id, and the merges, first-learned first: what BPETokenizer takes.

        The first id is that of [UNK]; then come the letters by code point, then each new symbol.
        """
        words: Mapping[Symbols, int] = Counter(tuple(word) for text in texts for word in split_words(text))
        symbols = [UNKNOWN, *sorted({letter for word in words for letter in word})]
        merges: list[Pair] = []
        while len(symbols) < vocab_size:
            counts = count_pairs(words)
            best = min(counts, key=lambda pair: (-counts[pair], *map(symbols.index, pair)), default=None)
            if best is None or counts[best] < self.min_count:
                break
            new = "".join(best)
            words = {merge(word, best, new): times for word, times in words.items()}
            if new not in symbols:
                symbols.append(new)
            if best not in merges:  # 습니 + 다 can be learned before 습 + 니다, and again after it
                merges.append(best)
        return {symbol: number for number, symbol in enumerate(symbols)}, merges
