"""What lies in data/: the corpus, and the held-out sentences, of which the corpus has none in any near form."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter

import pytest

from course_utils.contextual.words import occurrences
from course_utils.datasets.corpus import (
    DATA,
    HOMONYMS,
    WHOLE_CORPUS,
    read_documents,
    sense_documents,
)
from course_utils.datasets.nearness import NearCopies

ALL = list(WHOLE_CORPUS)
SENTENCES = [sentence for document in read_documents(ALL) for sentence in document]
FILES = sorted(file for folder in ALL for file in folder.glob("*.txt"))
SENSES = json.loads((DATA / "senses.json").read_text(encoding="utf-8"))
HELD_OUT = [(word, one) for word, senses in SENSES.items() for group in senses.values() for one in group]
LABELLED = [(word, sense) for word, (_, senses) in HOMONYMS.items() for sense in senses]


def flaws(line: str) -> list[str]:
    """What is wrong with a line of text, by its form."""
    found = []
    if line != line.strip() or "\t" in line:
        found.append("blanks around it")
    if re.search(r"\s{2}", line):
        found.append("two blanks")
    if unicodedata.normalize("NFC", line) != line:
        found.append("not NFC")
    if line and not re.search("[가-힣]", line):
        found.append("no Hangul")
    return found


NEAR = NearCopies(sentence for _, sentence in HELD_OUT)


# --- the corpus -------------------------------------------------------------------------------------------------------


def test_every_line_is_clean():
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        assert text.endswith("\n") and "\r" not in text and "\n\n\n" not in text, file.name
        for number, line in enumerate(text.split("\n"), 1):
            assert not flaws(line), f"{file.name}:{number}: {flaws(line)}: {line}"


def test_no_sentence_stands_there_twice():
    assert [sentence for sentence, times in Counter(SENTENCES).items() if times > 1] == []


def test_the_files_are_those_of_the_homonyms_and_no_others():
    expected = {f"{name}_{sense}.txt" for name, senses in HOMONYMS.values() for sense in senses}
    others = {file.name for file in FILES} - expected
    assert all(name == "general.txt" or name.startswith("mixed_") for name in others)


@pytest.mark.parametrize(("word", "sense"), LABELLED)
@pytest.mark.parametrize("folder", ALL, ids=lambda folder: folder.name)
def test_the_homonym_occurs_in_its_files(word, sense, folder):
    documents = sense_documents(word, sense, folder)
    with_it = [document for document in documents if any(occurrences(line, word) for line in document)]
    assert len(with_it) >= 20 and len(with_it) / len(documents) > 0.95


# --- the held-out sentences -------------------------------------------------------------------------------------------


def test_the_senses_are_the_known_ones_and_have_enough_sentences():
    assert {word: tuple(senses) for word, senses in SENSES.items()} == {
        word: senses for word, (_, senses) in HOMONYMS.items()
    }
    for word, senses in SENSES.items():
        assert all(len(sentences) >= (40 if word == "배" else 20) for sentences in senses.values()), word


def test_the_homonym_stands_in_each_held_out_sentence_once():
    assert [sentence for word, sentence in HELD_OUT if len(occurrences(sentence, word)) != 1] == []


def test_held_out_sentences_are_clean_and_different():
    assert [sentence for _, sentence in HELD_OUT if flaws(sentence)] == []
    assert len({sentence for _, sentence in HELD_OUT}) == len(HELD_OUT)


def test_no_held_out_sentence_is_in_the_corpus_in_any_near_form():
    copies = {sentence: NEAR.of(sentence) for sentence in SENTENCES}
    assert {sentence: found for sentence, found in copies.items() if found} == {}


def test_five_words_in_a_row_are_enough():
    far = "그런데 어제는 눈이 펑펑 내려 온 동네 아이들이 신나게 썰매를 타고 놀았다고 들었다."
    text = NearCopies([far])
    assert text.of("어제는 눈이 펑펑 내려 온 마을이 하얗게 덮였다.") == [far]
    assert text.of("어제는 눈이 펑펑 내리더니 온 마을이 하얗게 덮였다.") == []
    assert text.of("우리는 부두에서 큰 배를 기다렸다.") == [] and text.of("배") == []
