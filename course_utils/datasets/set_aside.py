"""What later notebooks test on, and which sentences must not be pre-trained on therefore.

Whoever ships a test set adds its reader to SET_ASIDE. The rule compares letters and digits only, so other blanks,
marks, capitals or another Unicode form (KLUE has ㅋ as U+110F) hide nothing, and it also finds a longer sentence that
holds a test text: KLUE NER has single sentences out of film reviews.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Literal

from course_utils.datasets.download import find_file
from course_utils.datasets.layouts import Documents, conllu, klue_ner, korsts, read_reviews

FilmPart = Literal["pretraining", "train", "validation", "test"]
# Of 100: enough for 12,000 / 2,000 / 2,000 reviews without rude words, half of them negative, of which there are few.
_UP_TO: dict[FilmPart, int] = {"test": 2, "validation": 4, "train": 12, "pretraining": 100}

HOLDS_FROM = 12  # letters of a test text that is looked for inside longer ones; shorter ones are anybody's


@cache
def film_part(film: str) -> FilmPart:
    """Which part of the film reviews all reviews of a film belong to: a hash of its id decides, for good.

    Args:
        film: its id, digits as in nsmc_raw.tsv.gz.
    """
    number = int.from_bytes(hashlib.sha256(film.encode()).digest()[:8]) % 100
    return next(part for part, limit in _UP_TO.items() if number < limit)


def _sentences(name: str, read: Callable[[Path], Documents]) -> Iterable[str]:
    return (sentence for document in read(find_file(name)) for sentence in document)


def _reviews() -> Iterable[str]:
    reviews = read_reviews(find_file("nsmc_raw.tsv.gz"))
    return (review.text for review in reviews if film_part(review.film) != "pretraining")


# A name, and what gives its texts.
SET_ASIDE: dict[str, Callable[[], Iterable[str]]] = {
    "korsts-dev.tsv": lambda: _sentences("korsts-dev.tsv", korsts),
    "korsts-test.tsv": lambda: _sentences("korsts-test.tsv", korsts),
    "klue-ner-v1.1_dev.tsv": lambda: _sentences("klue-ner-v1.1_dev.tsv", klue_ner),
    "ko_kaist-ud-test.conllu": lambda: _sentences("ko_kaist-ud-test.conllu", conllu),
    "nsmc_raw.tsv.gz, 12 of 100 films": _reviews,
}


def letters(text: str) -> str:
    """A text's letters and digits, as they are compared: NFKC, without case.

    Args:
        text: any.
    """
    return _NEITHER.sub("", unicodedata.normalize("NFKC", text).casefold())


_NEITHER = re.compile(r"[\W_]+")


class SetAside:
    """Texts that nothing may be trained on.

    Args:
        texts: all of them.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = {key for text in texts if (key := letters(text))}
        self._beginning: dict[str, list[str]] = defaultdict(list)
        for text in self._texts:
            if len(text) >= HOLDS_FROM:
                self._beginning[text[:HOLDS_FROM]].append(text)

    def __len__(self) -> int:
        return len(self._texts)

    def holds(self, key: str) -> bool:
        """Whether a sentence is one of the texts, or has one of at least HOLDS_FROM letters in it.

        Args:
            key: letters(sentence).
        """
        if key in self._texts:
            return True
        runs = {key[start : start + HOLDS_FROM] for start in range(len(key) - HOLDS_FROM + 1)}
        common = runs & self._beginning.keys()
        return any(text in key for run in common for text in self._beginning[run])
