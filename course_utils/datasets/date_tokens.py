"""Tokens and ids of the dates (dates.py): English words and Korean units whole, digits one by one.

    at half past three … on Sunday the 22nd of November 2026
    at · half · past · three · … · on · sunday · the · 2 · 2 · nd · of · november · 2 · 0 · 2 · 6
    2026년 11월 22일 일요일 오후 3시 30분
    2 · 0 · 2 · 6 · 년 · 1 · 1 · 월 · 2 · 2 · 일 · 일요일 · 오후 · 3 · 시 · 3 · 0 · 분

Both vocabularies are made of the grammar's own words and begin with <pad> 0, <bos> 1, <eos> 2, <unk> 3. A word that
neither has is refused by name: nobody is shown the translation of a sentence that they did not write.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from course_utils.datasets.batching import pad
from course_utils.datasets.dates import HOURS, KOREAN_WEEKDAYS, MONTHS, STEPS, WEEKDAYS
from course_utils.support.given import list_of_texts, shown

SPECIAL = ("<pad>", "<bos>", "<eos>", "<unk>")
PAD, BOS, EOS, UNK = range(len(SPECIAL))
DIGITS = tuple("0123456789")
UNITS = tuple("년월일시분")
ENGLISH_WORDS = (
    "at on the of past to in o'clock am pm morning afternoon evening night noon midnight st nd rd th : ,"
)


class UnknownToken(ValueError):
    """A word that a vocabulary does not have.

    Attributes:
        word: it, as it was written but for capitals; a caller may tell it in another language.
    """

    def __init__(self, word: str) -> None:
        super().__init__(f"{shown(word)} is no word of the dates that can be translated")
        self.word = word


@dataclass(frozen=True)
class Vocabulary:
    """Tokens, each with the id that is its place."""

    tokens: tuple[str, ...]  # the four special ones, then all others; none twice
    index: dict[str, int] = field(init=False, repr=False)  # token -> id

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {token: place for place, token in enumerate(self.tokens)})

    def __len__(self) -> int:
        return len(self.tokens)

    def ids(self, words: Sequence[str]) -> list[int]:
        """The id of each word; UnknownToken if one is not there. A special token is no word."""
        for word in words:
            if self.index.get(word, PAD) <= UNK:
                raise UnknownToken(word)
        return [self.index[word] for word in words]


def _vocabulary(*groups: Sequence[str]) -> Vocabulary:
    """The special tokens, then each word once, in order ("five" is an hour and a step)."""
    return Vocabulary((*SPECIAL, *dict.fromkeys(word.lower() for group in groups for word in group)))


ENGLISH = _vocabulary(DIGITS, ENGLISH_WORDS.split(), HOURS, tuple(STEPS.values()), WEEKDAYS, MONTHS)
KOREAN = _vocabulary(DIGITS, UNITS, KOREAN_WEEKDAYS, ("오전", "오후", "정오", "자정"))

# A digit; a word, which may have an apostrophe or a hyphen inside; any other sign by itself.
ENGLISH_TOKEN = re.compile(r"\d|[^\W\d_]+(?:['-][^\W\d_]+)*|\S")
# The longest token that fits (일요일 before 일), or what runs on to the next blank.
KOREAN_TOKEN = re.compile("|".join(sorted(KOREAN.tokens[len(SPECIAL) :], key=len, reverse=True)) + r"|\S+")


def english_tokens(sentence: str) -> list[str]:
    """Cut an English sentence into tokens, capitals aside: "22nd" -> 2, 2, nd."""
    return ENGLISH_TOKEN.findall(sentence.lower().replace("’", "'"))


def korean_tokens(sentence: str) -> list[str]:
    """Cut a Korean sentence into tokens: "22일" -> 2, 2, 일."""
    return KOREAN_TOKEN.findall(sentence)


def source_ids(sentences: Sequence[str]) -> Tensor:
    """English sentences -> int64 (B, T_k), the shorter ones padded behind; without <bos> and <eos>.

    UnknownToken (a ValueError) if a sentence has a word that the grammar does not have.
    """
    texts = list_of_texts("sentences", sentences)
    return pad([ENGLISH.ids(_not_empty(english_tokens(text))) for text in texts], PAD)


def target_ids(sentences: Sequence[str]) -> Tensor:
    """Korean sentences -> int64 (B, T_q), each as <bos> … <eos>, the shorter ones padded behind.

    A decoder reads [:, :-1] and is to say [:, 1:]. UnknownToken as source_ids.
    """
    texts = list_of_texts("sentences", sentences)
    rows = [KOREAN.ids(_not_empty(korean_tokens(text))) for text in texts]
    return pad([[BOS, *row, EOS] for row in rows], PAD)


def korean_text(ids: Sequence[int]) -> str:
    """Ids of Korean tokens -> the sentence: without <bos> in front, and up to <eos>.

    A blank stands behind all that is no digit. A special token at any other place stands there by its name: a model
    that says one has not translated.
    """
    numbers = list(map(int, ids))
    if numbers[:1] == [BOS]:
        numbers = numbers[1:]
    if EOS in numbers:
        numbers = numbers[: numbers.index(EOS)]
    tokens = [KOREAN.tokens[number] for number in numbers]
    return "".join(token if token in DIGITS else f"{token} " for token in tokens).strip()


def _not_empty(tokens: list[str]) -> list[str]:
    if not tokens:
        raise ValueError("each sentence must have at least one word, and one has none")
    return tokens
