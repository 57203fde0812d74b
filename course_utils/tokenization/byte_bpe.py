"""Byte-level BPE (Radford et al. 2019): BPE whose alphabet is the 256 bytes, so that no text is ever unknown.

The text is not normalised; decoding gives back exactly what was encoded. A byte is shown as one printable character
(the table of GPT-2): letters stand for themselves, a blank is Ġ, and 배, three bytes of UTF-8, is ë°°.

Not here: GPT-2's own regular expression for words. Words are cut before blanks (the blank belongs to the word after
it) and around punctuation signs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

from course_utils.tokenization.bpe import split_punctuation
from course_utils.tokenization.bpe_tokenizer import BPETokenizer
from course_utils.tokenization.merging import MergeTrainer
from course_utils.tokenization.vocab import tokens_of

# One blank and what follows it; else a run of blanks, the last of which is left to the word after it.
WORDS = re.compile(r" ?[^ \t\n\r]+|[ \t\n\r]+(?![^ \t\n\r])|[ \t\n\r]+")


@cache
def byte_symbols() -> tuple[str, ...]:
    """The printable character of each byte 0 … 255: itself where it is one, else the next free one from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    spare = iter(range(0x100, 0x200))
    return tuple(chr(byte if byte in printable else next(spare)) for byte in range(256))


def to_byte_symbols(text: str) -> str:
    """ "배" -> "ë°°". A lone surrogate, which UTF-8 cannot hold, is kept as three bytes all the same."""
    return "".join(byte_symbols()[byte] for byte in text.encode("utf-8", "surrogatepass"))


def from_byte_symbols(symbols: str) -> str:
    """ "ë°°" -> "배". Bytes that make no character (a character cut in two) become U+FFFD."""
    place = {symbol: byte for byte, symbol in enumerate(byte_symbols())}
    raw = bytes(place[symbol] for symbol in symbols)
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace")


def split_words(text: str) -> list[str]:
    """ "배를 탔다." -> ["배를", " 탔다", "."]; joined, the words are the text."""
    return [piece for chunk in WORDS.findall(text) for piece in split_punctuation(chunk)]


class ByteBPETokenizer(BPETokenizer):
    """Cut text into runs of bytes by learned merges; `decode(encode(text)) == text` for every text.

    Args:
        vocab: symbol -> id, with all 256 byte symbols.
        merges: pairs of symbols, the first-learned first.
    """

    def __init__(self, vocab: Mapping[str, int], merges: Iterable[tuple[str, str]]) -> None:
        super().__init__(vocab, merges, unknown=None)
        missing = [byte for byte, symbol in enumerate(byte_symbols()) if symbol not in self.vocab]
        if missing:
            raise ValueError(f"a byte-level vocabulary holds all 256 bytes, and lacks {missing[:5]}")

    def words(self, text: str) -> list[str]:
        """The words of a text in byte symbols: "배를 탔다" -> ["ë°°ë¥¼", "ĠíĥĶëĭ¤"]."""
        return [to_byte_symbols(word) for word in split_words(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; special tokens stand in it as they are written."""
        known, special = set(byte_symbols()), self.special_tokens
        text, run = "", ""
        for symbol in tokens_of(ids, self.ids_to_tokens):
            if known.issuperset(symbol) and symbol not in special:
                run += symbol
            else:
                text, run = text + from_byte_symbols(run) + symbol, ""
        return text + from_byte_symbols(run)

    @property
    def special_tokens(self) -> set[str]:
        """Symbols that are neither bytes nor made by a merge."""
        return set(self.vocab) - set(byte_symbols()) - {first + second for first, second in self.merges}


class ByteBPETrainer(MergeTrainer[ByteBPETokenizer]):
    """Learn merges of bytes; arguments and ties as in BPETrainer. The alphabet is always all 256 bytes."""

    def chunks(self, text: str) -> list[str]:
        return WORDS.findall(text)

    def cut(self, chunk: str) -> list[str]:
        return [to_byte_symbols(piece) for piece in split_punctuation(chunk)]

    def alphabet(self, words: Counter[str]) -> list[str]:
        return sorted(byte_symbols())

    def build(self, vocab: dict[str, int], merges: list[tuple[str, str]]) -> ByteBPETokenizer:
        return ByteBPETokenizer(vocab, merges)
