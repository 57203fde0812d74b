"""Answers to questions: by hand, and against the normalisation of SQuAD's own script written down anew."""

from __future__ import annotations

import random
import re
import string
import unicodedata

import pytest

from course_utils.tasks.answers import normalize_answer, normalize_as_squad
from course_utils.tasks.metrics import exact_match, span_f1

ANSWERS = [  # prediction, answer, F1; the exact match is 1 where F1 is
    # forgiven: how it is written
    ("훈민정음", "훈민정음", 1),
    ("「훈민정음」", "훈민정음", 1),
    ("세종 대왕!", "세종　대왕", 1),
    ("  세종 \n 대왕 ", "세종 대왕", 1),
    ("BERT를", "bert를", 1),
    ("1,446년", "1446년", 1),
    ("3·1 운동", "3.1 운동", 1),
    (unicodedata.normalize("NFD", "배를 탔다"), "배를 탔다", 1),
    ("The Beatles", "beatles", 1),
    ("a cup of the tea", "cup of tea", 1),
    # forgiven, and should not be: without punctuation they are the same
    ("3.5", "35", 1),
    # not forgiven: particles and endings
    ("서울에서", "서울", 0),
    ("바다", "바", 0),
    ("세종 대왕이", "세종 대왕", 2 * 1 / 4),
    # not forgiven: blanks between words, numbers in words, units, other letters
    ("국립 박물관", "국립박물관", 0),
    ("두 명", "2명", 0),
    ("－５", "５", 1),  # a wide hyphen is punctuation …
    ("５", "5", 0),  # … a wide digit is another sign
    ("3ㆍ1 운동", "3·1 운동", 2 * 1 / 4),  # U+318D is a letter, and in Jeju a vowel
    # an article before a Korean word, or before none, is none
    ("비타민 A", "비타민", 2 * 1 / 3),
    ("A", "B", 0),
    ("A형", "형", 0),
    # words in common
    ("30일 12월", "12월 30일", 1),  # in any order: F1 1, and no exact match
    ("세종 세종", "세종", 2 * 1 / 3),
    ("세종 세종 만세", "만세 세종 세종", 1),
    ("경복궁 앞 광장", "광화문 광장", 2 * 1 / 5),
    # no answer
    ("", "", 1),
    ("", "세종", 0),
    ("…?", "", 1),
    ("세종", "", 0),
]


@pytest.mark.parametrize(("prediction", "answer", "overlap"), ANSWERS)
def test_answers_by_hand(prediction, answer, overlap):
    assert span_f1(prediction, [answer]) == pytest.approx(overlap)
    another_order = prediction in ("30일 12월", "세종 세종 만세")
    assert exact_match(prediction, [answer]) == (overlap == 1 and not another_order)
    assert span_f1(answer, [prediction]) == pytest.approx(overlap)  # precision and recall change places


def test_the_best_of_several_answers_counts():
    answers = ["이도", "조선의 세종 대왕", "세종 대왕"]
    assert exact_match("세종 대왕", answers) == 1.0 and exact_match("세종", answers) == 0.0
    assert span_f1("세종", answers) == pytest.approx(2 * 1 / 3)
    assert span_f1("세종", answers[:2]) == pytest.approx(2 * 1 / 4)


@pytest.mark.parametrize("answers", [[], [""], ["", "?!"], ["…"], ()])
def test_a_question_without_an_answer(answers):
    assert exact_match("", answers) == span_f1("", answers) == 1.0
    assert exact_match("세종", answers) == span_f1("세종", answers) == 0.0


def squads(text: str) -> str:
    """SQuAD's own: lower case, no ASCII punctuation, no articles anywhere, single blanks."""
    bare = text.lower().translate(str.maketrans("", "", string.punctuation))
    return " ".join(word for word in re.sub(r"\b(a|an|the)\b", " ", bare).split())


def test_in_english_it_is_squads_but_for_an_article_at_the_end():
    words = ["The", "a", "AN", "cat,", "U.S.", "(1990s)", "x-ray", "$5", "it's", "theatre", "Anna", "-", "\t"]
    for _ in range(300):
        text = " ".join(random.choices(words, k=random.randint(1, 7)))
        without = re.sub(r"[\W_]*(\b(the|an|a)\W*)+$", "", text, flags=re.IGNORECASE)
        assert normalize_answer(without) == squads(text) == squads(without), text


# Odd answers, normalised by hand as SQuAD's script does it.
BY_SQUAD = {
    "the-end": "theend",  # punctuation goes first: there is no article any more
    "U.S.A.": "usa",
    "an-ode": "anode",
    "A.N. Other": "other",  # "an" is one, after the dots have gone
    "a": "",
    "$1,446": "1446",
    "e-mail (a test)": "email test",
    "…": "…",  # no sign of ASCII
    "「훈민정음」": "「훈민정음」",
    "A형": "a형",  # one word: A is no article
    "İ": "i\u0307",  # lower case may have more letters
}


@pytest.mark.parametrize("given", BY_SQUAD)
def test_squads_own_normalisation_by_hand(given):
    assert normalize_as_squad(given) == BY_SQUAD[given] == squads(given)
    assert exact_match(given, [BY_SQUAD[given]], normalize=normalize_as_squad) == 1.0


def test_squads_own_normalisation_of_anything():
    signs = string.punctuation + "aAnNtThHeE \t 배를「」1"
    for _ in range(300):
        text = "".join(random.choices(signs, k=random.randint(0, 20)))
        assert normalize_as_squad(text) == squads(text), text


def test_another_normalisation():
    def by_character(text: str) -> str:
        return " ".join(normalize_answer(text).replace(" ", ""))

    assert span_f1("서울에서", ["서울"], normalize=by_character) == pytest.approx(2 * 2 / 6)
    assert exact_match("국립 박물관", ["국립박물관"], normalize=by_character) == 1.0
    assert exact_match("BERT", ["bert"], normalize=str) == 0.0 == span_f1("BERT", ["bert"], normalize=str)
    assert exact_match("?", ["?"], normalize=str) == 1.0


@pytest.mark.parametrize("metric", [exact_match, span_f1])
def test_one_text_is_not_taken_for_its_letters(metric):
    with pytest.raises(ValueError, match="answers must be a list of texts, got one text, '서울'"):
        metric("서울", "서울")
