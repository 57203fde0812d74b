"""Near copies: by hand, and against the rule written out slowly."""

from __future__ import annotations

import random
import re

import pytest

from course_utils.datasets.corpus import read_documents
from course_utils.datasets.nearness import NearCopies
from course_utils.datasets.public import held_out_sentences

HELD_OUT = held_out_sentences()


def slowly(sentence: str, held_out: str) -> bool:
    """Five words in a row, or half of the held-out sentence's different runs of five characters."""
    words, others = (re.findall("[0-9A-Za-z가-힣]+", text) for text in (sentence, held_out))
    five = any(
        others[i : i + 5] == words[j : j + 5] for i in range(len(others) - 4) for j in range(len(words) - 4)
    )
    bare, other = "".join(words), "".join(others)
    runs = {other[start : start + 5] for start in range(len(other) - 4)}
    return five or (bool(runs) and sum(run in bare for run in runs) >= len(runs) / 2)


@pytest.mark.rare
def test_it_finds_what_the_slow_rule_finds():
    draw = random.Random(5)
    near, found = NearCopies(HELD_OUT), 0
    sentences = [sentence for document in read_documents()[::700] for sentence in document]
    for _ in range(60):  # parts of held-out sentences, of about the length that decides, in other text
        words, other = draw.choice(HELD_OUT).split(), draw.choice(sentences).split()
        start = draw.randrange(len(words))
        sentences.append(" ".join(other[:2] + words[start : start + draw.randint(2, 6)] + other[2:]))
    for sentence in sentences:
        expected = [text for text in HELD_OUT if slowly(sentence, text)]
        assert near.of(sentence) == expected
        found += bool(expected)
    assert 10 < found < len(sentences) - 10


@pytest.mark.parametrize(
    ("sentence", "is_near"),
    [
        ("가나다라마바사", True),  # three runs of six
        ("가나다라마바", False),  # two
        ("사 가나다라 마바사!", True),
        ("1 2 3 4 5 6", False),
    ],
)
def test_half_is_enough_and_less_is_not(sentence, is_near):
    assert bool(NearCopies(["가나다라마 바사아자차."]).of(sentence)) is is_near


def test_a_sentence_without_a_run_is_near_to_nothing():
    assert NearCopies(["배", ""]).of("배") == [] and NearCopies([]).of("배가 떠난다.") == []
