"""What notebook 09 builds by hand: merging, two trainers, longest match, byte table, Jamo; no tensor among them."""

import random
import string
from collections import Counter
from itertools import islice

from course_utils.tokenization import BPETrainer, WordPieceTrainer
from tests.scratch.registry import Scratch

NOTEBOOK = "09_subword_tokenization"
UNKNOWN = "[UNK]"


class GivenSymbols:
    """A trainer of the package's, given words that are split into symbols already."""

    def words(self, texts):
        return Counter(texts)

    def spell(self, word):
        return list(word)


class GivenBPE(GivenSymbols, BPETrainer):
    pass


class GivenWordPiece(GivenSymbols, WordPieceTrainer):
    def alphabet(self, words):
        symbols = {symbol for word in words for symbol in word}
        return sorted(symbols, key=lambda symbol: (symbol.startswith("##"), symbol))


def first_merges(trainer):
    def merges(words, number, min_count=2):
        return [step.pair for step in islice(trainer(min_count=min_count).steps(words, 10**6), number)]

    return merges


bpe_merges, wordpiece_merges = first_merges(GivenBPE), first_merges(GivenWordPiece)


def as_unknown(pieces):
    """The notebook's function says [UNK] where the package says None."""
    return [UNKNOWN] if pieces is None else pieces


def source(generator):
    return random.Random(generator.initial_seed())


def words_of(chance, letters, count, longest=9):
    return ["".join(chance.choices(letters, k=chance.randint(1, longest))) for _ in range(count)]


def merge_cases(generator):
    chance = source(generator)
    for word in ["aaaaa", "aaaa", "abababa", "", "b", *words_of(chance, "ab", 11, 13)]:
        if word:
            yield word, ("a", "a"), "aa"
            yield tuple(word), ("a", "b"), "ab"
    yield ("##a", "##a", "##a"), ("##a", "##a"), "##aa"


def training_cases(generator):
    """Few letters: ties, runs of one letter, a symbol that two merges make; and words with one letter."""
    chance = source(generator)
    for letters, count in (("ab", 7), ("abc", 23), ("배를가에서", 31), (string.ascii_lowercase, 53)):
        words = {tuple(word): chance.randint(1, 5) for word in words_of(chance, letters, count)}
        for number, min_count in ((5, 2), (101, 1), (101, 3)):
            if number < 100 or min_count == 1:
                yield words, number, min_count
            else:
                yield words | {tuple(letters[:2]): 7}, number, min_count


def wordpiece_cases(generator):
    for words, number, min_count in training_cases(generator):
        yield {(w[0], *("##" + c for c in w[1:])): n for w, n in words.items()}, number, min_count


def match_cases(generator):
    chance = source(generator)
    for letters in ("ab", "배를가"):
        for _ in range(53):
            pieces = [prefix + word for prefix in ("", "##") for word in words_of(chance, letters, 7, 4)]
            yield words_of(chance, letters, 1, 13)[0], {piece: number for number, piece in enumerate(pieces)}


def syllable_cases(generator):
    for code in range(0xAC00, 0xAC00 + 11_172, 13):
        yield (chr(code),)
    yield ("힣",)


def plain(name, reference, cases, **more):
    return Scratch(NOTEBOOK, name, reference, cases, gradients=False, **more)


ENTRIES = [
    plain("my_merge", "course_utils.tokenization.bpe:merge", merge_cases),
    plain("my_bpe_merges", f"{__name__}:bpe_merges", training_cases),
    plain("my_wordpiece_merges", f"{__name__}:wordpiece_merges", wordpiece_cases),
    plain(
        "my_longest_match", "course_utils.tokenization.wordpiece:longest_match", match_cases, adapt=as_unknown
    ),
    plain("my_byte_symbols", "course_utils.tokenization.byte_bpe:byte_symbols", lambda generator: [()]),
    plain("my_to_jamo", "course_utils.tokenization.hangul:to_jamo", syllable_cases),
]
