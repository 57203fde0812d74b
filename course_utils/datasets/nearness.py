"""Which sentences are too near a held-out one (data/senses.json) to be trained on."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

WORDS, CHARACTERS, SHARE = 5, 5, 0.5
_WORD = re.compile("[0-9A-Za-z가-힣]+")


class NearCopies:
    """Finds the held-out sentences that another sentence copies, by what both have in common.

    A near copy has five words (어절) in a row from one of them, or half of its runs of five characters (blanks and
    punctuation aside).

    Args:
        held_out: the sentences to be kept away from.
    """

    def __init__(self, held_out: Iterable[str]) -> None:
        self._held_out = list(held_out)
        self._by_characters: dict[str, list[int]] = defaultdict(list)
        self._by_words: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._enough = []  # runs of five characters in common, for each sentence
        for number, sentence in enumerate(self._held_out):
            words = _WORD.findall(sentence)
            runs = _runs_of_characters("".join(words))
            self._enough.append(SHARE * len(runs))
            for run in runs:
                self._by_characters[run].append(number)
            for words_in_a_row in _runs_of_words(words):
                self._by_words[words_in_a_row].append(number)

    def of(self, sentence: str) -> list[str]:
        """The held-out sentences that this one is too near to.

        Args:
            sentence: NFC.
        """
        words = _WORD.findall(sentence)
        common = _runs_of_characters("".join(words)) & self._by_characters.keys()
        if not common:  # nor can they have five words in common
            return []
        times = Counter(number for run in common for number in self._by_characters[run])
        found = {number for number, many in times.items() if many >= self._enough[number]}
        for words_in_a_row in _runs_of_words(words):
            found.update(self._by_words.get(words_in_a_row, ()))
        return [self._held_out[number] for number in sorted(found)]


def _runs_of_characters(bare: str) -> set[str]:
    return {bare[start : start + CHARACTERS] for start in range(len(bare) - CHARACTERS + 1)}


def _runs_of_words(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + WORDS]) for start in range(len(words) - WORDS + 1)}
